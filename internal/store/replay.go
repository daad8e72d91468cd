package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/webhook"
)

// Past is a change of the log, with the delivery of one webhook.
type Past struct {
	ID         int64
	At         time.Time
	Action     string
	ObjectType string
	ObjectID   int64
	Version    int64
	UserName   string
	RequestID  string
	Data       []byte
	Prechange  []byte
	Postchange []byte

	Delivery *int64 // nil where there is none
	Awaited  bool   // it is queued, or a retry is planned

	kind *record.Type // nil if the type no longer exists
}

// About returns the webhook that the record is about, 0 for none.
func (p Past) About() int64 { return aboutWebhook(p.kind, p.Prechange, p.Postchange) }

// Event returns the change as webhooks see it.
func (p Past) Event() *webhook.Event {
	_, model, _ := strings.Cut(p.ObjectType, ".")
	return &webhook.Event{Kind: webhook.KindOf(p.Action), Model: model, Timestamp: p.At, Username: p.UserName, RequestID: p.RequestID,
		Data: p.Data, Prechange: p.Prechange, Postchange: p.Postchange}
}

// PastQuery says which changes to look at, in the order in which they were made.
type PastQuery struct {
	Query
	Types    []string
	Webhook  int64
	After    time.Time // and AfterID: where the last read ended
	AfterID  int64
	Until    time.Time
	Contexts bool // read the states too, which conditions need; they are also read of types that Alert
}

// PastChanges reads changes with the deliveries of one webhook. They are looked for row by
// row, as in loadDue, and by the change: of a new webhook the planner expects few deliveries,
// unless it is kept from knowing which it is, and would go through all of them for each change.
// With their states they may be fewer than the limit: more reports whether to look again.
func (tx *Tx) PastChanges(q PastQuery) *Promise[PastPage] { return tx.s.pastChanges(tx.batch, q) }

// PastPage is a part of the changes that were asked for.
type PastPage struct {
	Changes []Past
	More    bool // there may be more of them
}

// PastChanges reads them for somebody who only looks: as a list.
func (s *Store) PastChanges(ctx context.Context, q PastQuery) (_ PastPage, err error) {
	defer named(&err, "read past changes")
	batch := &pgx.Batch{}
	prove(ctx, batch)
	found := s.pastChanges(batch, q)
	if err := s.translate(s.list(ctx, q.Scope, batch)); err != nil {
		return PastPage{}, err
	}
	return found.Get(), nil
}

func (s *Store) pastChanges(batch *pgx.Batch, q PastQuery) *Promise[PastPage] {
	t := s.reg.Type(ChangeType)
	w := &where{}
	w.scope(q.Scope, t)
	w.filters(q.Where, t)
	w.and("t.object_type = ANY(" + w.arg(q.Types) + ")")
	after := w.arg(q.After)
	// the first leads to the partitions
	w.and(fmt.Sprintf("t.changed_at >= %s AND (t.changed_at, t.id) > (%s, %s)", after, after, w.arg(q.AfterID)))
	w.and("t.changed_at <= " + w.arg(q.Until))
	const order = " ORDER BY t.changed_at, t.id"
	cut, contexts := fmt.Sprintf("SELECT t.* FROM extras_objectchange t%s%s LIMIT %d", w, order, q.Limit), "''::text, NULL::text, NULL::text"
	if q.Contexts || slices.ContainsFunc(q.Types, s.alerts) {
		cut, contexts = upToHeld(cut, order), "t.data, t.prechange, t.postchange"
	}
	// Without knowing the times, PostgreSQL expects almost nothing between them, and would sort the rest of the log for
	// each read.
	batch.Queue("SELECT set_config('plan_cache_mode', 'force_custom_plan', TRUE)") // until the transaction ends, or the batch without one
	sql := fmt.Sprintf(`
		SELECT t.id, t.changed_at, t.action, t.object_type, t.object_id, t.version, t.user_name, t.request_id::text, %s, d.id,
			coalesce(d.awaited, FALSE)
		FROM (%s) t
		LEFT JOIN LATERAL (SELECT d.id, d.state = 'queued' OR d.retry_at IS NOT NULL AS awaited FROM extras_delivery d
			WHERE d.change_id = t.id AND d.webhook_id = (SELECT %s::bigint) AND d.changed_at = t.changed_at LIMIT 1) d
				ON TRUE%s`, contexts, cut, w.arg(q.Webhook), order)
	return promiseIn(batch, sql, w.args, func(rows pgx.Rows) (PastPage, error) {
		found, err := structs[Past](rows)
		size := 0
		for i := range found {
			c := &found[i]
			c.kind = s.reg.Type(c.ObjectType)
			size += len(c.Data) + len(c.Prechange) + len(c.Postchange)
		}
		return PastPage{found, len(found) == q.Limit || size >= heldAtOnce}, err
	})
}

// alerts reports whether the records of a type are about webhooks.
func (s *Store) alerts(key string) bool {
	t := s.reg.Type(key)
	return t != nil && t.Alerts != ""
}

// Resend puts deliveries that have ended back to queued, each with its next round and a job
// of it. One that was queued meanwhile is left alone.
func (tx *Tx) Resend(webhook int64, changes []Past, now time.Time) *Promise[int64] {
	ids, at := make([]int64, len(changes)), make([]time.Time, len(changes))
	for i, c := range changes {
		ids[i], at[i] = *c.Delivery, c.At
	}
	moved := promise(tx, `
		WITH chosen AS (
			SELECT d.id, d.changed_at FROM extras_delivery d
			WHERE d.id = ANY($1) AND d.changed_at BETWEEN $2 AND $3 ORDER BY d.id FOR NO KEY UPDATE),
		moved AS (
			UPDATE extras_delivery d SET state = 'queued', round = d.round + 1, tries = 0, finished_at = NULL, reason = '',
				status_code = NULL, queued_at = $4, job_id = nextval('river_job_id_seq')
			FROM chosen x WHERE d.id = x.id AND d.changed_at = x.changed_at AND d.state <> 'queued' AND d.retry_at IS NULL
			RETURNING d.id, d.webhook_id, d.round, d.job_id),
		job AS (`+insertJobs("moved", "'available'", "now()")+`)
		SELECT count(*) FROM moved`,
		[]any{ids, slices.MinFunc(at, time.Time.Compare), slices.MaxFunc(at, time.Time.Compare), now}, one[int64])
	tx.exec(notifyJobs, []int64{webhook})
	return moved
}

// InsertLate writes deliveries of changes made earlier, with their jobs. One that somebody
// else has made meanwhile is left alone.
func (tx *Tx) InsertLate(ctx context.Context, hook int64, changes []Past, now time.Time) (_ *Promise[int64], err error) {
	defer named(&err, "insert late deliveries of webhook %d", hook)
	ids, err := tx.lateIDs(ctx, changes)
	if err != nil {
		return nil, err
	}
	n := len(changes)
	at, rows, versions, kinds := make([]time.Time, n), make([]int64, n), make([]int64, n), make([]string, n)
	types, objects, requests := make([]string, n), make([]int64, n), make([]string, n)
	for i, c := range changes {
		at[i], rows[i], versions[i], kinds[i] = c.At, c.ID, c.Version, webhook.KindOf(c.Action)
		types[i], objects[i], requests[i] = c.ObjectType, c.ObjectID, c.RequestID
	}
	made := promise(tx, `
		WITH delivery AS (
			INSERT INTO extras_delivery (id, changed_at, change_id, webhook_id, version, event, object_type, object_id, request_id,
				state, round, tries, attempt_count, job_id, queued_at, reason)
			SELECT x.id, x.at, x.change, $9, x.version, x.event, x.ot, x.oid, x.request::uuid, 'queued', 1, 0, 0, nextval('river_job_id_seq'),
				$10, ''
			FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[])
				AS x(id, at, change, version, event, ot, oid, request)
			ON CONFLICT (change_id, webhook_id, changed_at) DO NOTHING
			RETURNING id, webhook_id, round, job_id),
		job AS (`+insertJobs("delivery", "'available'", "now()")+`)
		SELECT count(*) FROM delivery`,
		[]any{ids, at, rows, versions, kinds, types, objects, requests, hook, now}, one[int64])
	tx.exec(notifyJobs, []int64{hook})
	return made, nil
}

// lateIDs draws ids in past milliseconds. The counter has wrapped since, so an id may have been drawn then; such an
// id is drawn again.
func (tx *Tx) lateIDs(ctx context.Context, changes []Past) ([]int64, error) {
	ids, left := make([]int64, len(changes)), make([]int, len(changes))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		counters := promise(tx, "SELECT nextval('extras_delivery_id_seq') FROM generate_series(1, $1)", []any{len(left)}, each[int64])
		if err := tx.Flush(ctx); err != nil {
			return nil, err
		}
		drawn := make([]int64, len(left))
		for n, i := range left {
			milliseconds, shift, mask := record.TimedIDs(changes[i].At)
			drawn[n] = milliseconds<<shift | counters.Get()[n]&int64(mask)
			ids[i] = drawn[n]
		}
		from, to := moments(drawn)
		taken := promise(tx, "SELECT id FROM extras_delivery WHERE id = ANY($1) AND changed_at >= $2 AND changed_at < $3",
			[]any{drawn, slices.MinFunc(from, time.Time.Compare), slices.MaxFunc(to, time.Time.Compare)}, each[int64])
		if err := tx.Flush(ctx); err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(left, func(i int) bool { return !slices.Contains(taken.Get(), ids[i]) })
	}
	return ids, nil
}

// holdPatience is how long to wait for retention, which usually takes a moment. If much has expired it takes minutes.
const holdPatience = "3s"

var errRetaining = &fault.Error{Kind: fault.Busy, RetryAfter: time.Minute,
	Detail: "Changes older than a day can't be replayed right now, because deliveries past their retention are being removed. Try " +
		"again in a few minutes."}

// HoldWeeks blocks retention until the transaction ends: retention counts a partition before it drops it, on the
// assumption that nobody writes into past weeks.
func (tx *Tx) HoldWeeks(ctx context.Context) (err error) {
	defer named(&err, "keep past weeks from being dropped")
	tx.exec("SET LOCAL lock_timeout = '" + holdPatience + "'")
	tx.exec("SELECT pg_advisory_xact_lock_shared($1)", RetentionLock)
	tx.exec("SET LOCAL lock_timeout TO DEFAULT")
	err = tx.Flush(ctx)
	if Locked(err) {
		return errRetaining
	}
	return err
}

const oldestWeek = `
	SELECT min((regexp_match(pg_get_expr(c.relpartbound, c.oid), $$FROM \('(.*?)'\)$$))[1]::timestamptz)
	FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'extras_delivery'::regclass`

// OldestWeek returns where the oldest week of deliveries begins.
func (s *Store) OldestWeek(ctx context.Context) (oldest time.Time, err error) {
	defer named(&err, "look for the oldest week of changes")
	return oldest, s.translate(s.pool.QueryRow(ctx, oldestWeek).Scan(&oldest))
}

// OldestWeek reads where the oldest week of deliveries begins.
func (tx *Tx) OldestWeek() *Promise[time.Time] {
	return promise(tx, oldestWeek, nil, one[time.Time])
}
