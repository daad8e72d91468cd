package intake

import (
	"context"
	"sync"
	"time"

	"terrier/internal/fault"
)

var (
	errFull = &fault.Error{Kind: fault.Throttled, Detail: "Too many large requests at once: try again.", RetryAfter: time.Second}
	errTurn = &fault.Error{Kind: fault.Throttled, Detail: "Another large request of yours is not done yet: send one after the other.",
		RetryAfter: 5 * time.Second}
)

// arrivalRoom is how much memory large bodies may take together while they arrive, besides the one that has the
// reserve.
const arrivalRoom = 16 << 20

// arrivals is the memory of large bodies that are not complete yet. A body that finds it full may take the reserve,
// which fits any body: so at least one makes progress, however many have begun.
type arrivals struct {
	mu       sync.Mutex
	free     int64
	reserved bool
	changed  chan struct{} // closed when something was given back
}

// charge is what one body takes of it.
type charge struct {
	bytes   int64
	reserve bool
}

// take charges a body for the length that has arrived.
func (a *arrivals) take(ctx context.Context, c *charge, length int64) error {
	for {
		changed, done := a.try(c, length)
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return errFull
		}
	}
}

func (a *arrivals) try(c *charge, length int64) (changed <-chan struct{}, done bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch more := length - c.bytes; {
	case c.reserve:
	case more <= a.free:
		a.free -= more
		c.bytes = length
	case !a.reserved:
		a.reserved, c.reserve = true, true
	default:
		return a.changed, false
	}
	return nil, true
}

func (a *arrivals) give(c *charge) {
	if *c == (charge{}) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.free += c.bytes
	if c.reserve {
		a.reserved = false
	}
	*c = charge{}
	close(a.changed)
	a.changed = make(chan struct{})
}

// turns lets one large body of each caller in at a time.
type turns struct {
	mu sync.Mutex
	of map[int64]*turn
}

type turn struct {
	taken chan struct{} // has room for one
	users int           // who has it or waits for it
}

// take waits for the caller's turn, which the returned function ends.
func (t *turns) take(ctx context.Context, caller int64) (end func(), err error) {
	own := t.join(caller)
	select {
	case own.taken <- struct{}{}:
		return func() {
			<-own.taken
			t.part(caller, own)
		}, nil
	case <-ctx.Done():
		t.part(caller, own)
		return nil, errTurn
	}
}

func (t *turns) join(caller int64) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	own := t.of[caller]
	if own == nil {
		if t.of == nil {
			t.of = map[int64]*turn{}
		}
		own = &turn{taken: make(chan struct{}, 1)}
		t.of[caller] = own
	}
	own.users++
	return own
}

func (t *turns) part(caller int64, own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(t.of, caller)
	}
}
