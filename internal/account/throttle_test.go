package account

import (
	"net/netip"
	"strings"
	"testing"
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
		keys := countersOf("Alice", from)
		if keys[1].Subject != tc.want {
			t.Errorf("%q: subject %q, want %q", tc.from, keys[1].Subject, tc.want)
		}
		if keys[0] != countersOf("aLICE", from)[0] || keys[0] == countersOf("alic", from)[0] {
			t.Error("an account is a name, whatever its case")
		}
		if s := keys[0].Subject; !strings.HasPrefix(s, "account:") || len(s) != len("account:")+64 || strings.Contains(s, "lice") {
			t.Errorf("subject %q", s)
		}
	}
}

// Processes at different steps of a rotation of the secret count together.
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
			waits, err := throttle.Reserve(t.Context(), accountKeys(rings[i%2], everybody, "alice"), now)
			if err != nil {
				t.Fatal(err)
			}
			if waits == nil {
				passed++
			}
		}
		if passed != accountLimit {
			t.Errorf("%s: %d attempts, want %d", name, passed, accountLimit)
		}
	}
}
