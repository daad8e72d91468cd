package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
	"terrier/internal/webhook"
)

// The states of a delivery.
const (
	Queued     = "queued"
	Successful = "successful"
	Failed     = "failed"
)

// Due is a delivery with its change and the current version of its webhook: all that sending needs.
type Due struct {
	ID        int64
	ChangedAt time.Time
	Round     int64
	State     string
	Tries     int64
	RetryAt   *time.Time
	QueuedAt  time.Time
	Webhook   int64
	Version   int64 // of the record: the sequence

	Kind       string // of event
	ObjectType string
	RequestID  string
	Event      *webhook.Event // shared by deliveries of one change that are read together

	WebhookVersion int64 // 0 when the webhook is gone
	Held           bool  // disabled or paused
}

// Awaited reports whether a request is still to be made.
func (d *Due) Awaited() bool { return d.State == Queued || d.RetryAt != nil }

// LIMIT makes the planner join row by row: it expects few of the newest changes, having no statistics of them yet,
// and would scan all of them for each. Partitions outside of $4 and $5 are not even opened. A change may have
// megabytes, so it is read only with the first of its deliveries.
const loadDue = `
	SELECT d.id, d.changed_at, d.round, d.state, d.tries, d.retry_at, d.queued_at, d.webhook_id, d.version, d.event,
		c.object_type, c.request_id::text, coalesce(w.version, 0), w.id IS NOT NULL AND (NOT w.enabled OR p.webhook_id IS NOT NULL),
		c.id, c.user_name, CASE row_number() OVER same WHEN 1 THEN c.data END,
		CASE row_number() OVER same WHEN 1 THEN c.prechange END, CASE row_number() OVER same WHEN 1 THEN c.postchange END
	FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS x(id, lo, hi)
	CROSS JOIN LATERAL (SELECT * FROM extras_delivery d
		WHERE d.id = x.id AND d.changed_at >= x.lo AND d.changed_at < x.hi AND d.changed_at >= $4 AND d.changed_at < $5 LIMIT 1) d
	CROSS JOIN LATERAL (SELECT * FROM extras_objectchange c
		WHERE c.id = d.change_id AND c.changed_at = d.changed_at AND c.changed_at >= $4 AND c.changed_at < $5 LIMIT 1) c
	LEFT JOIN extras_webhook w ON w.id = d.webhook_id
	LEFT JOIN extras_webhook_pause p ON p.webhook_id = d.webhook_id
	WINDOW same AS (PARTITION BY c.id ORDER BY d.id)
	ORDER BY c.id, d.id`

// LoadDue reads deliveries in one statement, however many. Deleted ones are left out.
func (s *Store) LoadDue(ctx context.Context, ids []int64) ([]*Due, error) {
	from, to := moments(ids)
	rows, err := s.pool.Query(ctx, loadDue,
		ids, from, to, slices.MinFunc(from, time.Time.Compare), slices.MaxFunc(to, time.Time.Compare))
	if err != nil {
		return nil, s.translate(err)
	}
	var last int64 // the change of the row before
	var event *webhook.Event
	due, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*Due, error) {
		d, e, change := &Due{}, &webhook.Event{}, int64(0)
		err := row.Scan(&d.ID, &d.ChangedAt, &d.Round, &d.State, &d.Tries, &d.RetryAt, &d.QueuedAt, &d.Webhook, &d.Version, &d.Kind,
			&d.ObjectType, &d.RequestID, &d.WebhookVersion, &d.Held,
			&change, &e.Username, &e.Data, &e.Prechange, &e.Postchange)
		if event == nil || change != last {
			_, e.Model, _ = strings.Cut(d.ObjectType, ".")
			e.Kind, e.Timestamp, e.RequestID = d.Kind, d.ChangedAt, d.RequestID
			event, last = e, change
		}
		d.Event = event
		return d, err
	})
	return due, s.translate(err)
}

// moments returns the milliseconds in which timed ids were drawn, which lead to their partitions.
func moments(ids []int64) (from, to []time.Time) {
	from, to = make([]time.Time, len(ids)), make([]time.Time, len(ids))
	for i, id := range ids {
		from[i] = record.IDTime(id)
		to[i] = from[i].Add(time.Millisecond)
	}
	return from, to
}

// Outcome is how one round of a delivery ended.
type Outcome struct {
	ID        int64
	ChangedAt time.Time
	Webhook   int64
	Round     int64
	Job       int64  // that made the attempt, and ends with it
	State     string // Successful or Failed
	At        time.Time
	Status    int           // 0 without an answer
	Reason    string        // why it failed
	RetryIn   time.Duration // 0 if it is not retried automatically
	Attempt   *Attempt      // nil where no request could be made
}

// Attempt is one request and its answer.
type Attempt struct {
	StartedAt       time.Time
	Milliseconds    int64
	Method, Target  string
	RequestHeaders  string
	RequestBody     []byte // nil where it is the event's own
	Status          *int64
	ResponseHeaders string
	ResponseBody    []byte
	Truncated       bool
	Error           string
}

// Finish writes outcomes with their attempts, removes their jobs, and writes the jobs of automatic retries and the
// tally: one transaction in one round trip, however many. An outcome of an earlier round changes nothing, but its
// request was made, so its attempt is kept.
func (s *Store) Finish(ctx context.Context, outcomes []Outcome) error {
	batch := &pgx.Batch{}
	finishStatements(batch, outcomes)
	return s.pool.SendBatch(ctx, batch).Close() // a batch is a transaction
}

func finishStatements(batch *pgx.Batch, outcomes []Outcome) {
	patience := "2s" // a locked row must not delay the others
	if len(outcomes) == 1 {
		patience = "100ms"
	}
	batch.Queue("SELECT set_config('lock_timeout', $1, true)", patience)
	slices.SortFunc(outcomes, func(a, b Outcome) int { return cmp.Compare(a.ID, b.ID) }) // everybody locks several in this order
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
	batch.Queue(`WITH moved AS (
			UPDATE extras_delivery d SET state = o.state, finished_at = o.at, status_code = o.status, reason = o.reason,
				retry_at = now() + nullif(o.retry_in, '0'),
				tries = d.tries + o.attempts, attempt_count = d.attempt_count + o.attempts,
				round = CASE WHEN o.retry_in = '0' THEN d.round ELSE d.round + 1 END,
				job_id = CASE WHEN o.retry_in = '0' THEN d.job_id ELSE nextval('river_job_id_seq') END
			FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::text[], $5::timestamptz[], $6::bigint[], $7::text[], $8::interval[],
				$9::bigint[])
				AS o(id, changed_at, round, state, at, status, reason, retry_in, attempts)
			WHERE d.id = ANY($1) AND d.changed_at BETWEEN $11 AND $12 -- whatever the plan, only these are looked at
				AND d.id = o.id AND d.changed_at = o.changed_at AND d.round = o.round AND (d.state = 'queued' OR d.retry_at IS NOT NULL)
			RETURNING d.id, d.webhook_id, d.round, d.job_id, d.retry_at),
		ended AS (DELETE FROM river_job WHERE id = ANY($10))
		`+insertJobs("moved WHERE retry_at IS NOT NULL", "'scheduled'", "retry_at"),
		ids, at, rounds, states, finished, statuses, reasons, retries, attempts, jobs,
		slices.MinFunc(at, time.Time.Compare), slices.MaxFunc(at, time.Time.Compare))
	insertAttempts(batch, outcomes)
	insertTally(batch, outcomes)
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

// insertTally counts the outcomes by webhook.
func insertTally(batch *pgx.Batch, outcomes []Outcome) {
	type count struct{ successful, failed, took int64 }
	counts := map[int64]count{}
	for _, o := range outcomes {
		c := counts[o.Webhook]
		if o.State == Successful {
			c.successful++
		} else {
			c.failed++
		}
		if o.Attempt != nil {
			c.took += o.Attempt.Milliseconds
		}
		counts[o.Webhook] = c
	}
	hooks := slices.Sorted(maps.Keys(counts))
	good, bad, took := make([]int64, len(hooks)), make([]int64, len(hooks)), make([]int64, len(hooks))
	for i, id := range hooks {
		good[i], bad[i], took[i] = counts[id].successful, counts[id].failed, counts[id].took
	}
	batch.Queue(`
		INSERT INTO extras_tally (minute, webhook_id, successful, failed, milliseconds)
		SELECT date_trunc('minute', $1::timestamptz), x.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[]) AS x`,
		outcomes[0].At, hooks, good, bad, took)
}

// Attempts reads the last attempts of a delivery, in order, and the event they notify of.
func (s *Store) Attempts(ctx context.Context, delivery int64) ([]Attempt, *webhook.Event, error) {
	from, to := moments([]int64{delivery})
	batch := &pgx.Batch{}
	var attempts []Attempt
	event := &webhook.Event{}
	batch.Queue(`
		SELECT started_at, milliseconds, method, target, request_headers, request_body, status_code, response_headers, response_body,
			truncated, error
		FROM extras_attempt WHERE delivery_id = $1 AND changed_at >= $2 AND changed_at < $3
			ORDER BY started_at DESC LIMIT 25`, delivery, from[0], to[0]).Query(func(rows pgx.Rows) (err error) {
		attempts, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Attempt])
		slices.Reverse(attempts)
		return err
	})
	batch.Queue(`
		SELECT d.event, split_part(c.object_type, '.', 2), c.changed_at, c.user_name, c.request_id::text, c.data, c.prechange, c.postchange
		FROM extras_delivery d JOIN extras_objectchange c ON c.id = d.change_id AND c.changed_at = d.changed_at
		WHERE d.id = $1 AND d.changed_at >= $2 AND d.changed_at < $3`, delivery, from[0], to[0]).QueryRow(func(row pgx.Row) error {
		return row.Scan(&event.Kind, &event.Model, &event.Timestamp, &event.Username, &event.RequestID, &event.Data, &event.Prechange,
			&event.Postchange)
	})
	return attempts, event, s.translate(s.pool.SendBatch(ctx, batch).Close())
}
