package account

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terrier/internal/fault"
)

const badLogin = "Invalid username/password"

type loginBench struct {
	*Login
	users    *fakeUsers
	throttle *fakeThrottle
	clock    *clock
	hashes   *atomic.Int64
}

func newLoginBench() *loginBench {
	alice, bob, carol := activeUser(), activeUser(), activeUser()
	bob.Username, bob.Active = "bob", false
	carol.Username, carol.PasswordHash = "carol", ""
	b := &loginBench{users: &fakeUsers{users: []*UserRecord{&alice, &bob, &carol}}, throttle: newFakeThrottle(), clock: newClock()}
	var passwords *Passwords
	passwords, b.hashes = countingPasswords()
	log, _ := testLog()
	b.Login = &Login{Users: b.users, Throttle: b.throttle, Passwords: passwords, Keys: testKeys, Log: log, Now: b.clock.Now}
	return b
}

var home = netip.MustParseAddr("192.0.2.1")

// Unknown, inactive and wrong must be one case to the caller: the same answer, the same
// number of hashes, the same attempts counted.
func TestLoginCheck(t *testing.T) {
	for _, tc := range []struct {
		name, username, password string
		detail                   string
		hashes                   int64
		counted                  int
	}{
		{"right", "alice", "right password", "", 1, 0},
		{"wrong password", "alice", "wrong password", badLogin, 1, 1},
		{"unknown user", "nobody", "right password", badLogin, 1, 1},
		{"inactive, right password", "bob", "right password", badLogin, 1, 1},
		{"inactive, wrong password", "bob", "wrong password", badLogin, 1, 1},
		{"user without a password", "carol", "right password", badLogin, 1, 1},
		{"longest name", strings.Repeat("é", 150), "x", badLogin, 1, 1},
		{"longest password", "alice", strings.Repeat("x", 128), badLogin, 1, 1},
		{"name too long", strings.Repeat("a", 151), "x", badLogin, 0, 0},
		{"password too long", "alice", strings.Repeat("x", 129), badLogin, 0, 0},
		{"password too long, unknown user", "nobody", strings.Repeat("x", 129), badLogin, 0, 0},
		{"empty name", "", "x", badLogin, 0, 0},
		{"empty password", "alice", "", badLogin, 0, 0},
		{"zero byte in the name", "alice\x00", "x", badLogin, 0, 0},
		{"broken UTF-8 in the name", "alice\xff", "x", badLogin, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newLoginBench()
			user, err := b.Check(context.Background(), tc.username, tc.password, home)
			wantFault(t, err, fault.Denied, tc.detail)
			if (user != nil) != (err == nil) {
				t.Errorf("user %v with error %v", user, err)
			}
			if got := b.hashes.Load(); got != tc.hashes {
				t.Errorf("%d hashes, want %d", got, tc.hashes)
			}
			for i, n := range b.throttle.counts(throttleKeys(testKeys, tc.username, home)) {
				if n != tc.counted {
					t.Errorf("counter %d is %d, want %d", i, n, tc.counted)
				}
			}
		})
	}
}

func TestLoginAccountLimit(t *testing.T) {
	b, ctx := newLoginBench(), context.Background()
	addr := home
	for range 50 {
		_, err := b.Check(ctx, "alice", "wrong password", addr)
		wantFault(t, err, fault.Denied, badLogin)
		addr = addr.Next() // many addresses do not help
	}
	b.clock.Advance(59*time.Minute + 500*time.Millisecond)
	_, err := b.Check(ctx, "ALICE", "right password", addr)
	wantFault(t, err, fault.Throttled, "Request was throttled. Expected available in 60 seconds.")
	if e, _ := errors.AsType[*fault.Error](err); e.RetryAfter != time.Minute {
		t.Errorf("retry after %v", e.RetryAfter)
	}
	if n := b.hashes.Load(); n != 50 {
		t.Errorf("%d hashes: a refused attempt cost one", n)
	}
	if n := b.throttle.counts(throttleKeys(testKeys, "alice", addr))[1]; n != 0 {
		t.Errorf("a refused attempt counts %d for its address", n)
	}
	b.clock.Advance(time.Minute)
	if _, err := b.Check(ctx, "alice", "right password", addr); err != nil {
		t.Errorf("after the hour: %v", err)
	}
}

func TestLoginAddressLimit(t *testing.T) {
	b, ctx := newLoginBench(), context.Background()
	for i := range 200 {
		_, err := b.Check(ctx, "user"+strings.Repeat("x", i%100), "wrong password", home)
		wantFault(t, err, fault.Denied, badLogin)
	}
	_, err := b.Check(ctx, "alice", "right password", home)
	wantFault(t, err, fault.Throttled, "Request was throttled. Expected available in 3600 seconds.")
	if _, err := b.Check(ctx, "alice", "right password", home.Next()); err != nil {
		t.Errorf("from another address: %v", err)
	}
}

// Two processes share the counters: however their attempts interleave, no more pass together
// than one would let pass.
func TestLoginLimitHoldsTogether(t *testing.T) {
	one, two := newLoginBench(), newLoginBench()
	two.Throttle = one.throttle
	var denied, refused atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		login := []*Login{one.Login, two.Login}[i%2]
		wg.Go(func() {
			for range 20 {
				_, err := login.Check(context.Background(), "alice", "wrong password", home)
				switch fault.KindOf(err) {
				case fault.Denied:
					denied.Add(1)
				case fault.Throttled:
					refused.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if denied.Load() != accountLimit || refused.Load() != 160-accountLimit {
		t.Errorf("%d denied, %d refused", denied.Load(), refused.Load())
	}
}

func TestLoginSuccessCostsNoAttempt(t *testing.T) {
	b := newLoginBench()
	for range 2 * addressLimit {
		if _, err := b.Check(context.Background(), "alice", "right password", home); err != nil {
			t.Fatal(err)
		}
	}
}

// Where no password was judged nothing was guessed, so nothing is counted.
func TestLoginErrorsCostNoAttempt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, tc := range []struct {
		name    string
		prepare func(*loginBench)
		kind    fault.Kind
	}{
		{"users cannot be loaded", func(b *loginBench) { b.users.err = errors.New("no connection") }, fault.Internal},
		{"attempts cannot be counted", func(b *loginBench) { b.throttle.err = errors.New("no connection") }, fault.Internal},
		{"the queue is full, and nobody asks the database", func(b *loginBench) {
			b.Passwords.queue, b.throttle.err = make(chan struct{}), errors.New("asked")
		}, fault.Throttled},
		{"the caller hangs up", func(b *loginBench) {
			b.Passwords.slots = make(chan struct{})
			cancel()
		}, fault.Slow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newLoginBench()
			tc.prepare(b)
			user, err := b.Check(ctx, "alice", "wrong password", home)
			if user != nil || err == nil || fault.KindOf(err) != tc.kind {
				t.Errorf("user %v, error %v", user, err)
			}
			if counts := b.throttle.counts(throttleKeys(testKeys, "alice", home)); counts[0] != 0 || counts[1] != 0 {
				t.Errorf("counted %v", counts)
			}
		})
	}
}
