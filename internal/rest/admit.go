package rest

import (
	"context"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
)

// What bodies may take up together. A decoded body is many times its length: up to a
// hundred bytes for a value that is written in two, as far as maxValues lets it. Small
// ones have room of their own, so that nobody waits behind a slow bulk with a few lines.
const (
	growth     = 50
	mostGrowth = maxValues * 100
	smallBody  = 64 << 10
	smallRoom  = 24 << 20
	largeRoom  = mostGrowth + maxBulk
)

// room is the memory that bodies share.
type room struct{ small, large *semaphore.Weighted }

func newRoom() *room {
	return &room{semaphore.NewWeighted(smallRoom), semaphore.NewWeighted(largeRoom)}
}

// enter waits until a body of this length has room.
func (r *room) enter(ctx context.Context, length int64) (leave func(), err error) {
	if length == 0 {
		return func() {}, nil
	}
	if length < 0 { // not announced: it may be as long as any
		length = maxBulk
	}
	room, weight := r.large, length+min(length*growth, mostGrowth)
	if length <= smallBody {
		room = r.small
	}
	if room.Acquire(ctx, weight) != nil {
		return nil, &fault.Error{Kind: fault.Throttled, Detail: "Too many large requests at once: try again.", RetryAfter: time.Second}
	}
	return func() { room.Release(weight) }, nil
}

var actions = map[string]string{"GET": access.View, "POST": access.Add, "PUT": access.Change, "PATCH": access.Change, "DELETE": access.Delete}

// admit judges a request by its head: who has no permission at all is refused before
// anything of it is read, and the body waits for room.
func (a *API) admit(route Route, method string, r *http.Request) (leave func(), err error) {
	if action, known := actions[method]; known && route.Type != nil {
		if err := a.Ledger.Allow(ledger.CallerFrom(r.Context()), route.Type, action); err != nil {
			return nil, err
		}
	}
	if r.ContentLength > maxBulk {
		return nil, fault.New(fault.TooLarge, "The request body is larger than %d bytes.", maxBulk)
	}
	return a.room.enter(r.Context(), r.ContentLength)
}
