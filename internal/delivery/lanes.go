package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"terrier/internal/store"
)

// lanes keeps the queues of this process in step with the webhooks. A webhook that is paused, disabled or held has no
// queue here, so its jobs wait; a deleted one has a queue until its jobs have ended.
type lanes struct {
	client *river.Client[pgx.Tx]
	store  *store.Store
	pace   *pacer

	open      map[int64]*lane
	abandoned map[int64]bool
	looked    time.Time // when abandoned queues were last looked for
}

type lane struct {
	concurrency int
	closing     bool // no new jobs are fetched; those under way finish
}

// lookAbandoned is how often queues without a webhook are looked for.
const lookAbandoned = 5 * time.Second

// abandonedAtOnce is how many deliveries of a deleted webhook are failed at once. Nothing is
// sent for them.
const abandonedAtOnce = 100

// patience is how long removing one queue may delay the others. River continues the removal.
const patience = 10 * time.Millisecond

// follow opens and closes queues to match the webhooks.
func (l *lanes) follow(ctx context.Context, now time.Time) error {
	wanted, err := l.wanted(ctx, now)
	if err != nil {
		return err
	}
	for id, open := range l.open {
		if open.concurrency != wanted[id] || open.closing {
			if err := l.close(ctx, id, open); err != nil {
				return err
			}
		}
	}
	for id, concurrency := range wanted {
		if l.open[id] != nil {
			continue
		}
		// The interval at which jobs are fetched is the client's.
		if err := l.client.Queues().Add(store.QueueOf(id), river.QueueConfig{MaxWorkers: concurrency}); err != nil {
			// River keeps a queue that it could not start and would refuse to add it again.
			return errors.Join(err, l.client.Queues().Remove(ctx, store.QueueOf(id)))
		}
		l.open[id] = &lane{concurrency: concurrency}
	}
	return nil
}

// wanted returns the number of concurrent requests by webhook.
func (l *lanes) wanted(ctx context.Context, now time.Time) (map[int64]int, error) {
	all, err := l.store.Lanes(ctx)
	if err != nil {
		return nil, err
	}
	l.pace.follow(all)
	wanted := make(map[int64]int, len(all))
	for _, x := range all {
		if x.Closed {
			continue
		}
		wanted[x.Webhook] = x.Concurrency
		if x.RateLimit > 0 { // each waits for its turn, so more than there are turns in a second would wait for nothing
			wanted[x.Webhook] = min(x.Concurrency, x.RateLimit)
		}
	}
	if now.Sub(l.looked) >= lookAbandoned {
		ids, err := l.store.Abandoned(ctx)
		if err != nil {
			return nil, err
		}
		l.looked, l.abandoned = now, map[int64]bool{}
		for _, id := range ids {
			l.abandoned[id] = true
		}
		if err := l.store.Hasten(ctx, ids); err != nil { // there is no receiver left to wait for
			return nil, err
		}
	}
	for id := range l.abandoned {
		wanted[id] = abandonedAtOnce
	}
	return wanted, nil
}

// close ends a queue of this process. River waits for its jobs while holding the lock that adding a queue needs, so
// we wait only a moment and ask again later.
func (l *lanes) close(ctx context.Context, id int64, open *lane) error {
	open.closing = true
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := l.client.Queues().Remove(ctx, store.QueueOf(id))
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err == nil {
		delete(l.open, id)
	}
	return err
}
