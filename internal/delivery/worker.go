// Package delivery owns the way of a delivery from its job to its end: it takes jobs from
// River, sends them through egress, judges the answer and writes down how it went.
//
// A delivery and its job are written by the ledger with the change itself. From then on
// this package is responsible: every delivery ends successful or failed, or waits because
// its webhook is paused or disabled. A failed send is an outcome, not an error to River;
// an error means that the outcome is not known to be durable, and River hands the job out
// again. What is sent, package webhook decides; whom the worker may connect to, egress.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"terrier/internal/egress"
	"terrier/internal/store"
)

// The times of a job. Other workers take back what a killed one had under way (watch.go). River
// does where nobody sees it die: when a job has run for longer than any can. docs/decisions/0016
// has the arithmetic.
const (
	jobTimeout  = 32 * time.Second // above the longest deadline of a request, 30 s
	rescueAfter = jobTimeout + known + clockTolerance + time.Second
	drain       = 27 * time.Second // the process is ended 29 s after the signal
	cancelAfter = drain - known - time.Second

	follow        = 500 * time.Millisecond // a new webhook has its queue within this
	beat          = 5 * time.Second
	recoverEvery  = 2 * time.Second
	recoverAfter  = time.Minute // what was queued later still has its job
	recoverAtOnce = 2_000       // little at a time: nobody should notice it

	keepJobs = 24 * time.Hour // that were given up: until their deliveries, of however many, were looked at

	// Deliveries are read and outcomes written in batches. The receiver waits for the first
	// moment, nobody for the second.
	batchLimit = 100 // of up to a few megabytes each
	batchWidth = 3   // a commit waits for the disk, and others can meanwhile be prepared
	loadWait   = time.Millisecond
	finishWait = 10 * time.Millisecond
)

// How often River looks for jobs. It is woken by each insert; polling is for what was missed.
const (
	fetchCooldown = 10 * time.Millisecond
	fetchPoll     = 5 * time.Second
)

// reindexed are the indexes of River's that grow with the traffic, of those that we keep.
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
	Program string // what the program calls itself

	FirstRetry time.Duration // before the first automatic retry; 0 for the usual

	hooks   hooks
	loads   gather[int64, *store.Due]
	results gather[store.Outcome, struct{}]
	sending atomic.Int64
	me      store.Worker
	others  watch
	clock   clock
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
	if err := w.beat(alive); err != nil { // before it takes a job: others must see it die
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
	leaving, cancel := context.WithTimeout(alive, time.Second) // the process is about to be ended
	defer cancel()
	return errors.Join(err, w.Store.Leave(leaving, w.me.ID))
}

// shift takes jobs until ctx ends or the clock no longer agrees with the database's, then
// finishes what is under way.
func (w *Worker) shift(ctx context.Context) error {
	client, err := w.newClient()
	if err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	// River stops when told to, not when ctx ends: jobs under way are finished first.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	w.Log.Info("worker started", "worker", w.me.ID)
	var loops sync.WaitGroup
	l := &lanes{client: client, store: w.Store, open: map[int64]*lane{}}
	looping, stop := context.WithCancel(ctx)
	loops.Go(func() {
		w.every(looping, follow, "queues", func(ctx context.Context) error { return l.follow(ctx, w.Now()) })
	})
	loops.Go(w.recovering(looping))
	w.clock.await(ctx, false)
	stop()
	w.Log.Info("worker stopping: finishing what is under way", "sending", w.sending.Load())
	err = w.finishShift(ctx, client)
	loops.Wait()
	return err
}

// beating gives signs of life until it is told to rest, which is when nothing is under way
// any more.
func (w *Worker) beating(ctx context.Context) (rest func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var heart sync.WaitGroup
	heart.Go(func() { w.every(ctx, beat, "heartbeat", w.beat) })
	return func() {
		cancel()
		heart.Wait()
	}
}

func (w *Worker) begin() {
	host, _ := os.Hostname() // a worker without a name works too
	w.me = store.Worker{ID: fmt.Sprintf("%s-%d-%x", host, os.Getpid(), w.Now().UnixNano()), Host: host, Program: w.Program}
	w.loads = gather[int64, *store.Due]{do: w.load, limit: batchLimit, width: batchWidth, wait: loadWait}
	w.results = gather[store.Outcome, struct{}]{do: w.finish, limit: batchLimit, width: batchWidth, wait: finishWait}
}

func (w *Worker) newClient() (*river.Client[pgx.Tx], error) {
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &jobs{w: w}); err != nil {
		return nil, err
	}
	return river.NewClient(driver{riverpgxv5.New(w.Store.Pool())}, &river.Config{
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

// finishShift stops River, which at once fetches no more jobs and gives up its leadership, and waits for
// what is under way. Requests that take longer than cancelAfter are cut off and sent again later. Only a
// worker that is being ended has no more than drain for all of it.
func (w *Worker) finishShift(ctx context.Context, client *river.Client[pgx.Tx]) error {
	ctx, cancel := outlasting(ctx, drain)
	defer cancel()
	err := client.Stop(ctx)
	if err != nil {
		err = fmt.Errorf("stop the worker: %w", err)
	}
	w.loads.Wait()
	w.results.Wait() // the outcome of a request that was made is not thrown away
	w.Client.CloseIdle()
	return err
}

// roundTime is what one call of every may take: a database that has vanished never answers.
const roundTime = 30 * time.Second

// every calls fn now and then until ctx ends.
func (w *Worker) every(ctx context.Context, interval time.Duration, what string, fn func(context.Context) error) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for failing := false; ; {
		round, cancel := context.WithTimeout(ctx, roundTime)
		err := fn(round)
		cancel()
		if err != nil && ctx.Err() == nil && !failing {
			w.Log.Error("the worker goes on trying", "what", what, "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// recovering looks through the awaited deliveries, a part at a time, for those whose job
// is gone.
func (w *Worker) recovering(ctx context.Context) func() {
	var after int64
	return func() {
		w.every(ctx, recoverEvery, "recovery of lost jobs", func(ctx context.Context) error {
			found, next, err := w.Store.Recover(ctx, after, recoverAtOnce, w.Now().Add(-recoverAfter))
			if found > 0 {
				w.Log.Warn("queued deliveries anew whose jobs were gone", "deliveries", found)
			}
			if err == nil {
				after = next
			}
			return err
		})
	}
}

// atOnce hands a job out again without waiting: it was lost with its worker, or the
// database was away.
type atOnce struct{}

func (atOnce) NextRetry(job *rivertype.JobRow) time.Time {
	if len(job.Errors) == 0 {
		return time.Now()
	}
	return time.Now().Add(min(time.Duration(job.Attempt)*time.Second, 30*time.Second))
}

// quieter logs what River says of routine matters as debugging.
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
