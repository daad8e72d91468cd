package webhookadmin

import (
	"context"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

// Pause stops sending to a webhook until it is resumed. Its deliveries stay queued.
func (a *Admin) Pause(ctx context.Context, c ledger.Caller, id int64) (record.Values, error) {
	return a.setPaused(ctx, c, id, true)
}

// Resume lets a paused webhook send again.
func (a *Admin) Resume(ctx context.Context, c ledger.Caller, id int64) (record.Values, error) {
	return a.setPaused(ctx, c, id, false)
}

func (a *Admin) setPaused(ctx context.Context, c ledger.Caller, id int64, paused bool) (record.Values, error) {
	t := a.webhookType()
	scope, err := a.changeScope(c)
	if err != nil {
		return record.Values{}, err
	}
	if _, err := a.store().Get(ctx, t, scope, id); err != nil {
		return record.Values{}, err
	}
	if err := a.store().Pause(ctx, id, paused, a.Ledger.Timestamp()); err != nil {
		return record.Values{}, err
	}
	rows := make([]record.Values, 1)
	if rows[0], err = a.store().Get(ctx, t, scope, id); err == nil {
		err = a.Ledger.Reveal(ctx, c, t, rows)
	}
	return rows[0], err
}
