package webhookadmin

import (
	"context"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// maxRequeued is how many deliveries one request may queue again. The caller waits for them.
const maxRequeued = 100_000

// Retry queues a failed delivery again.
func (a *Admin) Retry(ctx context.Context, c ledger.Caller, id int64) (record.Values, error) {
	return a.again(ctx, c, id, false)
}

// Redeliver queues a delivery that has ended again, even a successful one. It replaces a scheduled automatic retry.
func (a *Admin) Redeliver(ctx context.Context, c ledger.Caller, id int64) (record.Values, error) {
	return a.again(ctx, c, id, true)
}

func (a *Admin) again(ctx context.Context, c ledger.Caller, id int64, ended bool) (record.Values, error) {
	t := a.deliveryType()
	v, err := a.Ledger.Get(ctx, c, t, id)
	if err != nil {
		return v, err
	}
	before := v.Text("state")
	one := store.Query{Where: []record.Predicate{{Values: []any{id}}}}
	matching, queued, err := a.requeue(ctx, c, store.RequeueQuery{Query: one, Ended: ended})
	if err != nil {
		return v, err
	}
	if v, err = a.Ledger.Get(ctx, c, t, id); err != nil || queued == 1 {
		return v, err
	}
	suits := func(state string) bool { return state == store.Failed || ended && state == store.Successful }
	state := v.Text("state")
	switch {
	case !suits(before): // it has changed since the caller saw it
		state = before
	case suits(state) && v.Link("webhook").ID == 0:
		return v, fault.New(fault.Invalid, "The webhook was deleted: there is nobody to send this to.")
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

// RetryAll says which failed deliveries to queue again.
type RetryAll struct {
	Query  store.Query
	DryRun bool // only count them
}

// Retried is how many deliveries were queued again, or would be.
type Retried struct{ Count int64 }

// RetryAll queues every failed delivery again that the query finds. It skips those that are being sent right now.
func (a *Admin) RetryAll(ctx context.Context, c ledger.Caller, in RetryAll) (Retried, error) {
	matching, queued, err := a.requeue(ctx, c, store.RequeueQuery{Query: in.Query, DryRun: in.DryRun})
	if in.DryRun {
		return Retried{matching}, err
	}
	return Retried{queued}, err
}

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
	return matching, queued, err
}
