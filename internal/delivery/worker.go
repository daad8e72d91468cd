// Package delivery owns the path of a delivery from its job to its end: it takes jobs from River, sends them through
// egress, judges the answer and writes the outcome.
//
// The ledger writes a delivery and its job together with the change. From then on this package is responsible: every
// delivery ends successful or failed, or waits because its webhook is paused, disabled or held. A failed send is an
// outcome, not an error to River; an error means that the outcome is not known to be durable, and River hands the job
// out again. Package webhook decides what is sent, egress to which addresses the worker may connect.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"terrier/internal/background"
	"terrier/internal/egress"
	"terrier/internal/store"
)

// The times of a job. Other workers take over the jobs of a killed one (watch.go). If nobody saw it die, River does,
// when a job has run for longer than any can. docs/decisions/0016 has the arithmetic.
const (
	jobTimeout  = 32 * time.Second // above the longest deadline of a request, 30 s
	rescueAfter = jobTimeout + known + ClockTolerance + time.Second
	drain       = 27 * time.Second // the process is ended 29 s after the signal
	cancelAfter = drain - known - time.Second

	follow        = 500 * time.Millisecond // a new webhook has its queue within this time
	beat          = 5 * time.Second
	recoverEvery  = 2 * time.Second
	recoverAfter  = time.Minute // a delivery that was queued later still has its job
	recoverAtOnce = 2_000       // few at a time, so that nobody notices

	keepJobs = 24 * time.Hour // jobs that were given up: until their deliveries, however many, were looked at

	// Deliveries are read and outcomes written in batches. The receiver waits until its delivery is read, so that batch
	// takes those whose jobs were fetched together and does not wait for more; nobody waits for the outcomes.
	batchLimit = 100 // of up to a few megabytes each
	batchWidth = 3   // a commit waits for the disk; others can be prepared meanwhile
	finishWait = 10 * time.Millisecond
)

// How often River looks for jobs. Each insert wakes it; polling finds what a notification missed.
const (
	fetchCooldown = 5 * time.Millisecond
	fetchPoll     = 5 * time.Second
)

// reindexed are those of River's indexes that we keep and that grow with the traffic.
var reindexed = []string{"river_job_prioritized_fetching_index", "river_job_state_and_finalized_at_index", "river_job_pkey"}

// Opener opens the secrets of webhooks.
type Opener interface {
	Open(place, sealed string) ([]byte, error)
}

// Worker sends deliveries until it is stopped.
type Worker struct {
	Store   *store.Store
	Client  *egress.Client
	Keys    Opener
	Log     *slog.Logger
	Now     func() time.Time
	Program string // the program's name for itself

	Started    func()        // called each time it begins to take jobs, unless nil
	Observer   Observer      // nil: nobody
	FirstRetry time.Duration // before the first automatic retry; 0 for the default

	hooks   hooks
	loads   gather[int64, *store.Due]
	results gather[store.Outcome, struct{}]
	pace    pacer
	sending atomic.Int64
	me      store.Worker
	others  watch
	clock   clock
	probes  background.Group
	closing time.Duration // how long this process may take to close a queue

	listening atomic.Bool // to the notifications of the database
}

// Args are the arguments of a job.
type Args struct {
	Delivery int64 `json:"delivery"`
	Round    int64 `json:"round"`
}

// Kind names the job.
func (Args) Kind() string { return store.JobKind }

// Run works until ctx ends, then finishes what is under way.
func (w *Worker) Run(ctx context.Context) error {
	w.begin()
	alive := context.WithoutCancel(ctx)
	if err := w.beat(alive); err != nil { // before it takes a job: others must be able to see it die
		return fmt.Errorf("start the worker: %w", err)
	}
	rest := w.beating(ctx)
	var err error
	for w.clock.await(ctx, true) {
		if err = w.shift(ctx); err != nil && ctx.Err() == nil {
			w.Log.Error("the worker takes no jobs; it tries again", "in", beat, "error", err)
			err = nil
			select {
			case <-ctx.Done():
			case <-time.After(beat):
			}
		}
	}
	rest()
	leaving, cancel := context.WithTimeout(alive, time.Second) // the process is about to end
	defer cancel()
	return errors.Join(err, w.Store.Leave(leaving, w.me.ID))
}

// shift takes jobs until ctx ends or the clock no longer agrees with the database's, then finishes those under way.
func (w *Worker) shift(ctx context.Context) error {
	client, err := w.newClient()
	if err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	w.pace.begin(w.Store, w.Log, longestWait(w.Client.Timeout()))
	// River stops on Stop, not when ctx ends: jobs under way are finished first.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	w.Log.Info("worker started", "worker", w.me.ID)
	if w.Started != nil {
		w.Started()
	}
	loops := &background.Group{Log: w.Log}
	l := &lanes{client: client, store: w.Store, pace: &w.pace, open: map[int64]*lane{}}
	looping, stop := context.WithCancel(ctx)
	loops.Loop(looping, "queues", func(ctx context.Context) {
		w.every(ctx, follow, "queues", func(ctx context.Context) error { return l.follow(ctx, w.Now()) })
	})
	loops.Loop(looping, "recovery of lost jobs", w.recovering)
	w.probes.Loop(looping, "probes of held webhooks", w.probing)
	w.clock.await(ctx, false)
	stop()
	w.pace.end()
	w.Log.Info("worker stopping: finishing what is under way", "sending", w.sending.Load())
	err = w.finishShift(ctx, client)
	loops.Wait()
	return err
}

// beating gives signs of life until rest is called, which is when nothing is under way any more.
func (w *Worker) beating(ctx context.Context) (rest func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	heart := &background.Group{Log: w.Log}
	heart.Loop(ctx, "heartbeat", func(ctx context.Context) { w.every(ctx, beat, "heartbeat", w.beat) })
	return func() {
		cancel()
		heart.Wait()
	}
}

func (w *Worker) begin() {
	host, _ := os.Hostname() // a worker without a name works too
	w.me = store.Worker{ID: fmt.Sprintf("%s-%d-%x", host, os.Getpid(), w.Now().UnixNano()), Host: host, Program: w.Program}
	w.closing = follow
	w.probes.Log = w.Log
	w.loads = gather[int64, *store.Due]{name: "load deliveries", calls: background.Group{Log: w.Log}, do: w.load, limit: batchLimit,
		width: batchWidth}
	w.results = gather[store.Outcome, struct{}]{name: "write outcomes", calls: background.Group{Log: w.Log}, do: w.finish, limit: batchLimit,
		width: batchWidth, wait: finishWait}
}

func (w *Worker) newClient() (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &jobs{w: w}); err != nil {
		return nil, err
	}
	return river.NewClient(driver{riverpgxv5.New(w.Store.Pool()), &w.listening}, &river.Config{
		ID:                          w.me.ID,
		Queues:                      map[string]river.QueueConfig{"none": {MaxWorkers: 1}}, // a client needs one from the start
		Workers:                     workers,
		FetchCooldown:               fetchCooldown,
		FetchPollInterval:           fetchPoll,
		JobTimeout:                  jobTimeout,
		RescueStuckJobsAfter:        rescueAfter,
		SoftStopTimeout:             cancelAfter,
		RetryPolicy:                 atOnce{},
		DiscardedJobRetentionPeriod: keepJobs,
		CancelledJobRetentionPeriod: keepJobs,
		ReindexerIndexNames:         reindexed,
		Logger:                      slog.New(quieter{w.Log.Handler()}),
	})
}

// finishShift stops River, which fetches no more jobs at once and gives up its leadership, and waits for the jobs
// under way. Requests that take longer than cancelAfter are cut off and sent again later. Only a worker that is being
// ended is limited to drain for all of it.
func (w *Worker) finishShift(ctx context.Context, client *river.Client[pgx.Tx]) error {
	ctx, cancel := outlasting(ctx, drain)
	defer cancel()
	err := client.Stop(ctx)
	if err != nil {
		err = fmt.Errorf("stop the worker: %w", err)
	}
	w.probes.Wait()
	w.loads.Wait()
	w.results.Wait() // the outcome of a request that was made is never thrown away
	w.Client.CloseIdle()
	return err
}

// roundTime is how long one call of every may take: a database that has vanished never answers.
const roundTime = 30 * time.Second

// every calls fn at an interval until ctx ends. Of errors in a row, the first of each kind is logged. A panic is an error, too.
func (w *Worker) every(ctx context.Context, interval time.Duration, what string, fn func(context.Context) error) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var failures background.Failures
	for {
		round, cancel := context.WithTimeout(ctx, roundTime)
		err := background.Try(w.Log, what, func() error { return fn(round) })
		cancel()
		if failures.New(err) && ctx.Err() == nil {
			w.Log.Error("the worker goes on trying", "what", what, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// recovering looks for awaited deliveries whose job is gone, a part of them at a time.
func (w *Worker) recovering(ctx context.Context) {
	var after int64
	w.every(ctx, recoverEvery, "recovery of lost jobs", func(ctx context.Context) error {
		found, next, err := w.Store.Recover(ctx, after, recoverAtOnce, w.Now().Add(-recoverAfter))
		w.observer().Recovered(found)
		if found > 0 {
			w.Log.Warn("queued deliveries again whose jobs were gone", "deliveries", found)
		}
		if err == nil {
			after = next
		}
		return err
	})
}

// atOnce hands a job out again without a delay: it was lost with its worker, or the database was away.
type atOnce struct{}

func (atOnce) NextRetry(job *rivertype.JobRow) time.Time {
	if len(job.Errors) == 0 {
		return time.Now()
	}
	return time.Now().Add(min(time.Duration(job.Attempt)*time.Second, 30*time.Second))
}

// quieter logs River's routine messages as debugging.
type quieter struct{ slog.Handler }

func (q quieter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		r.Level = slog.LevelDebug
		if !q.Enabled(ctx, r.Level) {
			return nil
		}
	}
	return q.Handler.Handle(ctx, r)
}

func (q quieter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quieter{q.Handler.WithAttrs(attrs)}
}
func (q quieter) WithGroup(name string) slog.Handler { return quieter{q.Handler.WithGroup(name)} }
