package main

import (
	"context"
	"fmt"
	"time"

	"terrier/test/bench/bare"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

// rates are the paces at which events come. At a thousand a second, each request has ten: single ones would measure how fast the machine
// creates records, which is another case.
var rates = []struct {
	perSecond int
	together  int
}{{10, 1}, {100, 1}, {1000, 10}}

// Together the webhooks have as many requests at once as bare River has workers.
const latencyHooks = 4

// measureLatency compares how long an event takes to reach its receiver, by pace. Bare River's event is a request that only writes the job.
func (b *bench) measureLatency(ctx context.Context) (rows []figures.Row, err error) {
	if err := b.makeHooks(ctx, latencyHooks, wide(bare.Workers/latencyHooks)); err != nil {
		return nil, err
	}
	if err := b.startWorker(ctx, latencyHooks); err != nil {
		return nil, err
	}
	err = b.withBareWorker(ctx, 0, func(bareWorker *gauge.Process) error {
		if err := bareWorker.Do("start"); err != nil {
			return err
		}
		for _, rate := range rates {
			terrier := flight{perSecond: float64(rate.perSecond / rate.together), length: b.flightLength(),
				processes: []*gauge.Process{b.server, b.worker},
				send: func(n int) ([]string, error) {
					facilities := make([]string, rate.together)
					for i := range facilities {
						facilities[i] = facility((n + i) % latencyHooks)
					}
					return b.events(facilities...)
				}}
			other := terrier
			other.processes = []*gauge.Process{b.bareServer, bareWorker}
			other.send = func(int) ([]string, error) { return b.bareEvents(rate.together) }
			row, err := b.flyBoth(ctx, figures.Row{Case: fmt.Sprint("latency-", rate.perSecond),
				What: fmt.Sprintf("%d events/s, %d to a request: p99 from commit to receiver (bare: job and POST)", rate.perSecond,
					rate.together)}, terrier, other)
			if err != nil {
				return fmt.Errorf("at %d/s: %w", rate.perSecond, err)
			}
			rows = append(rows, row)
		}
		return bareWorker.Do("stop")
	})
	if err != nil {
		return nil, err
	}
	if err := b.worker.Do("stop"); err != nil {
		return nil, err
	}
	return rows, b.clear(ctx)
}

// flightLength returns how long a flight takes.
func (b *bench) flightLength() time.Duration { return max(4*b.o.round, time.Second) }

// flyBoth runs two flights in turns, A B, B A …, and judges the ratio of their p99 from the commit.
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
		ratios = append(ratios, figures.Percentile(this[0].fromCommit, 0.99)/figures.Percentile(this[1].fromCommit, 0.99))
	}
	r.Terrier, r.Bare = terrier.side(0.99), other.side(0.99)
	r.Judge(ratios)
	return r, nil
}
