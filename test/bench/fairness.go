package main

import (
	"context"
	"fmt"

	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	fairHooks     = 50
	fairPerSecond = 100
	sickEvery     = 5 // each fifth event goes to the receiver that hangs
)

// sickHook is the first webhook of a case: its receiver hangs when it is told to.
func sickHook(b *bench, i int) map[string]any {
	h := hookForFacility(b, i)
	if i == 0 {
		h["payload_url"] = b.receiver.url(sickPath)
	}
	return h
}

// measureFairness compares what healthy receivers notice of one that hangs. Calm and sick rounds take turns, and each begins
// when nothing is queued.
func (b *bench) measureFairness(ctx context.Context) ([]figures.Row, error) {
	r := figures.Row{Case: "fairness", What: fmt.Sprintf("%d events/s to %d webhooks, a fifth of them to one that hangs: p95", fairPerSecond, fairHooks), Unit: "ms", Against: "none hangs", Goal: figures.AtMost(2)}
	if err := b.makeHooks(ctx, fairHooks, sickHook); err != nil {
		return nil, err
	}
	if err := b.startWorker(ctx, fairHooks); err != nil {
		return nil, err
	}
	f := flight{perSecond: fairPerSecond, length: b.flightLength(), processes: []*gauge.Process{b.server, b.worker}, send: func(n int) ([]string, error) {
		if n%sickEvery == 0 {
			_, err := b.events(facility(0))
			return nil, err
		}
		return b.events(facility(1 + n%(fairHooks-1)))
	}}
	var calm, sick latencies
	var ratios []float64
	for n := range b.o.rounds {
		var this [2]latencies
		for i := range this {
			which := (i + n) % 2
			var err error
			if this[which], err = b.flyBeside(ctx, f, which == 1); err != nil {
				return nil, err
			}
		}
		calm.add(this[0])
		sick.add(this[1])
		ratios = append(ratios, figures.Percentile(this[1].fromCommit, 0.95)/figures.Percentile(this[0].fromCommit, 0.95))
	}
	r.Terrier, r.Bare = sick.side(0.95), calm.side(0.95)
	r.Judge(ratios)
	if err := b.worker.Do("stop"); err != nil {
		return nil, err
	}
	return []figures.Row{r}, b.clear(ctx)
}

// flyBeside flies with or without a receiver that hangs, and waits until its queue is empty too.
func (b *bench) flyBeside(ctx context.Context, f flight, hang bool) (l latencies, err error) {
	if hang {
		if err := b.receiver.Do("hang"); err != nil {
			return l, err
		}
	}
	if l, err = b.fly(ctx, f); err != nil {
		return l, err
	}
	if err := b.receiver.Do("recover"); err != nil {
		return l, err
	}
	return l, until(ctx, b.pool, leftOfTerrier)
}
