package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/health"
)

// Outcome is how one round of a delivery ended.
type Outcome struct {
	ID        int64
	ChangedAt time.Time
	Webhook   int64
	Round     int64
	Job       int64  // that made the attempt, and ends with it
	State     string // Successful, Failed, or Queued: it stays queued, and the attempt uses up no retry
	At        time.Time
	Status    int           // 0 without an answer
	Reason    string        // why it failed
	RetryIn   time.Duration // 0 if it is not retried automatically, or if it is queued and goes back to its place at once
	Attempt   *Attempt      // nil where no request could be made

	Receiver ReceiverNote // what the outcome says about the webhook's health
}

// Finish writes outcomes with their attempts, removes their jobs, and writes new jobs for those that are sent again,
// the tally and the health of webhooks: one transaction, however many. If all succeeded and no webhook was ailing, it is
// one round trip. An outcome of an earlier round changes nothing, but its request was made, so its attempt is kept.
func (s *Store) Finish(ctx context.Context, outcomes []Outcome) (err error) {
	defer named(&err, "record the outcomes of deliveries")
	slices.SortFunc(outcomes, func(a, b Outcome) int { return cmp.Compare(a.ID, b.ID) }) // everybody locks several in this order
	if slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.State != Successful || o.Receiver.Ailing }) {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error { return finishNoting(ctx, tx, outcomes) })
	}
	batch := &pgx.Batch{}
	finishStatements(batch, outcomes, moveDeliveries+" DELETE FROM river_job WHERE id = ANY($10)")
	return s.pool.SendBatch(ctx, batch).Close() // a batch is a transaction
}

// finishNoting writes outcomes of which some failed, or are of webhooks that have failed lately.
func finishNoting(ctx context.Context, tx pgx.Tx, outcomes []Outcome) error {
	batch := &pgx.Batch{}
	var counted []int // the positions of the outcomes that counted
	finishStatements(batch, outcomes, moveDeliveries+sendAgain).Query(func(rows pgx.Rows) (err error) {
		counted, err = each[int](rows)
		return err
	})
	wake(batch, outcomes)
	probed, others := ailing(outcomes)
	known := lockHealth(batch, probed, others)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	return known.note(ctx, tx, outcomes, counted)
}

// moveDeliveries writes the outcomes that count: those of the present round.
const moveDeliveries = `WITH moved AS (
		UPDATE extras_delivery d SET state = o.state, finished_at = CASE WHEN o.state <> 'queued' THEN o.at END, status_code = o.status,
			reason = o.reason, retry_at = CASE WHEN o.state <> 'queued' THEN now() + nullif(o.retry_in, '0') END,
			tries = d.tries + CASE WHEN o.state = 'queued' THEN 0 ELSE o.attempts END, attempt_count = d.attempt_count + o.attempts,
			round = CASE WHEN o.retry_in = '0' AND o.state <> 'queued' THEN d.round ELSE d.round + 1 END,
			job_id = CASE WHEN o.retry_in = '0' AND o.state <> 'queued' THEN d.job_id ELSE nextval('river_job_id_seq') END
		FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::text[], $5::timestamptz[], $6::bigint[], $7::text[], $8::interval[],
			$9::bigint[], $10::bigint[])
			WITH ORDINALITY AS o(id, changed_at, round, state, at, status, reason, retry_in, attempts, job, position)
		WHERE d.id = ANY($1) AND d.changed_at BETWEEN $11 AND $12 -- whatever the plan, only these are looked at
			AND d.id = o.id AND d.changed_at = o.changed_at AND d.round = o.round AND (d.state = 'queued' OR d.retry_at IS NOT NULL)
		RETURNING d.id, d.webhook_id, d.round, d.job_id, d.retry_at, d.queued_at, d.state, o.job, nullif(o.retry_in, '0') AS wait, o.position)`

// sendAgain writes the jobs of automatic retries, and of deliveries that stay queued. One that goes back at once comes
// before those that had its place: all jobs of a request have the same time, and a new job has a higher id. Its old row
// can't be kept: River knows what runs in a process by the id of the job, and would forget a job that was taken again before
// it noticed that the last run is over.
var sendAgain = `,
	ended AS (DELETE FROM river_job WHERE id = ANY($10) RETURNING id, scheduled_at),
	again AS (
		SELECT m.id, m.webhook_id, m.round, m.job_id, m.wait,
			coalesce(now() + m.wait, e.scheduled_at - interval '1 microsecond', m.queued_at) AS place
		FROM moved m LEFT JOIN ended e ON e.id = m.job WHERE m.state = 'queued' OR m.retry_at IS NOT NULL),
	job AS (` + insertJobs("again", "CASE WHEN wait IS NULL THEN 'available' ELSE 'scheduled' END", "place") + `)
	SELECT position - 1 FROM moved`

// wake wakes the workers of the queues to which deliveries go back at once.
func wake(batch *pgx.Batch, outcomes []Outcome) {
	var hooks []int64
	for _, o := range outcomes {
		if o.State == Queued && o.RetryIn == 0 {
			hooks = append(hooks, o.Webhook)
		}
	}
	if len(hooks) > 0 {
		batch.Queue(notifyJobs, hooks)
	}
}

// finishStatements queues the statements that every outcome needs, and returns the one that moves the deliveries.
func finishStatements(batch *pgx.Batch, outcomes []Outcome, move string) *pgx.QueuedQuery {
	patience := "2s" // a locked row must not delay the others
	if len(outcomes) == 1 {
		patience = "100ms"
	}
	batch.Queue("SELECT set_config('lock_timeout', $1, true)", patience)
	n := len(outcomes)
	ids, at, rounds, states := make([]int64, n), make([]time.Time, n), make([]int64, n), make([]string, n)
	finished, statuses, reasons, retries := make([]time.Time, n), make([]*int64, n), make([]string, n), make([]time.Duration, n)
	attempts, jobs := make([]int64, n), make([]int64, n)
	for i, o := range outcomes {
		ids[i], at[i], rounds[i], jobs[i], states[i], finished[i], reasons[i], retries[i] = o.ID, o.ChangedAt, o.Round, o.Job, o.State,
			o.At, o.Reason, o.RetryIn
		if o.Status != 0 {
			status := int64(o.Status)
			statuses[i] = &status
		}
		if o.Attempt != nil {
			attempts[i] = 1
		}
	}
	moved := batch.Queue(move, ids, at, rounds, states, finished, statuses, reasons, retries, attempts, jobs,
		slices.MinFunc(at, time.Time.Compare), slices.MaxFunc(at, time.Time.Compare))
	insertTally(batch, outcomes)
	insertAttempts(batch, outcomes)
	return moved
}

func insertAttempts(batch *pgx.Batch, outcomes []Outcome) {
	var ids, took []int64
	var at, started []time.Time
	var methods, targets, headers, answerHeaders, errs []string
	var bodies, answers [][]byte
	var statuses []*int64
	var truncated []bool
	for _, o := range outcomes {
		a := o.Attempt
		if a == nil {
			continue
		}
		ids, at, started, took = append(ids, o.ID), append(at, o.ChangedAt), append(started, a.StartedAt), append(took, a.Milliseconds)
		methods, targets, headers, bodies = append(methods, a.Method), append(targets, a.Target), append(headers, a.RequestHeaders),
			append(bodies, a.RequestBody)
		statuses, answerHeaders, answers = append(statuses, a.Status), append(answerHeaders, a.ResponseHeaders),
			append(answers, notNil(a.ResponseBody))
		truncated, errs = append(truncated, a.Truncated), append(errs, a.Error)
	}
	if len(ids) == 0 {
		return
	}
	// A batch whose commit was in doubt is written again.
	batch.Queue(`
		INSERT INTO extras_attempt (delivery_id, changed_at, started_at, milliseconds, method, target, request_headers, request_body,
			status_code, response_headers, response_body, truncated, error)
		SELECT id, at, st, ms, m, t, rh, rb, s, ah, ab, tr, e
		FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bytea[],
			$9::bigint[], $10::text[], $11::bytea[], $12::boolean[], $13::text[]) AS x(id, at, st, ms, m, t, rh, rb, s, ah, ab, tr, e)
		ON CONFLICT DO NOTHING`,
		ids, at, started, took, methods, targets, headers, bodies, statuses, answerHeaders, answers, truncated, errs)
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// insertTally counts the outcomes by webhook: each attempt once, also if its delivery goes back to the queue. A batch whose commit was in
// doubt is written again, as a whole, and counts nothing if it was committed: then its first attempt is there. So this comes before the
// attempts are written, and after the deliveries were moved, which waits for a commit that is still under way. A batch without any
// attempt counts if its first delivery was moved in this transaction.
func insertTally(batch *pgx.Batch, outcomes []Outcome) {
	type count struct {
		successful, failed, took int64
		durations                health.Durations
	}
	counts := map[int64]count{}
	first := outcomes[0]
	for _, o := range outcomes {
		c := counts[o.Webhook]
		if o.State == Successful {
			c.successful++
		} else {
			c.failed++
		}
		if o.Attempt != nil {
			c.took += o.Attempt.Milliseconds
			c.durations.Add(o.Attempt.Milliseconds)
			if first.Attempt == nil {
				first = o
			}
		}
		counts[o.Webhook] = c
	}
	hooks := slices.Sorted(maps.Keys(counts))
	n := len(hooks)
	good, bad, took, durations := make([]int64, n), make([]int64, n), make([]int64, n), make([]string, n)
	for i, id := range hooks {
		c := counts[id]
		good[i], bad[i], took[i], durations[i] = c.successful, c.failed, c.took, c.durations.Array()
	}
	var started *time.Time // of the first attempt
	if first.Attempt != nil {
		started = &first.Attempt.StartedAt
	}
	batch.Queue(`
		INSERT INTO extras_tally (minute, webhook_id, successful, failed, milliseconds, durations)
		SELECT date_trunc('minute', $1::timestamptz), x.id, x.good, x.bad, x.took, x.durations::bigint[]
		FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[]) AS x(id, good, bad, took, durations)
		WHERE CASE WHEN $9::timestamptz IS NULL
			THEN EXISTS (SELECT FROM extras_delivery d WHERE d.id = $7 AND d.changed_at = $8 AND d.xmin = pg_current_xact_id()::xid)
			ELSE NOT EXISTS (SELECT FROM extras_attempt a WHERE a.delivery_id = $7 AND a.changed_at = $8 AND a.started_at = $9) END`,
		outcomes[0].At, hooks, good, bad, took, durations, first.ID, first.ChangedAt, started)
}
