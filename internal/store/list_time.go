package store

import (
	"context"
	"time"

	"terrier/internal/access"
)

// The lists of one caller may take listShare of time in each listWindow. After that the lists of all such callers share one connection,
// and get more while at most half are in use. So the others are free for lists that take little time. No list is refused for it.
const (
	listShare  = 2 * time.Second
	listWindow = 10 * time.Second
)

// slowLists is how many of the connections for lists may be in use, at most, when callers whose time is used up have got more than one.
func slowLists(connections int32) int64 { return int64(min(connections/2+1, connections-1)) }

// admitList waits until a list may use a connection, and counts the time until done is called. Terrier's own lists are not counted.
func (p *pools) admitList(ctx context.Context, by access.Asker) (done func(), err error) {
	release, err := p.reads.Acquire(ctx, by, 1)
	if err != nil || by == (access.Asker{}) {
		return release, err
	}
	end := p.used.Begin(by)
	return func() {
		end()
		release()
	}, nil
}
