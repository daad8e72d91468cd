package store

import (
	"cmp"
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
	Bytes  int // of documents, after which no more changes are read; 0 means MaxPiece
}

// Positioned is a change of the log, with its position.
type Positioned struct {
	Position int64
	Past
}

// FeedPart is what a query found.
type FeedPart struct {
	Positions
	Accounts int64 // their generation, read after the changes
	Changes  []Positioned
	Bytes    int   // of their documents
	Next     int64 // all up to this position that the query asks for are among the changes
	Ended    bool  // before all that it looked at, with as many changes or bytes as were wanted
}

// place is where a change is.
type place struct {
	Position, Change int64
	At               time.Time
}

// Feed reads changes after a position. First it finds out where they are, then it reads them by their keys, so that only their weeks
// are opened, however many there are. Changes that are dropped meanwhile are missing in the answer, but then its oldest position is
// after them.
func (s *Store) Feed(ctx context.Context, q FeedQuery) (_ FeedPart, err error) {
	defer named(&err, "read the change feed after position %d", q.After)
	return s.feed(ctx, q, func(batch *pgx.Batch) error { return s.list(ctx, q.Scope, batch) })
}

// feed reads changes by two batches of statements.
func (s *Store) feed(ctx context.Context, q FeedQuery, send func(*pgx.Batch) error) (FeedPart, error) {
	q.Bytes = cmp.Or(q.Bytes, MaxPiece)
	var part FeedPart
	batch := &pgx.Batch{}
	prove(ctx, batch)
	where := s.places(batch, q, &part)
	if err := send(batch); err != nil {
		return part, s.translate(err)
	}
	places := where.Get()
	part.reach(places, q.Among)
	if len(places) == 0 {
		return part, nil
	}
	w := s.samplesWhere(Query{Scope: q.Scope, Where: q.Where})
	batch = &pgx.Batch{}
	sql := positionedSQL(w, places, q)
	found := promiseIn(batch, sql, w.args, func(rows pgx.Rows) ([]Positioned, error) {
		return pgx.CollectRows(rows, scanPositioned)
	})
	batch.Queue("SELECT oldest, (SELECT n FROM users_generation) FROM extras_sequencer").QueryRow(func(row pgx.Row) error {
		return row.Scan(&part.Oldest, &part.Accounts)
	})
	if err := send(batch); err != nil {
		return part, s.translate(err)
	}
	part.Changes = found.Get()
	for _, c := range part.Changes {
		part.Bytes += c.Bytes()
	}
	if n := len(part.Changes); n == q.Limit || part.Bytes >= q.Bytes {
		part.Next, part.Ended = part.Changes[n-1].Position, true
	}
	return part, nil
}

// Bytes returns how long the documents of a change are.
func (p Positioned) Bytes() int { return len(p.Data) + len(p.Prechange) + len(p.Postchange) }

// places asks for the newest position and for the next places.
func (s *Store) places(batch *pgx.Batch, q FeedQuery, part *FeedPart) *Promise[[]place] {
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
	return promiseIn(batch, fmt.Sprintf("%s ORDER BY position LIMIT %d", sql, q.Among), args, structs[place])
}

// reach notes how far the places lead.
func (part *FeedPart) reach(places []place, among int) {
	part.Next = part.Newest
	if n := len(places); n > 0 && (n == among || places[n-1].Position > part.Newest) {
		part.Next = places[n-1].Position
	}
	part.Newest = max(part.Newest, part.Next)
}

// among reads changes at their places, as t, and x has their positions.
func (w *where) among(places []place) string {
	n := len(places)
	at, ids, times := make([]int64, n), make([]int64, n), make([]time.Time, n)
	for i, p := range places {
		at[i], ids[i], times[i] = p.Position, p.Change, p.At
	}
	from, till := w.arg(slices.MinFunc(times, time.Time.Compare)), w.arg(slices.MaxFunc(times, time.Time.Compare))
	return fmt.Sprintf(`unnest(%s::bigint[], %s::bigint[], %s::timestamptz[]) AS x(position, id, at)
		CROSS JOIN LATERAL (SELECT * FROM extras_objectchange c
			WHERE c.id = x.id AND c.changed_at = x.at AND c.changed_at >= %s AND c.changed_at <= %s LIMIT 1) t%s`,
		w.arg(at), w.arg(ids), w.arg(times), from, till, w)
}

// positionedSQL reads changes at their places, up to as many bytes as are wanted.
func positionedSQL(w *where, places []place, q FeedQuery) string {
	cut := fmt.Sprintf("SELECT t.*, x.position FROM %s ORDER BY x.position LIMIT %d", w.among(places), q.Limit)
	const order = " ORDER BY t.position"
	return fmt.Sprintf(`SELECT t.position, t.id, t.changed_at, t.action, t.object_type, t.object_id, t.version, t.user_name,
		t.request_id::text, t.data, t.prechange, t.postchange FROM (%s) t%s`, upToBytes(cut, order, q.Bytes), order)
}

func scanPositioned(row pgx.CollectableRow) (p Positioned, err error) {
	err = row.Scan(&p.Position, &p.ID, &p.At, &p.Action, &p.ObjectType, &p.ObjectID, &p.Version, &p.UserName, &p.RequestID,
		&p.Data, &p.Prechange, &p.Postchange)
	return p, err
}
