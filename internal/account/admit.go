package account

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"time"
)

// attempt is a login that was counted.
type attempt struct {
	at       time.Time
	reserved []ThrottleKey
	admitted bool // the right password logs in

	// wait is above zero if the account's first counter is full. Then every failure is answered as if no password had
	// been checked: anything else would reveal from where the account logs in.
	wait time.Duration
}

// admit counts an attempt before its password is checked. Counting failures afterwards would let any number of
// attempts pass while the first ones are still being hashed.
func (l *Login) admit(ctx context.Context, username string, from netip.Addr) (*attempt, error) {
	a, address := &attempt{at: l.Now(), admitted: true}, addressKey(from)
	waits, err := l.reserve(ctx, a, append(accountKeys(l.Keys, everybody, username), address)...)
	if err != nil || waits == nil {
		return a, err
	}
	a.wait = slices.Max(waits)
	if waits[len(waits)-1] > 0 { // the address is at its limit
		return nil, l.refuse(ctx, username, from, a.wait)
	}
	// From here on the work is the same, whether the account exists and the address is known or not.
	if waits, err = l.reserve(ctx, a, address); err != nil {
		return nil, err
	}
	if waits != nil {
		return nil, l.refuse(ctx, username, from, max(a.wait, waits[0]))
	}
	known, err := l.Addresses.KnownAddress(ctx, username, throttleAddr(from), a.at.Add(-KeepAddresses))
	if err != nil {
		l.release(ctx, a)
		return nil, err
	}
	count := elsewhere
	if known {
		count = atHome
	}
	if waits, err = l.reserve(ctx, a, accountKeys(l.Keys, count, username)...); err != nil {
		l.release(ctx, a)
		return nil, err
	}
	a.admitted = known && waits == nil
	return a, nil
}

// refuse returns the answer to an attempt from an address that has no attempts left.
func (l *Login) refuse(ctx context.Context, username string, from netip.Addr, wait time.Duration) error {
	return cmp.Or(l.Refusals.Throttled(ctx, username, from, false), throttled(wait))
}

func (l *Login) reserve(ctx context.Context, a *attempt, keys ...ThrottleKey) (waits []time.Duration, err error) {
	waits, err = l.Throttle.Reserve(ctx, keys, a.at)
	if err != nil {
		return nil, err
	}
	if waits == nil {
		a.reserved = append(a.reserved, keys...)
	}
	return waits, nil
}

func (l *Login) release(ctx context.Context, a *attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := l.Throttle.Release(ctx, a.reserved, a.at); err != nil {
		l.Log.WarnContext(ctx, "give back a login attempt", "error", err)
	}
}

// note records the address of a login. The user is authenticated already, so a failure here does not refuse them.
func (l *Login) note(ctx context.Context, user *UserRecord, from netip.Addr, at time.Time) {
	if !from.IsValid() {
		return
	}
	if err := l.Addresses.NoteAddress(ctx, user.ID, throttleAddr(from), at); err != nil {
		unrecorded(ctx, l.Log, "the address of a login was not recorded", err, "user", user.ID)
	}
}

// Counters names the counters of the failed logins of an account. Who empties them unlocks it.
func (l *Login) Counters(username string) (subjects []string) {
	for _, count := range []string{everybody, atHome, elsewhere} {
		for _, key := range accountKeys(l.Keys, count, username) {
			subjects = append(subjects, key.Subject)
		}
	}
	return subjects
}
