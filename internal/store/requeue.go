package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Requeue puts failed deliveries back to queued, at most limit of them, oldest first, in
// one transaction: each gets its next round and a job of it. The count is of all that
// match; where that is more than limit, or this is a dry run, nothing is written.
func (s *Store) Requeue(ctx context.Context, q Query, webhooks access.Scope, now time.Time, dry bool) (int64, error) {
	t := s.reg.Type(DeliveryType)
	w := &where{}
	w.scope(q.Scope, t)
	w.filters(q.Where, t)
	w.and("t.state = 'failed'")
	if !webhooks.All() {
		hook := s.reg.Type(WebhookType)
		w.and("t.webhook_id IN (SELECT h.id FROM extras_webhook h WHERE " + w.within(webhooks, hook, "h") + ")")
	}
	var count int64
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, "SELECT count(*) FROM extras_delivery t"+w.String(), w.args...).Scan(&count)
		if err != nil || dry || count == 0 || count > int64(q.Limit) {
			return err
		}
		return s.requeue(ctx, tx, w, q.Limit, now, &count)
	})
	return count, s.translate(err)
}

func (s *Store) requeue(ctx context.Context, tx pgx.Tx, w *where, limit int, now time.Time, count *int64) error {
	// Locked first and read then, as everywhere: one that was queued meanwhile is left alone.
	sql := "WITH chosen AS (SELECT t.id, t.changed_at FROM extras_delivery t" + w.String() + " ORDER BY t.id LIMIT " + w.arg(limit) + ` FOR NO KEY UPDATE OF t),
		moved AS (
			UPDATE extras_delivery d SET state = 'queued', round = d.round + 1, tries = 0, retry_at = NULL, finished_at = NULL, reason = '',
				status_code = NULL, queued_at = ` + w.arg(now) + `, job_id = nextval('river_job_id_seq')
			FROM chosen x WHERE d.id = x.id AND d.changed_at = x.changed_at AND d.state = 'failed'
			RETURNING d.id, d.webhook_id, d.round, d.job_id),
		job AS (` + insertJobs("moved", "'available'", "now()") + `)
		SELECT count(*) AS n, coalesce(array_agg(DISTINCT webhook_id), '{}') FROM moved`
	var webhooks []int64
	if err := tx.QueryRow(ctx, sql, w.args...).Scan(count, &webhooks); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, notifyJobs, webhooks)
	return err
}

// Recover gives a new job to awaited deliveries whose job is gone, looking at those behind
// an id, at most limit of them. It returns how many it found and where to go on, 0 at the
// end. One whose job River has given up is failed instead. A delivery that was queued only
// now is left to the job it has.
func (s *Store) Recover(ctx context.Context, after int64, limit int, before time.Time) (found int, next int64, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var last *int64
		var seen int
		var webhooks []int64
		err := tx.QueryRow(ctx, `
			WITH awaited AS MATERIALIZED (
				SELECT id, changed_at, job_id FROM extras_delivery
				WHERE (state = 'queued' OR retry_at IS NOT NULL) AND id > $1 ORDER BY id LIMIT $2),
			given_up AS (
				UPDATE extras_delivery d SET state = 'failed', retry_at = NULL, finished_at = now(), status_code = NULL, reason = 'The worker failed at it again and again; its log says why.'
				FROM awaited a JOIN river_job j ON j.id = a.job_id AND j.state IN ('discarded', 'cancelled')
				WHERE d.id = a.id AND d.changed_at = a.changed_at AND d.job_id = a.job_id AND (d.state = 'queued' OR d.retry_at IS NOT NULL)),
			lost AS (
				SELECT d.id, d.changed_at FROM awaited a JOIN extras_delivery d ON d.id = a.id AND d.changed_at = a.changed_at AND d.job_id = a.job_id
				WHERE NOT EXISTS (SELECT FROM river_job j WHERE j.id = a.job_id)
					AND (d.state = 'queued' OR d.retry_at IS NOT NULL) AND coalesce(d.finished_at, d.queued_at) < $3
				FOR NO KEY UPDATE OF d),
			moved AS (
				UPDATE extras_delivery d SET round = d.round + 1, job_id = nextval('river_job_id_seq')
				FROM lost x WHERE d.id = x.id AND d.changed_at = x.changed_at
				RETURNING d.id, d.webhook_id, d.round, d.job_id, d.retry_at),
			job AS (`+insertJobs("moved", "CASE WHEN retry_at > now() THEN 'scheduled' ELSE 'available' END", "greatest(retry_at, now())")+`)
			SELECT (SELECT count(*) FROM moved), (SELECT coalesce(array_agg(DISTINCT webhook_id), '{}') FROM moved), (SELECT count(*) FROM awaited), (SELECT max(id) FROM awaited)`,
			after, limit, before).Scan(&found, &webhooks, &seen, &last)
		if err != nil {
			return err
		}
		if seen == limit && last != nil {
			next = *last
		}
		_, err = tx.Exec(ctx, notifyJobs, webhooks)
		return err
	})
	return found, next, s.translate(err)
}

// Pause holds the deliveries of a webhook, or lets them go on.
func (s *Store) Pause(ctx context.Context, webhook int64, paused bool, now time.Time) error {
	sql, args := "DELETE FROM extras_webhook_pause WHERE webhook_id = $1", []any{webhook}
	if paused {
		sql, args = "INSERT INTO extras_webhook_pause (webhook_id, paused_at) VALUES ($1, $2) ON CONFLICT DO NOTHING", []any{webhook, now}
	}
	_, err := s.pool.Exec(ctx, sql, args...)
	return s.translate(err)
}

// Webhook reads a webhook as a worker needs it, secrets sealed.
func (s *Store) Webhook(ctx context.Context, id int64) (record.Values, error) {
	return s.Get(ctx, s.reg.Type(WebhookType), access.Machine(), id)
}
