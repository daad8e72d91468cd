package delivery

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// gather makes one call of many that come at about the same time. The first waits a moment
// for others, and while as many calls are under way as may be, the next batch collects. Where a
// call fails because of one of them, each is called for itself.
type gather[In, Out any] struct {
	do    func(context.Context, []In) ([]Out, error) // answers in the order asked
	limit int                                        // of a batch
	width int                                        // calls at once
	wait  time.Duration

	mu      sync.Mutex
	pending []*asked[In, Out]
	calls   sync.WaitGroup
	waiting bool // somebody collects a batch
	busy    int  // calls under way, or about to be

	alone sync.Mutex // calls for one after a call for all has failed
}

type asked[In, Out any] struct {
	ctx  context.Context
	in   In
	out  Out
	err  error
	done chan struct{}
}

// Do returns what the shared call returned for in. A caller who goes away leaves the call
// to go on.
func (g *gather[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	a := &asked[In, Out]{ctx: context.WithoutCancel(ctx), in: in, done: make(chan struct{})}
	g.mu.Lock()
	g.pending = append(g.pending, a)
	if !g.waiting && g.busy < g.width {
		g.waiting = true
		g.busy++
		g.calls.Go(g.run)
	}
	g.mu.Unlock()
	select {
	case <-a.done:
		return a.out, a.err
	case <-ctx.Done():
		var none Out
		return none, ctx.Err()
	}
}

func (g *gather[In, Out]) run() {
	time.Sleep(g.wait)
	g.mu.Lock()
	g.waiting = false
	// Whoever comes from now on collects anew: calls for those who have waited are taken before.
	for left := len(g.pending) - g.limit; left > 0 && g.busy < g.width; left -= g.limit {
		g.busy++
		g.calls.Go(g.serve)
	}
	g.mu.Unlock()
	g.serve()
}

// serve makes calls until nobody is left. What is more than one call can take, others help
// with, as long as there may be more calls.
func (g *gather[In, Out]) serve() {
	for {
		g.mu.Lock()
		n := min(len(g.pending), g.limit)
		if n == 0 {
			g.pending = nil
			g.busy--
			g.mu.Unlock()
			return
		}
		batch := g.pending[:n:n]
		g.pending = g.pending[n:]
		if len(g.pending) > 0 && g.busy < g.width {
			g.busy++
			g.calls.Go(g.serve)
		}
		g.mu.Unlock()
		g.call(batch)
		clear(batch) // what they held is not held any longer
	}
}

// Wait returns when nothing is under way. Nobody may ask any more.
func (g *gather[In, Out]) Wait() { g.calls.Wait() }

func (g *gather[In, Out]) call(batch []*asked[In, Out]) {
	ins := make([]In, len(batch))
	for i, a := range batch {
		ins[i] = a.in
	}
	outs, err := g.do(batch[0].ctx, ins)
	if errors.Is(err, errApart) {
		batch := slices.Clone(batch)
		g.calls.Go(func() { g.apart(batch) })
		return
	}
	answer(batch, outs, err)
}

// errApart says that a call can't be made, or not yet, because of one of those who asked.
var errApart = errors.New("to be done one by one")

// apart calls for each by itself, again and again for those that can't be done yet, for as long
// as a job may run. One after the other: what is held up must not take all connections.
func (g *gather[In, Out]) apart(batch []*asked[In, Out]) {
	ctx, cancel := context.WithTimeout(batch[0].ctx, jobTimeout)
	defer cancel()
	for wait := 50 * time.Millisecond; len(batch) > 0; wait = min(2*wait, time.Second) {
		var left []*asked[In, Out]
		for _, a := range batch {
			g.alone.Lock()
			outs, err := g.do(ctx, []In{a.in})
			g.alone.Unlock()
			if errors.Is(err, errApart) && ctx.Err() == nil {
				left = append(left, a)
				continue
			}
			answer([]*asked[In, Out]{a}, outs, err)
		}
		if batch = left; len(left) > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
		}
	}
}

func answer[In, Out any](batch []*asked[In, Out], outs []Out, err error) {
	for i, a := range batch {
		if a.err = err; err == nil {
			a.out = outs[i]
		}
		close(a.done)
	}
}
