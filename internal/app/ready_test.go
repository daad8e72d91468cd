package app

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadinessIsShared: however many ask whether the process is ready, the database is asked once a second. Nobody
// gets an older answer, and if the first caller goes away, the others still get theirs.
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
			if err := r.share(gone, check); !errors.Is(err, wrong) {
				t.Errorf("who asked first got %v", err)
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

// TestReadinessAfterAPanic: a check that panics fails for those who wait for it, and the next one starts at once.
func TestReadinessAfterAPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r readiness
		broken := make(chan struct{})
		var askers sync.WaitGroup
		askers.Go(func() {
			defer func() { _ = recover() }() // as the server does
			_ = r.share(t.Context(), func(context.Context) error {
				<-broken
				panic("broken")
			})
		})
		synctest.Wait()
		askers.Go(func() {
			if err := r.share(t.Context(), nil); err == nil {
				t.Error("the process is called ready")
			}
		})
		synctest.Wait()
		close(broken)
		askers.Wait()
		if err := r.share(t.Context(), func(context.Context) error { return nil }); err != nil {
			t.Errorf("the next one got %v", err)
		}
	})
}
