package delivery

import (
	"context"
	"sync"
	"time"
)

// gather makes one call of many that come at about the same time. The first waits a moment
// for others, and while a call is under way the next batch collects.
type gather[In, Out any] struct {
	do    func(context.Context, []In) ([]Out, error) // answers in the order asked
	limit int
	wait  time.Duration

	mu      sync.Mutex
	pending []*asked[In, Out]
	busy    bool
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
	if !g.busy {
		g.busy = true
		go g.run()
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
	for {
		g.mu.Lock()
		n := min(len(g.pending), g.limit)
		if n == 0 {
			g.busy = false
			g.mu.Unlock()
			return
		}
		batch := g.pending[:n:n]
		g.pending = g.pending[n:]
		g.mu.Unlock()

		ins := make([]In, n)
		for i, a := range batch {
			ins[i] = a.in
		}
		outs, err := g.do(batch[0].ctx, ins)
		for i, a := range batch {
			if a.err = err; err == nil {
				a.out = outs[i]
			}
			close(a.done)
		}
	}
}
