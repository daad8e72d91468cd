package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// River's jobs are written by the statement that makes them necessary, in the round trip of the transaction: River's
// own insert would take two more (docs/decisions/0008). A test checks that a job written here equals the one that
// River writes.

// JobKind is the kind of the jobs that send deliveries.
const JobKind = "delivery"

// JobTries is how often a job may be started. Crashes and an unreachable database use tries up; a receiver's answers
// don't.
const JobTries = 100

const queuePrefix = "webhook_"

// QueueOf names the queue of a webhook. Each has its own, so that a slow receiver delays
// only itself.
func QueueOf(webhook int64) string { return queuePrefix + strconv.FormatInt(webhook, 10) }

// QueueWebhook returns the webhook of a queue, 0 for none.
func QueueWebhook(queue string) int64 {
	id, _ := strconv.ParseInt(strings.TrimPrefix(queue, queuePrefix), 10, 64)
	return id
}

// EndJob removes a job that had nothing to do.
func (s *Store) EndJob(ctx context.Context, job int64) (err error) {
	defer named(&err, "end job %d", job)
	_, err = s.pool.Exec(ctx, "DELETE FROM river_job WHERE id = $1", job)
	return err
}

// insertJobs writes the jobs of the deliveries in a relation that has id, webhook_id, round
// and job_id; state and time are expressions over it.
func insertJobs(from, state, scheduledAt string) string {
	return fmt.Sprintf(`INSERT INTO river_job (id, args, kind, max_attempts, queue, state, scheduled_at)
		SELECT job_id, jsonb_build_object('delivery', id, 'round', round), '%s', %d, '%s' || webhook_id, (%s)::river_job_state, %s FROM %s`,
		JobKind, JobTries, queuePrefix, state, scheduledAt, from)
}

// notifyJobs wakes the workers of these webhooks' queues when the transaction commits. River's own insert skips
// notifications that follow too soon, and then a job waits for the next poll.
const notifyJobs = `SELECT pg_notify(current_schema() || '.river_insert', '{"queue": "` + queuePrefix +
	`' || id || '"}') FROM (SELECT DISTINCT unnest($1::bigint[])) AS w(id)`
