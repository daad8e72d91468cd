package app

import (
	"context"
	"time"

	"terrier/internal/delivery"
	"terrier/internal/health"
	"terrier/internal/metrics"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// readings lists what the metrics read of the database.
func (a *App) readings() []metrics.Source {
	return []metrics.Source{
		{Name: "database", Read: a.readDatabase},
		{Name: "schema", Read: a.readSchema},
		{Name: "workers", Read: a.readWorkers},
		{Name: "records", Read: a.readRecords},
		{Name: "queues", Read: a.readQueues},
		{Name: "health", Read: a.readHealth},
		{Name: "jobs", Read: a.readJobs},
		{Name: "feed", Read: a.readFeed},
	}
}

// readDatabase also says something if the database does not answer.
func (a *App) readDatabase(ctx context.Context) ([]metrics.Sample, error) {
	err := a.Store.CheckWritable(ctx)
	samples := []metrics.Sample{metrics.DatabaseUp.Is(err == nil || store.ReadOnly(err)), metrics.DatabaseWritable.Is(err == nil)}
	if err != nil && !store.ReadOnly(err) {
		return samples, err
	}
	before := a.now()
	clock, err := a.Store.Watch().Clock(ctx)
	if err != nil {
		return samples, err
	}
	return append(samples, metrics.ClockOffset.At(delivery.ClockOffset(clock, before, a.now()).Seconds())), nil
}

func (a *App) readSchema(ctx context.Context) ([]metrics.Sample, error) {
	pending, err := delivery.Pending(ctx, a.Store)
	if err != nil {
		return nil, err
	}
	samples := []metrics.Sample{metrics.MigrationsPending.At(float64(pending))}
	ahead, err := a.Store.PartitionsAhead(ctx, a.now())
	for table, left := range ahead {
		samples = append(samples, metrics.PartitionsAhead.At(left.Seconds(), table))
	}
	return samples, err
}

func (a *App) readWorkers(ctx context.Context) ([]metrics.Sample, error) {
	alive, err := a.Store.Watch().Workers(ctx, webhookadmin.WorkerAlive)
	if err != nil {
		return nil, err
	}
	wrong := 0
	for _, w := range alive {
		if w.ClockWrong {
			wrong++
		}
	}
	processes, err := a.Store.Watch().Processes(ctx, store.PresentLately)
	if err != nil {
		return nil, err
	}
	servers := 0
	for _, p := range processes {
		if p.ClockWrong() {
			servers++
		}
	}
	return []metrics.Sample{metrics.WorkersAlive.At(float64(len(alive))), metrics.WorkersClockWrong.At(float64(wrong)),
		metrics.ServersClockWrong.At(float64(servers))}, nil
}

func (a *App) readRecords(ctx context.Context) ([]metrics.Sample, error) {
	counts, err := a.Store.Watch().Records(ctx)
	if err != nil {
		return nil, err
	}
	byType := map[string]int64{}
	for _, c := range counts {
		byType[c.Of] = c.N
	}
	var samples []metrics.Sample
	for _, t := range a.Registry.Types() {
		samples = append(samples, metrics.Records.At(float64(byType[t.Key()]), t.Key()))
	}
	return samples, nil
}

func (a *App) readFeed(ctx context.Context) ([]metrics.Sample, error) {
	newest, lag, err := a.Store.Watch().Feed(ctx)
	if err != nil {
		return nil, err
	}
	return []metrics.Sample{metrics.FeedPosition.At(float64(newest)), metrics.FeedLag.At(lag.Seconds())}, nil
}

func (a *App) readJobs(ctx context.Context) ([]metrics.Sample, error) {
	jobs, err := a.Store.Watch().Jobs(ctx)
	var samples []metrics.Sample
	for _, j := range jobs {
		samples = append(samples, metrics.RiverJobs.At(float64(j.N), j.Of))
	}
	return samples, err
}

// readQueues reads the webhooks, which decides which of them have a label, and their queues. Those without a label are
// added together, with those that were deleted.
func (a *App) readQueues(ctx context.Context) ([]metrics.Sample, error) {
	hooks, err := a.Store.Watch().Webhooks(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(hooks))
	for i, h := range hooks {
		ids[i] = h.ID
	}
	labels := a.metrics.Webhooks(ids)
	var samples []metrics.Sample
	for _, h := range hooks {
		if label, own := labels[h.ID]; own {
			samples = append(samples, metrics.WebhookInfo.At(1, label, h.Name, watchedState(h)))
		}
	}
	waiting, err := a.Store.Watch().Waiting(ctx)
	if err != nil {
		return samples, err
	}
	for label, q := range queuesOf(hooks, labels, waiting, a.now()) {
		samples = append(samples, metrics.QueueDeliveries.At(float64(q.queued), label, "queued"),
			metrics.QueueDeliveries.At(float64(q.retrying), label, "retrying"), metrics.QueueOldest.At(q.oldest.Seconds(), label))
	}
	return samples, nil
}

// watchedState returns why a webhook does not send. One that sends is enabled, however it is doing: a series that ends and another
// that begins whenever a receiver fails would be hard to follow, and terrier_webhooks counts them.
func watchedState(h store.WatchedWebhook) string {
	if standing := h.Standing(); !health.Sends(standing) {
		return standing
	}
	return "enabled"
}

// readHealth counts webhooks by their health, also where there are none.
func (a *App) readHealth(ctx context.Context) ([]metrics.Sample, error) {
	found, err := a.Store.Watch().Health(ctx)
	var samples []metrics.Sample
	for _, c := range found {
		samples = append(samples, metrics.WebhookHealth.At(float64(c.N), c.Of))
	}
	return samples, err
}

// queuesOf adds up what waits under each label. Under Other the age is that of webhooks that send: for these alone no
// terrier_webhook_info says whether they do.
func queuesOf(hooks []store.WatchedWebhook, labels map[int64]string, waiting []store.Waiting, now time.Time) map[string]*queue {
	queues := map[string]*queue{metrics.Other: {}}
	holds := map[int64]bool{}
	for _, h := range hooks {
		holds[h.ID] = !health.Sends(h.Standing())
		if label, own := labels[h.ID]; own {
			queues[label] = &queue{}
		}
	}
	for _, w := range waiting {
		label, own := labels[w.Webhook]
		if !own {
			label = metrics.Other
		}
		if !own && holds[w.Webhook] {
			w.OldestAt = nil
		}
		queues[label].add(w, now)
	}
	return queues
}

// queue is the deliveries that are to be sent under one label.
type queue struct {
	queued, retrying int64
	oldest           time.Duration
}

func (q *queue) add(w store.Waiting, now time.Time) {
	q.queued += w.Queued
	q.retrying += w.Retrying
	if w.OldestAt != nil {
		q.oldest = max(q.oldest, now.Sub(*w.OldestAt))
	}
}
