package app

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/store"
)

// publishEvery is how often Terrier looks whether the health of a webhook has changed.
const publishEvery = time.Second

// machine returns the caller of what Terrier itself records.
func machine() ledger.Caller {
	return ledger.Caller{Subject: &access.Subject{Username: "terrier", Superuser: true}, RequestID: uuid.NewString(), Machine: true,
		Way: "upkeep"}
}

// publishHealth records how webhooks are doing, so that people see it and other webhooks are notified. Workers have
// noted it in the transactions of the outcomes, and the records follow from that: each change is recorded once, also if
// this process is killed at any moment.
func (a *App) publishHealth(ctx context.Context) error {
	return a.Store.PublishHealth(ctx, a.cfg.WebhookHeldAfter, func(h store.ToPublish) (err error) {
		t := a.Registry.Type(store.WebhookHealthType)
		in := ledger.Input{"webhook": json.Number(strconv.FormatInt(h.Webhook, 10)), "state": h.State,
			"since": h.Since.Format(time.RFC3339Nano), "reason": h.Reason}
		if h.Record == 0 {
			_, err = a.Ledger.Create(ctx, machine(), t, []ledger.Input{in})
		} else {
			_, err = a.Ledger.Update(ctx, machine(), t, []ledger.Edit{{ID: h.Record, Input: in}})
		}
		return err
	})
}
