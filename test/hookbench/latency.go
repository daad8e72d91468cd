package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"terrier/internal/ledger"
)

const (
	hooks      = 50
	perSecond  = 200
	hangEvery  = 5 // each fifth event goes to the receiver that hangs
	queued     = 20_000
	mostP99    = 50.0 // ms
	mostFactor = 2.0
)

// latencies of one run, in milliseconds, of the events for healthy receivers.
type latencies struct {
	sent, arrived int
	all           []float64 // from the commit, as the writer sees it, to the receiver
	whole         []float64 // from the moment the event was due, with all that the write takes
}

func (l latencies) String() string {
	return fmt.Sprintf("%d of %d arrived, p50 %.1f ms, p95 %.1f ms, p99 %.1f ms after the commit (p50 %.1f ms, p95 %.1f ms, p99 %.1f ms with the write)", l.arrived, l.sent,
		percentile(l.all, 0.5), percentile(l.all, 0.95), percentile(l.all, 0.99), percentile(l.whole, 0.5), percentile(l.whole, 0.95), percentile(l.whole, 0.99))
}

// fairness compares what healthy receivers notice of one that hangs: without it, with it,
// and with it behind a long queue.
func fairness(ctx context.Context, o options) (bool, error) {
	calm, err := runEvents(ctx, o, "/ok", 0)
	if err != nil {
		return false, err
	}
	say("fairness: without a hanging receiver: %s", calm)
	reached := true
	for _, backlog := range []int{0, queued} {
		l, err := runEvents(ctx, o, "/hang", backlog)
		if err != nil {
			return false, err
		}
		factor := percentile(l.all, 0.95) / percentile(calm.all, 0.95)
		say("fairness: with one, %d queued for it: %s; p95 %.2f times (target ≤ %.0f), p99 target ≤ %.0f ms", backlog, l, factor, mostFactor, mostP99)
		reached = reached && l.arrived == l.sent && factor <= mostFactor*1.25 && percentile(l.all, 0.99) <= mostP99*2
	}
	return reached, nil
}

func runEvents(ctx context.Context, o options, path string, backlog int) (latencies, error) {
	r, err := newRig(ctx)
	if err != nil {
		return latencies{}, err
	}
	defer r.end()
	for i := range hooks {
		to := "/ok"
		if i == 0 {
			to = path
		}
		if _, err := r.hook(ctx, facility(i), to, 10); err != nil {
			return latencies{}, err
		}
	}
	if err := r.queue(ctx, backlog, facility(0)); err != nil {
		return latencies{}, err
	}
	stop := r.work(ctx)
	l, err := r.events(ctx, time.Duration(o.seconds)*time.Second, func(n int) int {
		if n%hangEvery == 0 {
			return 0
		}
		return 1 + n%(hooks-1)
	})
	if e := stop(); err == nil && path == "/ok" { // what hangs is given up
		err = e
	}
	return l, err
}

func facility(i int) string { return fmt.Sprint("hook ", i) }

// events makes one site after the other at a fixed pace and asks the receiver when each
// arrived. The first second warms up.
func (r *rig) events(ctx context.Context, length time.Duration, hook func(n int) int) (latencies, error) {
	time.Sleep(2 * time.Second) // queues open
	due, committed := map[string]time.Time{}, map[string]time.Time{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	errs := make(chan error, 1)
	start := time.Now()
	total := int(length.Seconds() * perSecond)
	for n := range total {
		at := start.Add(time.Duration(n) * time.Second / perSecond)
		time.Sleep(time.Until(at))
		to := hook(n)
		site := r.site(facility(to))
		name := strconv.Itoa(r.sites)
		if to != 0 && n > perSecond {
			mu.Lock()
			due[name] = at
			mu.Unlock()
		}
		wg.Go(func() {
			if _, err := r.Create(ctx, root, r.reg.Type("dcim.site"), []ledger.Input{site}); err != nil {
				select {
				case errs <- err:
				default:
				}
			}
			mu.Lock()
			committed[name] = time.Now()
			mu.Unlock()
		})
	}
	wg.Wait()
	time.Sleep(2 * time.Second) // the last ones arrive
	select {
	case err := <-errs:
		return latencies{}, err
	default:
	}
	arrived, err := r.receiver.arrived()
	if err != nil {
		return latencies{}, err
	}
	if arrived["twice"] > 0 {
		return latencies{}, fmt.Errorf("%d events arrived twice", arrived["twice"])
	}
	l := latencies{sent: len(due)}
	for name, at := range due {
		if when, ok := arrived[name]; ok {
			l.arrived++
			l.whole = append(l.whole, float64(when-at.UnixNano())/1e6)
			l.all = append(l.all, max(0, float64(when-committed[name].UnixNano())/1e6)) // the worker may be faster than the answer
		}
	}
	if l.arrived == 0 {
		return l, fmt.Errorf("none of %d events arrived", l.sent)
	}
	return l, nil
}

// backlog queues a great many deliveries for a webhook whose receiver hangs and looks
// whether writing becomes slower, and when a new event for another webhook arrives.
func backlog(ctx context.Context, o options) (bool, error) {
	r, err := newRig(ctx)
	if err != nil {
		return false, err
	}
	defer r.end()
	for i, path := range []string{"/hang", "/ok"} {
		if _, err := r.hook(ctx, facility(i), path, 10); err != nil {
			return false, err
		}
	}
	write := func() (float64, error) {
		var all []float64
		for range 300 {
			at := time.Now()
			if _, err := r.Create(ctx, root, r.reg.Type("dcim.site"), []ledger.Input{r.site(facility(1))}); err != nil {
				return 0, err
			}
			all = append(all, float64(time.Since(at).Microseconds())/1000)
		}
		return median(all), nil
	}
	if _, err := write(); err != nil { // warms up
		return false, err
	}
	before, err := write()
	if err != nil {
		return false, err
	}
	filled := time.Now()
	if err := r.queue(ctx, o.backlog, facility(0)); err != nil {
		return false, err
	}
	rate := float64(o.backlog) / time.Since(filled).Seconds()
	after, err := write()
	if err != nil {
		return false, err
	}
	say("backlog: queued %d at %.0f/s in bulks of 1,000; one create took %.2f ms before and %.2f ms after (%.2f times)", o.backlog, rate, before, after, after/before)
	stop := r.work(ctx)
	l, err := r.events(ctx, 10*time.Second, func(int) int { return 1 })
	_ = stop() // what hangs is given up
	if err != nil {
		return false, err
	}
	say("backlog: with %d queued for another webhook: %s, slowest %.1f ms (target ≤ 1000 ms)", o.backlog, l, percentile(l.all, 1))
	return after/before <= 1.5 && l.arrived == l.sent && percentile(l.all, 1) <= 1000, nil
}
