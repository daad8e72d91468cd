package main

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"terrier/internal/store"
)

// TestUntilOurs: a task that the server is doing is tried again until it is ours, and until the run is cancelled.
func TestUntilOurs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken, tries := errors.New("broken"), 0
		err := untilOurs(t.Context(), func() error {
			if tries++; tries < 3 {
				return fmt.Errorf("drop: %w", store.ErrElsewhere)
			}
			return broken
		})
		if !errors.Is(err, broken) || tries != 3 {
			t.Errorf("%v after %d tries", err, tries)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := untilOurs(ctx, func() error { return store.ErrElsewhere }); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}
