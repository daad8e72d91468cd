package main

import (
	"context"
	"time"
)

const (
	idleHooks = 100
	mostIdle  = 5.0 // per cent of a core, worker and PostgreSQL together
)

// idle measures what webhooks cost that nothing happens to.
func idle(ctx context.Context, o options) (bool, error) {
	r, err := newRig(ctx)
	if err != nil {
		return false, err
	}
	defer r.end()
	for i := range idleHooks {
		if _, err := r.hook(ctx, facility(i), "/ok", 10); err != nil {
			return false, err
		}
	}
	stop := r.work(ctx)
	time.Sleep(5 * time.Second) // queues open
	end, err := startProfile(o.profile)
	if err != nil {
		return false, err
	}
	clock, err := r.clock(ctx)
	if err != nil {
		return false, err
	}
	length := time.Duration(o.seconds) * time.Second
	time.Sleep(length)
	d := clock(1)
	end()
	share := func(microseconds float64) float64 { return 100 * microseconds / float64(length.Microseconds()) }
	worker, database := share(d.own), share(d.database)
	say("idle: %d webhooks cost %.1f %% of a core in the worker and %.1f %% in PostgreSQL (target ≤ %.0f %%)", idleHooks, worker, database, mostIdle)
	return worker+database <= mostIdle*2, stop()
}
