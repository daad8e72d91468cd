package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/test/bench/bare"
	"terrier/test/bench/gauge"
)

const (
	webhooksPath = "/api/extras/webhooks/"
	secret       = "s3cret"
	patience     = 2 * time.Minute // how long to wait for events before giving up
)

// hookBody returns the body of the i-th webhook of a case.
type hookBody func(b *bench, i int) map[string]any

// hookForAll returns a webhook that is notified of every new site.
func hookForAll(b *bench, i int) map[string]any {
	return map[string]any{"name": fmt.Sprint("hook ", i), "payload_url": b.receiver.url(healthyPath), "secret": secret,
		"content_types": []string{"dcim.site"},
		"type_create":   true, "concurrency": 10}
}

// hookForFacility returns a webhook that is notified of the new sites of its own facility.
func hookForFacility(b *bench, i int) map[string]any {
	h := hookForAll(b, i)
	h["conditions"] = map[string]any{"attr": "facility", "value": facility(i)}
	return h
}

// wide is hookForFacility with a number of requests at once.
func wide(concurrency int) hookBody {
	return func(b *bench, i int) map[string]any {
		h := hookForFacility(b, i)
		h["concurrency"] = concurrency
		return h
	}
}

func facility(i int) string { return fmt.Sprint("hook ", i) }

// makeHooks creates webhooks through the API. The worker does not run.
func (b *bench) makeHooks(_ context.Context, n int, describe hookBody) error {
	all := make([]map[string]any, n)
	for i := range all {
		all[i] = describe(b, i)
	}
	_, err := b.terrier.Do(b.terrier.Post(webhooksPath, body(all)), http.StatusCreated)
	return err
}

// clear removes the webhooks and all their deliveries, when no worker runs.
func (b *bench) clear(ctx context.Context) error {
	return execute(ctx, b.database,
		"TRUNCATE extras_webhook, extras_webhookhealth, extras_webhook_state, extras_delivery, extras_attempt, extras_conditionerror, river_job",
		"DELETE FROM record_count WHERE type IN ('extras.webhook', 'extras.delivery', 'extras.conditionerror', 'extras.webhookhealth')")
}

// event returns a site whose arrival at the receiver is measured.
func (b *bench) event(facility string) bare.NewSite {
	n := b.made.Add(1)
	return bare.NewSite{Name: fmt.Sprint(eventName, n), Slug: fmt.Sprint("event-", n), Status: "active", Facility: facility,
		Description: "Made by the benchmark",
		Comments:    strings.Repeat("Opened for the new ring. ", 8), Tags: []int64{}}
}

// events creates sites of these facilities in one request and returns their names.
func (b *bench) events(facilities ...string) (names []string, err error) {
	sites := make([]bare.NewSite, len(facilities))
	for i, f := range facilities {
		sites[i] = b.event(f)
		names = append(names, sites[i].Name)
	}
	return names, b.createSites(sites)
}

func (b *bench) createSites(sites []bare.NewSite) error {
	_, err := b.terrier.Do(b.terrier.Post(sitesPath, body(sites)), http.StatusCreated)
	return err
}

// startWorker starts Terrier's worker and returns when each of n webhooks has been notified of something.
func (b *bench) startWorker(ctx context.Context, n int) error {
	if err := b.worker.Do("start"); err != nil {
		return err
	}
	facilities := make([]string, n)
	for i := range facilities {
		facilities[i] = facility(i)
	}
	names, err := b.events(facilities...)
	if err != nil {
		return err
	}
	_, err = b.arrivals(ctx, names)
	return err
}

// arrivals waits until these events have arrived and returns their times, in nanoseconds.
func (b *bench) arrivals(ctx context.Context, names []string) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	arrived := map[string]int64{}
	for {
		n, err := b.receiver.news(true)
		if err != nil {
			return nil, err
		}
		twice := n.Twice
		for name, at := range n.Arrived {
			if _, known := arrived[name]; known {
				twice++
			}
			arrived[name] = at
		}
		if twice > 0 {
			return nil, fmt.Errorf("%d events arrived twice", twice)
		}
		missing := 0
		for _, name := range names {
			if _, ok := arrived[name]; !ok {
				missing++
			}
		}
		if missing == 0 {
			return arrived, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d events have not arrived: %w", missing, len(names), ctx.Err())
		case <-tick.C:
		}
	}
}

// The queries that count the remaining work, on either side.
const (
	leftOfTerrier = "SELECT count(*) FROM extras_delivery WHERE state = 'queued'"
	leftOfBare    = "SELECT count(*) FROM river_job WHERE state <> 'completed'"
)

// until waits until a count is 0.
func until(ctx context.Context, pool *pgxpool.Pool, count string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var n int64
		if err := pool.QueryRow(ctx, count).Scan(&n); err != nil || n == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d are left: %w", n, ctx.Err())
		case <-tick.C:
		}
	}
}

// withBareWorker runs bare River while fn runs. It sends the body that Terrier sent last, with other names.
func (b *bench) withBareWorker(ctx context.Context, idleQueues int, fn func(*gauge.Process) error) (err error) {
	s := b.settings()
	s.URL, s.Idle = b.receiver.url(healthyPath), idleQueues
	last, err := b.receiver.read("/last")
	if err != nil {
		return err
	}
	if s.Body, err = bare.BodyAround(string(last), nameIn(last)); err != nil {
		return err
	}
	p, err := gauge.Launch(ctx, "bare worker", s)
	if err != nil {
		return err
	}
	err = fn(p)
	return errors.Join(err, p.End())
}
