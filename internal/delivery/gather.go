package delivery

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"terrier/internal/background"
)

// gather merges calls that come at about the same time into one. The first caller waits a moment for others; while
// the maximum number of calls is under way, the next batch collects. If a merged call fails because of one of its
// members, each member is called on its own.
type gather[In, Out any] struct {
	name  string
	do    func(context.Context, []In) ([]Out, error) // answers in the order of the questions
	limit int                                        // members of a batch
	width int                                        // calls at once
	wait  time.Duration                              // for others to join; 0: for those that are about to ask

	mu      sync.Mutex
	pending []*asked[In, Out]
	calls   background.Group
	waiting bool // a caller is collecting a batch
	busy    int  // calls under way, or about to start

	alone sync.Mutex // held by calls for a single member after the merged call failed
}

type asked[In, Out any] struct {
	ctx  context.Context
	in   In
	out  Out
	err  error
	done chan struct{}
}

// Do returns what the shared call returned for in. The call goes on even if its caller goes away.
func (g *gather[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	a := &asked[In, Out]{ctx: context.WithoutCancel(ctx), in: in, done: make(chan struct{})}
	g.mu.Lock()
	g.pending = append(g.pending, a)
	if !g.waiting && g.busy < g.width {
		g.waiting = true
		g.busy++
		g.start(g.run)
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

func (g *gather[In, Out]) start(fn func()) { g.calls.Go(g.name, fn) }

// try makes a call. A panic is an error: the members get an answer, and others are served.
func (g *gather[In, Out]) try(ctx context.Context, ins []In) (outs []Out, err error) {
	err = background.Try(g.calls.Log, g.name, func() (err error) {
		outs, err = g.do(ctx, ins)
		return err
	})
	return outs, err
}

func (g *gather[In, Out]) run() {
	if g.wait > 0 {
		time.Sleep(g.wait)
	} else {
		runtime.Gosched() // the shortest sleep of an idle process is a millisecond, which is as long as all the rest of a delivery
	}
	g.mu.Lock()
	g.waiting = false
	// Later callers collect a new batch: calls for those who have waited come first.
	for left := len(g.pending) - g.limit; left > 0 && g.busy < g.width; left -= g.limit {
		g.busy++
		g.start(g.serve)
	}
	g.mu.Unlock()
	g.serve()
}

// serve makes calls until no member is left. If more are waiting than one call can take, it starts further calls, up
// to the maximum.
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
			g.start(g.serve)
		}
		g.mu.Unlock()
		g.call(batch)
		clear(batch) // release what they refer to
	}
}

// Wait returns when no call is under way. No new Do may start.
func (g *gather[In, Out]) Wait() { g.calls.Wait() }

func (g *gather[In, Out]) call(batch []*asked[In, Out]) {
	ins := make([]In, len(batch))
	for i, a := range batch {
		ins[i] = a.in
	}
	outs, err := g.try(batch[0].ctx, ins)
	if _, panicked := errors.AsType[*background.Panic](err); errors.Is(err, errApart) || panicked && len(batch) > 1 {
		batch := slices.Clone(batch)
		g.start(func() { g.apart(batch) })
		return
	}
	answer(batch, outs, err)
}

// errApart says that a merged call can't be made, or not yet, because of one of its members.
var errApart = errors.New("to be done one by one")

// apart makes a call for each member, and repeats those that can't be done yet for as long as a job may run. It goes
// one by one, so that members that are blocked do not take all connections.
func (g *gather[In, Out]) apart(batch []*asked[In, Out]) {
	ctx, cancel := context.WithTimeout(batch[0].ctx, jobTimeout)
	defer cancel()
	for wait := 50 * time.Millisecond; len(batch) > 0; wait = min(2*wait, time.Second) {
		var left []*asked[In, Out]
		for _, a := range batch {
			g.alone.Lock()
			outs, err := g.try(ctx, []In{a.in})
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
