package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
)

// callerLists is how many lists of one caller run at once at most, however many connections are free.
const callerLists = 8

// Turns distributes what only a few can have at once: the connections for lists, or those for snapshots. Nobody is refused: a caller
// who finds none free waits, as long as their request may take. Callers take turns, so that many lists of one do not delay the few of
// another, and no caller takes the last connection.
type Turns struct {
	mu      sync.Mutex
	free    int
	each    int // how many lists of one caller run at once
	callers map[access.Asker]*queued
	waiting []*queued // those with a waiting list, in the order of their turns
	noTurn  error     // for a request whose time is over before its turn has come
}

// queued is a caller with lists that run or wait.
type queued struct {
	running int
	waits   []chan struct{} // closed when its turn has come
}

// NewTurns returns turns of which so many run at once. noTurn is for a request whose time is over before its turn has come.
func NewTurns(connections int, noTurn error) *Turns {
	return &Turns{free: connections, each: max(1, min(callerLists, connections-1)), callers: map[access.Asker]*queued{}, noTurn: noTurn}
}

// Take waits for a turn. Call done to give it back.
func (t *Turns) Take(ctx context.Context, by access.Asker) (done func(), err error) {
	t.mu.Lock()
	c := t.callers[by]
	if c == nil {
		c = &queued{}
		t.callers[by] = c
	}
	turn := make(chan struct{})
	if c.waits = append(c.waits, turn); len(c.waits) == 1 {
		t.waiting = append(t.waiting, c)
	}
	t.next()
	t.mu.Unlock()
	select {
	case <-turn:
		return func() { t.end(by, c) }, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	i := slices.Index(c.waits, turn)
	if i >= 0 {
		if c.waits = slices.Delete(c.waits, i, i+1); len(c.waits) == 0 {
			t.waiting = slices.DeleteFunc(t.waiting, func(x *queued) bool { return x == c })
		}
		t.forget(by, c)
	}
	t.mu.Unlock()
	if i < 0 { // its turn came at the same moment
		t.end(by, c)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, t.noTurn
	}
	return nil, ctx.Err()
}

var errNoTurn = &fault.Error{Kind: fault.Busy,
	Detail:     "Other lists, yours or those of others, were being read all the time. Try again, or ask for fewer at once.",
	RetryAfter: time.Second}

var errNoSnapshot = &fault.Error{Kind: fault.Busy,
	Detail:     "Other snapshots, yours or those of others, were being read all the time. Try again.",
	RetryAfter: 10 * time.Second}

func (t *Turns) end(by access.Asker, c *queued) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	c.running--
	t.forget(by, c)
	t.next()
}

// next gives free connections to those with the fewest running lists, one turn each.
func (t *Turns) next() {
	for t.free > 0 {
		best := -1
		for i, c := range t.waiting {
			if c.running < t.each && (best < 0 || c.running < t.waiting[best].running) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		c := t.waiting[best]
		close(c.waits[0])
		c.waits = c.waits[1:]
		c.running++
		t.free--
		t.waiting = slices.Delete(t.waiting, best, best+1)
		if len(c.waits) > 0 {
			t.waiting = append(t.waiting, c)
		}
	}
}

func (t *Turns) forget(by access.Asker, c *queued) {
	if c.running == 0 && len(c.waits) == 0 {
		delete(t.callers, by)
	}
}
