package webhookadmin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"terrier/internal/fault"
)

const (
	// timeToTell is what a replay leaves of the caller's time: enough to say how far it came.
	timeToTell = 5 * time.Second

	// timeToFinish is how long somebody who stops a replay waits at most.
	timeToFinish = 10 * time.Second
)

// isOver reports whether no further batch may begin.
func isOver(ctx context.Context) bool {
	until, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && time.Until(until) <= timeToTell
}

// stopped ends a replay early, and says why.
func (r *replay) stopped(ctx context.Context) (ReplayCount, error) {
	if !r.dry && r.total.Changes > 0 {
		r.finishMoment(ctx)
	}
	n := r.total
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return n, ctx.Err()
	case r.dry || n.Changes == 0:
		return n, fault.New(fault.Invalid, "There was no time to look at all changes: of the first %d, %d match. "+
			"Narrow the filter, or run `terrier webhook replay %d` on the server.", n.Changes, n.Matching, r.webhook)
	}
	return n, fault.New(fault.Invalid, "There was no time for all: %s", n.soFar(r.webhook))
}

// finishMoment replays what is left of the last moment. The changes of a request are all of
// one, and whoever goes on can only say since when: those that were done would be sent twice,
// as they are where this fails.
func (r *replay) finishMoment(ctx context.Context) {
	if errors.Is(ctx.Err(), context.Canceled) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), timeToFinish)
		defer cancel()
	}
	r.q.Until = r.total.Reached
	for more := true; more; {
		var err error
		if more, err = r.next(ctx); err != nil {
			return
		}
	}
	r.total.Reached = r.total.Reached.Add(time.Microsecond) // times are kept no finer
}

// soFar says how far a replay came and how to go on, to somebody at a page, which asks for whole seconds.
func (n ReplayCount) soFar(webhook int64) string {
	return fmt.Sprintf("%d deliveries are queued. The rest are the changes made since %s: run `terrier webhook replay %d --since "+
		"%[2]s` on the server, "+
		"or replay from that second on, which sends again what was already queued of it.",
		n.Queued(), n.Reached.UTC().Format(time.RFC3339Nano), webhook)
}
