package webhookadmin

import (
	"context"

	"terrier/internal/audit"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// maxRequeued is how many deliveries one request may queue again. The caller waits for them.
const maxRequeued = 100_000

// retry queues a failed delivery again.
func (a *Admin) retry(ctx context.Context, c ledger.Caller, d record.Values, _ record.Input) (any, error) {
	return a.again(ctx, c, d, false)
}

// redeliver queues a delivery that has ended again, even a successful one. It replaces a scheduled automatic retry.
func (a *Admin) redeliver(ctx context.Context, c ledger.Caller, d record.Values, _ record.Input) (any, error) {
	return a.again(ctx, c, d, true)
}

func (a *Admin) again(ctx context.Context, c ledger.Caller, d record.Values, ended bool) (record.Values, error) {
	before, event := d.Text("state"), audit.DeliveryRetried
	if ended {
		event = audit.DeliveryRedelivered
	}
	e := a.Ledger.Event(c, event, d)
	e.TargetName = "" // its own name has that of a record, which not everybody may see
	if hook := d.Link("webhook"); hook.ID != 0 {
		e.TargetName = a.webhookType().DisplayLink(hook)
	}
	one := store.Query{Where: []record.Predicate{{Values: []any{d.ID()}}}}
	matching, queued, err := a.requeue(ctx, c, store.RequeueQuery{Query: one, Ended: ended, Event: e})
	if err != nil {
		return d, err
	}
	v, err := a.Ledger.Get(ctx, c, d.Type(), d.ID())
	if err != nil || queued == 1 {
		return v, err
	}
	suits := func(state string) bool { return state == store.Failed || ended && state == store.Successful }
	state := v.Text("state")
	switch {
	case !suits(before): // it has changed since the caller saw it
		state = before
	case suits(state) && v.Link("webhook").ID == 0:
		return v, fault.New(fault.Invalid, "The webhook was deleted, so there is no receiver to send this to.")
	case suits(state) && matching == 0:
		return v, fault.ErrDenied
	case suits(state):
		state = "being sent right now"
	}
	if ended {
		return v, fault.New(fault.Invalid, "Only a delivery that has ended can be sent again: this one is %s.", state)
	}
	return v, fault.New(fault.Invalid, "Only a failed delivery can be retried: this one is %s.", state)
}

// Retried is how many deliveries were queued again, or would be.
type Retried struct {
	Count int64 `json:"count"`
}

// retryFiltered queues every failed delivery again that the filter finds. It skips those that are being sent right now. A dry run only
// counts them.
func (a *Admin) retryFiltered(ctx context.Context, c ledger.Caller, _ record.Values, in record.Input) (any, error) {
	q, err := a.filterOf(ctx, c, a.deliveryType(), in, `{"webhook_id": 7}`)
	if err != nil {
		return nil, err
	}
	e := a.Ledger.Event(c, audit.DeliveryRetried, record.Values{})
	e.Target, e.TargetName = store.DeliveryType, filterText(in)
	matching, queued, err := a.requeue(ctx, c, store.RequeueQuery{Query: q, DryRun: in.Bool("dry_run"), Event: e})
	if in.Bool("dry_run") {
		return Retried{matching}, err
	}
	return Retried{queued}, err
}

// requeue queues deliveries that the caller may see, of webhooks that the caller may change.
func (a *Admin) requeue(ctx context.Context, c ledger.Caller, q store.RequeueQuery) (matching, queued int64, err error) {
	if err := ledger.CheckSearch(q.Search); err != nil {
		return 0, 0, err
	}
	if q.Scope, err = a.viewScope(c, a.deliveryType()); err != nil {
		return 0, 0, err
	}
	if q.Webhooks, err = a.changeScope(c); err != nil {
		return 0, 0, err
	}
	q.Limit = maxRequeued
	matching, queued, err = a.store().Requeue(ctx, q, a.Ledger.Timestamp())
	if err == nil && !q.DryRun && matching > maxRequeued {
		return 0, 0, fault.New(fault.Invalid,
			"%d deliveries match and at most %d can be sent again at once: narrow the filter, for example by time__lt.", matching, maxRequeued)
	}
	if err == nil && queued > 0 {
		q.Event.Count = queued
		a.Ledger.Audit.Write(q.Event)
	}
	return matching, queued, err
}
