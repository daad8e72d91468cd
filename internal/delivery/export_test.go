package delivery

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"terrier/internal/store"
)

// TakeApart makes the jobs of a worker wait at these two steps, each on its own, so that a test decides which goes
// on. The test runs the steps with Load and Finish.
func (w *Worker) TakeApart(load func(context.Context, int64) (*store.Due, error), finish func(context.Context, store.Outcome) error) {
	w.loads = gather[int64, *store.Due]{limit: 1, width: math.MaxInt, do: func(ctx context.Context, ids []int64) ([]*store.Due, error) {
		due, err := load(ctx, ids[0])
		return []*store.Due{due}, err
	}}
	w.results = gather[store.Outcome, struct{}]{limit: 1, width: math.MaxInt,
		do: func(ctx context.Context, outcomes []store.Outcome) ([]struct{}, error) {
			return make([]struct{}, 1), finish(ctx, outcomes[0])
		}}
}

// WaitApart returns when no job is waiting.
func (w *Worker) WaitApart() {
	w.loads.Wait()
	w.results.Wait()
}

func (w *Worker) Load(ctx context.Context, ids []int64) ([]*store.Due, error) {
	return w.load(ctx, ids)
}

func (w *Worker) Finish(ctx context.Context, outcomes []store.Outcome) error {
	_, err := w.finish(ctx, outcomes)
	return err
}

func (w *Worker) Work(ctx context.Context, job *river.Job[Args]) error {
	return (&jobs{w: w}).Work(ctx, job)
}

// WorkProbe makes the request of a probe, and leaves its job as it is if there is no outcome.
func (w *Worker) WorkProbe(ctx context.Context, p store.Probe, args Args) error {
	return w.work(ctx, task{ID: p.Job, Try: p.Try, Args: args, Probe: true})
}

// Begin prepares a worker and returns its name.
func (w *Worker) Begin() string {
	w.begin()
	return w.me.ID
}

func (w *Worker) Beat(ctx context.Context) error { return w.beat(ctx) }

// Executor is how River reads and writes jobs.
func Executor(db *pgxpool.Pool) riverdriver.Executor {
	return driver{Driver: riverpgxv5.New(db)}.GetExecutor()
}
