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

// ratio measures both sides in turn and adds the row. The order is turned around each
// time, so that a machine that gets slower or faster favours neither.
func (b *bench) ratio(ctx context.Context, r row, terrier, bare asking) error {
	for _, a := range []asking{terrier, bare} { // plans, caches, connections
		if _, err := a.round(ctx, b.o.round); err != nil {
			return err
		}
	}
	var ratios, terriers, bares []float64
	for n := range b.o.rounds {
		order := []asking{terrier, bare}
		if n%2 == 1 {
			slices.Reverse(order)
		}
		rates := map[*side]float64{}
		for _, a := range order {
			rate, err := a.round(ctx, b.o.round)
			if err != nil {
				return err
			}
			rates[a.side] = rate
		}
		terriers, bares = append(terriers, rates[terrier.side]), append(bares, rates[bare.side])
		ratios = append(ratios, rates[terrier.side]/rates[bare.side])
	}
	r.Unit, r.Terrier, r.Bare = "/s", median(terriers), median(bares)
	r.Value, r.Min, r.Max = median(ratios), slices.Min(ratios), slices.Max(ratios)
	b.add(r)
	return b.profile(ctx, r.Case, terrier)
}

// round asks over all connections for a while and returns the answers per second.
func (a asking) round(ctx context.Context, length time.Duration) (float64, error) {
	runtime.GC() // nobody pays for the other's garbage
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
	elapsed := time.Since(start)
	close(errs)
	if err := <-errs; err != nil {
		return 0, err
	}
	return float64(answers.Load()) / elapsed.Seconds(), ctx.Err()
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
	_, err = a.round(ctx, 5*time.Second)
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
