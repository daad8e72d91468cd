package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/health"
	"terrier/internal/record"
)

// Probe is the job of a queued delivery of a held webhook, which its taker sends to find out whether the receiver is back.
type Probe struct {
	Webhook int64
	Job     int64
	Try     int
	Args    json.RawMessage
}

// endHolds ends the holds of webhooks that are no longer to be held. They stay failing until a delivery succeeds.
const endHolds = `
	UPDATE extras_webhook_state h SET state = 'failing', since = now(), failures = 0, outages = 0, version = 0, probe_at = NULL,
		probe_step = '0'
	WHERE h.webhook_id = ANY(ARRAY(
		SELECT h.webhook_id FROM extras_webhook_state h JOIN extras_webhook w ON w.id = h.webhook_id
		WHERE h.state = 'held' AND NOT w.hold_on_failure FOR UPDATE OF h SKIP LOCKED))`

// claimProbes takes a job of each webhook that is due for a probe, as River would. A webhook that was edited since is due at
// once, and its steps start over: what was wrong may be mended. Nothing is probed while a job of the queue is running, so
// that the order of an object's deliveries is kept.
//
// Of the oldest jobs, the first of each object are candidates, of more jobs after each failure. Of the record type that was attempted
// least, the candidate that was attempted least is taken. So probes go around, and deliveries that the receiver can't take do not stop
// the others for ever. Because that may look at many jobs, only some of the webhooks that are due have their turn. The next probe is put
// off until the outcome of this one says when it is, or until nobody can be working on it any more.
const claimProbes = `
	WITH due AS MATERIALIZED (
		SELECT h.webhook_id, h.failures, w.version FROM extras_webhook_state h JOIN extras_webhook w ON w.id = h.webhook_id
		WHERE h.state = 'held' AND (h.probe_at <= now() OR h.version <> w.version) AND w.enabled
			AND NOT EXISTS (SELECT FROM extras_webhook_pause p WHERE p.webhook_id = w.id)
			AND NOT EXISTS (SELECT FROM river_job j WHERE j.state = 'running' AND j.queue = '` + queuePrefix + `' || w.id)
		ORDER BY random() LIMIT 16 FOR UPDATE OF h SKIP LOCKED),
	chosen AS MATERIALIZED (
		SELECT d.webhook_id, d.version, f.id FROM due d CROSS JOIN LATERAL (
			SELECT * FROM (
				SELECT DISTINCT ON (x.object_type, x.object_id) j.id, j.priority, j.scheduled_at, x.object_type,
					coalesce(x.attempt_count, 0) AS attempts
				FROM (
					SELECT j.*, timestamptz 'epoch' + ((j.args->>'delivery')::bigint >> $4::int) * interval '1 millisecond' AS moment
					FROM river_job j WHERE j.state = 'available' AND j.queue = '` + queuePrefix + `' || d.webhook_id
					ORDER BY j.priority, j.scheduled_at, j.id LIMIT least(100 * (1 + d.failures), 10000)) j
				LEFT JOIN LATERAL (
					SELECT * FROM extras_delivery x WHERE x.id = (j.args->>'delivery')::bigint
						AND x.changed_at >= j.moment AND x.changed_at < j.moment + interval '1 millisecond' LIMIT 1) x ON TRUE
				ORDER BY x.object_type, x.object_id, j.priority, j.scheduled_at, j.id) f
			ORDER BY avg(f.attempts) OVER (PARTITION BY f.object_type), f.attempts, f.priority, f.scheduled_at, f.id LIMIT 1) f),
	taken AS MATERIALIZED (
		SELECT c.* FROM chosen c JOIN river_job j ON j.id = c.id WHERE j.state = 'available' FOR UPDATE OF j SKIP LOCKED),
	put_off AS (
		UPDATE extras_webhook_state h SET probe_at = now() + $2::interval, version = t.version,
			probe_step = CASE WHEN h.version = t.version THEN h.probe_step ELSE $3::interval END
		FROM taken t WHERE h.webhook_id = t.webhook_id)
	UPDATE river_job j SET state = 'running', attempt = j.attempt + 1, attempted_at = now(),
		attempted_by = array_append(j.attempted_by, $1::text)
	FROM taken t WHERE j.id = t.id RETURNING t.webhook_id, j.id, j.attempt, j.args`

// ClaimProbes ends the holds that no longer apply, and takes the jobs with which held webhooks are probed now. However
// many workers ask, each probe is given to one; if it dies, another is given out after the lease.
func (s *Store) ClaimProbes(ctx context.Context, worker string, lease time.Duration) (found []Probe, err error) {
	defer named(&err, "claim probes of held webhooks")
	_, shift, _ := record.TimedIDs(time.Time{})
	batch := &pgx.Batch{}
	batch.Queue(endHolds)
	batch.Queue(claimProbes, worker, lease, health.FirstStep, shift).Query(func(rows pgx.Rows) (err error) {
		found, err = structs[Probe](rows)
		return err
	})
	return found, s.translate(s.pool.SendBatch(ctx, batch).Close())
}

// probeNow lets the next probe of a held webhook come at once: somebody knows that the receiver is back.
const probeNow = "UPDATE extras_webhook_state SET probe_at = least(probe_at, now()) WHERE webhook_id = $1 AND state = 'held'"

// hastenHeld lets the queued deliveries of a held webhook be sent that wait because the receiver asked for time.
const hastenHeld = `
	UPDATE river_job SET state = 'available', scheduled_at = now() WHERE id = ANY(ARRAY(
		SELECT j.id FROM extras_webhook_state h, river_job j, LATERAL (
			SELECT timestamptz 'epoch' + ((j.args->>'delivery')::bigint >> $3::int) * interval '1 millisecond' AS moment) m
		WHERE h.webhook_id = $1 AND h.state = 'held' AND j.state = 'scheduled' AND j.queue = '` + queuePrefix + `' || h.webhook_id
			AND EXISTS (SELECT FROM extras_delivery x WHERE x.id = (j.args->>'delivery')::bigint AND x.state = 'queued'
				AND x.changed_at >= m.moment AND x.changed_at < m.moment + interval '1 millisecond')
		LIMIT $2 FOR UPDATE OF j SKIP LOCKED))`

// ProbeNow lets the next probe of a webhook come at once, if it is held.
func (tx *Tx) ProbeNow(webhook int64) { tx.exec(probeNow, webhook) }

// resumeHeld lets the next probe of a webhook come at once, if it is held, and lets none of its queued deliveries wait for longer.
func resumeHeld(ctx context.Context, tx pgx.Tx, webhook int64) error {
	if _, err := tx.Exec(ctx, probeNow, webhook); err != nil {
		return err
	}
	_, shift, _ := record.TimedIDs(time.Time{})
	_, err := tx.Exec(ctx, hastenHeld, webhook, hastened, shift)
	return err
}

// PutBack returns a job, by its id and try, to the place in its queue that it was taken from. A job that somebody else has by now is
// left alone.
func (s *Store) PutBack(ctx context.Context, job int64, try int) (err error) {
	defer named(&err, "put job %d back", job)
	_, err = s.pool.Exec(ctx, `
		WITH back AS (
			UPDATE river_job SET state = 'available', attempt = attempt - 1 WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING queue)
		SELECT pg_notify(current_schema() || '.river_insert', json_build_object('queue', queue)::text) FROM back`, job, try)
	return s.translate(err)
}
