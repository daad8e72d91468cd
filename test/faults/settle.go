package main

import (
	"context"
	"math"
	"syscall"
	"time"
)

// awaited returns the number of deliveries that are not finished: those that can be sent, and those whose webhook is paused or held.
func (w *world) awaited(ctx context.Context) (free, held int, err error) {
	err = w.db.QueryRow(ctx, `SELECT count(*) FILTER (WHERE NOT held), count(*) FILTER (WHERE held) FROM (
		SELECT w.id IS NOT NULL AND (NOT w.enabled OR p.webhook_id IS NOT NULL OR h.webhook_id IS NOT NULL) AS held
		FROM extras_delivery d LEFT JOIN extras_webhook w ON w.id = d.webhook_id LEFT JOIN extras_webhook_pause p ON p.webhook_id = d.webhook_id
		LEFT JOIN extras_webhook_state h ON h.webhook_id = d.webhook_id AND h.state = 'held'
		WHERE d.state = 'queued' OR d.retry_at IS NOT NULL) x`).Scan(&free, &held)
	return free, held, err
}

// mostSettling is how long a busy machine may take for a backlog.
const mostSettling = 5 * time.Minute

// settle waits until all deliveries have ended except those of paused webhooks. It gives up when none has ended for the time limit.
func (w *world) settle(ctx context.Context, limit time.Duration) error {
	began := time.Now()
	least, progress := math.MaxInt, began
	for {
		free, held, err := w.awaited(ctx)
		if err != nil {
			return err
		}
		if free == 0 {
			w.line("%6.1f s  settled after %.1f s; %d deliveries are held", w.since(time.Now()), time.Since(began).Seconds(), held)
			return nil
		}
		if free < least {
			least, progress = free, time.Now()
		}
		if time.Since(progress) > limit || time.Since(began) > mostSettling {
			w.violate(ends, "%d deliveries have not ended %v after the last fault, and nobody holds them; the last one ended %v ago",
				free, time.Since(began).Round(time.Second), time.Since(progress).Round(time.Second))
			return nil
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// stop ends every process properly, so that nothing changes during the checks.
func (w *world) stop() {
	for _, n := range w.nodes() {
		if !n.running() {
			w.violate(processes, "%s ended although nobody stopped it:\n%s", n.name, n.now().tail())
			continue
		}
		if err := n.end(syscall.SIGTERM); err != nil {
			w.violate(processes, "%v", err)
		}
	}
}

// watch takes samples of the state until ctx ends, and prints a line from time to time.
func (w *world) watch(ctx context.Context) {
	const every, printed = 500 * time.Millisecond, 10
	tick := time.NewTicker(every)
	defer tick.Stop()
	for i := 0; ; i++ {
		s := sample{At: time.Now(), Backlog: -1}
		s.Changes, _ = w.acknowledged()
		s.Receipts, _ = w.receiver.count()
		query, cancel := context.WithTimeout(ctx, every)
		if free, held, err := w.awaited(query); err == nil {
			s.Backlog = free + held
		}
		cancel()
		w.sample(s)
		if i%printed == 0 {
			backlog := "?"
			if s.Backlog >= 0 {
				backlog = itoa(s.Backlog)
			}
			w.line("%6.1f s  %6d changes, %6d requests received, backlog %5s, %2d faults, %d violations", w.since(s.At), s.Changes,
				s.Receipts, backlog, w.count(), w.total())
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
