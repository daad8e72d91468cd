package account

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func newTestSessions(secure bool) (*Sessions, *fakeSessions, *clock) {
	store, clock := newFakeSessions(), newClock()
	log, _ := testLog()
	s := NewSessions(store, secure, log)
	s.Now = clock.Now
	return s, store, clock
}

func TestSessionCookie(t *testing.T) {
	for _, tc := range []struct {
		secure bool
		name   string
	}{
		{true, "__Host-terrier_session"},
		{false, "terrier_session"},
	} {
		log, _ := testLog()
		s := NewSessions(newFakeSessions(), tc.secure, log)
		start, err := s.Start(context.Background(), 7, 3)
		if err != nil {
			t.Fatal(err)
		}
		end, _, err := s.End(context.Background(), start.Value)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []*http.Cookie{start, end} {
			if err := c.Valid(); err != nil {
				t.Error(err)
			}
			if c.Name != tc.name || c.Name != s.CookieName() || c.Secure != tc.secure || !c.HttpOnly ||
				c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" {
				t.Errorf("cookie %s", c)
			}
		}
		if start.MaxAge != 14*3600 || end.MaxAge != -1 || end.Value != "" {
			t.Errorf("cookies %s and %s", start, end)
		}
	}
}

func TestSessionStartFindEnd(t *testing.T) {
	s, store, _ := newTestSessions(true)
	ctx := context.Background()
	one, _ := s.Start(ctx, 7, 3)
	two, _ := s.Start(ctx, 7, 3)
	if one.Value == two.Value || len(one.Value) < 40 {
		t.Errorf("tokens %q and %q", one.Value, two.Value)
	}
	for token, data := range store.data {
		if token == one.Value || token == two.Value || strings.Contains(string(data), one.Value) {
			t.Error("the store holds a token in the clear")
		}
	}
	id, epoch, ok, err := s.Find(ctx, one.Value)
	if id != 7 || epoch != 3 || !ok || err != nil {
		t.Errorf("found %d, %d, %v, %v", id, epoch, ok, err)
	}
	if _, _, err := s.End(ctx, one.Value); err != nil {
		t.Fatal(err)
	}
	if _, _, ok, _ := s.Find(ctx, one.Value); ok {
		t.Error("an ended session is found")
	}
	if _, _, ok, _ := s.Find(ctx, two.Value); !ok {
		t.Error("the other session ended too")
	}
	for _, value := range []string{"", "unknown", one.Value, strings.Repeat("x", 5000)} {
		if _, _, ok, err := s.Find(ctx, value); ok || err != nil {
			t.Errorf("Find(%.20q): %v, %v", value, ok, err)
		}
		if c, _, err := s.End(ctx, value); err != nil || c.MaxAge != -1 {
			t.Errorf("End(%.20q): %v", value, err)
		}
	}
	if len(store.data) != 1 {
		t.Errorf("%d sessions are left", len(store.data))
	}
}

func TestSessionExpiry(t *testing.T) {
	for _, tc := range []struct {
		name  string
		steps []time.Duration
		ok    bool
	}{
		{"at once", []time.Duration{0}, true},
		{"just before idle", []time.Duration{2*time.Hour - time.Second}, true},
		{"idle", []time.Duration{2 * time.Hour}, false},
		{"idle is counted from the last use", []time.Duration{time.Hour, time.Hour, time.Hour}, true},
		{"a use soon after the last still counts to the minute", []time.Duration{time.Hour, 59 * time.Second, 2*time.Hour - time.Minute}, true},
		{"busy to the end of the lifetime", hours(13), true},
		{"busy past the lifetime", hours(14), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _, clock := newTestSessions(true)
			cookie, _ := s.Start(context.Background(), 7, 3)
			var ok bool
			for _, d := range tc.steps {
				clock.Advance(d)
				_, _, ok, _ = s.Find(context.Background(), cookie.Value)
			}
			if ok != tc.ok {
				t.Errorf("found %v, want %v", ok, tc.ok)
			}
		})
	}
}

func hours(n int) (steps []time.Duration) {
	for range n {
		steps = append(steps, time.Hour)
	}
	return steps
}

func TestSessionIsWrittenOnceAMinute(t *testing.T) {
	s, store, clock := newTestSessions(true)
	cookie, _ := s.Start(context.Background(), 7, 3)
	for range 120 {
		clock.Advance(time.Second)
		if _, _, ok, _ := s.Find(context.Background(), cookie.Value); !ok {
			t.Fatal("lost")
		}
	}
	if store.refreshes != 2 {
		t.Errorf("%d writes in two minutes", store.refreshes)
	}
}

// A logout that happens between reading and refreshing a session must win.
func TestSessionRefreshDoesNotReviveAnEndedSession(t *testing.T) {
	s, store, clock := newTestSessions(true)
	ctx := context.Background()
	cookie, _ := s.Start(ctx, 7, 3)
	clock.Advance(time.Hour)
	store.onRefresh = func() { _, _, _ = s.End(ctx, cookie.Value) }
	_, _, _, _ = s.Find(ctx, cookie.Value)
	if store.refreshes != 1 || len(store.data) != 0 {
		t.Errorf("%d refreshes, %d sessions", store.refreshes, len(store.data))
	}
}

func TestSessionStoreFails(t *testing.T) {
	s, store, _ := newTestSessions(true)
	ctx := context.Background()
	cookie, _ := s.Start(ctx, 7, 3)
	store.err = errors.New("no connection")
	_, startErr := s.Start(ctx, 7, 3)
	_, _, ok, findErr := s.Find(ctx, cookie.Value)
	_, _, endErr := s.End(ctx, cookie.Value)
	if startErr == nil || findErr == nil || endErr == nil || ok {
		t.Errorf("errors %v, %v, %v; found %v", startErr, findErr, endErr, ok)
	}
}

func TestSessionsTogether(t *testing.T) {
	s, _, clock := newTestSessions(true)
	ctx := context.Background()
	var wg sync.WaitGroup
	for id := range int64(8) {
		wg.Go(func() {
			cookie, _ := s.Start(ctx, id+1, id)
			clock.Advance(time.Minute)
			if got, epoch, ok, err := s.Find(ctx, cookie.Value); got != id+1 || epoch != id || !ok || err != nil {
				t.Errorf("session of %d: %d, %d, %v, %v", id+1, got, epoch, ok, err)
			}
		})
	}
	wg.Wait()
}
