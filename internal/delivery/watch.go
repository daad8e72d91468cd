package delivery

import (
	"context"
	"time"

	"terrier/internal/store"
)

// silence is how long a living worker may give no sign: some beats, and a restart of the database between them.
const silence = 20 * time.Second

// deaf is how long we may have heard nothing ourselves before our memory of others is worthless.
const deaf = 2 * beat

// watch finds out which workers are dead. The clocks of machines may be far apart, so it only compares whether a sign
// is still the same, and measures by our own clock for how long.
type watch struct {
	looked time.Time
	signs  map[string]sign
}

type sign struct {
	given time.Time // by the database's clock
	since time.Time // when we first saw it, by ours
}

// look takes the last signs of the other workers and returns the dead ones.
func (w *watch) look(now time.Time, all []store.Sign) (dead []store.Sign) {
	if now.Sub(w.looked) > deaf {
		w.signs = nil
	}
	signs := make(map[string]sign, len(all))
	for _, s := range all {
		known, ok := w.signs[s.Worker]
		if !ok || !known.given.Equal(s.SeenAt) {
			known = sign{given: s.SeenAt, since: now}
		}
		signs[s.Worker] = known
		if now.Sub(known.since) >= silence {
			dead = append(dead, s)
		}
	}
	w.looked, w.signs = now, signs
	return dead
}

// beat gives a sign of life and looks for those of others. A silent worker is dead, and its deliveries under way are
// sent again.
func (w *Worker) beat(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, beat) // one that takes longer is no sign
	defer cancel()
	w.me.Sending, w.me.ClockWrong = w.sending.Load(), w.clock.isWrong()
	before := w.Now()
	all, database, err := w.Store.Beat(ctx, w.me)
	if err != nil {
		w.others = watch{}
		return err
	}
	w.clock.note(database, before, w.Now(), w.Log)
	for _, dead := range w.others.look(w.Now(), all) {
		found, deliveries, err := w.Store.Rescue(ctx, dead)
		if err != nil {
			return err
		}
		w.observer().Rescued(deliveries)
		if found {
			w.Log.Warn("a worker has fallen silent; what it had under way is sent again", "silent", dead.Worker, "deliveries", deliveries)
		}
	}
	return nil
}
