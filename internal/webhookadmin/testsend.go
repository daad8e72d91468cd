package webhookadmin

import (
	"context"
	"fmt"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// test sends a sample to a webhook in the same way as a change: with a change row, a delivery, a job and a worker. The change is to no
// record. The types, events and conditions of the webhook don't matter. Without a sample it uses DefaultSample. It returns the delivery.
func (a *Admin) test(ctx context.Context, c ledger.Caller, hook record.Values, in record.Input) (any, error) {
	s, err := a.sampleIn(in)
	if err != nil {
		return nil, err
	}
	change, err := a.testChange(ctx, c, hook, s)
	if err != nil {
		return nil, err
	}
	scope, err := a.changeScope(c)
	if err != nil {
		return nil, err
	}
	id := hook.ID()
	var sent *store.Promise[int64]
	e := a.Ledger.Event(c, audit.WebhookTested, hook)
	err = a.store().Write(ctx, c.Asker(), func(tx *store.Tx) error {
		hooks := tx.Load(hook.Type(), scope, []int64{id}, store.LockKeep)
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		if len(hooks.Get()) == 0 {
			return fault.ErrNotFound
		}
		if err := checkSends(hooks.Get()[0]); err != nil {
			return err
		}
		change.At = a.Ledger.Timestamp()
		tx.InsertDeliveries([]store.Change{change}, []store.Match{{Webhook: id, Event: webhook.KindOf(change.Action)}})
		tx.AddCounts(map[string]int{store.ChangeType: 1, store.DeliveryType: 1})
		tx.ProbeNow(id)
		tx.AddEvent(e)
		sent = tx.LastDelivery(id, change.At, c.RequestID)
		return tx.Flush(ctx)
	})
	if err != nil {
		return nil, err
	}
	a.Ledger.Audit.Write(e)
	return a.store().Get(ctx, a.deliveryType(), access.Machine(), sent.Get())
}

// checkSends returns an error if a delivery to the webhook would only be queued. One that is held is probed at once.
func checkSends(hook record.Values) error {
	switch {
	case !hook.Bool("enabled"):
		return fault.New(fault.Invalid, "The webhook is disabled: enable it first, and the test is sent at once.")
	case hook.Get("paused_at") != nil:
		return fault.New(fault.Invalid, "The webhook is paused: resume it first, and the test is sent at once.")
	}
	return nil
}

// testChange returns the change row of a test, with the data of the sample and the caller's name.
func (a *Admin) testChange(ctx context.Context, c ledger.Caller, hook record.Values, s Sample) (change store.Change, err error) {
	if s == (Sample{}) {
		if s, err = a.newestSample(ctx, c, hook); err != nil {
			return change, err
		}
	}
	if s == (Sample{}) {
		types := a.typesOf(hook)
		if len(types) == 0 {
			return change, fault.New(fault.Invalid,
				"This program knows none of the webhook's object types: add one that it knows, and send the test again.")
		}
		change = a.madeUp(a.store().Type(types[0]))
	} else if change, _, err = a.sample(ctx, c, 0, s); err != nil {
		return change, err
	}
	change.Type = &record.Type{App: record.TestApp, Name: change.Type.Name}
	// It has the id and not the name, because some readers of the change log may not see webhooks.
	change.Display = fmt.Sprintf("Test of webhook %d", hook.ID())
	change.UserID, change.UserName, change.RequestID = c.UserID, c.Username, c.RequestID
	return change, nil
}

// madeUp returns a change of a record that does not exist. It has an address like every record, because some receivers refuse an empty
// link.
func (a *Admin) madeUp(t *record.Type) store.Change {
	data := record.AppendString([]byte(`{"id":0,"url":`), a.Ledger.Printer.Base+t.Path()+"0/")
	data = append(data, `,"display":"Sample","name":"Sample"}`...)
	return store.Change{Action: store.Created, Type: t, Version: 1, Data: data, Postchange: []byte(`{"name":"Sample"}`)}
}
