package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Positions are the newest position of a change, 0 if there is none yet, and the oldest one that is kept: one more than the newest if
// none is.
type Positions struct{ Newest, Oldest int64 }

const selectPositions = "SELECT newest, oldest FROM extras_sequencer"

// Positions reads them.
func (s *Store) Positions(ctx context.Context) (_ Positions, err error) {
	defer named(&err, "read the positions of the change feed")
	rows, err := s.pool.Query(ctx, selectPositions)
	if err != nil {
		return Positions{}, s.translate(err)
	}
	at, err := positions(rows)
	return at, s.translate(err)
}

// Positions reads them as they were at the moment that the transaction sees. Every change up to the newest position is part of what it
// sees. A change after it may be part of it too, if it has no position yet.
func (tx *Tx) Positions() *Promise[Positions] { return promise(tx, selectPositions, nil, positions) }

func positions(rows pgx.Rows) (Positions, error) {
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Positions])
}

// feedLag is the newest position, and how old the first change after it is that has been committed and not numbered.
const feedLag = `newest, coalesce((SELECT greatest(now() - changed_at, '0') FROM extras_objectchange
	WHERE id > greatest(settled, (SELECT max(change_id) FROM extras_position)) ORDER BY id LIMIT 1), '0')`

// Feed returns the newest position, and how old the first change after it is that has been committed and not numbered.
func (w Watcher) Feed(ctx context.Context) (newest int64, lag time.Duration, err error) {
	defer named(&err, "read how far the change feed is")
	err = w.s.spare.QueryRow(ctx, "SELECT "+feedLag+" FROM extras_sequencer").Scan(&newest, &lag)
	return newest, lag, w.s.translate(err)
}

// Feed returns the same, and the connection that numbers changes: its process id in PostgreSQL, 0 if there is none.
func (i *Inspector) Feed(ctx context.Context) (newest int64, lag time.Duration, pid int, err error) {
	defer named(&err, "read how far the change feed is")
	err = i.row(ctx, []any{&newest, &lag, &pid}, "SELECT "+feedLag+`, coalesce((SELECT pid FROM pg_locks
		WHERE locktype = 'advisory' AND classid = 0 AND objid = $1 AND objsubid = 1 AND granted
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())), 0) FROM extras_sequencer`, NumberingLock)
	return newest, lag, pid, err
}
