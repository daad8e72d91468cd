package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
)

// Lane is a webhook as its queue sees it.
type Lane struct {
	Webhook     int64
	Concurrency int
	Closed      bool // disabled, paused or held
	RateLimit   int  // requests per second, 0 for any number
}

// Lanes lists the queues that must exist.
func (s *Store) Lanes(ctx context.Context) (_ []Lane, err error) {
	defer named(&err, "list the queues of webhooks")
	rows, err := s.pool.Query(ctx, `
		SELECT w.id, w.concurrency, h.webhook_id IS NOT NULL OR NOT w.enabled OR p.webhook_id IS NOT NULL, coalesce(w.rate_limit, 0)
		FROM extras_webhook w LEFT JOIN extras_webhook_pause p ON p.webhook_id = w.id
		LEFT JOIN extras_webhook_state h ON h.webhook_id = w.id AND h.state = 'held' ORDER BY w.id`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Lane])
}

// Abandoned lists deleted webhooks that still have jobs.
func (s *Store) Abandoned(ctx context.Context) (_ []int64, err error) {
	defer named(&err, "look for abandoned queues")
	// The queues of live jobs, found by jumping through River's index from one to the next.
	rows, err := s.pool.Query(ctx, `
		WITH RECURSIVE q AS (
			SELECT s.state, (SELECT min(j.queue) FROM river_job j WHERE j.state = s.state) AS queue
			FROM unnest('{available,running,retryable,scheduled,pending}'::river_job_state[]) AS s(state)
			UNION ALL
			SELECT q.state, (SELECT min(j.queue) FROM river_job j WHERE j.state = q.state AND j.queue > q.queue) FROM q WHERE q.queue IS NOT NULL)
		SELECT DISTINCT queue FROM q WHERE queue IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	queues, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, queue := range queues {
		if id := QueueWebhook(queue); id != 0 {
			ids = append(ids, id)
		}
	}
	rows, err = s.pool.Query(ctx,
		`SELECT x.id FROM unnest($1::bigint[]) AS x(id) WHERE NOT EXISTS (SELECT FROM extras_webhook w WHERE w.id = x.id)`, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// hastened is how many jobs are hastened at once: River's scheduler waits for whoever holds them.
const hastened = 10_000

// Hasten makes jobs of these webhooks' queues due that wait for a retry, some at a time.
func (s *Store) Hasten(ctx context.Context, webhooks []int64) (err error) {
	defer named(&err, "hasten retries")
	if len(webhooks) == 0 {
		return nil
	}
	queues := make([]string, len(webhooks))
	for i, id := range webhooks {
		queues[i] = QueueOf(id)
	}
	_, err = s.pool.Exec(ctx, `UPDATE river_job SET state = 'available', scheduled_at = now()
		WHERE id = ANY(ARRAY(SELECT id FROM river_job WHERE state = 'scheduled'
			AND queue = ANY($1) LIMIT $2 FOR UPDATE SKIP LOCKED))`, queues, hastened)
	return err
}

// Worker is a process that sends deliveries. The database's clock says when it was seen: the clocks of machines may
// differ.
type Worker struct {
	ID, Host, Program string
	StartedAt, SeenAt time.Time
	Sending           int64
	ClockWrong        bool // it takes no jobs
}

// Leave records that a worker has ended.
func (s *Store) Leave(ctx context.Context, id string) (err error) {
	defer named(&err, "note that worker %s ends", id)
	_, err = s.pool.Exec(ctx, "DELETE FROM extras_worker WHERE id = $1", id)
	return err
}

// Workers lists the workers seen lately.
func (s *Store) Workers(ctx context.Context, lately time.Duration) (_ []Worker, err error) {
	defer named(&err, "list workers")
	return collect[Worker](ctx, s, s.pool, workersSeen, lately)
}

const workersSeen = "SELECT id, host, program, started_at, seen_at, sending, clock_wrong FROM extras_worker " +
	"WHERE seen_at >= now() - $1::interval ORDER BY started_at"

// Backlog is the queued deliveries of a webhook, and its recent results.
type Backlog struct {
	Webhook      int64
	Queued       int64
	Retrying     int64 // failed, with a retry planned
	OldestAt     *time.Time
	Successful   int64 // since the moment asked for
	Failed       int64
	Milliseconds int64 // spent on both
}

// waiting counts the deliveries that are to be sent, by webhook, from the index of those alone. A condition narrows them.
func waiting(and string) string {
	return `SELECT t.webhook_id, count(*) FILTER (WHERE t.state = 'queued') AS queued, count(*) FILTER (WHERE t.state <> 'queued') AS retrying,
		min(t.queued_at) FILTER (WHERE t.state = 'queued') AS oldest
		FROM extras_delivery t WHERE (t.state = 'queued' OR t.retry_at IS NOT NULL)` + and + ` GROUP BY t.webhook_id`
}

// Backlogs counts queued deliveries by webhook, and the results since a time: for a caller, as one of their lists.
func (s *Store) Backlogs(ctx context.Context, by access.Scope, since time.Time) (found []Backlog, err error) {
	defer named(&err, "read the queues of webhooks")
	batch := &pgx.Batch{}
	batch.Queue(`
		SELECT webhook_id, sum(queued)::bigint, sum(retrying)::bigint, min(oldest), sum(successful)::bigint, sum(failed)::bigint,
			sum(milliseconds)::bigint FROM (
			SELECT webhook_id, queued, retrying, oldest, 0 AS successful, 0 AS failed, 0 AS milliseconds FROM (`+waiting("")+`) w
			UNION ALL
			SELECT webhook_id, 0, 0, NULL, sum(successful), sum(failed), sum(milliseconds) FROM extras_tally WHERE minute >= $1
				GROUP BY webhook_id) x
		GROUP BY webhook_id ORDER BY webhook_id`, since).Query(func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Backlog])
		return err
	})
	return found, s.translate(s.list(ctx, by, batch))
}

// DeliveryCount is how many deliveries of a webhook are not successful. Each is counted once.
type DeliveryCount struct {
	Webhook  int64
	Queued   int64
	Retrying int64 // failed, with an automatic retry planned
	Failed   int64 // for good
	OldestAt *time.Time
}

// DeliveryCounts counts unsuccessful deliveries by webhook. It uses two indexes: those that are awaited, and those
// that have failed, whether they are retried or not.
func (s *Store) DeliveryCounts(ctx context.Context, scope access.Scope) (_ []DeliveryCount, err error) {
	defer named(&err, "count deliveries by webhook")
	w := &where{}
	w.scope(scope, s.reg.Type(DeliveryType))
	in := ""
	if len(w.parts) > 0 {
		in = " AND " + w.parts[0]
	}
	batch := &pgx.Batch{}
	var found []DeliveryCount
	batch.Queue(`
		SELECT webhook_id, sum(queued)::bigint, sum(retrying)::bigint, (sum(failed) - sum(retrying))::bigint, min(oldest) FROM (
			SELECT webhook_id, queued, retrying, 0 AS failed, oldest FROM (`+waiting(in)+`) w
			UNION ALL
			SELECT t.webhook_id, 0, 0, count(*), NULL FROM extras_delivery t WHERE t.state = 'failed'`+in+` GROUP BY t.webhook_id) x
		GROUP BY webhook_id ORDER BY webhook_id`, w.args...).Query(func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[DeliveryCount])
		return err
	})
	return found, s.translate(s.list(ctx, scope, batch))
}
