package ledger

import (
	"context"

	"terrier/internal/record"
)

// Import updates records, or creates them if the edits have no ids: all or none.
func (l *Ledger) Import(ctx context.Context, c Caller, t *record.Type, edits []Edit) error {
	if edits[0].ID != 0 {
		_, err := l.Update(ctx, c, t, edits)
		return err
	}
	inputs := make([]Input, len(edits))
	for i, e := range edits {
		inputs[i] = e.Input
	}
	_, err := l.Create(ctx, c, t, inputs)
	return err
}
