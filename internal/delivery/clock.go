package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// ClockTolerance is how far the clock of a worker's machine may differ from the database's. The database records by
// its own clock when a job was begun and when it is due; River's leader decides by its machine's clock which job is
// stuck. So rescueAfter exceeds the longest run of a job by more than this.
const ClockTolerance = 5 * time.Second

// quickAnswer is how fast the database must answer before a wrong clock counts as right again. A slower answer is too
// imprecise: the next one might find the clock wrong again.
const quickAnswer = ClockTolerance / 5

// clock records whether this machine's clock agrees with the database's.
type clock struct {
	mu      sync.Mutex
	wrong   bool
	changed chan struct{} // closed when wrong changes
}

// note compares the database's time with ours just before and just after it was read.
func (c *clock) note(database, before, after time.Time, log *slog.Logger) {
	off := ClockOffset(database, before, after)
	c.mu.Lock()
	defer c.mu.Unlock()
	wrong := off.Abs() > ClockTolerance
	if wrong == c.wrong || !wrong && after.Sub(before) > quickAnswer {
		return
	}
	c.wrong = wrong
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
	if wrong {
		log.Error("the clock of this machine differs from the database's: the worker takes no jobs until they agree; check the "+
			"time service of both",
			"database_ahead", off.Round(time.Millisecond), "tolerance", ClockTolerance)
		return
	}
	log.Info("the clock of this machine agrees with the database's again: the worker takes jobs")
}

// isWrong reports whether the clock disagreed when it was last compared.
func (c *clock) isWrong() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wrong
}

// ClockOffset returns how far the database's clock is ahead of ours at least; negative when it is behind.
func ClockOffset(database, before, after time.Time) time.Duration {
	switch {
	case database.Before(before):
		return database.Sub(before)
	case database.After(after):
		return database.Sub(after)
	}
	return 0
}

// await waits until the clock agrees, or until it no longer agrees, and returns true. It returns false when ctx ends
// first.
func (c *clock) await(ctx context.Context, agrees bool) bool {
	for ctx.Err() == nil {
		c.mu.Lock()
		if c.wrong != agrees {
			c.mu.Unlock()
			return true
		}
		if c.changed == nil {
			c.changed = make(chan struct{})
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-changed:
		}
	}
	return false
}
