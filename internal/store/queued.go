package store

import (
	"context"
	"time"
)

// QueuedDelivery is a queued delivery with the job that is to send it: what Finish needs to know of it.
type QueuedDelivery struct {
	ID             int64
	ChangedAt      time.Time
	Round, Job     int64
	Version        int64 // of the record
	WebhookVersion int64
}

// QueuedDeliveries lists the queued deliveries of a webhook, the oldest first. It is for programs that write the outcomes instead of a
// worker.
func (s *Store) QueuedDeliveries(ctx context.Context, webhook int64) (_ []QueuedDelivery, err error) {
	defer named(&err, "list the queued deliveries of webhook %d", webhook)
	return collect[QueuedDelivery](ctx, s, s.pool, `
		SELECT d.id, d.changed_at, d.round, d.job_id, d.version, w.version FROM extras_delivery d JOIN extras_webhook w ON w.id = d.webhook_id
		WHERE d.webhook_id = $1 AND d.state = 'queued' ORDER BY d.id`, webhook)
}
