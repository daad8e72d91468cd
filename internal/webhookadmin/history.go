package webhookadmin

import (
	"context"
	"time"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// maxBuckets is how many steps a history may have. No chart has as many points.
const maxBuckets = 2000

// HistoryRange is the time that a history covers, and the length of its steps.
type HistoryRange struct {
	Since time.Time
	Step  time.Duration // whole minutes
}

// History returns how the requests of a webhook ended, in steps of time. The last step is not over yet. Steps in which nothing was sent
// are included. Steps that are older than the stored counts are 0.
func (a *Admin) History(ctx context.Context, c ledger.Caller, id int64, in HistoryRange) ([]store.Bucket, error) {
	scope, err := a.viewScope(c, a.webhookType())
	if err != nil {
		return nil, err
	}
	return a.history(in, func(from time.Time) ([]store.Bucket, error) {
		if _, err := a.store().Get(ctx, a.webhookType(), scope, id); err != nil {
			return nil, err
		}
		return a.store().History(ctx, id, from, in.Step)
	})
}

// HistoryOfAll returns the same for all webhooks that the caller may see, together.
func (a *Admin) HistoryOfAll(ctx context.Context, c ledger.Caller, in HistoryRange) ([]store.Bucket, error) {
	scope, err := a.viewScope(c, a.webhookType())
	if err != nil {
		return nil, err
	}
	return a.history(in, func(from time.Time) ([]store.Bucket, error) { return a.store().HistoryOfAll(ctx, scope, from, in.Step) })
}

// history reads the counts from the beginning of the first step, and adds the steps that have none.
func (a *Admin) history(in HistoryRange, read func(from time.Time) ([]store.Bucket, error)) ([]store.Bucket, error) {
	if in.Step < time.Minute || in.Step%time.Minute != 0 {
		return nil, fault.New(fault.Invalid, "History is kept by the minute: ask for steps of whole minutes.")
	}
	from, now := in.Since.UTC().Truncate(in.Step), a.Ledger.Timestamp()
	n := int64(now.Sub(from)/in.Step) + 1
	if n > maxBuckets {
		return nil, fault.New(fault.Invalid,
			"This is a history of %d steps and the most is %d: ask for longer steps, or for less time.", n, maxBuckets)
	}
	found, err := read(from)
	if err != nil {
		return nil, err
	}
	buckets := make([]store.Bucket, max(0, n))
	for i := range buckets {
		buckets[i].At = from.Add(time.Duration(i) * in.Step)
	}
	for _, b := range found {
		if i := int(b.At.Sub(from) / in.Step); i < len(buckets) { // a worker's clock may be ahead
			b.At = buckets[i].At
			buckets[i] = b
		}
	}
	return buckets, nil
}

// EndedQuery says which deliveries that have ended to list.
type EndedQuery struct {
	Where []record.Predicate
	Since time.Time
	Limit int // how many of the last ones
}

// Ended returns the deliveries that have ended and that the caller may see, in the order in which they ended.
func (a *Admin) Ended(ctx context.Context, c ledger.Caller, in EndedQuery) ([]store.Ended, error) {
	scope, err := a.viewScope(c, a.deliveryType())
	if err != nil {
		return nil, err
	}
	return a.store().Ended(ctx, store.Query{Scope: scope, Where: in.Where, Limit: in.Limit}, in.Since)
}
