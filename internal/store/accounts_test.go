package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terrier/internal/account"
	"terrier/internal/store"
)

func accounts(t *testing.T) store.Accounts {
	t.Helper()
	s, _, _ := open(t)
	return store.Accounts{Store: s}
}

// TestThrottleCountsTogether lets many processes ask at once: together they get exactly
// the limit, and a refusal in one window counts in none.
func TestThrottleCountsTogether(t *testing.T) {
	a := accounts(t)
	now := time.Now()
	narrow := account.ThrottleKey{Subject: "account:x", Limit: 5, Window: time.Hour}
	wide := account.ThrottleKey{Subject: "address:y", Limit: 100, Window: time.Hour}
	var allowed atomic.Int64
	var done sync.WaitGroup
	for i := range 20 {
		done.Go(func() {
			keys := []account.ThrottleKey{narrow, wide}
			if i%2 == 0 {
				keys = []account.ThrottleKey{wide, narrow}
			}
			wait, err := a.Reserve(t.Context(), keys, now)
			if err != nil {
				t.Error(err)
			}
			if wait == 0 {
				allowed.Add(1)
			} else if wait > time.Hour || wait < 59*time.Minute {
				t.Errorf("told to wait %s", wait)
			}
		})
	}
	done.Wait()
	if allowed.Load() != 5 {
		t.Errorf("%d of 20 attempts were allowed, want 5", allowed.Load())
	}
	if wait, err := a.Reserve(t.Context(), []account.ThrottleKey{{Subject: wide.Subject, Limit: 6, Window: time.Hour}}, now); wait != 0 || err != nil {
		t.Errorf("refused attempts were counted in the other window (%s, %v)", wait, err)
	}
}

func TestThrottleReleasesAndRunsOut(t *testing.T) {
	a := accounts(t)
	now := time.Now().Truncate(time.Microsecond)
	keys := []account.ThrottleKey{{Subject: "account:x", Limit: 1, Window: time.Hour}}
	reserve := func(at time.Time) bool {
		t.Helper()
		wait, err := a.Reserve(t.Context(), keys, at)
		if err != nil {
			t.Fatal(err)
		}
		return wait == 0
	}
	release := func(at time.Time) {
		t.Helper()
		if err := a.Release(t.Context(), keys, at); err != nil {
			t.Fatal(err)
		}
	}
	if !reserve(now) || reserve(now) {
		t.Error("a window of one allows one")
	}
	release(now)
	if !reserve(now) {
		t.Error("what was given back is not free")
	}
	later := now.Add(time.Hour)
	if !reserve(later) {
		t.Error("the window does not run out")
	}
	release(now) // reserved in the window before
	if reserve(later) {
		t.Error("an attempt of the last window was given back to this one")
	}
}

// TestSessions holds that a refresh does not bring an ended session back.
func TestSessions(t *testing.T) {
	a := accounts(t)
	ctx := t.Context()
	until := time.Now().Add(time.Hour)
	find := func() string {
		t.Helper()
		data, _, err := a.FindCtx(ctx, "s")
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	for _, step := range []struct {
		do   func() error
		want string
	}{
		{func() error { return a.RefreshCtx(ctx, "s", []byte("0"), until) }, ""},
		{func() error { return a.CommitCtx(ctx, "s", []byte("1"), until) }, "1"},
		{func() error { return a.RefreshCtx(ctx, "s", []byte("2"), until) }, "2"},
		{func() error { return a.DeleteCtx(ctx, "s") }, ""},
		{func() error { return a.RefreshCtx(ctx, "s", []byte("3"), until) }, ""},
		{func() error { return a.CommitCtx(ctx, "s", []byte("4"), time.Now().Add(-time.Second)) }, ""},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if got := find(); got != step.want {
			t.Errorf("the session holds %q, want %q", got, step.want)
		}
	}
}
