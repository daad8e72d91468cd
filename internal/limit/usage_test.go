package limit

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestUsage: a caller may use two seconds in ten. What runs counts before it has ended, what was used wears off, and however much
// that was, after one window the caller is served as others.
func TestUsage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := NewUsage[string](2*time.Second, 10*time.Second)
		want := func(step, key string, exceeded bool) {
			t.Helper()
			if used, got := u.of(key); got != exceeded {
				t.Errorf("%s: used %v, exceeded %v, want %v", step, used, got, exceeded)
			}
		}
		want("at first", "a", false)
		for range 100 { // a tenth of the time, for ever
			end := u.Begin("a")
			<-time.After(100 * time.Millisecond)
			end()
			<-time.After(900 * time.Millisecond)
		}
		want("with few lists", "a", false)

		ends := []func(){u.Begin("a"), u.Begin("a"), u.Begin("a"), u.Begin("a")}
		<-time.After(time.Second)
		want("while four run", "a", true)
		want("another", "b", false)
		<-time.After(time.Hour)
		for _, end := range ends {
			end()
			end() // does nothing
		}
		want("after an hour", "a", true)
		<-time.After(11 * time.Second)
		want("a window later", "a", false)
		u.Begin("a")()
		<-time.After(time.Minute)
		want("a minute later", "a", false)
	})
}

// TestUsageForgetsCallers: who has used nothing lately takes no memory.
func TestUsageForgetsCallers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := NewUsage[int](time.Second, 10*time.Second)
		end := u.Begin(-1)
		for i := range 10 * mostUsers {
			u.Begin(i)()
		}
		if n := len(u.callers); n > mostUsers {
			t.Errorf("%d callers are remembered", n)
		}
		if end(); len(u.callers) == 0 || u.callers[-1] == nil {
			t.Error("a caller was forgotten while something ran")
		}
	})
}
