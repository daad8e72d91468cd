package webhookadmin

import (
	"context"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/health"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Queues is the state of the queues of all webhooks that the caller may see.
type Queues struct {
	Webhooks []Queue
	Window   time.Duration // the time over which Successful and Failed are counted
}

// Queue is a webhook and its queued deliveries.
type Queue struct {
	Webhook record.Values
	store.Backlog
}

// StandingNeeds are the fields that Standing looks at.
var StandingNeeds = []string{"enabled", "paused_at", "failing_since", "held_since"}

// Standing returns one word for a webhook: disabled, paused, held, failing or healthy.
func Standing(hook record.Values) string {
	state := health.Healthy
	switch {
	case hook.Get("held_since") != nil:
		state = health.Held
	case hook.Get("failing_since") != nil:
		state = health.Failing
	}
	return health.Standing(hook.Bool("enabled"), hook.Get("paused_at") != nil, state)
}

// queueWindow is the time over which throughput is counted.
const queueWindow = 15 * time.Minute

// Queues returns the queued deliveries of each webhook, and how many ended in the last minutes.
func (a *Admin) Queues(ctx context.Context, c ledger.Caller) (Queues, error) {
	var hooks []record.Values
	q := store.Query{Count: store.CountNone, View: record.View{Only: append([]string{"name"}, StandingNeeds...)}}
	for page, err := range a.Ledger.Pages(ctx, c, a.webhookType(), q) {
		if err != nil {
			return Queues{}, err
		}
		hooks = append(hooks, page.Rows...)
	}
	backlogs, err := a.backlogs(ctx, c)
	if err != nil {
		return Queues{}, err
	}
	byID := make(map[int64]store.Backlog, len(backlogs))
	for _, b := range backlogs {
		byID[b.Webhook] = b
	}
	queues := Queues{make([]Queue, len(hooks)), queueWindow}
	for i, v := range hooks {
		queues.Webhooks[i] = Queue{v, byID[v.ID()]}
	}
	return queues, nil
}

// Backlog counts the queued deliveries of one webhook.
func (a *Admin) Backlog(ctx context.Context, c ledger.Caller, id int64) (store.Backlog, error) {
	all, err := a.backlogs(ctx, c)
	i := slices.IndexFunc(all, func(b store.Backlog) bool { return b.Webhook == id })
	if err != nil || i < 0 {
		return store.Backlog{}, err
	}
	return all[i], nil
}

func (a *Admin) backlogs(ctx context.Context, c ledger.Caller) ([]store.Backlog, error) {
	scope, err := a.viewScope(c, a.webhookType())
	if err != nil {
		return nil, err
	}
	return a.store().Backlogs(ctx, scope, a.Ledger.Timestamp().Add(-queueWindow))
}

// DeliveryCounts counts the deliveries that the caller may see and that are not successful, by webhook.
func (a *Admin) DeliveryCounts(ctx context.Context, c ledger.Caller) ([]store.DeliveryCount, error) {
	scope, err := a.viewScope(c, a.deliveryType())
	if err != nil {
		return nil, err
	}
	return a.store().DeliveryCounts(ctx, scope)
}

// Waits returns how many deliveries are queued that the caller may see, and which has been queued longest.
func (a *Admin) Waits(ctx context.Context, c ledger.Caller) (store.Waits, error) {
	scope, err := a.viewScope(c, a.deliveryType())
	if err != nil {
		return store.Waits{}, err
	}
	return a.store().Waits(ctx, scope)
}

// WorkerAlive is how long a worker counts as alive after its last heartbeat.
const WorkerAlive = 20 * time.Second

// Workers returns the workers that are alive. The caller must be allowed to see webhooks.
func (a *Admin) Workers(ctx context.Context, c ledger.Caller) ([]store.Worker, error) {
	if err := a.Ledger.Allow(c, a.webhookType(), access.View); err != nil {
		return nil, err
	}
	return a.store().Workers(ctx, WorkerAlive)
}

// Ailing lists the webhooks that are failing or held. The caller must have found them elsewhere, or may see all.
func (a *Admin) Ailing(ctx context.Context) ([]store.AilingWebhook, error) {
	return a.store().AilingWebhooks(ctx, a.HeldAfter)
}
