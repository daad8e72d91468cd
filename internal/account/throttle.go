package account

import (
	"context"
	"encoding/hex"
	"net/netip"
	"strings"
	"time"
)

// An account has two counters, so that nobody can lock its owner out from elsewhere: one for everybody and, when that
// is full, one for the addresses from which the account has logged in lately. Together they guarantee that no hour
// has more than 100 failures of an account.
const (
	throttleWindow = time.Hour
	accountLimit   = 50
	addressLimit   = 200
)

// KeepAddresses is how long an address counts as one from which an account logs in, and MaxAddresses how many of the
// latest are kept per account.
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
	// Reserve counts an attempt under every key, or under none if one of them is full, atomically. It returns nil if it
	// counted, else for each key the time until it has room again, which is 0 for a key that has.
	Reserve(ctx context.Context, keys []ThrottleKey, now time.Time) (waits []time.Duration, err error)

	// Release gives back what Reserve counted at that time.
	Release(ctx context.Context, keys []ThrottleKey, reservedAt time.Time) error
}

// AddressStore knows where accounts log in from.
type AddressStore interface {
	// KnownAddress reports whether an account has logged in from an address since a time.
	KnownAddress(ctx context.Context, username, address string, since time.Time) (bool, error)

	// NoteAddress records a login. It keeps the latest MaxAddresses of an account.
	NoteAddress(ctx context.Context, userID int64, address string, at time.Time) error
}

// The counters of an account. Attempts from unknown addresses when the first counter is full are counted too, without
// effect: they must take as long as attempts from a known address.
const (
	everybody = "account:"
	atHome    = "known:"
	elsewhere = "elsewhere:"
)

// accountKeys are the keys of one counter of an account. There is one for each secret key, so that processes count
// together while the secret is being rotated: any two of them share one.
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

// throttleAddr counts IPv6 by /64, because one subscriber has that many addresses to choose from.
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
