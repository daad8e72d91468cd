package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Sign is the last sign of life of a worker.
type Sign struct {
	Worker string
	SeenAt time.Time
}

// Beat records that a worker is alive, and reads the last signs of all others and the database's clock.
func (s *Store) Beat(ctx context.Context, w Worker) (others []Sign, now time.Time, err error) {
	defer named(&err, "note that worker %s runs", w.ID)
	batch := &pgx.Batch{}
	batch.Queue(`
		INSERT INTO extras_worker (id, host, program, started_at, seen_at, sending, clock_wrong) VALUES ($1, $2, $3, now(), now(), $4, $5)
		ON CONFLICT (id) DO UPDATE SET seen_at = now(), sending = excluded.sending, clock_wrong = excluded.clock_wrong`,
		w.ID, w.Host, w.Program, w.Sending, w.ClockWrong)
	batch.Queue("SELECT id, seen_at FROM extras_worker WHERE id <> $1 ORDER BY id", w.ID).Query(func(rows pgx.Rows) (err error) {
		others, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Sign])
		return err
	})
	batch.Queue("SELECT clock_timestamp()").QueryRow(func(row pgx.Row) error { return row.Scan(&now) })
	err = s.pool.SendBatch(ctx, batch).Close()
	return others, now, err
}

// rescue takes a dead worker's jobs back, as River's own rescuer would, but at once and to their old place in the
// queue. A job that is locked just now is about to end, and one that was started too often is left to River.
const rescue = `
	WITH dead AS (DELETE FROM extras_worker WHERE id = $1 AND seen_at = $2 RETURNING id),
	taken AS (
		SELECT j.id FROM dead d JOIN river_job j ON j.attempted_by[cardinality(j.attempted_by)] = d.id
		WHERE j.state = 'running' AND j.attempt < j.max_attempts
		FOR UPDATE OF j SKIP LOCKED),
	back AS (
		UPDATE river_job j SET state = 'available',
			errors = array_append(j.errors, jsonb_build_object('at', now(), 'attempt', j.attempt, 'error', 'The worker has fallen silent.',
				'trace', '')),
			metadata = j.metadata || jsonb_build_object('river:rescue_count', coalesce((j.metadata->>'river:rescue_count')::int, 0) + 1)
		FROM taken t WHERE j.id = t.id RETURNING j.queue)
	SELECT EXISTS (SELECT FROM dead), count(*), coalesce(array_agg(DISTINCT queue), '{}') FROM back`

// Rescue ends a worker that has given no sign since this one, and queues its jobs again. If several processes notice,
// only one finds it; a worker that is back is left alone.
func (s *Store) Rescue(ctx context.Context, last Sign) (found bool, jobs int, err error) {
	defer named(&err, "take back the deliveries of worker %s", last.Worker)
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var queues []string
		if err := tx.QueryRow(ctx, rescue, last.Worker, last.SeenAt).Scan(&found, &jobs, &queues); err != nil {
			return err
		}
		webhooks := make([]int64, len(queues))
		for i, queue := range queues {
			webhooks[i] = QueueWebhook(queue)
		}
		_, err := tx.Exec(ctx, notifyJobs, webhooks)
		return err
	})
	return found, jobs, err
}
