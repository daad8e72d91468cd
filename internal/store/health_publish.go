package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/health"
)

// ToPublish is the health of a webhook that is to be recorded.
type ToPublish struct {
	Webhook int64
	State   string
	Since   time.Time
	Reason  string

	Record int64     // 0 if it has none yet
	Known  string    // the state that the record shows; healthy without one
	Now    time.Time // by the clock that Since goes by
}

// HealthToPublish lists the webhooks whose records show another state than they are in, if it is time to say so.
func (s *Store) HealthToPublish(ctx context.Context) ([]ToPublish, error) {
	found, err := collect[ToPublish](ctx, s, s.pool, `
		SELECT h.webhook_id, h.state, h.since, h.reason, coalesce(r.id, 0), coalesce(r.state, 'healthy'), now()
		FROM extras_webhook_state h JOIN extras_webhook w ON w.id = h.webhook_id LEFT JOIN extras_webhookhealth r ON r.webhook_id = w.id
		WHERE h.state <> coalesce(r.state, 'healthy') ORDER BY h.webhook_id`)
	return slices.DeleteFunc(found, func(p ToPublish) bool { return !health.Publish(p.Known, p.State, p.Since, p.Now) }), err
}

// PublishHealth calls publish for each webhook whose health is to be recorded. If another process is doing it, it
// returns ErrElsewhere.
func (s *Store) PublishHealth(ctx context.Context, publish func(ToPublish) error) error {
	found, err := s.HealthToPublish(ctx)
	if err != nil || len(found) == 0 {
		return err
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := lockUpkeep(ctx, tx, PublishLock); err != nil {
			return err
		}
		found, err := s.HealthToPublish(ctx) // another process may have just been done
		for _, p := range found {            // one that can't be recorded keeps none of the others back
			err = errors.Join(err, publish(p))
		}
		return err
	})
}
