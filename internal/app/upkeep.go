package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"terrier/internal/audit"
	"terrier/internal/background"
	"terrier/internal/feed"
	"terrier/internal/record"
	"terrier/internal/store"
)

// keepTally is how long the counts of requests are kept: a day more than the longest chart of a webhook covers.
const keepTally = 31 * 24 * time.Hour

// keepUp does the upkeep of a process in the background until the returned function is called.
func (a *App) keepUp(ctx context.Context, kind string) (end func()) {
	ctx, stop := context.WithCancel(ctx)
	loops := &background.Group{Log: a.log}
	upkeep := func(pause time.Duration, task string, work func(context.Context) error) {
		loops.Loop(ctx, task, func(ctx context.Context) { every(ctx, pause, func() { a.task(ctx, task, work) }) })
	}
	upkeep(time.Second, "search_indexes", a.Store.TidySearchIndexes)
	loops.Loop(ctx, "counts", func(ctx context.Context) { every(ctx, 10*time.Second, func() { a.foldCounts(ctx) }) })
	loops.Loop(ctx, "presence", func(ctx context.Context) { a.present(ctx, kind) })
	upkeep(time.Second, "refused logins", a.refused.Flush)
	upkeep(publishEvery, "webhook_health", a.publishHealth)
	upkeep(chainEvery, "audit_chain", a.chainEvents)
	loops.Loop(ctx, "hourly upkeep", a.hourly)    // on its own: retention may take minutes
	if a.sequencing.CompareAndSwap(false, true) { // a server that is also a worker has one
		loops.Loop(ctx, "sequencer", (&feed.Sequencer{Store: a.Store, Log: a.log}).Run)
	}
	if kind == store.ServerKind {
		loops.Loop(ctx, "feed", func(ctx context.Context) { a.Feed.Run(ctx, a.log) })
	}
	return func() {
		stop()
		loops.Wait()
		a.sendLastHead()
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

// foldCounts adds the counts together. Any process may do it; one does.
func (a *App) foldCounts(ctx context.Context) {
	a.task(ctx, "counts", a.Store.FoldCounts)
	a.task(ctx, "tally", func(ctx context.Context) error { return a.Store.FoldTally(ctx, a.now(), a.now().Add(-keepTally)) })
	a.task(ctx, "change_tally", a.Store.TallyChanges)
}

// hourly makes the partitions of the coming weeks and removes what has expired.
func (a *App) hourly(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		a.task(ctx, "partitions", func(ctx context.Context) error { return a.Store.MakePartitions(ctx, a.now()) })
		a.task(ctx, "sweep", func(ctx context.Context) error { return a.Store.Sweep(ctx, a.now()) })
		a.task(ctx, "retention", a.retain)
		a.task(ctx, "audit_chain", a.sendHead)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// retain drops what need not be kept any longer, and logs one line for each partition.
func (a *App) retain(ctx context.Context) error {
	keep := store.Retention{Changes: a.cfg.ChangelogRetention, Deliveries: a.cfg.DeliveryRetention}
	var anchored error
	if days := keep.Changes; days > 0 { // the chain first: its events may be gone then
		if anchored = a.Store.AnchorChain(ctx, a.keys, store.WeekOf(a.now().AddDate(0, 0, -days))); anchored != nil {
			keep.Changes = 0 // they stay until the chain is in order
		}
	}
	done, err := a.Store.Retain(ctx, keep, a.now())
	if !errors.Is(anchored, store.ErrElsewhere) {
		err = errors.Join(anchored, err)
	}
	if a.metrics != nil {
		a.metrics.Upkeep.Expired(done.Expired)
	}
	if done.Expired > 0 {
		a.log.Warn("deliveries were not sent in time and have expired", "deliveries", done.Expired, "days", a.cfg.DeliveryRetention)
	}
	for _, p := range done.Dropped {
		a.log.Info("dropped a partition past its retention", "partition", p.Name, "rows", p.Rows)
		if p.Of == store.AuditType && p.Rows > 0 {
			e := a.Ledger.Event(machine(), audit.AuditRemoved, record.Values{})
			before := p.Till.UTC().Format(time.DateOnly)
			e.Count, e.Detail = p.Rows, fmt.Sprintf("events before %s, kept for %d days", before, a.cfg.ChangelogRetention)
			err = errors.Join(err, a.Ledger.Note(ctx, e))
		}
	}
	for _, name := range done.Busy {
		a.log.Info("a partition past its retention is in use; trying again in an hour", "partition", name)
	}
	return err
}

// task does a task of the upkeep. A panic is a failure: what follows is done all the same.
func (a *App) task(ctx context.Context, task string, work func(context.Context) error) {
	a.note(ctx, task, background.Try(a.log, task, func() error { return work(ctx) }))
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
