package app

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadinessIsShared: however many ask whether the process is ready, the database is asked once a second. Nobody gets an answer that is
// older, and who goes away takes no answer from others.
func TestReadinessIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r readiness
		checks, wrong := 0, errors.New("not ready")
		check := func(context.Context) error {
			checks++
			time.Sleep(3 * time.Second) //nolint:forbidigo // the time of a bubble
			return wrong
		}
		gone, leave := context.WithCancel(t.Context())
		var askers sync.WaitGroup
		askers.Go(func() {
			if err := r.share(gone, check); !errors.Is(err, context.Canceled) {
				t.Errorf("who went away got %v", err)
			}
		})
		synctest.Wait()
		leave()
		for range 100 {
			askers.Go(func() {
				if err := r.share(t.Context(), check); !errors.Is(err, wrong) {
					t.Errorf("got %v", err)
				}
			})
		}
		askers.Wait()
		if checks != 1 {
			t.Errorf("%d checks for all who asked at once", checks)
		}
		for i, after := range []time.Duration{readyFor - 1, 1} {
			time.Sleep(after) //nolint:forbidigo // the time of a bubble
			if _ = r.share(t.Context(), check); checks != 1+i {
				t.Errorf("%d checks, want %d", checks, 1+i)
			}
		}
	})
}
