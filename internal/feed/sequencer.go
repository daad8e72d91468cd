package feed

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"terrier/internal/background"
	"terrier/internal/store"
)

const (
	// tick is how often the sequencer looks for changes.
	tick = 100 * time.Millisecond
	// standby is how often a process that does not number changes tries to take over, and how long it waits after an error.
	standby = time.Second
	// settleEvery is how often the sequencer looks which transactions have ended, while ids are missing.
	settleEvery = time.Second
	// tickTime is how long a look may take: a database that has vanished never answers.
	tickTime = 30 * time.Second
)

// Sequencer gives a position to every change: 1, 2, 3 … without gaps, and never a later state of an object before an earlier one.
//
// Changes become visible when their transactions commit, not in the order of their ids. So the sequencer keeps the ids that were drawn
// and not seen yet, and looks for them each time, together with the new ones and in one snapshot. A later change to an object draws its
// id after the earlier one has been committed. So whoever sees the later one sees the earlier one too, with a smaller id.
type Sequencer struct {
	Store *store.Store
	Log   *slog.Logger

	wait func(context.Context, time.Duration) bool // instead of pause, in tests
}

// Run numbers changes whenever no other process does, until ctx ends.
func (q *Sequencer) Run(ctx context.Context) {
	var failures background.Failures
	for ctx.Err() == nil {
		err := background.Try(q.Log, "sequencer", func() error { return q.connected(ctx) })
		if failures.New(err) && ctx.Err() == nil {
			q.Log.Error("the sequencer goes on trying", "error", err)
		}
		q.pause(ctx, standby)
	}
}

// pause waits, and reports whether to go on.
func (q *Sequencer) pause(ctx context.Context, d time.Duration) bool {
	if q.wait != nil {
		return q.wait(ctx, d)
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// connected waits for its turn on one connection and then numbers changes until something fails.
func (q *Sequencer) connected(ctx context.Context) error {
	conn, err := q.Store.OpenNumbering(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for {
		mine, err := conn.Lock(ctx)
		if err != nil {
			return err
		}
		if mine {
			break
		}
		if !q.pause(ctx, standby) {
			return nil
		}
	}
	s := &shift{conn: conn}
	if err := s.catchUp(ctx); err != nil {
		return err
	}
	q.Log.Info("numbering changes", "newest", s.at.Newest)
	for {
		more, err := s.look(ctx)
		if errors.Is(err, store.ErrOvertaken) {
			err = s.catchUp(ctx)
		}
		if err != nil {
			return err
		}
		if !more && !q.pause(ctx, tick) {
			return nil
		}
	}
}

// shift is the time in which one process numbers changes.
type shift struct {
	conn *store.Numbering
	at   store.Numbered

	settled int64    // every change up to this id was committed or rolled back before now
	pending int64    // becomes settled when the writers have ended; 0 for none
	writers []string // the transactions that ran when pending was read
	asked   time.Time
}

// catchUp reads how far the numbering has come.
func (s *shift) catchUp(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, tickTime)
	defer cancel()
	s.at, err = s.conn.Numbered(ctx)
	return err
}

// look numbers what has become visible. It reports whether there is more to do at once.
func (s *shift) look(ctx context.Context) (more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, tickTime)
	defer cancel()
	drawn, err := s.conn.Drawn(ctx) // before the look: an id that was drawn later may be missing in it
	if err != nil || drawn <= s.at.Seen && len(s.at.Gaps) == 0 {
		return false, err
	}
	if err := s.settle(ctx, drawn); err != nil {
		return false, err
	}
	l := look{upTo: max(drawn, s.at.Seen), settled: s.settled}
	if l.ids, more, err = s.conn.Number(ctx, s.at, settled(s.at)); err != nil {
		return false, err
	}
	if n := len(l.ids); more {
		l.upTo = l.ids[n-1]
	} else if n > 0 {
		l.upTo = max(l.upTo, l.ids[n-1])
	}
	s.at = note(s.at, l)
	return more, nil
}

// settle finds out up to which id every transaction has ended. Ids of transactions that were rolled back never become visible, so that
// looking for them must end some time.
func (s *shift) settle(ctx context.Context, drawn int64) error {
	if time.Since(s.asked) < settleEvery {
		return nil
	}
	s.asked = time.Now()
	now, err := s.conn.Writers(ctx) // after drawn was read: whoever drew an id up to it is among them, or has ended
	if err != nil {
		return err
	}
	if s.pending == 0 {
		s.pending, s.writers = drawn, now
	} else {
		s.writers = slices.DeleteFunc(s.writers, func(w string) bool { return !slices.Contains(now, w) })
	}
	if len(s.writers) == 0 {
		s.settled, s.pending = s.pending, 0
	}
	return nil
}
