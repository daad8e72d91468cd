package store

import (
	"context"
	"time"

	"terrier/internal/access"
)

// The lists of one caller may take listShare of time in each listWindow. Then they share one connection with those of other such
// callers, so that the others are free for lists that take little time. No list is refused for it, and none waits while less than half of
// the connections are in use, unless others wait already.
const (
	listShare  = 2 * time.Second
	listWindow = 10 * time.Second
)

// idleLists is how many of the connections for lists may be in use when a slow caller has taken one without waiting: half of them. One
// more is shared by slow callers, and one is left for others.
func idleLists(connections int32) int64 { return int64(min((connections+1)/2, connections-2)) }

// admitList waits until a list may use a connection, and counts the time until done is called. Terrier's own lists are not counted.
func (p *pools) admitList(ctx context.Context, by access.Asker) (done func(), err error) {
	if by == (access.Asker{}) {
		return p.reads.Acquire(ctx, by, 1)
	}
	if !p.used.Exceeded(by) {
		if done, err = p.reads.Acquire(ctx, by, 1); err != nil {
			return nil, err
		}
		if !p.used.Exceeded(by) {
			return all(p.used.Begin(by), done), nil
		}
		done() // the time was used up while this list waited
	}
	if p.slow.Waiting() == 0 {
		if done, ok := p.reads.TryAcquireIdle(by, 1, idleLists(p.lists.Config().MaxConns)); ok {
			return all(p.used.Begin(by), done), nil
		}
	}
	leave, err := p.slow.Acquire(ctx, by, 1)
	if err != nil {
		return nil, err
	}
	if done, err = p.reads.Acquire(ctx, by, 1); err != nil {
		leave()
		return nil, err
	}
	return all(p.used.Begin(by), done, leave), nil
}

// all calls each of the functions.
func all(fns ...func()) func() {
	return func() {
		for _, fn := range fns {
			fn()
		}
	}
}
