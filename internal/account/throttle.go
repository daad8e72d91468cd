package account

import (
	"context"
	"encoding/hex"
	"net/netip"
	"strings"
	"time"
)

// A window begins with the first attempt in it and ends an hour later; the next begins with
// the next attempt. Any rolling hour therefore touches at most two windows and holds at most
// twice the limit: 100 failures per account, which is the promise.
const (
	throttleWindow = time.Hour
	accountLimit   = 50
	addressLimit   = 200
)

// ThrottleKey is one counter: at most Limit attempts in a Window.
type ThrottleKey struct {
	Subject string
	Limit   int
	Window  time.Duration
}

// ThrottleStore counts attempts for all processes together.
type ThrottleStore interface {
	// Reserve counts an attempt under every key, or under none when one of them is full,
	// atomically. A counter whose window is over begins a new one at now. When it refuses
	// it returns the time until all keys have room again, which is then above zero.
	Reserve(ctx context.Context, keys []ThrottleKey, now time.Time) (retryAfter time.Duration, err error)

	// Release gives back what Reserve counted at that time. A window that began later
	// counts other attempts and is left alone.
	Release(ctx context.Context, keys []ThrottleKey, reservedAt time.Time) error
}

// throttleKeys are the counters of one login. An account has one for each secret key, so that
// processes count together while the key is being changed: any two of them know one both.
func throttleKeys(keys *Keyring, username string, from netip.Addr) []ThrottleKey {
	var counters []ThrottleKey
	for _, digest := range keys.NameDigests(strings.ToLower(username)) {
		counters = append(counters, ThrottleKey{Subject: "account:" + hex.EncodeToString(digest), Limit: accountLimit, Window: throttleWindow})
	}
	return append(counters, ThrottleKey{Subject: "address:" + throttleAddr(from), Limit: addressLimit, Window: throttleWindow})
}

// throttleAddr counts IPv6 by /64, because that is what one subscriber has to choose from.
func throttleAddr(from netip.Addr) string {
	from = plainAddr(from)
	switch {
	case !from.IsValid():
		return "unknown"
	case from.Is4():
		return from.String()
	}
	return netip.PrefixFrom(from, 64).Masked().String()
}
