package ledger

import (
	"context"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Bucket is how the deliveries of a webhook went in a stretch of time.
type Bucket = store.Bucket

// mostBuckets is more than a picture has dots.
const mostBuckets = 2000

// History tells how the deliveries of a webhook went since a moment, in stretches of whole
// minutes, the last of which is not over. Every stretch is there, also those in which nothing was
// sent. What is older than the tally is kept reads as nothing.
func (l *Ledger) History(ctx context.Context, c Caller, webhook int64, since time.Time, step time.Duration) ([]Bucket, error) {
	if step < time.Minute || step%time.Minute != 0 {
		return nil, fault.New(fault.Invalid, "History is kept by the minute: ask for steps of whole minutes.")
	}
	scope, err := l.Policy.Scope(c.Subject, l.webhookType(), access.View)
	if err != nil {
		return nil, err
	}
	if _, err := l.Store.Get(ctx, l.webhookType(), scope, webhook); err != nil {
		return nil, err
	}
	from, now := since.UTC().Truncate(step), l.now()
	n := int64(now.Sub(from)/step) + 1
	if n > mostBuckets {
		return nil, fault.New(fault.Invalid, "This is a history of %d steps and the most is %d: ask for longer steps, or for less time.", n, mostBuckets)
	}
	found, err := l.Store.History(ctx, webhook, from, step)
	if err != nil {
		return nil, err
	}
	buckets := make([]Bucket, max(0, n))
	for i := range buckets {
		buckets[i].At = from.Add(time.Duration(i) * step)
	}
	for _, b := range found {
		if i := int(b.At.Sub(from) / step); i < len(buckets) { // a worker's clock may be ahead
			b.At = buckets[i].At
			buckets[i] = b
		}
	}
	return buckets, nil
}

// Ended lists the deliveries that the caller may see and that ended last, since a moment, in the
// order in which they ended.
func (l *Ledger) Ended(ctx context.Context, c Caller, where []record.Predicate, since time.Time, limit int) ([]store.Ended, error) {
	scope, err := l.Policy.Scope(c.Subject, l.deliveryType(), access.View)
	if err != nil {
		return nil, err
	}
	return l.Store.Ended(ctx, store.Query{Scope: scope, Where: where, Limit: limit}, since)
}
