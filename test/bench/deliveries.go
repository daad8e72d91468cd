package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/test/bench/bare"
	"terrier/test/bench/figures"
	"terrier/test/bench/gauge"
)

const (
	lanes   = 4   // webhooks that share the deliveries
	perLane = 100 // requests at once for each
)

// measureDeliveries measures how fast filled queues are drained: Terrier's by its worker, bare River's by jobs that make the same POST.
func (b *bench) measureDeliveries(ctx context.Context) ([]figures.Row, error) {
	r := figures.Row{Case: "deliveries", What: "deliver from a full queue (bare: River and the same POST)", Goal: figures.AtLeast(0.8)}
	if err := b.makeHooks(ctx, lanes, wide(perLane)); err != nil {
		return nil, err
	}
	if err := b.startWorker(ctx, lanes); err != nil {
		return nil, err
	}
	if err := b.worker.Do("stop"); err != nil {
		return nil, err
	}
	var rounds pairs
	err := b.withBareWorker(ctx, 0, func(bareWorker *gauge.Process) error {
		for n := range 2*b.o.rounds + 1 { // the sides do not take turns within a round, so more rounds are needed than elsewhere
			x, y, err := b.drainBoth(ctx, bareWorker, n)
			if err != nil {
				return err
			}
			if n > 0 { // the first round warms up
				rounds.add(x, y)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	rounds.judge(&r)
	return []figures.Row{r}, b.clear(ctx)
}

// drainBoth lets each side drain its queue. The side that begins changes from round to round.
func (b *bench) drainBoth(ctx context.Context, bareWorker *gauge.Process, round int) (x, y gauge.Share, err error) {
	turns := []func() error{
		func() (err error) {
			if err = b.fillTerrier(ctx); err == nil {
				x, err = b.drain(ctx, b.worker, b.pool, leftOfTerrier)
			}
			return err
		},
		func() (err error) {
			if err = b.fillBare(ctx); err == nil {
				y, err = b.drain(ctx, bareWorker, b.stockPool, leftOfBare)
			}
			return err
		},
	}
	for i := range turns {
		if err := turns[(i+round)%2](); err != nil {
			return x, y, err
		}
	}
	return x, y, nil
}

// drain runs a worker until its queue is empty. The time starts with the first delivery, when the worker is running.
func (b *bench) drain(ctx context.Context, worker *gauge.Process, pool *pgxpool.Pool, left string) (gauge.Share, error) {
	before, err := b.receiver.news(true)
	if err != nil {
		return gauge.Share{}, err
	}
	if err := worker.Do("start"); err != nil {
		return gauge.Share{}, err
	}
	if err := b.receiver.await(ctx, before.Count+1, patience); err != nil {
		return gauge.Share{}, err
	}
	first, err := b.receiver.news(false)
	if err != nil {
		return gauge.Share{}, err
	}
	used := b.meter.Start(worker)
	if err := b.receiver.await(ctx, before.Count+b.o.jobs, patience); err != nil {
		return gauge.Share{}, err
	}
	if err := until(ctx, pool, left); err != nil {
		return gauge.Share{}, err
	}
	counted := b.o.jobs - (first.Count - before.Count)
	share := gauge.Share{Usage: used(), Answers: int64(max(1, counted))} // a few jobs may all arrive before the first is seen
	return share, worker.Do("stop")
}

// fillTerrier creates sites in bulk, in turn for each webhook.
func (b *bench) fillTerrier(ctx context.Context) error {
	for n := 0; n < b.o.jobs; n += 1000 {
		sites := make([]bare.NewSite, min(1000, b.o.jobs-n))
		for i := range sites {
			sites[i] = b.event(facility(i % lanes))
		}
		if err := b.createSites(sites); err != nil {
			return err
		}
	}
	return settle(ctx, b.database, "extras_delivery", "extras_attempt")
}

func (b *bench) fillBare(ctx context.Context) error {
	for n := 0; n < b.o.jobs; n += 1000 {
		if _, err := b.bareEvents(min(1000, b.o.jobs-n)); err != nil {
			return err
		}
	}
	return settle(ctx, b.stock)
}

// bareEvents creates jobs of bare River with one request, and returns the names of their events.
func (b *bench) bareEvents(count int) ([]string, error) {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprint(eventName, b.made.Add(1))
	}
	_, err := b.bare.Do(b.bare.Post("/bare/events", body(names)), http.StatusCreated)
	return names, err
}

// settle finishes a database's background work, so that a side does not pay for the previous one.
func settle(ctx context.Context, database string, more ...string) error {
	statements := []string{"DELETE FROM river_job WHERE state = 'completed'"}
	for _, table := range append(more, "river_job") {
		statements = append(statements, "VACUUM ANALYZE "+table)
	}
	return execute(ctx, database, append(statements, "CHECKPOINT")...)
}
