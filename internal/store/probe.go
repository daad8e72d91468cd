package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
)

// Probe is the job of the oldest queued delivery of a held webhook, which its taker sends to find out whether the
// receiver is back.
type Probe struct {
	Webhook int64
	Job     int64
	Try     int
	Args    json.RawMessage
}

// endHolds ends the holds of webhooks that were edited since: what was wrong may be mended. They stay failing until a
// delivery succeeds.
const endHolds = `
	UPDATE extras_webhook_state h SET state = 'failing', since = now(), failures = 0, outages = 0, version = 0, probe_at = NULL,
		probe_step = '0'
	WHERE h.webhook_id = ANY(ARRAY(
		SELECT h.webhook_id FROM extras_webhook_state h JOIN extras_webhook w ON w.id = h.webhook_id
		WHERE h.state = 'held' AND h.version <> w.version FOR UPDATE OF h SKIP LOCKED))`

// claimProbes takes a job of each webhook that is due for a probe, as River would. The next probe is put off until the
// outcome of this one says when it is, or until nobody can be working on it any more.
const claimProbes = `
	WITH due AS MATERIALIZED (
		SELECT h.webhook_id FROM extras_webhook_state h JOIN extras_webhook w ON w.id = h.webhook_id
		WHERE h.state = 'held' AND h.probe_at <= now() AND w.enabled
			AND NOT EXISTS (SELECT FROM extras_webhook_pause p WHERE p.webhook_id = w.id)
		FOR UPDATE OF h SKIP LOCKED),
	oldest AS MATERIALIZED (
		SELECT d.webhook_id, j.id FROM due d CROSS JOIN LATERAL (
			SELECT j.id FROM river_job j WHERE j.state = 'available' AND j.queue = '` + queuePrefix + `' || d.webhook_id
			ORDER BY j.priority, j.scheduled_at, j.id LIMIT 1 FOR UPDATE SKIP LOCKED) j),
	put_off AS (
		UPDATE extras_webhook_state h SET probe_at = now() + $2::interval FROM oldest o WHERE h.webhook_id = o.webhook_id)
	UPDATE river_job j SET state = 'running', attempt = j.attempt + 1, attempted_at = now(),
		attempted_by = array_append(j.attempted_by, $1::text)
	FROM oldest o WHERE j.id = o.id RETURNING o.webhook_id, j.id, j.attempt, j.args`

// ClaimProbes ends the holds that no longer apply, and takes the jobs with which held webhooks are probed now. However
// many workers ask, each probe is given to one; if it dies, another is given out after the lease.
func (s *Store) ClaimProbes(ctx context.Context, worker string, lease time.Duration) (found []Probe, err error) {
	batch := &pgx.Batch{}
	batch.Queue(endHolds)
	batch.Queue(claimProbes, worker, lease).Query(func(rows pgx.Rows) (err error) {
		found, err = structs[Probe](rows)
		return err
	})
	return found, s.translate(s.pool.SendBatch(ctx, batch).Close())
}

// PutBack returns a job, by its id and try, to the place in its queue that it was taken from. A job that somebody else has by now is
// left alone.
func (s *Store) PutBack(ctx context.Context, job int64, try int) error {
	_, err := s.pool.Exec(ctx, `
		WITH back AS (
			UPDATE river_job SET state = 'available', attempt = attempt - 1 WHERE id = $1 AND attempt = $2 AND state = 'running' RETURNING queue)
		SELECT pg_notify(current_schema() || '.river_insert', json_build_object('queue', queue)::text) FROM back`, job, try)
	return s.translate(err)
}
