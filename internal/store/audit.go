package store

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"terrier/internal/audit"
)

// AuditType is the type of the records of the audit log.
const AuditType = "extras.auditevent"

var auditRows = relation[audit.Event]{
	attr("at", "timestamptz", func(e *audit.Event) *time.Time { return &e.At }),
	attr("name", "text", func(e *audit.Event) *string { return &e.Name }),
	attr("un", "text", func(e *audit.Event) *string { return &e.UserName }),
	attr("a", "text", func(e *audit.Event) *string { from := e.From(); return &from }),
	attr("r", "text", func(e *audit.Event) *string { return &e.RequestID }),
	attr("t", "text", func(e *audit.Event) *string { return &e.Target }),
	attr("tn", "text", func(e *audit.Event) *string { return &e.TargetName }),
	attr("w", "text", func(e *audit.Event) *string { return &e.Way }),
	attr("d", "text", func(e *audit.Event) *string { return &e.Detail }),
	attr("n", "bigint", func(e *audit.Event) *int64 { return &e.Count }),
}

var insertEvents = auditRows.over(func(from string) string {
	return `
	INSERT INTO extras_auditevent (happened_at, version, event, user_name, address, request_id, target, target_name, way, detail, times)
	SELECT at, 1, name, un, a, r::uuid, t, tn, w, d, n FROM ` + from
})

// InsertEvents writes events into the audit log, with one statement. The caller adds them to the counts.
func (tx *Tx) InsertEvents(events []audit.Event) {
	tx.exec(insertEvents.of(len(events)), auditRows.args(events)...)
}

// addEvent writes an event and counts it.
var addEvent = "WITH e AS (" + insertEvents.one + ") INSERT INTO record_count (type, n) VALUES ('" + AuditType + "', 1)"

// AddEvent writes an event that is not part of a transaction.
func (a Accounts) AddEvent(ctx context.Context, e audit.Event) (err error) {
	defer named(&err, "add %s to the audit log", e.Name)
	return a.translate(writeEvent(ctx, a.spare, e))
}

func writeEvent(ctx context.Context, db interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}, e audit.Event) error {
	_, err := db.Exec(ctx, addEvent, auditRows.args([]audit.Event{e})...)
	return err
}

// AddEvent writes an event and counts it.
func (tx *Tx) AddEvent(e audit.Event) { tx.exec(addEvent, auditRows.args([]audit.Event{e})...) }

// RaiseEvent adds to the count of an event that a request has written.
func (tx *Tx) RaiseEvent(e audit.Event, n int64) {
	tx.exec(`UPDATE extras_auditevent SET version = version + 1, times = times + $4
		WHERE happened_at = $1 AND event = $2 AND request_id = $3::uuid`, e.At, e.Name, e.RequestID, n)
}

// addRefused writes the rows in the order of the accounts, so that two processes do not block each other. The first version of a row is
// the one that it is made with. A row that is in the chain does not change any more: attempts that are written so late are not counted.
var addRefused = `
	WITH attempt AS (
		SELECT at, coalesce(u.username, '') AS un, u.id, sum(n) AS n, (array_agg(a ORDER BY place DESC))[1] AS a,
			(array_agg(r ORDER BY place DESC))[1] AS r, (array_agg(w ORDER BY place DESC))[1] AS w
		FROM ` + auditRows.unnest() + ` WITH ORDINALITY AS x(` + auditRows.names() + `, place)
		LEFT JOIN users_user u ON u.username = x.un GROUP BY at, u.username, u.id),
	written AS (
		INSERT INTO extras_auditevent AS e (happened_at, version, event, user_name, address, request_id, target, target_name, way, times)
		SELECT at, 1, 'login_throttled', un, a, r::uuid, coalesce('users.user/' || id, ''), un, w, n FROM attempt ORDER BY at, un
		ON CONFLICT (happened_at, user_name) WHERE event = 'login_throttled'
		DO UPDATE SET version = e.version + 1, times = e.times + excluded.times, address = excluded.address,
			request_id = excluded.request_id, way = excluded.way
		WHERE NOT EXISTS (SELECT FROM extras_auditchain c WHERE c.event_id = e.id)
		RETURNING e.*),
	counted AS (INSERT INTO record_count (type, n) SELECT '` + AuditType + `', count(*) FROM written WHERE version = 1 HAVING count(*) > 0)
	SELECT happened_at, event, user_name, address, request_id::text, target, target_name, way, detail, times FROM written WHERE version = 1`

// addRefusedTokens is addRefused for tokens. No two of its rows have the same key.
var addRefusedTokens = `
	WITH written AS (
		INSERT INTO extras_auditevent AS e (happened_at, version, event, user_name, address, request_id, target, target_name, way, detail, times)
		SELECT at, 1, name, un, a, r::uuid, t, tn, w, d, n FROM ` + auditRows.several() + ` ORDER BY at, t, d, a
		ON CONFLICT (happened_at, target, detail, (CASE WHEN target = '' THEN address ELSE '' END)) WHERE event = 'token_refused'
		DO UPDATE SET version = e.version + 1, times = e.times + excluded.times, address = excluded.address,
			request_id = excluded.request_id, way = excluded.way
		WHERE NOT EXISTS (SELECT FROM extras_auditchain c WHERE c.event_id = e.id)
		RETURNING e.*),
	counted AS (INSERT INTO record_count (type, n) SELECT '` + AuditType + `', count(*) FROM written WHERE version = 1 HAVING count(*) > 0)
	SELECT happened_at, event, user_name, address, request_id::text, target, target_name, way, detail, times FROM written WHERE version = 1`

// AddRefused implements audit.RefusedStore. Both statements are one transaction: what fails is added again as a whole.
func (a Accounts) AddRefused(ctx context.Context, attempts []audit.Event) (written []audit.Event, err error) {
	defer named(&err, "record refused logins and tokens")
	var logins, tokens []audit.Event
	for _, e := range attempts {
		if e.Name == audit.TokenRefused {
			tokens = append(tokens, e)
		} else {
			logins = append(logins, e)
		}
	}
	slices.SortFunc(logins, func(x, y audit.Event) int { return cmp.Or(x.At.Compare(y.At), strings.Compare(x.UserName, y.UserName)) })
	err = pgx.BeginFunc(ctx, a.spare, func(tx pgx.Tx) error {
		if written, err = firstOfHour(ctx, tx, addRefused, logins); err != nil {
			return err
		}
		more, err := firstOfHour(ctx, tx, addRefusedTokens, tokens)
		written = append(written, more...)
		return err
	})
	return written, a.translate(err)
}

// firstOfHour runs one of the statements and returns the events that are new.
func firstOfHour(ctx context.Context, tx pgx.Tx, sql string, attempts []audit.Event) ([]audit.Event, error) {
	if len(attempts) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, sql, auditRows.arrays(attempts)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (audit.Event, error) {
		e, from := audit.Event{}, ""
		err := row.Scan(&e.At, &e.Name, &e.UserName, &from, &e.RequestID, &e.Target, &e.TargetName, &e.Way, &e.Detail, &e.Count)
		e.Address, _ = netip.ParseAddr(from) // none where it is empty
		return e, err
	})
}
