package account

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestThrottleKeys(t *testing.T) {
	for _, tc := range []struct{ from, want string }{
		{"192.0.2.1", "address:192.0.2.1"},
		{"::ffff:192.0.2.1", "address:192.0.2.1"},
		{"2001:db8:1:2:3:4:5:6", "address:2001:db8:1:2::/64"},
		{"fe80::1%eth0", "address:fe80::/64"},
		{"", "address:unknown"},
	} {
		var from netip.Addr
		if tc.from != "" {
			from = netip.MustParseAddr(tc.from)
		}
		keys := throttleKeys(testKeys, "Alice", from)
		if keys[1].Subject != tc.want {
			t.Errorf("%q: subject %q, want %q", tc.from, keys[1].Subject, tc.want)
		}
		if keys[0] != throttleKeys(testKeys, "aLICE", from)[0] || keys[0] == throttleKeys(testKeys, "alic", from)[0] {
			t.Error("an account is a name, whatever its case")
		}
		if s := keys[0].Subject; !strings.HasPrefix(s, "account:") || len(s) != len("account:")+64 || strings.Contains(s, "lice") {
			t.Errorf("subject %q", s)
		}
	}
}

// Processes that are at different steps of changing the key count together.
func TestLimitHoldsWhileTheKeyIsChanged(t *testing.T) {
	ring := func(current string, old ...string) *Keyring {
		keys, err := NewKeyring(current, old)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	for name, rings := range map[string][]*Keyring{
		"some know the new one": {ring(secretA), ring(secretA, secretB)},
		"some have swapped":     {ring(secretA, secretB), ring(secretB, secretA)},
		"some forgot the old":   {ring(secretB, secretA), ring(secretB)},
	} {
		throttle, now, passed := newFakeThrottle(), newClock().Now(), 0
		for i := range 3 * accountLimit {
			wait, err := throttle.Reserve(t.Context(), throttleKeys(rings[i%2], "alice", netip.AddrFrom4([4]byte{192, 0, 2, byte(i)})), now)
			if err != nil {
				t.Fatal(err)
			}
			if wait == 0 {
				passed++
			}
		}
		if passed != accountLimit {
			t.Errorf("%s: %d attempts, want %d", name, passed, accountLimit)
		}
	}
}

// The promise of threats.md, on the model of the store: no rolling hour holds more than 100
// failures of an account, however attempts, successes and pauses follow each other.
func TestNoHourHoldsMoreThanAHundredFailures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		throttle, now, ctx := newFakeThrottle(), newClock().Now(), context.Background()
		keys := throttleKeys(testKeys, "alice", netip.Addr{})[:1]
		var failures []time.Time
		type pending struct{ at time.Time }
		var open []pending
		for range rapid.IntRange(1, 30).Draw(t, "bursts") {
			now = now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "pause")) * time.Second)
			// Successes of the burst before end only now, perhaps in a later window.
			for _, p := range open {
				_ = throttle.Release(ctx, keys, p.at)
			}
			open = nil
			for range rapid.IntRange(0, 80).Draw(t, "attempts") {
				if wait, _ := throttle.Reserve(ctx, keys, now); wait > 0 {
					break
				}
				if rapid.IntRange(0, 9).Draw(t, "outcome") == 9 {
					open = append(open, pending{now})
					continue
				}
				failures = append(failures, now)
			}
		}
		for i := range failures {
			n := 0
			for _, f := range failures[i:] {
				if f.Sub(failures[i]) < time.Hour {
					n++
				}
			}
			if n > 100 {
				t.Fatalf("%d failures in the hour from %v", n, failures[i])
			}
		}
	})
}
