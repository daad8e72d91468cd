package feed

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLivePulse: who listens hears something every 15 seconds, a change at once, and nothing more when the server stops.
func TestLivePulse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAudience(t)
		l := &Live{reader: a.waits(Query{Types: []string{"dcim.site"}}), looked: time.Now().Add(time.Hour)}
		for _, turn := range []struct {
			at      time.Duration
			happens string
			heard   bool
			took    time.Duration
		}{
			{time.Second, "", false, Pulse},
			{time.Second, "extras.tag create 1", false, Pulse},
			{time.Second, "dcim.site create 1", true, time.Second},
			{Pulse - time.Second, "", false, Pulse},
		} {
			began := time.Now()
			time.AfterFunc(turn.at, func() {
				if turn.happens != "" {
					a.happens(turn.happens)
				}
			})
			changes, err := l.Next(t.Context())
			if err != nil || len(changes) > 0 != turn.heard || time.Since(began) != turn.took || l.Position() != a.newest {
				t.Errorf("%+v: %d changes up to %d, %v after %v", turn, len(changes), l.Position(), err, time.Since(began))
			}
		}
		time.AfterFunc(time.Second, a.End)
		began := time.Now()
		if _, err := l.Next(t.Context()); !errors.Is(err, ErrEnded) || time.Since(began) != time.Second {
			t.Errorf("when the server stops: %v after %v", err, time.Since(began))
		}
	})
}
