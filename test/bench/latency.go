package main

import (
	"context"
	"fmt"
	"time"

	"terrier/test/bench/bare"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// pace is a pace at which events come. At a thousand a second, each request has ten: single ones would measure how fast the machine
// creates records, which is another case.
type pace struct {
	perSecond int
	together  int
	goal      figures.Goal
}

var paces = []pace{{10, 1, figures.Goal{}}, {100, 1, figures.Goal{}}, {1000, 10, figures.AtMost(2)}}

// Together the webhooks have as many requests at once as bare River has workers.
const latencyHooks = 4

func (p pace) work() work {
	return work{fmt.Sprint("latency-", p.perSecond), func(b *bench, ctx context.Context) ([]figures.Row, error) {
		return b.measureLatency(ctx, p)
	}}
}

// measureLatency compares how long an event takes to reach its receiver. Bare River's event is a request that only writes the job.
func (b *bench) measureLatency(ctx context.Context, p pace) ([]figures.Row, error) {
	if err := b.makeHooks(ctx, latencyHooks, wide(bare.Workers/latencyHooks)); err != nil {
		return nil, err
	}
	if err := b.startWorker(ctx, latencyHooks); err != nil {
		return nil, err
	}
	r := figures.Row{Case: fmt.Sprint("latency-", p.perSecond), Goal: p.goal,
		What: fmt.Sprintf("%d events/s, %d to a request: p50 from commit to receiver (bare: job and POST)", p.perSecond, p.together)}
	err := b.withBareWorker(ctx, 0, func(bareWorker *gauge.Process) (err error) {
		if err := bareWorker.Do("start"); err != nil {
			return err
		}
		terrier := flight{perSecond: float64(p.perSecond / p.together), length: b.flightLength(),
			processes: []*gauge.Process{b.server, b.worker},
			send: func(n int) ([]string, error) {
				facilities := make([]string, p.together)
				for i := range facilities {
					facilities[i] = facility((n + i) % latencyHooks)
				}
				return b.events(facilities...)
			}}
		other := terrier
		other.processes = []*gauge.Process{b.bareServer, bareWorker}
		other.send = func(int) ([]string, error) { return b.bareEvents(p.together) }
		if r, err = b.flyBoth(ctx, r, terrier, other); err != nil {
			return err
		}
		return bareWorker.Do("stop")
	})
	if err != nil {
		return nil, err
	}
	if err := b.worker.Do("stop"); err != nil {
		return nil, err
	}
	return []figures.Row{r}, b.clear(ctx)
}

// flightLength returns how long a flight takes.
func (b *bench) flightLength() time.Duration { return max(4*b.o.round, time.Second) }

// flyBoth runs two flights in turns, A B, B A …, and judges the ratio of their p50 from the commit.
func (b *bench) flyBoth(ctx context.Context, r figures.Row, x, y flight) (figures.Row, error) {
	r.Unit = "ms"
	var terrier, other latencies
	var ratios []float64
	for n := range b.o.rounds {
		var this [2]latencies
		for i := range this {
			which := (i + n) % 2
			l, err := b.fly(ctx, []flight{x, y}[which])
			if err != nil {
				return r, err
			}
			this[which] = l
		}
		terrier.add(this[0])
		other.add(this[1])
		ratios = append(ratios, figures.Percentile(this[0].fromCommit, 0.5)/figures.Percentile(this[1].fromCommit, 0.5))
	}
	r.Terrier, r.Bare = terrier.side(0.5), other.side(0.5)
	r.Judge(ratios)
	return r, nil
}
