package ledger

import (
	"context"

	"terrier/internal/record"
)

// CustomLinks returns the enabled custom links of a type, at most so many, in their order. They need no permission: whoever sees a record
// sees its links.
func (l *Ledger) CustomLinks(ctx context.Context, t *record.Type, most int) ([]record.Values, error) {
	if !record.HasCustomLinks(t) {
		return nil, nil
	}
	return l.Store.CustomLinks(ctx, t, most)
}
