package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/record"
)

// RequeueQuery says which deliveries to queue again.
type RequeueQuery struct {
	Query
	Webhooks access.Scope // of these webhooks
	Ended    bool         // successful ones too; otherwise only failed ones
	DryRun   bool
	Event    audit.Event // its Count is set
}

// state returns the test that a delivery to queue again passes, over an alias. As a literal it can use an index.
func (q RequeueQuery) state(alias string) string {
	if q.Ended {
		return alias + ".state <> 'queued'"
	}
	return alias + ".state = 'failed'"
}

// Requeue queues deliveries again, at most limit of them, oldest first, in one transaction: each gets its next round
// and a new job, which replaces the one of an automatic retry. One that is being sent is left alone. It returns how
// many match and how many it queued; if more than limit match, or this is a dry run, it writes nothing. If it queues any, it writes the
// event of the query, with their number.
func (s *Store) Requeue(ctx context.Context, q RequeueQuery, now time.Time) (matching, queued int64, err error) {
	defer named(&err, "queue deliveries again")
	t := s.reg.Type(DeliveryType)
	w := &where{}
	w.scope(q.Scope, t)
	w.filters(q.Where, t)
	w.and(q.state("t"))
	// A delivery of a deleted webhook can't be sent, and its outcome would be lost.
	mine := ""
	if !q.Webhooks.All() {
		mine = " WHERE " + w.within(q.Webhooks, s.reg.Type(WebhookType), "h")
	}
	w.and("t.webhook_id IN (SELECT h.id FROM extras_webhook h" + mine + ")")
	if q.Search != "" {
		newest := w.searched(t, q.Search)
		w.search(t, q.Search)
		w.parts = []string{fmt.Sprintf("t.id = ANY(ARRAY(SELECT t.id FROM %s t%s))", newest, w)}
	}
	count, counted := "SELECT count(*) FROM extras_delivery t"+w.String(), slices.Clone(w.args)
	if q.DryRun {
		batch := &pgx.Batch{}
		batch.Queue(count, counted...).QueryRow(func(row pgx.Row) error { return row.Scan(&matching) })
		return matching, 0, s.translate(s.list(ctx, q.Scope, batch))
	}
	move := requeue(w, q, now)
	for try := 1; ; try++ {
		matching, queued = 0, 0
		err = s.inTransaction(ctx, func(tx pgx.Tx) error {
			err := tx.QueryRow(ctx, count, counted...).Scan(&matching)
			if err != nil || matching == 0 || matching > int64(q.Limit) {
				return err
			}
			var hooks []int64
			if err := tx.QueryRow(ctx, move, w.args...).Scan(&queued, &hooks); err != nil {
				return err
			}
			if _, err = tx.Exec(ctx, notifyJobs, hooks); err != nil || queued == 0 {
				return err
			}
			q.Event.Count = queued
			return writeEvent(ctx, tx, q.Event)
		})
		if try == writeTries || !isConflict(err) || ctx.Err() != nil {
			return matching, queued, err
		}
	}
}

// requeue locks first and then reads, as everywhere: a delivery that was queued meanwhile is left alone. Jobs are
// locked after their deliveries, as in Finish: all deliveries come before the first job. What is known to be in
// sending is not locked at all, so that its outcome need not wait for the others.
func requeue(w *where, q RequeueQuery, now time.Time) string {
	w.and("NOT EXISTS (SELECT FROM river_job j WHERE j.id = t.job_id AND j.state = 'running')")
	return "WITH chosen AS (SELECT t.id, t.changed_at, t.job_id FROM extras_delivery t" + w.String() +
		" ORDER BY t.id LIMIT " + w.arg(q.Limit) + ` FOR NO KEY UPDATE OF t),
		sending AS (
			SELECT j.id, j.state = 'running' AS now FROM river_job j WHERE j.id = ANY(ARRAY(SELECT job_id FROM chosen)) FOR UPDATE),
		old AS (DELETE FROM river_job WHERE id = ANY(ARRAY(SELECT id FROM sending WHERE NOT now))),
		moved AS (
			UPDATE extras_delivery d SET state = 'queued', round = d.round + 1, tries = 0, retry_at = NULL, finished_at = NULL, reason = '',
				status_code = NULL, queued_at = ` + w.arg(now) + `, job_id = nextval('river_job_id_seq')
			FROM chosen x WHERE d.id = x.id AND d.changed_at = x.changed_at AND ` + q.state("d") + `
				AND x.job_id <> ALL(ARRAY(SELECT id FROM sending WHERE now))
			RETURNING d.id, d.webhook_id, d.round, d.job_id),
		job AS (` + insertJobs("moved", "'available'", "now()") + `)
		SELECT count(*) AS n, coalesce(array_agg(DISTINCT webhook_id), '{}') FROM moved`
}

// Recover gives a new job to awaited deliveries whose job is gone, looking at those after an id, at most limit of
// them. It returns how many it found and where to continue, 0 at the end. One whose job River has given up fails
// instead. A delivery that was queued just now keeps its job.
func (s *Store) Recover(ctx context.Context, after int64, limit int, before time.Time) (found int, next int64, err error) {
	defer named(&err, "queue deliveries without a job again")
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var last *int64
		var seen int
		var webhooks []int64
		err := tx.QueryRow(ctx, `
			WITH awaited AS MATERIALIZED (
				SELECT id, changed_at, job_id FROM extras_delivery
				WHERE (state = 'queued' OR retry_at IS NOT NULL) AND id > $1 ORDER BY id LIMIT $2),
			given_up AS (
				UPDATE extras_delivery d SET state = 'failed', retry_at = NULL, finished_at = now(), status_code = NULL,
					reason = 'The worker failed at it again and again; its log says why.'
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
			SELECT (SELECT count(*) FROM moved), (SELECT coalesce(array_agg(DISTINCT webhook_id), '{}') FROM moved), (SELECT count(*)
				FROM awaited), (SELECT max(id) FROM awaited)`,
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

// Pause pauses the deliveries of a webhook, or resumes them, and then a held one is probed at once, whatever time its receiver asked
// for. If there was a pause to begin or to end, it writes the event, in the same transaction, and reports it.
func (s *Store) Pause(ctx context.Context, webhook int64, paused bool, e audit.Event) (changed bool, err error) {
	defer named(&err, "pause or resume webhook %d", webhook)
	sql, args := "DELETE FROM extras_webhook_pause WHERE webhook_id = $1", []any{webhook}
	if paused {
		sql, args = "INSERT INTO extras_webhook_pause (webhook_id, paused_at) VALUES ($1, $2) ON CONFLICT DO NOTHING", []any{webhook, e.At}
	}
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if !paused {
			if err := resumeHeld(ctx, tx, webhook); err != nil {
				return err
			}
		}
		tag, err := tx.Exec(ctx, sql, args...)
		if changed = tag.RowsAffected() > 0; !changed || err != nil {
			return err
		}
		return writeEvent(ctx, tx, e)
	})
	return changed && err == nil, s.translate(err)
}

// Webhook reads a webhook as a worker needs it, secrets sealed.
func (s *Store) Webhook(ctx context.Context, id int64) (record.Values, error) {
	return s.Get(ctx, s.reg.Type(WebhookType), access.Machine(), id)
}
