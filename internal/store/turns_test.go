package store

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
)

// asked takes a turn and keeps it until the test ends it.
type asked struct{ begun, end chan struct{} }

func begin(t *Turns, by int64) asked {
	l := asked{make(chan struct{}), make(chan struct{})}
	go func() {
		done, err := t.Take(context.Background(), access.Asker{User: by})
		if err != nil {
			panic(err)
		}
		close(l.begun)
		<-l.end
		done()
	}()
	return l
}

// running counts the lists whose turn has come.
func running(lists []asked) int {
	synctest.Wait()
	return len(slices.DeleteFunc(slices.Clone(lists), func(l asked) bool {
		select {
		case <-l.begun:
			return false
		default:
			return true
		}
	}))
}

// TestTurnsWait: 8 lists of one caller run at once, however many connections are free. The others wait and are not
// refused.
func TestTurnsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(20, errNoTurn)
		var lists []asked
		for range 14 {
			lists = append(lists, begin(turns, 1))
		}
		if n := running(lists); n != 8 {
			t.Errorf("%d of 14 run at once", n)
		}
		other := begin(turns, 2)
		if running([]asked{other}) != 1 {
			t.Error("another caller waits for one who has many")
		}
		for ended := range 14 {
			if n := running(lists); n != min(8+ended, 14) {
				t.Errorf("after %d ended, %d have had their turn", ended, n)
			}
			i := slices.IndexFunc(lists, func(l asked) bool {
				select {
				case <-l.begun:
					return l.end != nil
				default:
					return false
				}
			})
			close(lists[i].end)
			lists[i].end = nil
		}
		close(other.end)
		synctest.Wait()
		if turns.free != 20 || len(turns.callers) != 0 || len(turns.waiting) != 0 {
			t.Errorf("left over: %d free, %d callers, %d waiting", turns.free, len(turns.callers), len(turns.waiting))
		}
	})
}

// TestNobodyTakesTheLastConnection: with few connections, one caller leaves one of them to others.
func TestNobodyTakesTheLastConnection(t *testing.T) {
	t.Parallel()
	for connections, most := range map[int]int{1: 1, 2: 1, 3: 2, 8: 7, 9: 8, 50: 8} {
		synctest.Test(t, func(t *testing.T) {
			turns := NewTurns(connections, errNoTurn)
			var lists []asked
			for range 14 {
				lists = append(lists, begin(turns, 1))
			}
			if n := running(lists); n != most {
				t.Errorf("with %d connections %d of 14 lists run at once, want %d", connections, n, most)
			}
			for _, l := range lists {
				close(l.end)
			}
			if n := running(lists); n != 14 {
				t.Errorf("with %d connections %d of 14 lists had their turn", connections, n)
			}
		})
	}
}

// TestTurnsAreFair: a caller with one list waits for at most one list of each other caller, however many they have
// waiting.
func TestTurnsAreFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(2, errNoTurn)
		var many [2][]asked
		for range 10 {
			for by := range many {
				many[by] = append(many[by], begin(turns, int64(by)))
				synctest.Wait() // in this order
			}
		}
		few := begin(turns, 3)
		for round := range 10 {
			if a, b := running(many[0]), running(many[1]); a != round+1 || b != round+1 {
				t.Errorf("round %d: %d and %d of the two have had their turn", round, a, b)
			}
			if round == 1 {
				close(many[0][round].end)
				if running([]asked{few}) != 1 {
					t.Error("the caller with one list still waits")
				}
				close(few.end)
				synctest.Wait()
				close(many[1][round].end)
				continue
			}
			for by := range many {
				close(many[by][round].end)
				synctest.Wait()
			}
		}
	})
}

// TestTurnsAreGivenUp: a caller who goes away leaves nothing behind.
func TestTurnsAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, errNoTurn)
		first := begin(turns, 1)
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		gaveUp := make(chan error)
		for by := range int64(3) {
			go func() {
				_, err := turns.Take(ctx, access.Asker{User: by})
				gaveUp <- err
			}()
		}
		synctest.Wait()
		cancel()
		for range 3 {
			if err := <-gaveUp; err == nil {
				t.Error("a turn that nobody waits for was taken")
			}
		}
		close(first.end)
		synctest.Wait()
		if turns.free != 1 || len(turns.callers) != 0 || len(turns.waiting) != 0 {
			t.Errorf("left over: %d free, %d callers, %d waiting", turns.free, len(turns.callers), len(turns.waiting))
		}
	})
}

// TestNoTurnInTime: a caller who waited as long as a request may take was delayed by others, and is asked to try
// again.
func TestNoTurnInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(1, errNoTurn)
		first := begin(turns, 1)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := turns.Take(ctx, access.Asker{User: 2})
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Busy || e.RetryAfter != time.Second {
			t.Errorf("got %v", err)
		}
		close(first.end)
	})
}
