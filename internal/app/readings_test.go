package app

import (
	"testing"
	"time"

	"terrier/internal/health"
	"terrier/internal/store"
)

// TestQueuesOf: webhooks without a label of their own are counted together. What waits for a paused, disabled or held one of them
// is counted, but does not make the queue old.
func TestQueuesOf(t *testing.T) {
	t.Parallel()
	now := time.Now()
	wait := func(webhook int64, age time.Duration) store.Waiting {
		at := now.Add(-age)
		return store.Waiting{Webhook: webhook, Queued: 1, OldestAt: &at}
	}
	hooks := []store.WatchedWebhook{
		{ID: 1, Enabled: true, Paused: true}, {ID: 2, Enabled: true}, {ID: 3, Enabled: true, Paused: true}, {ID: 4},
		{ID: 5, Enabled: true, Health: health.Held}, {ID: 6, Enabled: true, Health: health.Failing},
	}
	queues := queuesOf(hooks, map[int64]string{1: "1"}, []store.Waiting{wait(1, time.Hour), wait(2, time.Minute), wait(3, 2*time.Hour),
		wait(4, 3*time.Hour), wait(5, 4*time.Hour), wait(6, time.Second)}, now)
	if q := queues["1"]; q.queued != 1 || q.oldest != time.Hour {
		t.Errorf("with a label: %+v", q)
	}
	if q := queues["other"]; q.queued != 5 || q.oldest != time.Minute || len(queues) != 2 {
		t.Errorf("the others: %+v", q)
	}
}
