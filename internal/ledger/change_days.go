package ledger

import (
	"context"

	"terrier/internal/access"
	"terrier/internal/store"
)

// ChangeDays returns how many changes that the caller may see there were in the last days, by day and type.
func (l *Ledger) ChangeDays(ctx context.Context, c Caller) ([]store.ChangeDay, error) {
	scope, err := l.Policy.Scope(c.Subject, l.Store.Type(store.ChangeType), access.View)
	if err != nil {
		return nil, err
	}
	return l.Store.ChangeDays(ctx, scope, l.Timestamp())
}
