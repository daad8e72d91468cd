package store

import (
	"context"
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
	Attempts  int64
	RetryAt   *time.Time
	QueuedAt  time.Time
	Webhook   int64
	Version   int64 // of the record: the sequence

	Kind       string // of event
	ObjectType string
	RequestID  string
	Event      *webhook.Event // shared by deliveries of one change that are read together

	WebhookVersion int64 // 0 when the webhook is gone
	Stopped        bool  // disabled or paused
	Held           bool  // until its receiver accepts a delivery
	Ailing         bool  // its last attempt failed, or it is not healthy
}

// Awaited reports whether a request is still to be made.
func (d *Due) Awaited() bool { return d.State == Queued || d.RetryAt != nil }

// LIMIT makes the planner join row by row: it expects few of the newest changes, having no statistics of them yet,
// and would scan all of them for each. Partitions outside of $4 and $5 are not even opened. A change may have
// megabytes, so it is read only with the first of its deliveries.
const loadDue = `
	SELECT d.id, d.changed_at, d.round, d.state, d.tries, d.attempt_count, d.retry_at, d.queued_at, d.webhook_id, d.version, d.event,
		c.object_type, c.request_id::text, coalesce(w.version, 0), w.id IS NOT NULL AND (NOT w.enabled OR p.webhook_id IS NOT NULL),
		w.id IS NOT NULL AND h.state IS NOT DISTINCT FROM 'held', coalesce(h.failures > 0 OR h.state <> 'healthy', false),
		c.id, c.user_name, CASE row_number() OVER same WHEN 1 THEN c.data END,
		CASE row_number() OVER same WHEN 1 THEN c.prechange END, CASE row_number() OVER same WHEN 1 THEN c.postchange END
	FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) AS x(id, lo, hi)
	CROSS JOIN LATERAL (SELECT * FROM extras_delivery d
		WHERE d.id = x.id AND d.changed_at >= x.lo AND d.changed_at < x.hi AND d.changed_at >= $4 AND d.changed_at < $5 LIMIT 1) d
	CROSS JOIN LATERAL (SELECT * FROM extras_objectchange c
		WHERE c.id = d.change_id AND c.changed_at = d.changed_at AND c.changed_at >= $4 AND c.changed_at < $5 LIMIT 1) c
	LEFT JOIN extras_webhook w ON w.id = d.webhook_id
	LEFT JOIN extras_webhook_pause p ON p.webhook_id = d.webhook_id
	LEFT JOIN extras_webhook_state h ON h.webhook_id = d.webhook_id
	WINDOW same AS (PARTITION BY c.id ORDER BY d.id)
	ORDER BY c.id, d.id`

// LoadDue reads deliveries in one statement, however many. Deleted ones are left out.
func (s *Store) LoadDue(ctx context.Context, ids []int64) (_ []*Due, err error) {
	defer named(&err, "load due deliveries")
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
		err := row.Scan(&d.ID, &d.ChangedAt, &d.Round, &d.State, &d.Tries, &d.Attempts, &d.RetryAt, &d.QueuedAt, &d.Webhook, &d.Version,
			&d.Kind, &d.ObjectType, &d.RequestID, &d.WebhookVersion, &d.Stopped, &d.Held, &d.Ailing,
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

// Attempts reads the last attempts of a delivery, in order, and the event they notify of.
func (s *Store) Attempts(ctx context.Context, delivery int64) (_ []Attempt, _ *webhook.Event, err error) {
	defer named(&err, "read the attempts of delivery %d", delivery)
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
