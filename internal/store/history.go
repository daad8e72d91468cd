package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/health"
	"terrier/internal/record"
)

// Bucket is the deliveries of a webhook in a stretch of time.
type Bucket struct {
	At           time.Time // its beginning
	Successful   int64
	Failed       int64
	Milliseconds int64 // spent on both
	Durations    health.Durations
}

// History sums the tally of a webhook by stretches, from a time on. Stretches in which nothing ended are missing.
func (s *Store) History(ctx context.Context, webhook int64, from time.Time, step time.Duration) (_ []Bucket, err error) {
	defer named(&err, "read the requests of webhook %d", webhook)
	rows, err := s.pool.Query(ctx, `
		SELECT date_bin($3, minute, $2::timestamptz) AS at, sum(successful)::bigint, sum(failed)::bigint, sum(milliseconds)::bigint,
			`+sumDurations+`
		FROM extras_tally WHERE webhook_id = $1 AND minute >= $2 GROUP BY at ORDER BY at`, webhook, from, step)
	if err != nil {
		return nil, s.translate(err)
	}
	buckets, err := pgx.CollectRows(rows, bucket)
	return buckets, s.translate(err)
}

// bucket reads a stretch of a history.
func bucket(row pgx.CollectableRow) (b Bucket, err error) {
	var durations []int64
	err = row.Scan(&b.At, &b.Successful, &b.Failed, &b.Milliseconds, &durations)
	copy(b.Durations[:], durations)
	return b, err
}

// HistoryOfAll sums the tally of all webhooks in a scope by stretches, like History, but without durations.
func (s *Store) HistoryOfAll(ctx context.Context, scope access.Scope, from time.Time, step time.Duration) (buckets []Bucket, err error) {
	defer named(&err, "read the requests of all webhooks")
	w := &where{}
	since, every, of := w.arg(from), w.arg(step), ""
	if !scope.All() {
		w.scope(scope, s.reg.Type(WebhookType))
		of = fmt.Sprintf(" AND n.webhook_id = ANY(ARRAY(SELECT t.id FROM extras_webhook t%s))", w)
	}
	batch := &pgx.Batch{}
	batch.Queue(fmt.Sprintf(`
		SELECT date_bin(%s, n.minute, %[2]s::timestamptz) AS at, sum(n.successful)::bigint, sum(n.failed)::bigint, sum(n.milliseconds)::bigint,
			'{}'::bigint[]
		FROM extras_tally n WHERE n.minute >= %[2]s%s GROUP BY at ORDER BY at`, every, since, of), w.args...).
		Query(func(rows pgx.Rows) (err error) {
			buckets, err = pgx.CollectRows(rows, bucket)
			return err
		})
	return buckets, s.translate(s.list(ctx, scope, batch))
}

// HistoryOfEach sums the tallies of those of some webhooks that are in a scope by stretches, like HistoryOfAll, each for itself. The
// stretches are in no order: sorting takes longer than adding up.
func (s *Store) HistoryOfEach(ctx context.Context, q HistoryQuery) (_ map[int64][]Bucket, err error) {
	defer named(&err, "read the requests of webhooks")
	w := &where{}
	since, every := w.arg(q.From), w.arg(q.Step)
	w.scope(q.Scope, s.reg.Type(WebhookType))
	w.and("t.id = ANY(" + w.arg(q.IDs) + ")")
	each := map[int64][]Bucket{}
	batch := &pgx.Batch{}
	batch.Queue(fmt.Sprintf(`
		SELECT n.webhook_id, date_bin(%s, n.minute, %[2]s::timestamptz) AS at, sum(n.successful)::bigint, sum(n.failed)::bigint
		FROM extras_tally n WHERE n.minute >= %[2]s AND n.webhook_id = ANY(ARRAY(SELECT t.id FROM extras_webhook t%s))
		GROUP BY n.webhook_id, at`, every, since, w), w.args...).
		Query(func(rows pgx.Rows) error {
			var id int64
			var b Bucket
			_, err := pgx.ForEachRow(rows, []any{&id, &b.At, &b.Successful, &b.Failed}, func() error {
				each[id] = append(each[id], b)
				return nil
			})
			return err
		})
	return each, s.translate(s.list(ctx, q.Scope, batch))
}

// HistoryQuery says which tallies to sum.
type HistoryQuery struct {
	Scope access.Scope // of webhooks
	IDs   []int64
	From  time.Time
	Step  time.Duration
}

// Ended is a delivery whose last request has ended.
type Ended struct {
	ID           int64
	Webhook      int64
	WebhookName  *string // nil when it is gone
	State        string
	Event        string
	ObjectType   string
	ObjectID     int64
	ObjectRepr   *string // nil where the caller may not see the change
	Status       *int64
	Reason       string
	FinishedAt   time.Time
	RetryAt      *time.Time
	Tries        int64 // since somebody last queued it
	MaxRetries   *int64
	AttemptCount int64
	Milliseconds *int64 // of the last request; nil where none was made
}

// endedNewest is how many deliveries a look without a time reads.
const endedNewest = 50_000

// Ended reads the deliveries that ended last, since a time and at most the query's limit, in the order in which they
// ended. No index has that order, only the approximate time: the further back the time, the longer it takes. Without a time it
// looks only at the newest deliveries of the webhook, or of all.
func (s *Store) Ended(ctx context.Context, q Query, since time.Time) (_ []Ended, err error) {
	defer named(&err, "read the deliveries that ended last")
	t := s.reg.Type(DeliveryType)
	w := &where{}
	w.scope(q.Scope, t)
	from := "extras_delivery"
	if since.IsZero() {
		from, q.Where = w.newest(t, q)
		w.and("t.finished_at IS NOT NULL")
	} else {
		w.and("t.finished_at >= " + w.arg(since))
	}
	w.filters(q.Where, t)
	name := w.value(t, "object_repr")
	batch := &pgx.Batch{}
	var ended []Ended
	batch.Queue(fmt.Sprintf(`
		SELECT t.id, t.webhook_id, h.name, t.state, t.event, t.object_type, t.object_id, %s, t.status_code, t.reason, t.finished_at,
			t.retry_at, t.tries, h.max_retries,
			t.attempt_count, a.milliseconds
		FROM (SELECT t.* FROM %s t%s ORDER BY t.finished_at DESC, t.id DESC LIMIT %d) t
		LEFT JOIN extras_webhook h ON h.id = t.webhook_id
		LEFT JOIN LATERAL (SELECT a.milliseconds FROM extras_attempt a
			WHERE a.delivery_id = t.id AND a.changed_at = t.changed_at ORDER BY a.started_at DESC LIMIT 1) a ON TRUE
		ORDER BY t.finished_at, t.id`, name, from, w, q.Limit), w.args...).Query(func(rows pgx.Rows) (err error) {
		ended, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Ended])
		return err
	})
	return ended, s.translate(s.list(ctx, q.Scope, batch))
}

// newest returns what a look without a time reads, and the tests that it leaves: those for which no index has the order of the ids.
func (w *where) newest(t *record.Type, q Query) (from string, rest []record.Predicate) {
	narrow := Query{}
	for _, p := range q.Where {
		if p.Field == nil || p.Field.Info().Name == "webhook" {
			narrow.Where = append(narrow.Where, p)
		} else {
			rest = append(rest, p)
		}
	}
	w.filters(narrow.Where, t)
	by := "t.id DESC"
	if only := onlyValue(t, narrow); only != "" {
		by = only + " DESC, " + by
	}
	from = fmt.Sprintf("(SELECT t.* FROM extras_delivery t%s ORDER BY %s LIMIT %d)", w, by, endedNewest)
	w.parts = nil
	return from, rest
}

// LastDelivery finds the delivery that a request has just made for a webhook.
func (tx *Tx) LastDelivery(webhook int64, at time.Time, request string) *Promise[int64] {
	milliseconds, shift, _ := record.TimedIDs(at)
	return promise(tx,
		"SELECT id FROM extras_delivery WHERE webhook_id = $1 AND changed_at = $2 AND id >= $3 AND request_id = $4::uuid "+
			"ORDER BY id DESC LIMIT 1",
		[]any{webhook, at, milliseconds << shift, request}, one[int64])
}
