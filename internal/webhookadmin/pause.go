package webhookadmin

import (
	"context"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// pause stops sending to a webhook until it is resumed. Its deliveries stay queued.
func (a *Admin) pause(ctx context.Context, c ledger.Caller, hook record.Values, _ record.Input) (any, error) {
	return a.setPaused(ctx, c, hook, true)
}

// resume lets a paused webhook send again.
func (a *Admin) resume(ctx context.Context, c ledger.Caller, hook record.Values, _ record.Input) (any, error) {
	return a.setPaused(ctx, c, hook, false)
}

func (a *Admin) setPaused(ctx context.Context, c ledger.Caller, hook record.Values, paused bool) (record.Values, error) {
	name := audit.WebhookResumed
	if paused {
		name = audit.WebhookPaused
	}
	e := a.Ledger.Event(c, name, hook)
	changed, err := a.store().Pause(ctx, hook.ID(), paused, e)
	if err != nil {
		return record.Values{}, err
	}
	if changed {
		a.Ledger.Audit.Write(e)
	}
	now, err := a.store().Get(ctx, hook.Type(), access.Machine(), hook.ID())
	if err != nil {
		return record.Values{}, err
	}
	rows := []record.Values{now}
	err = a.Ledger.Reveal(ctx, c, hook.Type(), rows)
	return rows[0], err
}
