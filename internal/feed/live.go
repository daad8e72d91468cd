package feed

import (
	"context"
	"errors"
	"time"

	"terrier/internal/ledger"
)

const (
	// Pulse is how long a live reader hears nothing at most, and how often the caller is looked up again: their token may expire.
	Pulse = 15 * time.Second

	// lookEvery is how often a caller is looked up at most. Whoever may change accounts may do so all the time.
	lookEvery = time.Second

	// lookups is how many callers are looked up at once, lookTime how long that may take.
	lookups  = 4
	lookTime = 20 * time.Second

	// A live reader gets so many changes at a time at most, and so many bytes unless one change has more.
	livePage  = 100
	liveBytes = 256 << 10
)

// Lookup finds out again who a caller is.
type Lookup func(context.Context) (ledger.Caller, error)

// Live reads changes as they come, for one caller. It is not for use by several goroutines.
type Live struct {
	*reader
	again  Lookup
	looked time.Time
	first  []*Change // which were there already
	depart func()
}

// Live begins to read changes after a position. The caller is looked up again now and whenever accounts have changed. Call Close.
func (f *Feed) Live(ctx context.Context, c ledger.Caller, q Query, again Lookup) (*Live, error) {
	scope, err := f.scope(c)
	if err != nil {
		return nil, err
	}
	depart, err := f.enter(scope.By())
	if err != nil {
		return nil, err
	}
	q.Limit, q.bytes, q.by = livePage, liveBytes, scope.By()
	mine := f.newOwn()
	err = mine.take(ctx, q.by)
	var page Page
	if err == nil {
		page, _, err = f.read(ctx, scope, q)
	}
	if len(page.Changes) == 0 {
		mine.drop()
	}
	if err != nil {
		depart()
		return nil, err
	}
	q.After = page.Next
	l := &Live{reader: f.wait(scope, q, c.Subject.Generation), again: again, first: page.Changes, depart: depart}
	l.own = mine
	if err := l.look(ctx); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Close ends it.
func (l *Live) Close() {
	l.own.drop()
	l.leave()
	l.depart()
}

// Position returns the position up to which Next has returned all changes.
func (l *Live) Position() int64 {
	if len(l.first) > 0 {
		return l.first[0].Position - 1
	}
	return l.q.After
}

// Next returns the next changes, or none if there was none for as long as a pulse. The client has got those of the call before. It
// returns an error if the server stops, the caller has no permission any more, or ctx ends.
func (l *Live) Next(ctx context.Context) ([]*Change, error) {
	if first := l.first; len(first) > 0 {
		l.first = nil
		return first, nil
	}
	l.own.drop()
	if time.Since(l.looked) >= Pulse {
		if err := l.look(ctx); err != nil {
			return nil, err
		}
	}
	patient, cancel := context.WithTimeout(ctx, min(Pulse, Pulse-time.Since(l.looked)))
	defer cancel()
	for {
		page, err := l.next(ctx, patient)
		if !errors.Is(err, errStale) {
			return page.Changes, err
		}
		if err := l.look(ctx); err != nil || patient.Err() != nil {
			return nil, err
		}
	}
}

// look finds out again who the caller is and what they may see. It lets no more than a few do so at once.
func (l *Live) look(ctx context.Context) error {
	select {
	case <-time.After(lookEvery - time.Since(l.looked)):
	case <-ctx.Done():
		return ctx.Err()
	}
	done, err := l.f.looking.Acquire(ctx, l.q.by, 1)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	c, err := l.again(ctx)
	if err != nil {
		return err
	}
	scope, err := l.f.scope(c)
	if err != nil {
		return err
	}
	l.looked = time.Now()
	l.adopt(scope, c.Subject.Generation)
	return nil
}
