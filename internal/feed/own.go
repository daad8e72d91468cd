package feed

import (
	"context"

	"terrier/internal/access"
	"terrier/internal/limit"
)

// own is the turn of a live reader that keeps changes of its own in memory, which it read from the database: until its client has got
// them. A client that reads nothing may keep them for as long as lasting.StreamStall.
type own struct {
	turns *limit.Semaphore[access.Asker]
	ended context.Context // ends when the server stops
	done  func()          // nil without a turn
}

func (f *Feed) newOwn() *own { return &own{turns: f.behind, ended: f.ended} }

// take waits for a turn, if there is none. A request keeps no changes, so it needs none.
func (o *own) take(ctx context.Context, by access.Asker) (err error) {
	if o == nil || o.done != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(o.ended, cancel)()
	if o.done, err = o.turns.Acquire(ctx, by, 1); o.ended.Err() != nil {
		o.drop()
		return ErrEnded
	}
	return err
}

// drop gives the turn back, if there is one.
func (o *own) drop() {
	if o != nil && o.done != nil {
		o.done()
		o.done = nil
	}
}
