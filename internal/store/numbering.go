package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// Numbering is a connection that gives positions to changes. One process at a time does, the one that holds its lock; the others wait
// to take over. Should two of them believe that they hold it, the newest position decides: whoever expects another one writes nothing.
type Numbering struct {
	conn *pgx.Conn
	s    *Store
}

// Span is a range of ids of changes, both ends included.
type Span struct{ First, Last int64 }

// Numbered is how far the numbering has come.
type Numbered struct {
	Newest int64  // position
	Seen   int64  // the greatest id that has been numbered, or is known to be settled
	Gaps   []Span // the ids below it that have not been numbered and may still be
}

// ErrOvertaken says that another process has given out positions since.
var ErrOvertaken = errors.New("another process has numbered changes meanwhile")

const (
	// positionsChannel is notified of the newest position.
	positionsChannel = "terrier_position"

	// numberedAtOnce is how many changes get positions in one transaction.
	numberedAtOnce = 5_000
)

// A host may vanish without closing the connection. PostgreSQL notices it after these times, and another process gets the lock.
var numberingSettings = []Setting{{"tcp_keepalives_idle", "5"}, {"tcp_keepalives_interval", "2"}, {"tcp_keepalives_count", "3"}}

// OpenNumbering connects. Call Close.
func (s *Store) OpenNumbering(ctx context.Context) (_ *Numbering, err error) {
	defer named(&err, "connect to number changes")
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return nil, s.translate(err)
	}
	n := &Numbering{conn, s}
	if err := send(ctx, conn.PgConn(), numberingSettings); err != nil {
		n.Close()
		return nil, s.translate(err)
	}
	return n, nil
}

// Close ends the connection and so releases the lock.
func (n *Numbering) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = n.conn.Close(ctx) // PostgreSQL notices in any case
}

// Lock reports whether this process is now the one that numbers changes.
func (n *Numbering) Lock(ctx context.Context) (mine bool, err error) {
	defer named(&err, "lock the numbering of changes")
	err = within(ctx, answerTime, func(ctx context.Context) error {
		return n.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", NumberingLock).Scan(&mine)
	})
	return mine, n.s.translate(err)
}

// Numbered reads how far the numbering has come, from what was committed.
func (n *Numbering) Numbered(ctx context.Context) (_ Numbered, err error) {
	defer named(&err, "read which changes have a position")
	var at Numbered
	var settled int64
	err = n.conn.QueryRow(ctx, `
		SELECT newest, settled, greatest(settled, (SELECT max(change_id) FROM extras_position)) FROM extras_sequencer`).
		Scan(&at.Newest, &settled, &at.Seen)
	if err != nil {
		return at, n.s.translate(err)
	}
	rows, err := n.conn.Query(ctx, `
		SELECT before + 1, change_id - 1 FROM (
			SELECT change_id, lag(change_id, 1, $1) OVER (ORDER BY change_id) AS before FROM extras_position WHERE change_id > $1) p
		WHERE change_id > before + 1 ORDER BY 1`, settled)
	if err == nil {
		at.Gaps, err = structs[Span](rows)
	}
	return at, n.s.translate(err)
}

// Drawn returns the greatest id of a change that has been drawn, committed or not.
func (n *Numbering) Drawn(ctx context.Context) (id int64, err error) {
	defer named(&err, "read the last id of changes")
	err = n.conn.QueryRow(ctx, "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM extras_objectchange_id_seq").Scan(&id)
	return id, n.s.translate(err)
}

// Writers returns the transactions that may have drawn the id of a change and are not over. An id is drawn by an INSERT, which has
// locked the table before, until its transaction ends. Transactions that only read, or are in another database, are not among them.
func (n *Numbering) Writers(ctx context.Context) (_ []string, err error) {
	defer named(&err, "list transactions that write changes")
	rows, err := n.conn.Query(ctx, `
		SELECT DISTINCT virtualtransaction FROM pg_locks WHERE locktype = 'relation' AND relation = 'extras_objectchange'::regclass
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND mode = 'RowExclusiveLock' AND granted`)
	if err != nil {
		return nil, n.s.translate(err)
	}
	writers, err := each[string](rows)
	return writers, n.s.translate(err)
}

// numberChanges is one statement and so sees one moment: of two changes to an object it never sees the later one alone. Everything
// hangs on the row of the sequencer, which it locks and which must be as expected. Gaps are read in the order of ids, so that PostgreSQL
// takes the index of ids: it expects much in each, and would read a whole index of the week for it.
var numberChanges = fmt.Sprintf(`
	WITH visible AS MATERIALIZED (
		SELECT id, changed_at FROM (
			(SELECT id, changed_at FROM extras_objectchange WHERE id > $1 ORDER BY id LIMIT %[1]d)
			UNION ALL
			SELECT c.id, c.changed_at FROM unnest($2::bigint[], $3::bigint[]) AS gap(first, last)
			CROSS JOIN LATERAL (SELECT id, changed_at FROM extras_objectchange c WHERE c.id BETWEEN gap.first AND gap.last
				ORDER BY id LIMIT %[1]d) c) found
		ORDER BY id LIMIT %[1]d),
	mine AS (
		UPDATE extras_sequencer SET newest = newest + (SELECT count(*) FROM visible), settled = $4
		WHERE newest = $5 AND EXISTS (SELECT FROM visible) RETURNING newest),
	numbered AS (
		INSERT INTO extras_position (position, change_id, changed_at)
		SELECT $5 + row_number() OVER (ORDER BY v.id), v.id, v.changed_at FROM visible v CROSS JOIN mine
		RETURNING change_id)
	SELECT coalesce((SELECT array_agg(change_id ORDER BY change_id) FROM numbered), '{}'), EXISTS (SELECT FROM visible),
		(SELECT pg_notify('%[2]s', newest::text) FROM mine)::text`, numberedAtOnce, positionsChannel)

// Number gives positions to changes that have become visible: those after the greatest id that was seen, and those in the gaps. They
// get them in the order of their ids. All before settled must be numbered already, or never be. It returns the ids, and whether there
// may be more of them: then those above the last one have not been looked at.
func (n *Numbering) Number(ctx context.Context, at Numbered, settled int64) (ids []int64, more bool, err error) {
	defer named(&err, "number changes")
	first, last := make([]int64, len(at.Gaps)), make([]int64, len(at.Gaps))
	for i, gap := range at.Gaps {
		first[i], last[i] = gap.First, gap.Last
	}
	var found bool
	var notified *string
	err = n.conn.QueryRow(ctx, numberChanges, at.Seen, first, last, settled, at.Newest).Scan(&ids, &found, &notified)
	if err == nil && found && len(ids) == 0 {
		err = ErrOvertaken
	}
	return ids, len(ids) == numberedAtOnce, n.s.translate(err)
}
