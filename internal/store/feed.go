package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
)

// FeedQuery says which changes to read, in the order of their positions.
type FeedQuery struct {
	Scope  access.Scope
	Where  []record.Predicate // tests of the change log
	Type   string             // with Object: the one record whose changes are read
	Object int64
	After  int64
	Among  int // how many positions are looked at
	Limit  int // how many changes are read
}

// Positioned is a change of the log, with its position.
type Positioned struct {
	Position int64
	Past
}

// FeedPart is what a query found.
type FeedPart struct {
	Positions
	Accounts int64 // their generation, when it was read
	Changes  []Positioned
	Bytes    int   // of their documents
	Next     int64 // all up to this position that the query asks for are among the changes
}

// place is where a change is.
type place struct {
	Position, Change int64
	At               time.Time
}

// Feed reads changes after a position. First it finds out where they are, then it reads them by their keys, so that only their weeks
// are opened, however many there are. Changes that are dropped meanwhile are missing in the answer, but then its oldest position is
// after them.
func (s *Store) Feed(ctx context.Context, q FeedQuery) (FeedPart, error) {
	var part FeedPart
	places, err := s.places(ctx, q, &part)
	if err != nil || len(places) == 0 {
		return part, err
	}
	w := s.samplesWhere(Query{Scope: q.Scope, Where: q.Where})
	batch := &pgx.Batch{}
	found := promiseIn(batch, positionedSQL(w, places, q.Limit), w.args, func(rows pgx.Rows) ([]Positioned, error) {
		return pgx.CollectRows(rows, scanPositioned)
	})
	after := promiseIn(batch, selectPositions, nil, positions)
	if err := s.translate(s.list(ctx, q.Scope, batch)); err != nil {
		return part, err
	}
	part.Changes, part.Oldest = found.Get(), after.Get().Oldest
	for _, c := range part.Changes {
		part.Bytes += len(c.Data) + len(c.Prechange) + len(c.Postchange)
	}
	if n := len(part.Changes); n == q.Limit || part.Bytes >= MaxPiece {
		part.Next = part.Changes[n-1].Position
	}
	return part, nil
}

// places finds the next positions, and says how far they lead.
func (s *Store) places(ctx context.Context, q FeedQuery, part *FeedPart) ([]place, error) {
	batch := &pgx.Batch{}
	prove(ctx, batch)
	// The newest position is read first: whatever has one up to it is found.
	batch.Queue("SELECT newest, oldest, (SELECT n FROM users_generation) FROM extras_sequencer").QueryRow(func(row pgx.Row) error {
		return row.Scan(&part.Newest, &part.Oldest, &part.Accounts)
	})
	sql, args := "SELECT position, change_id, changed_at FROM extras_position WHERE position > $1", []any{q.After}
	if q.Type != "" {
		sql, args = `SELECT p.position, t.id, t.changed_at FROM extras_objectchange t
			CROSS JOIN LATERAL (SELECT position FROM extras_position p WHERE p.change_id = t.id LIMIT 1) p
			WHERE p.position > $1 AND t.object_type = $2 AND t.object_id = $3`, append(args, q.Type, q.Object)
	}
	found := promiseIn(batch, fmt.Sprintf("%s ORDER BY position LIMIT %d", sql, q.Among), args, structs[place])
	if err := s.translate(s.list(ctx, q.Scope, batch)); err != nil {
		return nil, err
	}
	places := found.Get()
	part.Next = part.Newest
	if n := len(places); n > 0 && (n == q.Among || places[n-1].Position > part.Newest) {
		part.Next = places[n-1].Position
	}
	part.Newest = max(part.Newest, part.Next)
	return places, nil
}

// positionedSQL reads changes at their places, up to as many bytes as a page may have.
func positionedSQL(w *where, places []place, limit int) string {
	n := len(places)
	at, ids, times := make([]int64, n), make([]int64, n), make([]time.Time, n)
	for i, p := range places {
		at[i], ids[i], times[i] = p.Position, p.Change, p.At
	}
	from, till := w.arg(slices.MinFunc(times, time.Time.Compare)), w.arg(slices.MaxFunc(times, time.Time.Compare))
	cut := fmt.Sprintf(`SELECT t.*, x.position FROM unnest(%s::bigint[], %s::bigint[], %s::timestamptz[]) AS x(position, id, at)
		CROSS JOIN LATERAL (SELECT * FROM extras_objectchange c
			WHERE c.id = x.id AND c.changed_at = x.at AND c.changed_at >= %s AND c.changed_at <= %s LIMIT 1) t%s
		ORDER BY x.position LIMIT %d`, w.arg(at), w.arg(ids), w.arg(times), from, till, w, limit)
	const order = " ORDER BY t.position"
	return fmt.Sprintf(`SELECT t.position, t.id, t.changed_at, t.action, t.object_type, t.object_id, t.version, t.user_name,
		t.request_id::text, t.data, t.prechange, t.postchange FROM (%s) t%s`, upToBytes(cut, order, MaxPiece), order)
}

func scanPositioned(row pgx.CollectableRow) (p Positioned, err error) {
	err = row.Scan(&p.Position, &p.ID, &p.At, &p.Action, &p.ObjectType, &p.ObjectID, &p.Version, &p.UserName, &p.RequestID,
		&p.Data, &p.Prechange, &p.Postchange)
	return p, err
}
