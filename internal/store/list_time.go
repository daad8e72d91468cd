package store

import (
	"context"
	"time"

	"terrier/internal/access"
)

// The lists of one caller may take listShare of time in each listWindow. Then they share one connection with those of other such
// callers, so that the others are free for lists that take little time. No list is refused for it.
const (
	listShare  = 2 * time.Second
	listWindow = 10 * time.Second
)

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
