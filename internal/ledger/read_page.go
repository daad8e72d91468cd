package ledger

import (
	"context"

	"terrier/internal/record"
	"terrier/internal/store"
)

// ReadPage is List for a page that is sent to the caller. Call release when it is sent: until then the page has its memory from what all
// answers share.
func (l *Ledger) ReadPage(ctx context.Context, c Caller, t *record.Type, q store.Query) (page store.Page, release func(), err error) {
	return store.Answer(ctx, l.Store, c.Asker(), func() (store.Page, int, error) {
		page, err := l.List(ctx, c, t, q)
		return page, page.Bytes(), err
	})
}
