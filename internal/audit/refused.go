package audit

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// mostNames is how many accounts, tokens and addresses are counted apart between two writes. Attempts of further ones count together, as
// those of names that no user has do.
const mostNames = 1000

// RefusedStore adds up refused logins and tokens.
type RefusedStore interface {
	// AddRefused adds attempts to those of their account or token, reason and hour. UserName of a login is what was typed. It returns the
	// records that are the first of their hour; those of logins have the name of the user, or none where there is no such user.
	AddRefused(ctx context.Context, attempts []Event) ([]Event, error)
}

// Refused counts logins that the limits refuse, and refused tokens. They are written together: one record for each account or token,
// reason and hour.
type Refused struct {
	Store RefusedStore
	Log   *Log

	mu      sync.Mutex
	pending map[refusedKey]Event
}

// refusedKey is what attempts are added up by.
type refusedKey struct {
	event, typed, target, reason string
	from                         netip.Addr // of an unknown token
	hour                         time.Time
}

func keyOf(e Event) refusedKey {
	key := refusedKey{event: e.Name, target: e.Target, reason: e.Detail, hour: e.At}
	switch {
	case e.Name == LoginThrottled:
		key.typed = e.UserName
	case e.Target == "":
		key.from = e.Address
	}
	return key
}

// Add counts an attempt, which the next Flush writes. The name is LoginThrottled or TokenRefused. UserName of a login is what was typed.
func (r *Refused) Add(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Count, e.At = 1, e.At.Truncate(time.Hour)
	if e.Name == TokenRefused && e.Target == "" {
		e.Address = network(e.Address)
	}
	r.merge(e)
}

// network returns the first address of the part of IPv6 that one customer has: there are too many addresses to have a record each.
func network(from netip.Addr) netip.Addr {
	if from = from.Unmap().WithZone(""); from.Is6() {
		return netip.PrefixFrom(from, 64).Masked().Addr()
	}
	return from
}

func (r *Refused) merge(e Event) {
	if r.pending == nil {
		r.pending = map[refusedKey]Event{}
	}
	if _, counted := r.pending[keyOf(e)]; !counted && len(r.pending) >= mostNames {
		e.UserName, e.Target, e.TargetName = "", "", ""
		if e.Name == TokenRefused {
			e.Address = netip.Addr{}
		}
	}
	key := keyOf(e)
	e.Count += r.pending[key].Count
	r.pending[key] = e
}

// Flush writes what was counted. If that fails, it is kept for the next time.
func (r *Refused) Flush(ctx context.Context) error {
	r.mu.Lock()
	attempts := slices.Collect(maps.Values(r.pending))
	r.pending = nil
	r.mu.Unlock()
	if len(attempts) == 0 {
		return nil
	}
	written, err := r.Store.AddRefused(ctx, attempts)
	if err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		newer := r.pending
		r.pending = nil
		for _, e := range attempts {
			r.merge(e)
		}
		for _, e := range newer {
			r.merge(e)
		}
		return err
	}
	for _, e := range written {
		e.At = time.Now().UTC() // the record has the beginning of its hour
		r.Log.Write(e)
	}
	return nil
}
