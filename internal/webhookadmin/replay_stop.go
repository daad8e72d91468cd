package webhookadmin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"terrier/internal/fault"
)

const (
	// timeToTell is how long before the caller's deadline a replay stops, so that it can still answer how far it came.
	timeToTell = 5 * time.Second

	// timeToFinish is how long a replay may still take after it is stopped.
	timeToFinish = 10 * time.Second
)

// isOver reports whether no further batch may begin.
func isOver(ctx context.Context) bool {
	until, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && time.Until(until) <= timeToTell
}

// stopped ends a replay early. The error says why.
func (r *replay) stopped(ctx context.Context) (ReplayCount, error) {
	if !r.dry && r.total.Changes > 0 {
		r.finishMoment(ctx)
	}
	n := r.total
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return n, ctx.Err()
	case r.dry || n.Changes == 0:
		return n, fault.New(fault.Invalid, "There was not enough time to check all changes: of the first %d, %d match. "+
			"Narrow the filter, or run `terrier webhook replay %d` on the server.", n.Changes, n.Matching, r.webhook)
	}
	return n, fault.New(fault.Invalid, "There was not enough time for all changes: %s", n.soFar(r.webhook))
}

// finishMoment replays the remaining changes with the same time as the last one. All changes of a request have one time, and a replay can
// only be continued from a time. Without this, or if it fails, those that were done already are sent twice.
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
	r.total.Reached = r.total.Reached.Add(time.Microsecond) // the precision of stored times
}

// soFar returns a message about how far a replay came and how to continue. The page takes whole seconds.
func (n ReplayCount) soFar(webhook int64) string {
	return fmt.Sprintf("%d deliveries are queued. The rest are the changes made since %s: run `terrier webhook replay %d --since "+
		"%[2]s` on the server, "+
		"or replay from that second on, which sends again what was already queued of it.",
		n.Queued(), n.Reached.UTC().Format(time.RFC3339Nano), webhook)
}
