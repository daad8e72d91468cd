package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"terrier/internal/background"
)

// TestGather: callers of one moment share a call, each gets its own answer, and the next batch collects while a call
// is under way.
func TestGather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var sizes []int
		g := gather[int, int]{limit: 3, width: 1, wait: time.Millisecond, do: func(_ context.Context, in []int) ([]int, error) {
			<-time.After(10 * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			sizes = append(sizes, len(in))
			out := make([]int, len(in))
			for i, n := range in {
				out[i] = n * n
			}
			return out, nil
		}}
		var wg sync.WaitGroup
		for n := range 7 {
			wg.Go(func() {
				if got, err := g.Do(t.Context(), n); err != nil || got != n*n {
					t.Errorf("%d: %d, %v", n, got, err)
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		if len(sizes) != 3 || sizes[0] != 3 || sizes[1] != 3 || sizes[2] != 1 {
			t.Errorf("calls of %v", sizes)
		}
	})
}

// TestGatherApart: if one member can't be done yet, the others are done on their own, and that one as soon as it can
// be, even if its caller has left.
func TestGatherApart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		leaves, frees time.Duration // when the caller of the blocked one leaves, and when it can be done
		heldUp        error
	}{
		{name: "it is waited for", leaves: time.Hour, frees: 3 * time.Second},
		{name: "nobody waits for it", leaves: time.Second, frees: 3 * time.Second, heldUp: context.DeadlineExceeded},
		{name: "for longer than a job may run", leaves: time.Hour, frees: time.Hour, heldUp: errApart},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const held = 2
				began, written := time.Now(), map[int]bool{}
				g := gather[int, int]{limit: 10, width: 1, wait: time.Millisecond, do: func(_ context.Context, in []int) ([]int, error) {
					if slices.Contains(in, held) && time.Since(began) < c.frees {
						return nil, errApart
					}
					for _, n := range in {
						written[n] = true
					}
					return in, nil
				}}
				var wg sync.WaitGroup
				for n := range 5 {
					wg.Go(func() {
						ctx, leave := context.WithTimeout(t.Context(), c.leaves)
						defer leave()
						var want error
						if n == held {
							want = c.heldUp
						}
						if got, err := g.Do(ctx, n); !errors.Is(err, want) || err == nil && got != n {
							t.Errorf("%d: %d, %v", n, got, err)
						}
						if n != held && time.Since(began) > 100*time.Millisecond {
							t.Errorf("%d waited for %v", n, time.Since(began))
						}
					})
				}
				wg.Wait()
				g.Wait()
				if want := 5; c.frees < time.Hour && len(written) != want || len(written) < want-1 {
					t.Errorf("%d of %d were done", len(written), want)
				}
			})
		})
	}
}

// TestGatherFails: an error reaches every caller, and a caller who leaves does not cancel the call.
func TestGatherFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		ended := make(chan error, 1)
		g := gather[int, int]{limit: 10, width: 1, wait: time.Millisecond, do: func(ctx context.Context, _ []int) ([]int, error) {
			<-time.After(time.Second)
			ended <- ctx.Err()
			return nil, broken
		}}
		ctx, leave := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer leave()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := g.Do(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the one who left got %v", err)
			}
		})
		wg.Go(func() {
			if _, err := g.Do(t.Context(), 2); !errors.Is(err, broken) {
				t.Errorf("the one who stayed got %v", err)
			}
		})
		wg.Wait()
		synctest.Wait()
		if err := <-ended; err != nil {
			t.Errorf("the call was ended: %v", err)
		}
	})
}

// TestGatherAnyhow: callers come and leave at any time, calls take any time and fail. Each caller gets its own
// answer.
func TestGatherAnyhow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		g := &gathering{limit: rapid.IntRange(1, 5).Draw(r, "limit"), width: rapid.IntRange(1, 3).Draw(r, "width"),
			wait: drawTime(r, "wait", 5), durations: rapid.SliceOfN(rapid.IntRange(0, 12), 30, 30).Draw(r, "durations"),
			fails: rapid.SliceOfN(rapid.Bool(), 30, 30).Draw(r, "fails")}
		for range rapid.IntRange(1, 30).Draw(r, "callers") {
			g.callers = append(g.callers, caller{comes: drawTime(r, "comes", 40), stays: drawTime(r, "stays", 40)})
		}
		synctest.Test(t, func(*testing.T) { g.run() })
		for _, wrong := range g.wrongs() {
			r.Error(wrong)
		}
	})
}

func drawTime(r *rapid.T, what string, most int) time.Duration {
	return time.Duration(rapid.IntRange(0, most).Draw(r, what)) * time.Millisecond
}

// gathering is a plan and its result. All times count from its start.
type gathering struct {
	limit, width int
	wait         time.Duration
	durations    []int // of the calls, in milliseconds
	fails        []bool
	callers      []caller

	mu    sync.Mutex
	calls []*gatheredCall
	most  int // calls at once
	now   int
}

type caller struct {
	comes, stays time.Duration
	out          int
	err          error
	leaves       time.Duration
}

type gatheredCall struct {
	starts, ends time.Duration
	ins          []int // callers
	ctx          error // the error of the call's context
	err          error
}

func (g *gathering) run() {
	begin := time.Now()
	var all sync.WaitGroup
	shared := gather[int, int]{limit: g.limit, width: g.width, wait: g.wait, do: func(ctx context.Context, ins []int) ([]int, error) {
		g.mu.Lock()
		n := len(g.calls)
		c := &gatheredCall{starts: time.Since(begin), ins: slices.Clone(ins)}
		g.calls = append(g.calls, c)
		g.now++
		g.most = max(g.most, g.now)
		g.mu.Unlock()
		<-time.After(time.Duration(g.durations[n]) * time.Millisecond)
		g.mu.Lock()
		defer g.mu.Unlock()
		g.now--
		c.ends, c.ctx = time.Since(begin), ctx.Err()
		if g.fails[n] {
			c.err = fmt.Errorf("call %d", n)
			return nil, c.err
		}
		outs := make([]int, len(ins))
		for i, in := range ins {
			outs[i] = answerOf(n, in)
		}
		return outs, nil
	}}
	for i := range g.callers {
		all.Go(func() {
			c := &g.callers[i]
			<-time.After(c.comes)
			ctx, leave := context.WithTimeout(context.Background(), c.stays)
			defer leave()
			c.out, c.err = shared.Do(ctx, i)
			c.leaves = time.Since(begin)
		})
	}
	all.Wait()
	shared.Wait()
}

func answerOf(call, in int) int { return 1000*call + in }

// wrongs lists every broken rule.
func (g *gathering) wrongs() (found []string) {
	say := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if g.most > g.width {
		say("%d calls at once", g.most)
	}
	in := make([]*gatheredCall, len(g.callers))
	for n, c := range g.calls {
		if len(c.ins) > g.limit || len(c.ins) == 0 {
			say("call %d for %d callers", n, len(c.ins))
		}
		if c.ctx != nil {
			say("call %d was ended by %v", n, c.ctx)
		}
		for _, i := range c.ins {
			if in[i] != nil {
				say("caller %d is in two calls", i)
			}
			in[i] = c
			if wrong := g.callers[i].wrong(c, answerOf(n, i)); wrong != "" {
				say("caller %d in call %d: %s", i, n, wrong)
			}
		}
	}
	if i := slices.Index(in, nil); i >= 0 {
		say("nobody called for caller %d", i)
		return found
	}
	for i, a := range g.callers {
		for k, b := range g.callers {
			if a.comes < b.comes && in[i].starts > in[k].starts {
				say("caller %d came before %d and was called for later", i, k)
			}
		}
		if !g.startsInTime(i, in) {
			say("caller %d came at %s to nobody and was called for at %s", i, a.comes, in[i].starts)
		}
	}
	return found
}

// wrong says what a caller got that it should not have, or did not get.
func (c caller) wrong(call *gatheredCall, out int) string {
	gone := c.comes + c.stays
	switch {
	case c.leaves > gone:
		return fmt.Sprintf("left at %s and not at %s", c.leaves, gone)
	case errors.Is(c.err, context.DeadlineExceeded) && gone <= call.ends:
		return ""
	case c.leaves != call.ends || !errors.Is(c.err, call.err) || c.err == nil && c.out != out:
		return fmt.Sprintf("got %d, %v at %s", c.out, c.err, c.leaves)
	}
	return ""
}

// startsInTime: a caller who comes when nobody waits and a call is free is served after the wait, together with
// callers of the same moment, as far as calls are free.
func (g *gathering) startsInTime(i int, in []*gatheredCall) bool {
	at := g.callers[i].comes
	underWay, same := 0, 0
	for _, c := range g.calls {
		if c.starts <= at && at <= c.ends {
			underWay++
		}
	}
	for k, other := range g.callers {
		switch {
		case other.comes == at:
			same++
		case other.comes < at && in[k].starts >= at:
			return true // somebody is waiting
		}
	}
	return underWay >= g.width || same > g.limit*(g.width-underWay) || in[i].starts <= at+g.wait
}

// TestAPanicInAGather: of calls that were merged, the one that panics gets an error and the others their answer. Later calls are made.
func TestAPanicInAGather(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := gather[int, int]{name: "test", calls: background.Group{Log: slog.New(slog.DiscardHandler)}, limit: 10, width: 1,
			wait: time.Millisecond, do: func(_ context.Context, in []int) ([]int, error) {
				if slices.Contains(in, 13) {
					panic("seeded")
				}
				return in, nil
			}}
		var asking sync.WaitGroup
		for _, n := range []int{12, 13, 14} {
			asking.Go(func() {
				got, err := g.Do(t.Context(), n)
				_, panicked := errors.AsType[*background.Panic](err)
				if panicked != (n == 13) || !panicked && (err != nil || got != n) {
					t.Errorf("%d: %d, %v", n, got, err)
				}
			})
		}
		asking.Wait()
		if got, err := g.Do(t.Context(), 15); got != 15 || err != nil {
			t.Errorf("later: %d, %v", got, err)
		}
		g.Wait()
	})
}
