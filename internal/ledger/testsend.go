package ledger

import (
	"context"
	"fmt"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// TestSend sends a sample to a webhook the way every change goes: a change row, a delivery, a
// job, a worker. The change touches no record. Types, events and conditions of the webhook are
// not asked. Without a sample it takes what DefaultSample finds.
func (l *Ledger) TestSend(ctx context.Context, c Caller, webhook int64, s Sample) (record.Values, error) {
	scope, err := l.writeScope(c, l.webhookType(), access.Change)
	if err != nil {
		return record.Values{}, err
	}
	hook, err := l.Store.Get(ctx, l.webhookType(), scope, webhook)
	if err != nil {
		return record.Values{}, err
	}
	change, err := l.testChange(ctx, c, hook, s)
	if err != nil {
		return record.Values{}, err
	}
	var id int64
	err = l.Store.Write(ctx, func(tx *store.Tx) error {
		var hooks []record.Values
		tx.Load(l.webhookType(), scope, []int64{webhook}, store.LockKeep, &hooks)
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		if len(hooks) == 0 {
			return fault.ErrNotFound
		}
		if err := held(hooks[0]); err != nil {
			return err
		}
		change.At = l.now()
		tx.InsertDeliveries([]store.Change{change}, []store.Match{{Webhook: webhook, Event: events[change.Action]}})
		tx.AddCounts(map[string]int{store.ChangeType: 1, store.DeliveryType: 1})
		tx.LastDelivery(webhook, change.At, c.RequestID, &id)
		return tx.Flush(ctx)
	})
	if err != nil {
		return record.Values{}, err
	}
	return l.Store.Get(ctx, l.deliveryType(), access.Machine(), id)
}

// held says why what is sent to a webhook would only wait.
func held(hook record.Values) error {
	switch {
	case !hook.Bool("enabled"):
		return fault.New(fault.Invalid, "The webhook is disabled: enable it first, and the test is sent at once.")
	case hook.Get("paused_at") != nil:
		return fault.New(fault.Invalid, "The webhook is paused: resume it first, and the test is sent at once.")
	}
	return nil
}

// DefaultSample is what a webhook is tried with where nobody chose: the newest change of one of
// its types that the caller may see. Where there is none, the sample is empty.
func (l *Ledger) DefaultSample(ctx context.Context, c Caller, webhook int64) (Sample, error) {
	hook, err := l.Get(ctx, c, l.webhookType(), webhook)
	if err != nil {
		return Sample{}, err
	}
	return l.newestSample(ctx, c, hook)
}

func (l *Ledger) newestSample(ctx context.Context, c Caller, hook record.Values) (Sample, error) {
	t := l.Store.Type(store.ChangeType)
	scope, err := l.Policy.Scope(c.Subject, t, access.View)
	if err != nil {
		return Sample{}, nil // they may see none
	}
	var newest Sample
	types := []record.Predicate{{Field: t.Field("changed_object_type"), Values: record.AnyOf(l.typesOf(hook))}}
	err = l.Store.Samples(ctx, scope, types, 1, func(found store.Sample) error {
		newest.Change = found.Row.ID()
		return nil
	})
	return newest, err
}

// typesOf are the types of a webhook that this program knows.
func (l *Ledger) typesOf(hook record.Values) []string {
	return slices.DeleteFunc(slices.Clone(hook.List("content_types")), func(key string) bool { return l.Store.Type(key) == nil })
}

// testChange is the change row of a test: what the sample says, and who asked for it.
func (l *Ledger) testChange(ctx context.Context, c Caller, hook record.Values, s Sample) (change store.Change, err error) {
	if s == (Sample{}) {
		if s, err = l.newestSample(ctx, c, hook); err != nil {
			return change, err
		}
	}
	if s == (Sample{}) {
		types := l.typesOf(hook)
		if len(types) == 0 {
			return change, fault.New(fault.Invalid, "This program knows none of the webhook's object types: add one that it knows, and send the test again.")
		}
		change = l.madeUp(l.Store.Type(types[0]))
	} else if change, _, err = l.sample(ctx, c, 0, s); err != nil {
		return change, err
	}
	change.Type = &record.Type{App: record.TestApp, Name: change.Type.Name}
	// Not by its name: some who read the change log may not see webhooks.
	change.Display = fmt.Sprintf("Test of webhook %d", hook.ID())
	change.UserID, change.UserName, change.RequestID = c.UserID, c.Username, c.RequestID
	return change, nil
}

// madeUp is a change of a record that there is not. It has an address, as every record has:
// some receivers refuse a link to nowhere.
func (l *Ledger) madeUp(t *record.Type) store.Change {
	data := record.AppendString([]byte(`{"id":0,"url":`), l.Printer.Base+t.Path()+"0/")
	return store.Change{Action: created, Type: t, Version: 1, Data: append(data, `,"display":"Sample","name":"Sample"}`...), Postchange: []byte(`{"name":"Sample"}`)}
}
