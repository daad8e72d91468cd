package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"terrier/internal/feed"
	"terrier/internal/store"
)

// keepTally is how long the counts of requests are kept: a day more than the longest chart of a webhook covers.
const keepTally = 31 * 24 * time.Hour

// keepUp does the upkeep of a process in the background until the returned function is called.
func (a *App) keepUp(ctx context.Context, kind string) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	var loops sync.WaitGroup
	loops.Go(func() { every(ctx, time.Second, func() { a.mergeSearches(ctx) }) })
	loops.Go(func() { every(ctx, 10*time.Second, func() { a.foldCounts(ctx) }) })
	loops.Go(func() { a.present(ctx, kind) })
	loops.Go(func() { every(ctx, time.Second, func() { a.note(ctx, "refused logins", a.refused.Flush(ctx)) }) })
	loops.Go(func() { every(ctx, publishEvery, func() { a.note(ctx, "webhook_health", a.publishHealth(ctx)) }) })
	loops.Go(func() { a.hourly(ctx) })            // on its own: retention may take minutes
	if a.sequencing.CompareAndSwap(false, true) { // a server that is also a worker has one
		loops.Go(func() { (&feed.Sequencer{Store: a.Store, Log: a.log}).Run(ctx) })
	}
	if kind == serverKind {
		loops.Go(func() { a.Feed.Run(ctx, a.log) })
	}
	return func() {
		stop()
		loops.Wait()
	}
}

// every calls work again and again until ctx ends.
func every(ctx context.Context, pause time.Duration, work func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			work()
		}
	}
}

// mergeSearches merges what was written into the search indexes. Any process may do it; one does.
func (a *App) mergeSearches(ctx context.Context) {
	a.note(ctx, "search_indexes", a.Store.TidySearchIndexes(ctx))
}

// foldCounts adds the counts together. Any process may do it; one does.
func (a *App) foldCounts(ctx context.Context) {
	a.note(ctx, "counts", a.Store.FoldCounts(ctx))
	a.note(ctx, "tally", a.Store.FoldTally(ctx, a.now(), a.now().Add(-keepTally)))
	a.note(ctx, "change_tally", a.Store.TallyChanges(ctx))
}

// hourly makes the partitions of the coming weeks and removes what has expired.
func (a *App) hourly(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		a.note(ctx, "partitions", a.Store.MakePartitions(ctx, a.now()))
		a.note(ctx, "sweep", a.Store.Sweep(ctx, a.now()))
		a.note(ctx, "retention", a.retain(ctx))
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// retain drops what need not be kept any longer, and logs one line for each partition.
func (a *App) retain(ctx context.Context) error {
	done, err := a.Store.Retain(ctx, store.Retention{Changes: a.cfg.ChangelogRetention, Deliveries: a.cfg.DeliveryRetention}, a.now())
	if a.metrics != nil {
		a.metrics.Upkeep.Expired(done.Expired)
	}
	if done.Expired > 0 {
		a.log.Warn("deliveries were not sent in time and have expired", "deliveries", done.Expired, "days", a.cfg.DeliveryRetention)
	}
	for _, p := range done.Dropped {
		a.log.Info("dropped a partition past its retention", "partition", p.Name, "rows", p.Rows)
	}
	for _, name := range done.Busy {
		a.log.Info("a partition past its retention is in use; trying again in an hour", "partition", name)
	}
	return err
}

// note records how a task ended. One that another process is doing is neither a failure nor a success of ours.
func (a *App) note(ctx context.Context, task string, err error) {
	if errors.Is(err, store.ErrElsewhere) || err != nil && ctx.Err() != nil {
		return
	}
	if err != nil {
		a.log.Error("upkeep failed", "what", task, "error", err)
	}
	if a.metrics != nil {
		a.metrics.Upkeep.Ended(task, err)
	}
}
