package feed

import (
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

// enter counts a reader that waits. Call leave when it ends.
func (f *Feed) enter(by access.Asker) (leave func(), err error) {
	leave, ok := f.waiting.TryAcquire(by, 1)
	switch {
	case ok:
		return leave, nil
	case f.waiting.InUse() < waitingOfAll:
		return nil, errWaitingOfOne
	}
	return nil, errWaitingOfAll
}
