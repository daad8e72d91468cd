package audit

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// mostNames is how many account names are counted apart between two writes. Attempts under further names count together, as those of
// names that no user has do.
const mostNames = 1000

// RefusedStore adds up refused login attempts.
type RefusedStore interface {
	// AddRefused adds attempts to those of their account and hour. UserName is what was typed. It returns the records that are the first
	// of their account and hour, with the name of the user, or none where there is no such user.
	AddRefused(ctx context.Context, attempts []Event) ([]Event, error)
}

// Refused counts login attempts that the limits refuse. They are written together, one record for each account and hour.
type Refused struct {
	Store RefusedStore
	Log   *Log

	mu      sync.Mutex
	pending map[refusedKey]Event
}

// refusedKey is what attempts are added up by.
type refusedKey struct {
	typed string
	hour  time.Time
}

// Add counts an attempt, which the next Flush writes. UserName is what was typed.
func (r *Refused) Add(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Name, e.Count, e.At = LoginThrottled, 1, e.At.Truncate(time.Hour)
	r.merge(e)
}

func (r *Refused) merge(e Event) {
	if r.pending == nil {
		r.pending = map[refusedKey]Event{}
	}
	key := refusedKey{e.UserName, e.At}
	if _, counted := r.pending[key]; !counted && len(r.pending) >= mostNames {
		e.UserName, key.typed = "", ""
	}
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
