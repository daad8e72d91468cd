package gauge

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Asking is one side of a comparison: its requests, and the expected status.
type Asking struct {
	Side        *Side
	Processes   []*Process    // their processor time is counted
	Request     func() []byte // called by several goroutines
	Status      int
	Connections int
}

// slice is the length of a turn. It is short, so that other work of the machine affects both sides.
const slice = 60 * time.Millisecond

// Share is what one side did in its turns.
type Share struct {
	Usage
	Answers int64
}

// Rate returns the answers per second.
func (s Share) Rate() float64 { return float64(s.Answers) / s.Time.Seconds() }

// Compete measures both sides for the same time, in turns. The side that begins changes from turn to turn (A B, B A, A B …).
func (m *Meter) Compete(ctx context.Context, x, y Asking, length time.Duration) (a, b Share, err error) {
	for n := 0; a.Time < length || b.Time < length; n++ {
		turns := []func() error{func() error { return m.turn(ctx, x, min(slice, length), &a) },
			func() error { return m.turn(ctx, y, min(slice, length), &b) }}
		for i := range turns {
			if err := turns[(i+n)%2](); err != nil {
				return a, b, err
			}
		}
	}
	return a, b, nil
}

// turn lets one side answer for a while, and adds what it did.
func (m *Meter) turn(ctx context.Context, x Asking, length time.Duration, into *Share) error {
	used := m.Start(x.Processes...)
	answers, err := x.Ask(ctx, length)
	into.Usage = into.Add(used())
	into.Answers += answers
	return err
}

// Ask sends requests over all connections for a while, and over each at least once: on a busy machine the time may be over before they
// begin. It returns the number of answers.
func (x Asking) Ask(ctx context.Context, length time.Duration) (int64, error) {
	var wg sync.WaitGroup
	var answers atomic.Int64
	errs := make(chan error, x.Connections)
	deadline := time.Now().Add(length)
	for range x.Connections {
		wg.Go(func() {
			c, err := x.Side.take()
			for asked := false; err == nil && ctx.Err() == nil && (!asked || time.Now().Before(deadline)); asked = true {
				if _, err = c.do(x.Request(), x.Status); err == nil {
					answers.Add(1)
				}
			}
			if err != nil {
				errs <- fmt.Errorf("ask %s: %w", x.Side.Name, err)
				return
			}
			x.Side.give(c)
		})
	}
	wg.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return answers.Load(), err
	}
	return answers.Load(), ctx.Err()
}
