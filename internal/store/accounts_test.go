package store_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"terrier/internal/account"
	"terrier/internal/audit"
	"terrier/internal/store"
)

func accounts(t *testing.T) store.Accounts {
	t.Helper()
	s, _, _ := open(t)
	return store.Accounts{Store: s}
}

// TestThrottleCountsTogether: many processes at once get exactly the limit together, and a refusal in one window
// counts in none.
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
			waits, err := a.Reserve(t.Context(), keys, now)
			if err != nil {
				t.Error(err)
			}
			if waits == nil {
				allowed.Add(1)
			} else if wait := waits[slices.Index(keys, narrow)]; wait > time.Hour || wait < 59*time.Minute || waits[slices.Index(keys, wide)] != 0 {
				t.Errorf("asked to wait %s", waits)
			}
		})
	}
	done.Wait()
	if allowed.Load() != 5 {
		t.Errorf("%d of 20 attempts were allowed, want 5", allowed.Load())
	}
	if waits, err := a.Reserve(t.Context(), []account.ThrottleKey{{Subject: wide.Subject, Limit: 6, Window: time.Hour}},
		now); waits != nil || err != nil {
		t.Errorf("refused attempts were counted in the other window (%s, %v)", waits, err)
	}
}

func TestThrottleReleasesAndRunsOut(t *testing.T) {
	a := accounts(t)
	now := time.Now().Truncate(time.Microsecond)
	keys := []account.ThrottleKey{{Subject: "account:x", Limit: 1, Window: time.Hour}}
	reserve := func(at time.Time) bool {
		t.Helper()
		waits, err := a.Reserve(t.Context(), keys, at)
		if err != nil {
			t.Fatal(err)
		}
		return waits == nil
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

// TestThrottleWindowSlides: any hour has at most the limit, and a refusal says when the oldest attempt leaves it.
func TestThrottleWindowSlides(t *testing.T) {
	a := accounts(t)
	start := time.Now().Truncate(time.Microsecond)
	keys := []account.ThrottleKey{{Subject: "account:x", Limit: 3, Window: time.Hour}}
	for _, row := range []struct {
		minute int
		wait   time.Duration
	}{{0, 0}, {20, 0}, {50, 0}, {55, 5 * time.Minute}, {60, 0}, {61, 19 * time.Minute}, {80, 0}, {90, 20 * time.Minute}, {300, 0}} {
		waits, err := a.Reserve(t.Context(), keys, start.Add(time.Duration(row.minute)*time.Minute))
		if err != nil || (waits == nil) != (row.wait == 0) || len(waits) > 0 && waits[0] != row.wait {
			t.Errorf("minute %d: %v, %v, want %v", row.minute, waits, err, row.wait)
		}
	}
	// What the audit log can't record does not happen.
	e := audit.Event{At: start, Name: audit.LoginUnlocked, RequestID: "none", Count: 1}
	if err := a.Forget(t.Context(), []string{"account:x"}, e); err == nil {
		t.Error("the act is not recorded, and that is no error")
	}
	if waits, err := a.Reserve(t.Context(), keys, start.Add(300*time.Minute)); waits != nil || err != nil {
		t.Fatal(waits, err)
	}
	if waits, err := a.Reserve(t.Context(), keys, start.Add(300*time.Minute)); waits != nil || err != nil {
		t.Fatal(waits, err)
	}
	if waits, _ := a.Reserve(t.Context(), keys, start.Add(300*time.Minute)); waits == nil {
		t.Error("the counter was emptied without an event")
	}
	e.RequestID = uuid.NewString()
	if err := a.Forget(t.Context(), []string{"account:x"}, e); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if waits, err := a.Reserve(t.Context(), keys, start); waits != nil || err != nil {
			t.Errorf("forgotten, and yet %v, %v", waits, err)
		}
	}
}

// TestLoginAddresses: addresses of the last 30 days are known, the latest 50 of an account, and recording one changes
// no record.
func TestLoginAddresses(t *testing.T) {
	s, _, db := open(t)
	a, ctx, now := store.Accounts{Store: s}, t.Context(), time.Now()
	var user int64
	if err := db.QueryRow(ctx, `INSERT INTO users_user (version, username, password_sealed, first_name, last_name, email, is_staff,
		is_active, is_superuser, manage_tokens, groups, epoch, created, last_updated)
		VALUES (1, 'alice', '', '', '', '', false, true, false, true, '{}', 0, now(), now()) RETURNING id`).Scan(&user); err != nil {
		t.Fatal(err)
	}
	known := func(name, address string) bool {
		t.Helper()
		yes, err := a.KnownAddress(ctx, name, address, now.Add(-account.KeepAddresses))
		if err != nil {
			t.Fatal(err)
		}
		return yes
	}
	note := func(address string, at time.Time) {
		t.Helper()
		if err := a.NoteAddress(ctx, user, address, at); err != nil {
			t.Fatal(err)
		}
	}
	note("old", now.Add(-31*24*time.Hour))
	note("new", now.Add(-29*24*time.Hour))
	if known("alice", "old") || !known("alice", "new") || known("bob", "new") || known("alice", "other") {
		t.Error("the wrong addresses are known")
	}
	if err := s.Sweep(ctx, now); err != nil {
		t.Fatal(err)
	}
	note("old", now) // seen again
	for i := range account.MaxAddresses {
		note(fmt.Sprint("address ", i), now.Add(time.Duration(i)*time.Second))
	}
	var n int
	if err := db.QueryRow(ctx, "SELECT count(*) FROM users_login_address").Scan(&n); err != nil || n != account.MaxAddresses ||
		known("alice", "new") || !known("alice", "address 0") {
		t.Errorf("%d addresses are kept (%v)", n, err)
	}
	if err := s.Sweep(ctx, now.Add(31*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow(ctx, "SELECT count(*) FROM users_login_address").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d addresses are left (%v)", n, err)
	}
	var version, changes int
	if err := db.QueryRow(ctx, "SELECT version, (SELECT count(*) FROM extras_objectchange) FROM users_user").
		Scan(&version, &changes); err != nil || version != 1 || changes != 0 {
		t.Errorf("version %d, %d changes (%v)", version, changes, err)
	}
}

// TestSessions: a refresh does not bring an ended session back.
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
