package main

import (
	"context"
	"fmt"
	"time"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	idleHooks     = 100
	lonePerSecond = 4
	loneFlights   = 4               // times as long as other flights, because single events are few; half of that in a quick run
	rest          = 2 * time.Second // until the start of a worker is over
)

// measureIdle measures what idle webhooks cost, and how soon one of them is notified of a change.
func (b *bench) measureIdle(ctx context.Context) ([]figures.Row, error) {
	idle := figures.Row{Case: "idle", What: fmt.Sprintf("%d idle webhooks: worker and PostgreSQL; µs per second", idleHooks),
		Unit: "% of a core", Absolute: true, Goal: figures.AtMost(5)}
	lone := figures.Row{Case: "lone",
		What: fmt.Sprintf("a lone event for one of %d idle webhooks: p99 from due to receiver (bare: job and POST)", idleHooks),
		Unit: "ms", Absolute: true, Goal: figures.AtMost(50)}
	if err := b.makeHooks(ctx, idleHooks, hookForFacility); err != nil {
		return nil, err
	}
	var terrier, other []gauge.Share
	var shares, p99s []float64
	var flown, flownBare latencies
	for range b.o.rounds {
		used, l, err := b.idleTerrier(ctx)
		if err != nil {
			return nil, err
		}
		terrier, shares = append(terrier, used), append(shares, percent(used))
		flown.add(l)
		p99s = append(p99s, figures.Percentile(l.fromDue, 0.99))
		if used, l, err = b.idleBare(ctx); err != nil {
			return nil, err
		}
		other = append(other, used)
		flownBare.add(l)
	}
	idle.Terrier, idle.Bare = idleSide(terrier), idleSide(other)
	idle.Judge(shares)
	lone.Terrier, lone.Bare = loneSide(flown), loneSide(flownBare)
	lone.Judge(p99s)
	return []figures.Row{idle, lone}, b.clear(ctx)
}

// idleTerrier lets the worker idle, and then sends a single event from time to time.
func (b *bench) idleTerrier(ctx context.Context) (used gauge.Share, l latencies, err error) {
	if err := b.startWorker(ctx, idleHooks); err != nil {
		return used, l, err
	}
	if used, err = b.idling(ctx, b.worker); err != nil {
		return used, l, err
	}
	l, err = b.flyLone(ctx, func(n int) ([]string, error) { return b.events(facility(n * 7 % idleHooks)) })
	if err != nil {
		return used, l, err
	}
	return used, l, b.worker.Do("stop")
}

// idleBare does the same with bare River and as many queues.
func (b *bench) idleBare(ctx context.Context) (used gauge.Share, l latencies, err error) {
	err = b.withBareWorker(ctx, idleHooks, func(bareWorker *gauge.Process) error {
		if err := bareWorker.Do("start"); err != nil {
			return err
		}
		var err error
		if used, err = b.idling(ctx, bareWorker); err != nil {
			return err
		}
		l, err = b.flyLone(ctx, func(int) ([]string, error) { return b.bareEvents(1) })
		return err
	})
	return used, l, err
}

// flyLone sends events so far apart that everything is idle before each.
func (b *bench) flyLone(ctx context.Context, send func(n int) ([]string, error)) (latencies, error) {
	length := loneFlights * b.flightLength()
	if b.o.quick {
		length /= 2
	}
	return b.fly(ctx, flight{perSecond: lonePerSecond, length: length, send: send})
}

// idling measures an idle worker for a while. An operation is a second.
func (b *bench) idling(ctx context.Context, worker *gauge.Process) (gauge.Share, error) {
	if err := pause(ctx, rest); err != nil {
		return gauge.Share{}, err
	}
	used := b.meter.Start(worker)
	err := pause(ctx, b.flightLength())
	return gauge.Share{Usage: used(), Answers: 1}, err
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// loneSide returns the side of a row for single events. It leaves out their cost, which is mostly that of idling.
func loneSide(l latencies) figures.Side {
	side := l.side(0.99)
	side.Figure, side.Go, side.PostgreSQL = side.FromDue.P99, 0, 0
	return side
}

func percent(s gauge.Share) float64 { return 100 * float64(s.Go+s.PostgreSQL) / float64(s.Time) }

func idleSide(shares []gauge.Share) figures.Side {
	var percents, own, database []float64
	for _, s := range shares {
		percents = append(percents, percent(s))
		own, database = append(own, 1e6*float64(s.Go)/float64(s.Time)), append(database, 1e6*float64(s.PostgreSQL)/float64(s.Time))
	}
	return figures.Side{Figure: figures.Median(percents), Go: figures.Median(own), PostgreSQL: figures.Median(database)}
}
