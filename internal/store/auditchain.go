package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/audit"
)

// Events enter the chain when they no longer change: most after a moment, those that are counted up when their hour is over, and a replay
// on the command line, which may take hours, after a day.
const (
	settledAfter = 5 * time.Second
	hourlyAfter  = 61 * time.Minute
	replayAfter  = 24 * time.Hour
	// chainWindow is how far back events are looked for whose transaction ended late, or which had to wait. It counts from the newest
	// entry: after a long stop, what had to wait then is still found.
	chainWindow = 26 * time.Hour
	chainAtOnce = 1000
)

const eventColumns = `e.id, e.happened_at, e.event, e.user_name, e.address, e.request_id::text, e.target, e.target_name, e.way,
	e.detail, e.times`

// isSettled is true for events that enter the chain; $1 is the time from which the limits count back.
var isSettled = fmt.Sprintf(`e.happened_at < $1::timestamptz - CASE WHEN e.event IN ('%s', '%s') THEN interval '%d s' WHEN e.event = '%s'
	THEN interval '%d s' ELSE interval '%d s' END`, audit.LoginThrottled, audit.TokenRefused, int(hourlyAfter.Seconds()),
	audit.WebhookReplayed, int(replayAfter.Seconds()), int(settledAfter.Seconds()))

func scanEvent(r *audit.Row, more ...any) []any {
	return append(more, &r.ID, &r.At, &r.Name, &r.UserName, &r.From, &r.RequestID, &r.Target, &r.TargetName, &r.Way, &r.Detail, &r.Count)
}

// ChainEvents adds settled events to the chain, in the order of their ids, and returns its head. If another process is doing it, it
// returns ErrElsewhere.
func (s *Store) ChainEvents(ctx context.Context, keys audit.Chainer, now time.Time) (head audit.Link, err error) {
	defer named(&err, "add events to the chain of the audit log")
	for after := int64(0); ; after = head.EventID { // what comes before it and settles now is found by the next call
		added := 0
		err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			if err := lockUpkeep(ctx, tx, AuditChainLock); err != nil {
				return err
			}
			if head, err = chainHead(ctx, tx); err != nil {
				return err
			}
			added, err = extension{keys, now, after}.add(ctx, tx, &head)
			return err
		})
		if err != nil || added < chainAtOnce {
			return head, s.translate(err)
		}
	}
}

// settledEvents are the next events above an id that are to enter the chain.
var settledEvents = `
	SELECT ` + eventColumns + ` FROM extras_auditevent e
	WHERE e.id > greatest($4, (SELECT event_id FROM extras_auditchain
			WHERE chained_at < (SELECT max(chained_at) FROM extras_auditchain) - $2::interval
			ORDER BY chained_at DESC, position DESC LIMIT 1))
		AND ` + isSettled + ` AND NOT EXISTS (SELECT FROM extras_auditchain c WHERE c.event_id = e.id)
		AND e.happened_at >= coalesce((SELECT before FROM extras_auditanchor), '-infinity')
	ORDER BY e.id LIMIT $3`

// extension adds events to the chain: those above an id that have settled.
type extension struct {
	keys  audit.Chainer
	now   time.Time
	after int64
}

// add returns how many it has added, and moves the head on.
func (x extension) add(ctx context.Context, tx pgx.Tx, head *audit.Link) (int, error) {
	rows, err := tx.Query(ctx, settledEvents, x.now, chainWindow, chainAtOnce, x.after)
	if err != nil {
		return 0, err
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (r audit.Row, err error) {
		return r, row.Scan(scanEvent(&r)...)
	})
	if err != nil || len(events) == 0 {
		return 0, err
	}
	var at time.Time // grows with the entries: events are looked for in a window of it
	if err := tx.QueryRow(ctx, "SELECT coalesce(max(chained_at), to_timestamp(0)) FROM extras_auditchain").Scan(&at); err != nil {
		return 0, err
	}
	links := make([][]any, len(events))
	for i, r := range events {
		*head = head.Next(x.keys, r)
		if chained := chainedAt(r, x.now); chained.After(at) {
			at = chained
		}
		links[i] = []any{head.Position, head.EventID, head.At, head.Digest, head.Code, head.KeyID, at}
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"extras_auditchain"},
		[]string{"position", "event_id", "happened_at", "digest", "mac", "key_id", "chained_at"}, pgx.CopyFromRows(links))
	return len(events), err
}

// chainedAt returns when an event entered the chain, for an old one when it did at the latest if a process ran. So the window moves on
// while a long log enters the chain for the first time, and is short afterwards.
func chainedAt(r audit.Row, now time.Time) time.Time {
	if due := r.At.Add(replayAfter); due.Before(now) {
		return due
	}
	return now
}

const linkColumns = "c.position, c.event_id, c.happened_at, c.digest, c.mac, c.key_id"

func scanLink(l *audit.Link) []any {
	return []any{&l.Position, &l.EventID, &l.At, &l.Digest, &l.Code, &l.KeyID}
}

// chainHead returns the newest entry, the anchor if there is none, or the zero Link.
func chainHead(ctx context.Context, db querier) (head audit.Link, err error) {
	err = db.QueryRow(ctx, "SELECT "+linkColumns+" FROM extras_auditchain c ORDER BY position DESC LIMIT 1").Scan(scanLink(&head)...)
	if errors.Is(err, pgx.ErrNoRows) {
		var a audit.Anchor
		a, _, err = chainAnchor(ctx, db)
		head = a.Link
	}
	return head, err
}

func chainAnchor(ctx context.Context, db querier) (a audit.Anchor, is bool, err error) {
	err = db.QueryRow(ctx, "SELECT position, mac, before, key_id, proof FROM extras_auditanchor").
		Scan(&a.Position, &a.Code, &a.Before, &a.KeyID, &a.Proof)
	if errors.Is(err, pgx.ErrNoRows) {
		return a, false, nil
	}
	return a, err == nil, err
}

// AnchorChain removes the oldest entries, up to the first one of an event that is kept, before the events before a time are dropped.
func (s *Store) AnchorChain(ctx context.Context, keys audit.Chainer, before time.Time) (err error) {
	defer named(&err, "anchor the chain of the audit log")
	return s.translate(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := lockUpkeep(ctx, tx, AuditChainLock); err != nil {
			return err
		}
		v := &audit.Verifier{Keys: keys}
		old, anchored, err := chainAnchor(ctx, tx)
		if err == nil && anchored {
			err = v.Begin(old)
		}
		if err == nil {
			err = verifyBefore(ctx, tx, v, before)
		}
		if err != nil || v.Last.Position == old.Position {
			return err
		}
		a := audit.Anchor{Link: v.Last, Before: before}.Signed(keys)
		if _, err = tx.Exec(ctx, `
			INSERT INTO extras_auditanchor (position, mac, before, key_id, proof) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (one) DO UPDATE SET position = $1, mac = $2, before = $3, key_id = $4, proof = $5`,
			a.Position, a.Code, a.Before, a.KeyID, a.Proof); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "DELETE FROM extras_auditchain WHERE position <= $1", a.Position)
		return err
	}))
}

// verifyBefore checks the entries up to the first one of an event that is kept. An anchor is signed only for checked entries:
// otherwise it would prove altered ones.
func verifyBefore(ctx context.Context, tx pgx.Tx, v *audit.Verifier, before time.Time) error {
	v.Before = before
	for {
		rows, err := tx.Query(ctx, "SELECT "+linkColumns+" FROM extras_auditchain c WHERE position > $1 ORDER BY position LIMIT $2",
			v.Last.Position, chainAtOnce)
		if err != nil {
			return err
		}
		links, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l audit.Link, err error) { return l, row.Scan(scanLink(&l)...) })
		if err != nil {
			return err
		}
		for _, l := range links {
			if !l.At.Before(before) {
				return nil
			}
			if err := v.Next(l, nil); err != nil {
				return err
			}
		}
		if len(links) < chainAtOnce {
			return nil
		}
	}
}

// VerifyChain checks the chain from the first entry of an event since a time on, all of it for the zero time, and returns its end and how
// many entries there are. The error is an *audit.AlteredError for the first part that is not as it was written. A head that was kept
// elsewhere, "" for none, must be in the chain.
func (s *Store) VerifyChain(ctx context.Context, keys audit.Chainer, since time.Time, head string) (last audit.Link, n int64, err error) {
	err = pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0"); err != nil { // millions of events take minutes
			return err
		}
		last, n, err = verifyChain(ctx, tx, keys, since, head)
		return err
	})
	if _, is := errors.AsType[*audit.AlteredError](err); !is { // what it looks for is no failure
		err = s.translate(err)
		named(&err, "verify the chain of the audit log")
	}
	return last, n, err
}

func verifyChain(ctx context.Context, tx pgx.Tx, keys audit.Chainer, since time.Time, head string) (audit.Link, int64, error) {
	v := &audit.Verifier{Keys: keys}
	anchor, anchored, err := chainAnchor(ctx, tx)
	if err == nil && anchored {
		err = v.Begin(anchor)
	}
	if err == nil && !since.IsZero() {
		err = tx.QueryRow(ctx, "SELECT "+linkColumns+` FROM extras_auditchain c
			WHERE position < (SELECT min(position) FROM extras_auditchain WHERE happened_at >= $1) ORDER BY position DESC LIMIT 1`, since).
			Scan(scanLink(&v.Last)...)
		if errors.Is(err, pgx.ErrNoRows) {
			err = nil
		}
	}
	if err != nil {
		return v.Last, 0, err
	}
	rows, err := tx.Query(ctx, `
		SELECT e.id IS NOT NULL, `+linkColumns+`, coalesce(e.id, 0), coalesce(e.happened_at, 'epoch'), coalesce(e.event, ''),
			coalesce(e.user_name, ''), coalesce(e.address, ''), coalesce(e.request_id::text, ''), coalesce(e.target, ''),
			coalesce(e.target_name, ''), coalesce(e.way, ''), coalesce(e.detail, ''), coalesce(e.times, 0)
		FROM extras_auditchain c LEFT JOIN extras_auditevent e ON e.id = c.event_id AND e.happened_at = c.happened_at
		WHERE position > $1 ORDER BY position`, v.Last.Position)
	if err != nil {
		return v.Last, 0, err
	}
	defer rows.Close()
	n, seen := int64(0), head == "" || head == v.Last.Head()
	for rows.Next() {
		var l audit.Link
		var row audit.Row
		kept := &row
		there := false
		if err := rows.Scan(append([]any{&there}, scanEvent(&row, scanLink(&l)...)...)...); err != nil {
			return v.Last, n, err
		}
		if !there {
			kept = nil
		}
		if err := v.Next(l, kept); err != nil {
			return v.Last, n, err
		}
		n++
		seen = seen || head == l.Head()
	}
	if err := rows.Err(); err != nil {
		return v.Last, n, err
	}
	if !seen {
		return v.Last, n, &audit.AlteredError{What: fmt.Sprintf(
			"the chain ends at entry %d and does not contain the head %s: its newest entries were cut off", v.Last.Position, head)}
	}
	return v.Last, n, unchained(ctx, tx, v.Last, since)
}

// unchained returns an error if there is an event that should have been in the chain for an hour.
func unchained(ctx context.Context, tx pgx.Tx, last audit.Link, since time.Time) error {
	if last.Position == 0 {
		return nil // no process has run since the upgrade
	}
	var id int64
	var at time.Time
	err := tx.QueryRow(ctx, `
		SELECT e.id, e.happened_at FROM extras_auditevent e
		WHERE `+isSettled+` AND NOT EXISTS (SELECT FROM extras_auditchain c WHERE c.event_id = e.id)
			AND e.happened_at >= greatest($2, coalesce((SELECT before FROM extras_auditanchor), '-infinity'))
			AND e.id < (SELECT max(event_id) FROM extras_auditchain WHERE chained_at < $1)
		ORDER BY e.id LIMIT 1`, time.Now().Add(-time.Hour), since).Scan(&id, &at)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	when := at.UTC().Format(time.RFC3339)
	return &audit.AlteredError{What: fmt.Sprintf("event %d at %s is not in the chain: it was inserted later", id, when)}
}
