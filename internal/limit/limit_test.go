package limit

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// holder acquires a part of a budget and holds it until the test ends it.
type holder struct {
	served atomic.Bool
	end    chan struct{}
}

func hold(s *Semaphore[string], key string, weight int64) *holder {
	h := &holder{end: make(chan struct{})}
	go func() {
		release, err := s.Acquire(context.Background(), key, weight)
		if err != nil {
			panic(err)
		}
		h.served.Store(true)
		<-h.end
		release()
	}()
	synctest.Wait() // in this order
	return h
}

// holds counts the holders that were served.
func holds(holders ...*holder) (n int) {
	synctest.Wait()
	for _, h := range holders {
		if h.served.Load() {
			n++
		}
	}
	return n
}

func end(h *holder) {
	close(h.end)
	synctest.Wait()
}

func checkEmpty[K comparable](t *testing.T, s *Semaphore[K]) {
	t.Helper()
	if s.InUse() != 0 || s.usedUp != 0 || s.Waiting() != 0 || len(s.callers) != 0 || len(s.queue) != 0 {
		t.Errorf("left over: %d in use, %d waiting, %d callers, %d in the queue", s.InUse(), s.Waiting(), len(s.callers), len(s.queue))
	}
}

// TestOneCallerHoldsAtMostEach: however much is free. The caller's other requests wait, and are served in their order.
func TestOneCallerHoldsAtMostEach(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New[string](Budget{Size: 20, Each: 8})
		var many []*holder
		for range 14 {
			many = append(many, hold(s, "a", 1))
		}
		if n := holds(many...); n != 8 || s.InUse() != 8 || s.Waiting() != 6 {
			t.Errorf("%d of 14 are served, %d in use, %d waiting", n, s.InUse(), s.Waiting())
		}
		other := hold(s, "b", 8)
		if holds(other) != 1 {
			t.Error("another caller waits for one who has many")
		}
		for ended, h := range many {
			if n := holds(many...); n != min(8+ended, 14) || holds(h) != 1 {
				t.Errorf("after %d ended, %d are served", ended, n)
			}
			end(h)
		}
		end(other)
		checkEmpty(t, s)
	})
}

// TestTheLeastIsServedFirst: a caller with one request waits for at most one of each other caller, however many they
// have waiting.
func TestTheLeastIsServedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New[string](Budget{Size: 2, Each: 2})
		var a, b []*holder
		for range 10 {
			a, b = append(a, hold(s, "a", 1)), append(b, hold(s, "b", 1))
		}
		few := hold(s, "c", 1)
		for i := range 10 {
			if holds(a...) != i+1 || holds(b...) != i+1 {
				t.Errorf("round %d: %d and %d are served", i, holds(a...), holds(b...))
			}
			end(a[i])
			if i == 1 {
				if holds(few) != 1 || holds(a...) != 2 {
					t.Error("the caller with one request waits for two of another")
				}
				end(few)
			}
			end(b[i])
		}
		checkEmpty(t, s)
	})
}

// TestLessHeldIsServedFirst: what counts is how much a caller holds, not how many requests.
func TestLessHeldIsServedFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New[string](Budget{Size: 10, Each: 9})
		large, small, third := hold(s, "large", 5), hold(s, "small", 1), hold(s, "third", 4)
		more := hold(s, "large", 2)
		less := hold(s, "small", 2)
		end(third)
		if holds(more, less) != 2 {
			t.Fatal("both fit")
		}
		again, least := hold(s, "large", 2), hold(s, "small", 2)
		end(less)
		if holds(again) != 0 || holds(least) != 1 {
			t.Error("the caller who holds more is served first")
		}
		for _, h := range []*holder{large, small, more, least} {
			end(h)
		}
		end(again)
		checkEmpty(t, s)
	})
}

// TestLargeRequestsAreServed: a request that needs the whole budget is served although small ones come all the time,
// and one that asks for more than a caller may hold counts as that much.
func TestLargeRequestsAreServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New[string](Budget{Size: 4, Each: 4})
		first := hold(s, "a", 1)
		large := hold(s, "b", 1000)
		var later []*holder
		for _, key := range []string{"c", "d", "e"} {
			later = append(later, hold(s, key, 1))
		}
		if holds(large) != 0 || holds(later...) != 0 {
			t.Error("a small request overtook a large one")
		}
		end(first)
		if holds(large) != 1 || s.InUse() != 4 || holds(later...) != 0 {
			t.Errorf("the large request is not served: %d in use", s.InUse())
		}
		end(large)
		if holds(later...) != 3 {
			t.Error("those after the large request wait")
		}
		for _, h := range later {
			end(h)
		}
		checkEmpty(t, s)
	})
}

// TestAFullCallerBlocksNobody: a large request that waits for others of its own caller does not delay other callers.
func TestAFullCallerBlocksNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New[string](Budget{Size: 10, Each: 4})
		one, large, other := hold(s, "a", 1), hold(s, "a", 4), hold(s, "b", 4)
		if holds(large) != 0 || holds(other) != 1 {
			t.Errorf("served: %d of the full caller, %d of the other", holds(large), holds(other))
		}
		end(one)
		if holds(large) != 1 {
			t.Error("the request is not served once its caller holds nothing")
		}
		end(large)
		end(other)
		checkEmpty(t, s)
	})
}

// TestCanceledRequestsLeaveNothing: neither in the queue nor in use, and what waited behind them is served.
func TestCanceledRequestsLeaveNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New[string](Budget{Size: 2, Each: 2, Busy: errors.New("busy")})
		first := hold(s, "a", 1)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		for _, key := range []string{"a", "b", "b"} {
			go func() {
				_, err := s.Acquire(ctx, key, 2)
				failed <- err
			}()
		}
		synctest.Wait()
		behind := hold(s, "c", 1)
		if holds(behind) != 0 {
			t.Error("a small request overtook a large one")
		}
		cancel()
		for range 3 {
			if err := <-failed; !errors.Is(err, context.Canceled) {
				t.Errorf("a canceled request: %v", err)
			}
		}
		if holds(behind) != 1 {
			t.Error("the request behind the canceled ones still waits")
		}
		if _, err := s.Acquire(ctx, "d", 1); !errors.Is(err, context.Canceled) {
			t.Errorf("a request that was canceled before: %v", err)
		}
		end(first)
		end(behind)
		checkEmpty(t, s)
	})
}

// TestBusy: a caller whose deadline passes gets the error of the budget; without one, that of the context.
func TestBusy(t *testing.T) {
	t.Parallel()
	busy := errors.New("busy")
	for _, want := range []error{busy, nil} {
		synctest.Test(t, func(t *testing.T) {
			s := New[string](Budget{Size: 1, Each: 1, Busy: want})
			first := hold(s, "a", 1)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := s.Acquire(ctx, "b", 1)
			if want == nil {
				want = context.DeadlineExceeded
			}
			if !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
			end(first)
			checkEmpty(t, s)
		})
	}
}

// TestTryAcquire: gets what is free, overtakes nobody, and a second release does nothing.
func TestTryAcquire(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := New[string](Budget{Size: 2, Each: 2})
		release, ok := s.TryAcquire("a", 1)
		if !ok {
			t.Fatal("refused although all is free")
		}
		waits := hold(s, "b", 2)
		if _, ok := s.TryAcquire("c", 1); ok {
			t.Error("overtook a request")
		}
		release()
		release()
		if holds(waits) != 1 || s.InUse() != 2 {
			t.Errorf("%d in use", s.InUse())
		}
		if _, ok := s.TryAcquire("c", 1); ok {
			t.Error("got what is not free")
		}
		end(waits)
		checkEmpty(t, s)
	})
}

// TestPrefer: among callers who hold the same amount, the one with the least usage is served first. One caller whose usage is exceeded is
// served like the others, and more of them only while little of the budget is held. They delay no other caller.
func TestPrefer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		usage := NewUsage[string](time.Second, time.Hour)
		use := func(key string, d time.Duration) {
			end := usage.Begin(key)
			<-time.After(d)
			end()
		}
		use("some", time.Second/2)
		use("much", 2*time.Second)
		use("more", 2*time.Second+time.Second/2)
		s := New[string](Budget{Size: 4, Each: 4}).Prefer(usage, 2)
		first := hold(s, "much", 1)
		second, more := hold(s, "much", 1), hold(s, "more", 1)
		if holds(first, second) != 2 || holds(more) != 0 {
			t.Errorf("served of the callers whose usage is exceeded: %d and %d", holds(first, second), holds(more))
		}
		full := []*holder{hold(s, "others", 1), hold(s, "others", 1)}
		some, none := hold(s, "some", 1), hold(s, "none", 1)
		if holds(full...) != 2 || holds(some, none) != 0 {
			t.Error("others do not get the rest")
		}
		end(full[0])
		if holds(none) != 1 || holds(some) != 0 {
			t.Error("the caller who has used the least is not served first")
		}
		end(first)
		if holds(some) != 1 || holds(more) != 0 {
			t.Error("a caller who has used too much is served while others need the budget")
		}
		end(full[1])
		if holds(more) != 0 { // three are held, one of them by a caller who has used too much
			t.Error("a caller who has used too much is served although too much is held")
		}
		end(second)
		if holds(more) != 1 {
			t.Error("no caller who has used too much is served")
		}
		for _, h := range []*holder{none, some, more} {
			end(h)
		}
		checkEmpty(t, s)
	})
}

// TestUsageWearsOffWhileWaiting: a caller whose usage wears off while they wait is served, although nothing else happens.
func TestUsageWearsOffWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		usage := NewUsage[string](time.Second, 10*time.Second)
		stop := usage.Begin("a")
		<-time.After(1500 * time.Millisecond)
		stop()
		s := New[string](Budget{Size: 4, Each: 4}).Prefer(usage, 1)
		first, second := hold(s, "a", 1), hold(s, "a", 1)
		if holds(first, second) != 1 {
			t.Fatal("a caller who has used too much gets more than one")
		}
		<-time.After(10 * time.Second)
		if holds(second) != 1 {
			t.Error("the second request is not served when the usage has worn off")
		}
		end(first)
		end(second)
		checkEmpty(t, s)
	})
}

// TestBudgetHolds: many callers at once, of whom some give up, never hold more than there is, or one more than Each.
func TestBudgetHolds(t *testing.T) {
	t.Parallel()
	const size, each = 10, 4
	s := New[int](Budget{Size: size, Each: each})
	var inUse atomic.Int64
	var own [5]atomic.Int64
	var all sync.WaitGroup
	for n := range 40 {
		all.Go(func() {
			random := rand.New(rand.NewPCG(uint64(n), 1))
			for range 300 {
				key, weight := random.IntN(len(own)), int64(1+random.IntN(each))
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(300))*time.Microsecond)
				release, err := s.Acquire(ctx, key, weight)
				if err == nil {
					if x := inUse.Add(weight); x > size {
						t.Errorf("%d in use", x)
					}
					if x := own[key].Add(weight); x > each {
						t.Errorf("one caller holds %d", x)
					}
					own[key].Add(-weight)
					inUse.Add(-weight)
					release()
				}
				cancel()
			}
		})
	}
	all.Wait()
	checkEmpty(t, s)
}
