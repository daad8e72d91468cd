package delivery

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"

	"terrier/internal/background"
	"terrier/internal/store"
)

// jobs implements River's worker.
type jobs struct {
	river.WorkerDefaults[Args]
	w *Worker
}

// Work implements river.Worker.
func (j *jobs) Work(ctx context.Context, job *river.Job[Args]) error {
	return background.Try(j.w.Log, "job", func() error { return j.work(ctx, job) }) // River would recover too, but not count
}

// work waits for the rate limit of a webhook before it reads what it sends: what was true before a wait may no longer be. A job with
// nothing to send takes nothing of the rate.
func (j *jobs) work(ctx context.Context, job *river.Job[Args]) error {
	taken, webhook := task{ID: job.ID, Try: job.Attempt, Args: job.Args}, store.QueueWebhook(job.Queue)
	if j.w.pace.limits(webhook) {
		if due, err := j.w.due(ctx, taken); due == nil {
			return err
		}
	}
	err := j.w.pace.wait(ctx, webhook)
	switch {
	case errors.Is(err, errNoTurn):
		return j.w.giveBack(ctx, taken)
	case err != nil:
		return err
	}
	return j.w.work(ctx, taken)
}

// task is a job that this worker has taken.
type task struct {
	ID  int64
	Try int
	Args
	Probe bool // its webhook is held, and this is to find out whether the receiver is back
}

// work makes one request and returns when its outcome is durable; writing the outcome removes the job. A delivery
// that has ended, or was queued again since, is left alone.
func (w *Worker) work(ctx context.Context, job task) error {
	w.sending.Add(1)
	defer w.sending.Add(-1)
	due, err := w.due(ctx, job)
	if due == nil {
		return err
	}
	outcome, err := w.guarded(ctx, due, job.Probe)
	if err != nil {
		return err
	}
	outcome.Job = job.ID
	ctx, cancel := outlasting(ctx, known)
	defer cancel()
	_, err = w.results.Do(ctx, outcome)
	return err
}

// due reads what a job is to send. It returns nil if that is nothing: then the job has ended, or is back in its place.
func (w *Worker) due(ctx context.Context, job task) (*store.Due, error) {
	due, err := w.loads.Do(ctx, job.Delivery)
	switch {
	case err != nil:
		return nil, err
	case due == nil || due.Round != job.Round || !due.Awaited():
		return nil, w.Store.EndJob(ctx, job.ID)
	case due.Stopped || due.Held && !job.Probe:
		return nil, w.putBack(ctx, job)
	}
	return due, nil
}

// putBack returns a job that was taken just as its webhook was paused or held to its place in the queue. It waits until
// the queue is closed here: otherwise the job would be taken again at once.
func (w *Worker) putBack(ctx context.Context, job task) error {
	select {
	case <-ctx.Done():
	case <-time.After(w.closing):
	}
	return w.giveBack(ctx, job)
}

// giveBack returns a job to its place in the queue at once.
func (w *Worker) giveBack(ctx context.Context, job task) error {
	ctx, cancel := outlasting(ctx, known)
	defer cancel()
	return w.Store.PutBack(ctx, job.ID, job.Try)
}

// known is how much longer a stopping worker waits for outcomes than for anything else. Without it River would hand
// the job out again, and the request would be repeated.
const known = 4 * time.Second

// outlasting returns a context that ends some time after ctx.
func outlasting(ctx context.Context, more time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-longer.Done():
		case <-time.After(more):
			cancel()
		}
	})
	return longer, func() {
		stop()
		cancel()
	}
}

// load reads deliveries for the jobs that wait for them.
func (w *Worker) load(ctx context.Context, ids []int64) ([]*store.Due, error) {
	ctx, cancel := context.WithTimeout(ctx, jobTimeout)
	defer cancel()
	found, err := w.Store.LoadDue(ctx, ids)
	if err != nil {
		return nil, err
	}
	byID := make(map[int64]*store.Due, len(found))
	for _, d := range found {
		byID[d.ID] = d
	}
	due := make([]*store.Due, len(ids))
	for i, id := range ids {
		if d, ok := byID[id]; ok {
			due[i] = new(*d) // its own copy: a job that was taken back may run beside the one it was taken from
		}
	}
	return due, nil
}

// finish writes outcomes. The requests can't be undone, so it tries for as long as the jobs may run; after that River
// hands them out again. An outcome that the database refuses, or whose row is locked, delays no other.
func (w *Worker) finish(ctx context.Context, outcomes []store.Outcome) ([]struct{}, error) {
	ctx, cancel := context.WithTimeout(ctx, jobTimeout)
	defer cancel()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := w.Store.Finish(ctx, outcomes)
		switch {
		case err == nil:
			return make([]struct{}, len(outcomes)), nil
		case store.Locked(err), store.Refused(err) && len(outcomes) > 1:
			return nil, errApart
		case store.Refused(err):
			return make([]struct{}, 1), w.giveUp(ctx, outcomes[0], err)
		}
		w.Log.Warn("outcomes could not be written; trying again", "deliveries", len(outcomes), "error", err)
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

// giveUp fails a delivery whose outcome the database refuses: it would refuse it every time.
func (w *Worker) giveUp(ctx context.Context, o store.Outcome, cause error) error {
	w.Log.Error("an outcome can't be written; the delivery is marked as failed", "delivery", o.ID, "webhook", o.Webhook, "error", cause)
	o.State, o.Attempt, o.RetryIn, o.Reason = store.Failed, nil, 0,
		"What became of the request could not be written down; the worker's log says why."
	err := w.Store.Finish(ctx, []store.Outcome{o})
	if store.Locked(err) {
		return errApart
	}
	return err
}
