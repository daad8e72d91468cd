package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"terrier/internal/health"
)

// ToPublish is the health of a webhook that is to be recorded.
type ToPublish struct {
	Webhook     int64
	State       string
	Since       time.Time
	AilingSince time.Time
	Reason      string

	Record int64     // 0 if it has none yet
	Known  string    // the state that the record shows; healthy without one
	Now    time.Time // by the clock that Since goes by
}

// toPublish selects the webhooks whose records show another state than they are in.
const toPublish = `SELECT h.webhook_id, h.state, h.since, coalesce(h.ailing_since, h.since), h.reason, coalesce(r.id, 0),
	coalesce(r.state, 'healthy'), now()
	FROM extras_webhook_state h JOIN extras_webhook w ON w.id = h.webhook_id LEFT JOIN extras_webhookhealth r ON r.webhook_id = w.id
	WHERE h.state <> coalesce(r.state, 'healthy') AND `

// due reports whether it is time to record the health.
func (p ToPublish) due(heldAfter time.Duration) bool {
	return health.Health{State: p.State, Since: p.Since, AilingSince: p.AilingSince}.Publish(p.Known, heldAfter, p.Now)
}

// publishLease is how long recording one change of health may take. If the process that does it dies, another does it after that.
const publishLease = 30 * time.Second

// PublishHealth calls publish for each webhook whose health is to be recorded. Other processes do the same: a lease in the row of a
// webhook's state keeps two from recording one change. It is no lock, because a lock would hold a connection while publish uses another.
func (s *Store) PublishHealth(ctx context.Context, heldAfter time.Duration, publish func(ToPublish) error) (err error) {
	defer named(&err, "publish the health of webhooks")
	found, err := collect[ToPublish](ctx, s, s.pool, toPublish+
		"coalesce(h.publishing_until, '-infinity') <= now() ORDER BY h.webhook_id")
	for _, p := range found { // a failure for one webhook does not stop the others
		if p.due(heldAfter) {
			if failed := s.publishOne(ctx, p.Webhook, heldAfter, publish); failed != nil {
				err = errors.Join(err, fmt.Errorf("record the health of webhook %d: %w", p.Webhook, failed))
			}
		}
	}
	return err
}

func (s *Store) publishOne(ctx context.Context, webhook int64, heldAfter time.Duration, publish func(ToPublish) error) (err error) {
	// The lease is taken first and the record read after that: another process may just have written it.
	taken, err := s.pool.Exec(ctx, `UPDATE extras_webhook_state SET publishing_until = now() + $2::interval
		WHERE webhook_id = $1 AND coalesce(publishing_until, '-infinity') <= now()`, webhook, publishLease)
	if err != nil || taken.RowsAffected() == 0 {
		return s.translate(err)
	}
	defer func() {
		_, endErr := s.pool.Exec(context.WithoutCancel(ctx),
			"UPDATE extras_webhook_state SET publishing_until = NULL WHERE webhook_id = $1", webhook)
		err = errors.Join(err, s.translate(endErr))
	}()
	found, err := collect[ToPublish](ctx, s, s.pool, toPublish+"h.webhook_id = $1", webhook)
	if err != nil || len(found) == 0 || !found[0].due(heldAfter) {
		return err
	}
	return publish(found[0])
}
