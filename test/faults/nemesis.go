package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// The kinds of fault.
const (
	killAPI     = "kill-api"
	killWorker  = "kill-worker"
	killWorkers = "kill-both-workers"
	termAPI     = "term-api"
	termWorker  = "term-worker"
	crash       = "crash-postgres"
	failOver    = "failover"
	cutAPI      = "cut-api"
	cutWorker   = "cut-worker"
	slowAPI     = "slow-api"
	slowWorker  = "slow-worker"
	refuseAPI   = "refuse-api"
	refuseWork  = "refuse-worker"
	rolling     = "rolling-restart"
	hang        = "receiver-hangs"
	reset       = "receiver-resets"
	answer500   = "receiver-500"
	answer429   = "receiver-429"
	loseJobs    = "lose-jobs"
)

// faultKind is something that can go wrong.
type faultKind struct {
	name    string
	excuses bool // requests to the API may go unanswered
	slow    bool // its effects take a minute to heal
	run     func(*nemesis, context.Context, *fault) error
}

var faultKinds = []faultKind{
	{killAPI, true, false, (*nemesis).killAPI},
	{killWorker, false, true, (*nemesis).killWorker},
	{killWorkers, false, true, (*nemesis).killWorkers},
	{termAPI, true, false, (*nemesis).termAPI},
	{termWorker, false, false, (*nemesis).termWorker},
	{crash, true, true, (*nemesis).crash},
	{failOver, true, true, (*nemesis).failOver},
	{cutAPI, true, false, (*nemesis).cutAPI},
	{cutWorker, false, true, (*nemesis).cutWorker},
	{slowAPI, true, false, (*nemesis).slowAPI},
	{slowWorker, false, false, (*nemesis).slowWorker},
	{refuseAPI, true, false, (*nemesis).refuseAPI},
	{refuseWork, false, true, (*nemesis).refuseWorker},
	{rolling, true, false, (*nemesis).rolling},
	{hang, false, false, misbehave(hangs)},
	{reset, false, false, misbehave(resets)},
	{answer500, false, false, misbehave(errs)},
	{answer429, false, false, misbehave(busy)},
	{loseJobs, false, true, (*nemesis).loseJobs},
}

// nemesis causes the faults, in an order that the seed decides.
type nemesis struct {
	w           *world
	rnd         *rand.Rand
	inFlight    []*inFlight // the deliveries of workers when they were killed
	recovery    []time.Duration
	misbehaving sync.WaitGroup
}

func newNemesis(w *world) *nemesis { return &nemesis{w: w, rnd: rand.New(rand.NewPCG(w.seed, 1<<40))} }

// plan returns a sequence of at least n faults, with each kind at least once. Faults that take long to heal come in the first two
// thirds, so that the run does not wait for them at its end.
func plan(rnd *rand.Rand, kinds []faultKind, n int) []faultKind {
	all := slices.Clone(kinds)
	for len(all) < n {
		all = append(all, kinds[rnd.IntN(len(kinds))])
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	early := len(all) * 2 / 3
	quick := 0
	for late := early; late < len(all); late++ {
		if !all[late].slow {
			continue
		}
		for quick < early && all[quick].slow {
			quick++
		}
		if quick < early {
			all[late], all[quick] = all[quick], all[late]
			quick++
		}
	}
	return all
}

// run causes the faults one after the other, spread evenly over a time. A receiver that misbehaves may still do so during the next fault.
func (n *nemesis) run(ctx context.Context, faults []faultKind, over time.Duration) error {
	began := time.Now()
	for i, kind := range faults {
		at := began.Add(time.Second + time.Duration(i)*over/time.Duration(len(faults)))
		if wait := time.Until(at); wait > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(wait):
			}
		}
		if err := n.make(ctx, kind); err != nil {
			return err
		}
	}
	n.misbehaving.Wait()
	return nil
}

func (n *nemesis) make(ctx context.Context, kind faultKind) error {
	f := n.w.begin(kind.name, kind.excuses)
	if err := kind.run(n, ctx, f); err != nil {
		return fmt.Errorf("%s: %w", kind.name, err)
	}
	return nil
}

// done ends a fault and announces it.
func (n *nemesis) done(f *fault, target, format string, args ...any) {
	n.w.finish(f, target, fmt.Sprintf(format, args...))
	n.w.line("%6.1f s  fault: %-18s %-10s %4.1f s  %s", n.w.since(f.Began), f.Kind, f.Target, f.Ended.Sub(f.Began).Seconds(), f.Note)
}

// pick returns a random node.
func (n *nemesis) pick(of []*node) *node { return of[n.rnd.IntN(len(of))] }

// between returns a random duration.
func (n *nemesis) between(low, high time.Duration) time.Duration {
	return low + time.Duration(n.rnd.Int64N(int64(high-low)))
}
