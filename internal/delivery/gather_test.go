package delivery

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestGather: callers of one moment share a call, each gets its own answer, and the next
// batch collects while a call is under way.
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

// TestGatherFails: an error reaches everybody, and a caller who leaves does not take the
// call with them.
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
