package store

import (
	"context"
	"time"
)

// AilingWebhook is a webhook that is failing or held.
type AilingWebhook struct {
	ID      int64
	Name    string
	State   string
	Since   time.Time
	Reason  string
	ProbeAt *time.Time // when a held one is tried next
	Lasting bool       // it is to be reported: it is failing, or was held long enough
}

const ailingWebhooks = `
	SELECT w.id, w.name, h.state, h.since, h.reason, h.probe_at, h.state <> 'held' OR now() - coalesce(h.ailing_since, h.since) >= $1
	FROM extras_webhook_state h JOIN extras_webhook w ON w.id = h.webhook_id
	WHERE h.state <> 'healthy' ORDER BY h.since, w.id`

// AilingWebhooks lists the webhooks that are failing or held, the longest first.
func (s *Store) AilingWebhooks(ctx context.Context, heldAfter time.Duration) (_ []AilingWebhook, err error) {
	defer named(&err, "list ailing webhooks")
	return collect[AilingWebhook](ctx, s, s.pool, ailingWebhooks, heldAfter)
}

// AilingWebhooks lists the webhooks that are failing or held, the longest first.
func (i *Inspector) AilingWebhooks(ctx context.Context, heldAfter time.Duration) (_ []AilingWebhook, err error) {
	defer named(&err, "list ailing webhooks")
	return inspectRows[AilingWebhook](ctx, i, ailingWebhooks, heldAfter)
}

// Health counts webhooks by their health, with a row for each state.
func (w Watcher) Health(ctx context.Context) (_ []Number, err error) {
	defer named(&err, "count webhooks by health")
	return collect[Number](ctx, w.s, w.s.spare, `
		SELECT s.state, count(w.id) FROM unnest('{healthy,failing,held}'::text[]) AS s(state) LEFT JOIN (
			SELECT w.id, coalesce(h.state, 'healthy') AS state FROM extras_webhook w LEFT JOIN extras_webhook_state h ON h.webhook_id = w.id) w
			ON w.state = s.state GROUP BY 1 ORDER BY 1`)
}
