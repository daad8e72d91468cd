package feed

import (
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
)

// How many readers may wait for changes on one server, of one caller and of all: requests that wait, and live ones. One that waits has
// no connection to the database and no turn among the lists, but it has a connection to the server, and memory.
const (
	waitingOfOne = 100
	waitingOfAll = 4_000
)

var (
	errWaitingOfOne = &fault.Error{Kind: fault.Throttled, RetryAfter: time.Second,
		Detail: "You have too many requests that wait for changes on this server already. Wait with fewer, or without wait."}
	errWaitingOfAll = &fault.Error{Kind: fault.Busy, RetryAfter: time.Second,
		Detail: "Too many requests wait for changes on this server. Try again, or ask without wait."}
)

// room counts those who wait. The zero room is empty.
type room struct {
	mu      sync.Mutex
	callers map[access.Asker]int
	all     int
}

// enter counts a reader. Call leave when it ends.
func (r *room) enter(by access.Asker) (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.callers[by] >= waitingOfOne:
		return nil, errWaitingOfOne
	case r.all >= waitingOfAll:
		return nil, errWaitingOfAll
	}
	if r.callers == nil {
		r.callers = map[access.Asker]int{}
	}
	r.callers[by]++
	r.all++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.all--
		if r.callers[by]--; r.callers[by] == 0 {
			delete(r.callers, by)
		}
	}, nil
}
