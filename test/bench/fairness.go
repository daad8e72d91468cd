package main

import (
	"context"
	"fmt"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	fairHooks     = 50
	fairPerSecond = 200
	fairBacklog   = 20_000
	sickEvery     = 5 // every fifth event is for the receiver that hangs
)

// sickHook returns the i-th webhook of a case. The receiver of the first one hangs on command.
func sickHook(b *bench, i int) map[string]any {
	h := hookForFacility(b, i)
	if i == 0 {
		h["payload_url"] = b.receiver.url(sickPath)
	}
	return h
}

// measureFairness measures how much a receiver that hangs delays healthy receivers.
func (b *bench) measureFairness(ctx context.Context) ([]figures.Row, error) {
	return b.besideSick(ctx, "fairness", 0)
}

// measureFairnessBacklog does the same with many deliveries queued for the receiver that hangs.
func (b *bench) measureFairnessBacklog(ctx context.Context) ([]figures.Row, error) {
	return b.besideSick(ctx, "fairness-backlog", min(fairBacklog, b.o.queued))
}

// besideSick alternates rounds with and without a receiver that hangs. Each begins when nothing is queued. If an event for a healthy
// receiver does not arrive, the run fails.
func (b *bench) besideSick(ctx context.Context, name string, backlog int) ([]figures.Row, error) {
	what := fmt.Sprintf("%d events/s to %d webhooks, a fifth of them to one that hangs", fairPerSecond, fairHooks)
	if backlog > 0 {
		what += fmt.Sprintf(" with %d queued", backlog)
	}
	const none = "none hangs"
	p95 := figures.Row{Case: name, What: what + ": p95", Unit: "ms", Against: none, Goal: figures.AtMost(2)}
	p99 := figures.Row{Case: name + "-p99", What: what + ": p99 from commit", Unit: "ms", Against: none, Absolute: true,
		Goal: figures.AtMost(50)}
	if err := b.makeHooks(ctx, fairHooks, sickHook); err != nil {
		return nil, err
	}
	if err := b.startWorker(ctx, fairHooks); err != nil {
		return nil, err
	}
	f := flight{perSecond: fairPerSecond, length: b.flightLength(), processes: []*gauge.Process{b.server, b.worker},
		send: func(n int) ([]string, error) {
			if n%sickEvery == 0 {
				_, err := b.events(facility(0))
				return nil, err
			}
			return b.events(facility(1 + n%(fairHooks-1)))
		}}
	var calm, sick latencies
	var ratios, p99s []float64
	for n := range b.o.rounds {
		var this [2]latencies
		for i := range this {
			which := (i + n) % 2
			err := settle(ctx, b.database, "extras_delivery", "extras_attempt")
			if err != nil {
				return nil, err
			}
			if which == 0 {
				this[which], err = b.flyCalm(ctx, f)
			} else {
				this[which], err = b.flySick(ctx, f, backlog)
			}
			if err != nil {
				return nil, err
			}
		}
		calm.add(this[0])
		sick.add(this[1])
		ratios = append(ratios, figures.Percentile(this[1].fromCommit, 0.95)/figures.Percentile(this[0].fromCommit, 0.95))
		p99s = append(p99s, figures.Percentile(this[1].fromCommit, 0.99))
	}
	p95.Terrier, p95.Bare = sick.side(0.95), calm.side(0.95)
	p95.Judge(ratios)
	p99.Terrier.Figure, p99.Bare.Figure = p95.Terrier.FromCommit.P99, p95.Bare.FromCommit.P99
	p99.Judge(p99s)
	if err := b.worker.Do("stop"); err != nil {
		return nil, err
	}
	return []figures.Row{p95, p99}, b.clear(ctx)
}

// flyCalm flies while every receiver answers, and waits until all queues are empty.
func (b *bench) flyCalm(ctx context.Context, f flight) (latencies, error) {
	l, err := b.fly(ctx, f)
	if err != nil {
		return l, err
	}
	return l, until(ctx, b.pool, leftOfTerrier)
}

// flySick flies while the first receiver hangs, with a backlog for it. Then the receiver answers again, and the rest of the backlog is
// deleted.
func (b *bench) flySick(ctx context.Context, f flight, backlog int) (l latencies, err error) {
	if err := b.receiver.Do("hang"); err != nil {
		return l, err
	}
	if backlog > 0 {
		if err := b.queue(ctx, backlog); err != nil {
			return l, err
		}
	}
	if l, err = b.fly(ctx, f); err != nil {
		return l, err
	}
	if backlog > 0 {
		if err := b.stillQueued(ctx, backlog); err != nil {
			return l, err
		}
		if err := b.discard(ctx); err != nil {
			return l, err
		}
	}
	if err := b.receiver.Do("recover"); err != nil {
		return l, err
	}
	if err := until(ctx, b.pool, leftOfTerrier); err != nil {
		return l, err
	}
	_, err = b.receiver.news(true) // the deliveries of the backlog all have one name
	return l, err
}
