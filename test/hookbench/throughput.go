package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/pprof"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"terrier/internal/webhook"
)

const (
	leastWorker = 0.6 // of bare River
	bareWorkers = 200 // bare River's best of 100, 200, 400 and 500
)

// throughput drains queues that were filled before: ours through the worker, River's by
// jobs that make the same POST.
func throughput(ctx context.Context, o options) (bool, error) {
	r, err := newRig(ctx)
	if err != nil {
		return false, err
	}
	defer r.end()
	var facilities []string
	for i := range o.lanes {
		name := fmt.Sprint("lane ", i)
		if _, err := r.hook(ctx, name, "/ok", o.perLane); err != nil {
			return false, err
		}
		facilities = append(facilities, name)
	}
	var ratios, ours, bares, ourCPU, bareCPU, ourPG, barePG []float64
	for round := range o.rounds + 1 {
		var profile string
		if round == o.rounds {
			profile = o.profile
		}
		a, err := r.drainOurs(ctx, o.jobs, facilities, profile)
		if err != nil {
			return false, err
		}
		b, err := r.drainBare(ctx, o.jobs)
		if err != nil {
			return false, err
		}
		say("round %d: terrier %.0f/s (worker %.0f µs + PostgreSQL %.0f µs of processor each), bare River %.0f/s (%.0f + %.0f µs)", round, a.rate, a.own, a.database, b.rate, b.own, b.database)
		if round == 0 {
			continue // warms up
		}
		ratios, ours, bares = append(ratios, a.rate/b.rate), append(ours, a.rate), append(bares, b.rate)
		ourCPU, ourPG, bareCPU, barePG = append(ourCPU, a.own), append(ourPG, a.database), append(bareCPU, b.own), append(barePG, b.database)
	}
	ratio := median(ratios)
	say("throughput: terrier %.0f/s, bare River %.0f/s, ratio %.2f (target ≥ %.1f); processor per delivery: worker %.0f µs, its PostgreSQL %.0f µs; bare %.0f µs, its PostgreSQL %.0f µs",
		median(ours), median(bares), ratio, leastWorker, median(ourCPU), median(ourPG), median(bareCPU), median(barePG))
	return ratio >= leastWorker*0.8, nil
}

// drained is how a side did.
type drained struct{ rate, own, database float64 }

func (r *rig) drainOurs(ctx context.Context, jobs int, facilities []string, profile string) (drained, error) {
	if err := r.queue(ctx, jobs, facilities...); err != nil {
		return drained{}, err
	}
	if err := settle(ctx, r.db, "extras_delivery", "extras_attempt"); err != nil {
		return drained{}, err
	}
	end, err := startProfile(profile)
	if err != nil {
		return drained{}, err
	}
	defer end()
	before, err := r.receiver.count()
	if err != nil {
		return drained{}, err
	}
	clock, err := r.clock(ctx)
	if err != nil {
		return drained{}, err
	}
	stop := r.work(ctx)
	err = r.until(ctx, jobs, before, r.db, "SELECT count(*) FROM extras_delivery WHERE state = 'queued'")
	d := clock(jobs)
	if e := stop(); err == nil {
		err = e
	}
	return d, err
}

// startProfile writes a processor profile of this process, where a file is named.
func startProfile(name string) (end func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // a profile for a person who looks at it
	}, nil
}

// bareJob is what somebody writes who only wants the POST.
type bareJob struct {
	ID int64 `json:"id"`
}

func (bareJob) Kind() string { return "bare" }

type bareWorker struct {
	river.WorkerDefaults[bareJob]
	client *http.Client
	url    string
	body   []byte
	done   *atomic.Int64
}

func (w *bareWorker) Work(ctx context.Context, _ *river.Job[bareJob]) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(w.body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Hook-Signature", webhook.Signature("s3cret", w.body))
	answer, err := w.client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	w.done.Add(1)
	return err
}

func (r *rig) drainBare(ctx context.Context, jobs int) (drained, error) {
	var done atomic.Int64
	workers := river.NewWorkers()
	river.AddWorker(workers, &bareWorker{url: r.receiver.url + "/ok", body: bytes.Repeat([]byte("x"), 1500), done: &done,
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1000, MaxIdleConns: 1000}}})
	client, err := river.NewClient(riverpgxv5.New(r.stock), &river.Config{Workers: workers, Logger: slog.New(slog.DiscardHandler),
		FetchCooldown: 5 * time.Millisecond, FetchPollInterval: time.Second, CompletedJobRetentionPeriod: time.Minute,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: bareWorkers}}})
	if err != nil {
		return drained{}, err
	}
	for from := 0; from < jobs; from += 1000 {
		params := make([]river.InsertManyParams, min(1000, jobs-from))
		for i := range params {
			params[i].Args = bareJob{int64(from + i)}
		}
		if _, err := client.InsertManyFast(ctx, params); err != nil {
			return drained{}, err
		}
	}
	if err := settle(ctx, r.stock); err != nil {
		return drained{}, err
	}
	before, err := r.receiver.count()
	if err != nil {
		return drained{}, err
	}
	clock, err := r.clock(ctx)
	if err != nil {
		return drained{}, err
	}
	if err := client.Start(ctx); err != nil {
		return drained{}, err
	}
	err = r.until(ctx, jobs, before, r.stock, "SELECT count(*) FROM river_job WHERE kind = 'bare' AND state <> 'completed'")
	d := clock(jobs)
	if e := client.Stop(ctx); err == nil {
		err = e
	}
	return d, err
}

// settle puts the database to rest, so that a side does not pay for the one before.
func settle(ctx context.Context, db *pgxpool.Pool, more ...string) error {
	_, err := db.Exec(ctx, "DELETE FROM river_job WHERE state = 'completed'")
	for _, table := range append(more, "river_job") {
		if err == nil {
			_, err = db.Exec(ctx, "VACUUM ANALYZE "+table)
		}
	}
	if err == nil {
		_, err = db.Exec(ctx, "CHECKPOINT")
	}
	return err
}

// until waits until the receiver has got n more requests, and then until the database knows.
// Asking the database all the time would cost as much as the work.
func (r *rig) until(ctx context.Context, more, before int, db *pgxpool.Pool, left string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		n, err := r.receiver.count()
		if err != nil {
			return err
		}
		if n >= before+more {
			var left64 int64
			if err := db.QueryRow(ctx, left).Scan(&left64); err != nil || left64 == 0 {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d arrived: %w", n-before, more, ctx.Err())
		case <-tick.C:
		}
	}
}
