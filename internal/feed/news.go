package feed

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/store"
)

// How many requests may wait for changes on one server, of one caller and of all. One that waits has no connection to the database and
// no turn among the lists, but it has a connection to the server, and memory.
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

// News tells those who wait that there are new changes. The zero News is ready.
type News struct {
	mu      sync.Mutex
	newest  int64
	ended   bool
	next    chan struct{} // closed with the next news; nil if nobody waits for it
	waiting map[access.Asker]int
	all     int
}

// Listen learns of new changes until ctx ends. Then nobody waits any more.
func (n *News) Listen(ctx context.Context, s *store.Store, log *slog.Logger) {
	defer n.End()
	for failing := false; ctx.Err() == nil; {
		err := s.ListenPositions(ctx, n.tell)
		if ctx.Err() == nil && !failing {
			log.Error("does not hear of new changes; it goes on trying", "error", err)
		}
		failing = true
		select {
		case <-ctx.Done():
		case <-time.After(standby):
		}
	}
}

// tell wakes those who wait for a newer position. After a restore from a backup the newest one is less than before.
func (n *News) tell(newest int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if newest > n.newest {
		n.wake()
	}
	n.newest = newest
}

// End lets nobody wait any more, now and later: the server stops.
func (n *News) End() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.ended = true
	n.wake()
}

func (n *News) wake() {
	if n.next != nil {
		close(n.next)
		n.next = nil
	}
}

// IsAwaited reports whether somebody waits.
func (n *News) IsAwaited() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.next != nil
}

// errEnded says that nobody waits any more.
var errEnded = errors.New("the server stops")

// enter counts a request that may wait. Call leave when it ends.
func (n *News) enter(by access.Asker) (leave func(), err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.waiting[by] >= waitingOfOne:
		return nil, errWaitingOfOne
	case n.all >= waitingOfAll:
		return nil, errWaitingOfAll
	}
	if n.waiting == nil {
		n.waiting = map[access.Asker]int{}
	}
	n.waiting[by]++
	n.all++
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.all--
		if n.waiting[by]--; n.waiting[by] == 0 {
			delete(n.waiting, by)
		}
	}, nil
}

// after waits until there is a position after this one. It returns an error if ctx ends first, or the server stops.
func (n *News) after(ctx context.Context, position int64) error {
	for {
		next, err := n.since(position)
		if err != nil || next == nil {
			return err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// since returns what is closed with the next news, nil if there is a later position already.
func (n *News) since(position int64) (<-chan struct{}, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.ended:
		return nil, errEnded
	case n.newest > position:
		return nil, nil
	case n.next == nil:
		n.next = make(chan struct{})
	}
	return n.next, nil
}
