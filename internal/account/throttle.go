package account

import (
	"context"
	"encoding/hex"
	"net/netip"
	"strings"
	"time"
)

// An account has two counts, so that nobody can lock its owner out from elsewhere: one for everybody and, when that is full,
// one for the addresses from which the account has logged in lately. Together they are the promise: no
// hour holds more than 100 failures of an account.
const (
	throttleWindow = time.Hour
	accountLimit   = 50
	addressLimit   = 200
)

// KeepAddresses is how long an address counts as one from which an account logs in, and MaxAddresses how many an
// account has: the latest.
const (
	KeepAddresses = 30 * 24 * time.Hour
	MaxAddresses  = 50
)

// ThrottleKey is one counter: at most Limit attempts in any Window.
type ThrottleKey struct {
	Subject string
	Limit   int
	Window  time.Duration
}

// ThrottleStore counts attempts for all processes together.
type ThrottleStore interface {
	// Reserve counts an attempt under every key, or under none when one of them is full,
	// atomically. It returns nil when it has counted, or for each key the time until it has
	// room again, which is 0 for a key that has.
	Reserve(ctx context.Context, keys []ThrottleKey, now time.Time) (waits []time.Duration, err error)

	// Release gives back what Reserve counted at that time.
	Release(ctx context.Context, keys []ThrottleKey, reservedAt time.Time) error

	// Forget empties counters.
	Forget(ctx context.Context, subjects []string) error
}

// AddressStore knows where accounts log in from.
type AddressStore interface {
	// KnownAddress tells whether an account has logged in from an address since a time.
	KnownAddress(ctx context.Context, username, address string, since time.Time) (bool, error)

	// NoteAddress notes a login. It keeps the latest MaxAddresses of an account.
	NoteAddress(ctx context.Context, userID int64, address string, at time.Time) error
}

// The counts of an account. What is tried from elsewhere when the first one is full is counted too, without effect: it
// must take as long as what is tried from an address that is known.
const (
	everybody = "account:"
	atHome    = "known:"
	elsewhere = "elsewhere:"
)

// accountKeys are the counters of one count of an account. There is one for each secret key, so that
// processes count together while the key is being changed: any two of them know one both.
func accountKeys(keys *Keyring, count, username string) []ThrottleKey {
	var counters []ThrottleKey
	for _, digest := range keys.NameDigests(strings.ToLower(username)) {
		counters = append(counters, ThrottleKey{Subject: count + hex.EncodeToString(digest), Limit: accountLimit, Window: throttleWindow})
	}
	return counters
}

func addressKey(from netip.Addr) ThrottleKey {
	return ThrottleKey{Subject: "address:" + throttleAddr(from), Limit: addressLimit, Window: throttleWindow}
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
