package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// asking is one side of a comparison: what it is sent, and the status it answers with.
type asking struct {
	side    *side
	status  int
	request func() []byte // called by several goroutines
}

// slice is how long one side is asked before it is the other's turn. It is short, so that
// whatever else the machine does meets both.
const slice = 60 * time.Millisecond

// ratio measures both sides in rounds and adds the row. In a round they take turns, and
// who begins changes from turn to turn.
func (b *bench) ratio(ctx context.Context, r row, terrier, bare asking) error {
	if _, _, err := compete(ctx, terrier, bare, b.o.round); err != nil { // plans, caches, connections
		return err
	}
	var ratios, terriers, bares []float64
	for range b.o.rounds {
		runtime.GC()
		t, p, err := compete(ctx, terrier, bare, b.o.round)
		if err != nil {
			return err
		}
		terriers, bares, ratios = append(terriers, t), append(bares, p), append(ratios, t/p)
	}
	r.Unit, r.Terrier, r.Bare = "/s", median(terriers), median(bares)
	r.Value, r.Min, r.Max = median(ratios), slices.Min(ratios), slices.Max(ratios)
	b.add(r)
	return b.profile(ctx, r.Case, terrier)
}

// compete gives both sides the same time, in turns, and returns their answers per second.
func compete(ctx context.Context, x, y asking, length time.Duration) (float64, float64, error) {
	var a, b tally
	for n := 0; a.time < length || b.time < length; n++ {
		turns := []func() error{func() error { return a.add(x.turn(ctx, min(slice, length))) }, func() error { return b.add(y.turn(ctx, min(slice, length))) }}
		for i := range turns {
			if err := turns[(i+n)%2](); err != nil {
				return 0, 0, err
			}
		}
	}
	return a.rate(), b.rate(), nil
}

// tally adds up the turns of one side.
type tally struct {
	answers int64
	time    time.Duration
}

func (t *tally) add(answers int64, took time.Duration, err error) error {
	t.answers += answers
	t.time += took
	return err
}

func (t *tally) rate() float64 { return float64(t.answers) / t.time.Seconds() }

// turn asks over all connections for a while.
func (a asking) turn(ctx context.Context, length time.Duration) (int64, time.Duration, error) {
	var wg sync.WaitGroup
	var answers atomic.Int64
	errs := make(chan error, len(a.side.clients))
	start := time.Now()
	deadline := start.Add(length)
	for _, c := range a.side.clients {
		wg.Go(func() {
			pprof.Do(ctx, pprof.Labels("part", "client"), func(ctx context.Context) {
				for time.Now().Before(deadline) && ctx.Err() == nil {
					if _, err := c.do(a.request(), a.status); err != nil {
						errs <- fmt.Errorf("ask %s: %w", a.side.name, err)
						return
					}
					answers.Add(1)
				}
			})
		})
	}
	wg.Wait()
	took := time.Since(start)
	close(errs)
	if err := <-errs; err != nil {
		return 0, took, err
	}
	return answers.Load(), took, ctx.Err()
}

// profile writes a processor profile of Terrier under the load of a case. The client's
// share carries a label: go tool pprof -tagignore=part=client.
func (b *bench) profile(ctx context.Context, name string, a asking) error {
	file := b.o.profiles[name]
	if file == "" {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	_, _, err = a.turn(ctx, 5*time.Second)
	pprof.StopCPUProfile()
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}
