package account

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terrier/internal/fault"
)

const badLogin = "Invalid username/password"

type loginBench struct {
	*Login
	users     *fakeUsers
	throttle  *fakeThrottle
	addresses *fakeAddresses
	refusals  *fakeRefusals
	clock     *clock
	hashes    *atomic.Int64
}

func newLoginBench() *loginBench {
	alice, bob, carol := activeUser(), activeUser(), activeUser()
	bob.Username, bob.Active = "bob", false
	carol.Username, carol.PasswordHash = "carol", ""
	b := &loginBench{users: &fakeUsers{users: []*UserRecord{&alice, &bob, &carol}}, throttle: newFakeThrottle(), clock: newClock(),
		addresses: &fakeAddresses{seen: map[string]time.Time{}}, refusals: &fakeRefusals{}}
	var passwords *Passwords
	passwords, b.hashes = countingPasswords()
	log, _ := testLog()
	b.Login = &Login{Users: b.users, Throttle: b.throttle, Addresses: b.addresses, Passwords: passwords, Keys: testKeys, Log: log,
		Now: b.clock.Now, Refusals: b.refusals}
	return b
}

// countersOf returns the counters that a login is counted in first.
func countersOf(username string, from netip.Addr) []ThrottleKey {
	return append(accountKeys(testKeys, everybody, username), addressKey(from))
}

var home = netip.MustParseAddr("192.0.2.1")

// Unknown, inactive and wrong must look the same to the caller: the same answer, the same number of hashes, the same
// attempts counted.
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
			for i, n := range b.throttle.counts(countersOf(tc.username, home)...) {
				if n != tc.counted {
					t.Errorf("counter %d is %d, want %d", i, n, tc.counted)
				}
			}
			if len(b.refusals.all) != tc.counted { // what is not counted is not recorded
				t.Errorf("recorded %q", b.refusals.all)
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
	if n := b.throttle.counts(addressKey(addr))[0]; n != 1 {
		t.Errorf("an attempt that cost a hash counts %d for its address", n)
	}
	b.clock.Advance(time.Minute)
	if _, err := b.Check(ctx, "alice", "right password", addr); err != nil {
		t.Errorf("after the hour: %v", err)
	}
}

// Failed logins from elsewhere lock nobody out at the addresses from which they logged in within 30 days. Those have
// their own counter, and only the right password shows that an address is known.
func TestLoginFromAKnownAddress(t *testing.T) {
	b, ctx := newLoginBench(), context.Background()
	office, away := netip.MustParseAddr("2001:db8:1:2::3"), netip.MustParseAddr("198.51.100.1")
	check := func(name, password string, from netip.Addr) error {
		_, err := b.Check(ctx, name, password, from)
		return err
	}
	if err := check("alice", "right password", office); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"alice", "nobody"} {
		for range accountLimit {
			wantFault(t, check(name, "wrong password", away), fault.Denied, badLogin)
		}
	}
	b.clock.Advance(time.Minute)
	const locked = "Request was throttled. Expected available in 3540 seconds."
	same := netip.MustParseAddr("2001:db8:1:2::4") // as the per-address limit counts
	for range accountLimit {
		hashes := b.hashes.Load()
		for _, name := range []string{"alice", "nobody"} {
			wantFault(t, check(name, "wrong password", same), fault.Throttled, locked)
		}
		if n := b.hashes.Load() - hashes; n != 2 {
			t.Fatalf("%d hashes for two refusals: their times differ", n)
		}
		if b.throttle.counts(accountKeys(testKeys, atHome, "alice")...)[0] == accountLimit-1 {
			if err := check("alice", "right password", office); err != nil {
				t.Errorf("the right password from a known address: %v", err)
			}
			wantFault(t, check("alice", "right password", away), fault.Throttled, locked)
		}
	}
	wantFault(t, check("alice", "right password", office), fault.Throttled, locked) // 100 in all
	b.throttle.forget(b.Counters("Alice"))
	if err := check("alice", "right password", away); err != nil {
		t.Errorf("after unlocking: %v", err)
	}
	wantFault(t, check("nobody", "wrong password", away), fault.Throttled, locked)
}

// An address is known for 30 days.
func TestLoginFromAnAddressOfLastMonth(t *testing.T) {
	for days, kind := range map[time.Duration]fault.Kind{29: fault.Internal, 31: fault.Throttled} {
		b, ctx := newLoginBench(), context.Background()
		b.addresses.seen[home.String()] = b.clock.Now()
		b.clock.Advance(days * 24 * time.Hour)
		for range accountLimit {
			_, _ = b.Check(ctx, "alice", "wrong password", home.Next())
		}
		if _, err := b.Check(ctx, "alice", "right password", home); err != nil && fault.KindOf(err) != kind || (err == nil) != (days == 29) {
			t.Errorf("after %d days: %v", days, err)
		}
	}
}

// In whatever order failures from known and other addresses, successes and pauses come, no hour has more than 100
// failures of an account, nor more than 50 of either counter.
func TestNoHourHoldsMoreThanAHundredFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, ctx := newLoginBench(), context.Background()
		b.addresses.seen["192.0.2.1"] = b.clock.Now()
		for range rapid.IntRange(1, 12).Draw(t, "bursts") {
			b.clock.Advance(time.Duration(rapid.IntRange(1, 4000).Draw(t, "pause")) * time.Second)
			from := rapid.SampledFrom([]string{"192.0.2.1", "198.51.100.1", "198.51.100.2"}).Draw(t, "from")
			for range rapid.IntRange(0, 80).Draw(t, "attempts") {
				b.clock.Advance(time.Millisecond)
				password := rapid.SampledFrom([]string{"wrong password", "wrong password", "wrong password", "right password"}).Draw(t, "password")
				_, _ = b.Check(ctx, "alice", password, netip.MustParseAddr(from))
			}
		}
		first, second := b.throttle.attempts[accountKeys(testKeys, everybody, "alice")[0].Subject],
			b.throttle.attempts[accountKeys(testKeys, atHome, "alice")[0].Subject]
		for _, of := range []struct {
			most     int
			failures []time.Time
		}{{accountLimit, first}, {accountLimit, second}, {100, slices.Concat(first, second)}} {
			for _, begin := range of.failures {
				n := 0
				for _, at := range of.failures {
					if !at.Before(begin) && at.Sub(begin) < time.Hour {
						n++
					}
				}
				if n > of.most {
					t.Fatalf("%d failures in the hour from %v, want at most %d", n, begin, of.most)
				}
			}
		}
	})
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

// Two processes share the counters: however their attempts interleave, both together let no more pass than one would.
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

// If no password was checked, nothing was guessed, so nothing is counted.
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
			for i := range byte(2) {
				for b.throttle.err == nil {
					if _, err := b.Passwords.Enter(netip.AddrFrom4([4]byte{10, 0, 0, i})); err != nil {
						break
					}
				}
			}
			b.throttle.err = errors.New("asked")
		}, fault.Throttled},
		{"the caller hangs up", func(b *loginBench) {
			_, _ = b.Passwords.slots.Acquire(ctx, home, b.Passwords.slots.State().Size)
			cancel()
		}, fault.Busy},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newLoginBench()
			tc.prepare(b)
			user, err := b.Check(ctx, "alice", "wrong password", home)
			if user != nil || err == nil || fault.KindOf(err) != tc.kind {
				t.Errorf("user %v, error %v", user, err)
			}
			if counts := b.throttle.counts(countersOf("alice", home)...); counts[0] != 0 || counts[1] != 0 {
				t.Errorf("counted %v", counts)
			}
		})
	}
}
