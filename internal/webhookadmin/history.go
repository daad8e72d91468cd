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

// HistoryRange is the time that a history covers, and the length of its steps. Older counts are kept by the half hour, and after two days
// by the hour: shorter steps show them at the beginning of that time.
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

// HistoryOfEach returns the same for each of some webhooks. One in whose history nothing was sent, or that the caller may not see, is
// missing.
func (a *Admin) HistoryOfEach(ctx context.Context, c ledger.Caller, ids []int64, in HistoryRange) (map[int64][]store.Bucket, error) {
	scope, err := a.viewScope(c, a.webhookType())
	if err != nil {
		return nil, err
	}
	from, n, err := a.steps(in)
	if err != nil {
		return nil, err
	}
	each, err := a.store().HistoryOfEach(ctx, store.HistoryQuery{Scope: scope, IDs: ids, From: from, Step: in.Step})
	for id, found := range each {
		each[id] = evenly(from, in.Step, n, found)
	}
	return each, err
}

// history reads the counts from the beginning of the first step, and adds the steps that have none.
func (a *Admin) history(in HistoryRange, read func(from time.Time) ([]store.Bucket, error)) ([]store.Bucket, error) {
	from, n, err := a.steps(in)
	if err != nil {
		return nil, err
	}
	found, err := read(from)
	if err != nil {
		return nil, err
	}
	return evenly(from, in.Step, n, found), nil
}

// steps returns when the first step of a history begins, and how many there are.
func (a *Admin) steps(in HistoryRange) (from time.Time, n int64, err error) {
	if in.Step < time.Minute || in.Step%time.Minute != 0 {
		return from, 0, fault.New(fault.Invalid, "The steps of a history are whole minutes.")
	}
	from, now := in.Since.UTC().Truncate(in.Step), a.Ledger.Timestamp()
	n = int64(now.Sub(from)/in.Step) + 1
	if n > maxBuckets {
		return from, 0, fault.New(fault.Invalid,
			"This is a history of %d steps and the most is %d: ask for longer steps, or for less time.", n, maxBuckets)
	}
	return from, max(0, n), nil
}

// evenly returns a bucket for each step, also for those without counts.
func evenly(from time.Time, step time.Duration, n int64, found []store.Bucket) []store.Bucket {
	buckets := make([]store.Bucket, n)
	for i := range buckets {
		buckets[i].At = from.Add(time.Duration(i) * step)
	}
	for _, b := range found {
		if i := int(b.At.Sub(from) / step); i < len(buckets) { // a worker's clock may be ahead
			b.At = buckets[i].At
			buckets[i] = b
		}
	}
	return buckets
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
