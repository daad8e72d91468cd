package ledger

import (
	"context"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Snapshot reads all records of a type that the caller may see, as they are at one moment. It calls begin with the position of that
// moment, and then each with every record. Secrets stay closed: the records are for record.AppendSnapshot, as those of the change log.
func (l *Ledger) Snapshot(ctx context.Context, c Caller, t *record.Type, begin func(position int64) error,
	each func(record.Values) error) error {
	scope, err := l.Policy.Scope(c.Subject, t, access.View)
	if err != nil {
		return err
	}
	return l.Store.Snapshot(ctx, t, scope, begin, each)
}
