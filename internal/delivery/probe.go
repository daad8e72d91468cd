package delivery

import (
	"context"
	"encoding/json"
	"errors"

	"terrier/internal/background"
	"terrier/internal/store"
)

// probeLease is how long a probe belongs to the worker that took it. It exceeds the longest run of a job, so that there
// is never a second probe beside the first.
const probeLease = rescueAfter

// probing looks for held webhooks that are due for a probe and sends one delivery of each. Probes under way are
// finished when ctx ends.
func (w *Worker) probing(ctx context.Context) {
	w.every(ctx, follow, "probes of held webhooks", func(round context.Context) error {
		found, err := w.Store.ClaimProbes(round, w.me.ID, probeLease)
		for _, p := range found {
			w.probes.Go("probe", func() { w.probe(ctx, p) })
		}
		return err
	})
}

// probe sends one delivery of a held webhook. Its outcome decides whether the hold ends. If there is none, the job goes
// back to its place.
func (w *Worker) probe(ctx context.Context, p store.Probe) {
	ctx, cancel := outlasting(ctx, cancelAfter)
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, jobTimeout)
	defer stop()
	job := task{ID: p.Job, Try: p.Try, Probe: true}
	err := json.Unmarshal(p.Args, &job.Args)
	if err == nil {
		err = background.Try(w.Log, "probe", func() error { return w.work(ctx, job) })
	}
	if err == nil {
		return
	}
	err = errors.Join(err, w.giveBack(ctx, job))
	w.Log.Warn("a held webhook could not be probed; it is tried again", "webhook", p.Webhook, "error", err)
}
