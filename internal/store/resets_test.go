package store

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestResetsKeepAPause: however often a reset is requested, there is one at once and one more when the pause is over,
// for connections that were made in between.
func TestResetsKeepAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r resets
		last := func() time.Time {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.last
		}
		began := time.Now()
		for range 100 {
			r.reset()
		}
		if got := last().Sub(began); got != 0 {
			t.Errorf("the first reset came after %v", got)
		}
		<-time.After(10 * resetPause)
		synctest.Wait()
		if got := last().Sub(began); got != resetPause {
			t.Errorf("the last reset came after %v, want %v", got, resetPause)
		}
	})
}
