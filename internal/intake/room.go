package intake

import (
	"context"
	"time"

	"terrier/internal/fault"
	"terrier/internal/limit"
)

var (
	errFull = &fault.Error{Kind: fault.Throttled, Detail: "Too many large requests at once: try again.", RetryAfter: time.Second}
	errTurn = &fault.Error{Kind: fault.Throttled, Detail: "Another large request of yours is not done yet: send one after the other.",
		RetryAfter: 5 * time.Second}
)

// arrivalRoom is how much memory large bodies may take together while they arrive, besides the one that has the
// reserve.
const arrivalRoom = 16 << 20

// arrivals is the memory of large bodies that are not complete yet. A body that finds it full waits for the reserve,
// which fits any body: so at least one makes progress, however many have begun.
type arrivals struct {
	room, reserve *limit.Semaphore[int64]
}

func newArrivals() arrivals {
	return arrivals{room: limit.New[int64](limit.Budget{Name: "arriving bodies", Size: arrivalRoom, Each: arrivalRoom, Busy: errFull}),
		reserve: limit.New[int64](limit.Budget{Name: "reserve for an arriving body", Size: 1, Each: 1, Busy: errFull})}
}

// charge is what one body takes of it.
type charge struct {
	bytes   int64
	reserve bool
	back    []func()
}

// take charges a body for the length that has arrived.
func (a *arrivals) take(ctx context.Context, caller int64, c *charge, length int64) error {
	if c.reserve || length <= c.bytes {
		return nil
	}
	back, ok := a.room.TryAcquire(caller, length-c.bytes)
	if ok {
		c.bytes = length
	} else {
		var err error
		if back, err = a.reserve.Acquire(ctx, caller, 1); err != nil {
			return err
		}
		c.reserve = true
	}
	c.back = append(c.back, back)
	return nil
}

func (a *arrivals) give(c *charge) {
	for _, back := range c.back {
		back()
	}
	*c = charge{}
}
