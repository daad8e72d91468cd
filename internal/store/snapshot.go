package store

import (
	"context"
	"fmt"
	"slices"

	"terrier/internal/access"
	"terrier/internal/lasting"
	"terrier/internal/record"
)

// snapshotConnections is how many snapshots are read at once. Each holds a transaction open as long as its client reads, during
// which PostgreSQL cleans up nothing that has changed since. So the client must not read slowly (lasting.PacedWriter). A caller has one
// of them at a time.
const snapshotConnections = 2

// Snapshot reads all records of a type in a scope, as they are at one moment. It first calls begin with the position of that moment:
// every change up to it is in the records. It then calls each with every record, in no particular order, of which only what the change
// log keeps is read. One record at a time is in memory. It waits for its turn as long as ctx lasts, and reads as long as an answer may.
func (s *Store) Snapshot(ctx context.Context, t *record.Type, scope access.Scope, begin func(position int64) error,
	each func(record.Values) error) (err error) {
	defer named(&err, "snapshot of %s", t)
	done, err := s.snapshotReads.Acquire(ctx, scope.By(), 1)
	if err != nil {
		return err
	}
	defer done()
	ctx, cancel := lasting.Context(ctx, lasting.Time)
	defer cancel()
	return s.translate(s.run(ctx, s.snapshots, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", func(tx *Tx) error {
		tx.reading = true
		// The time of the statement is that of the client who reads.
		tx.exec(fmt.Sprintf("SET LOCAL statement_timeout = %d", lasting.Time.Milliseconds()))
		positions := tx.Positions()
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		if err := begin(positions.Get().Newest); err != nil {
			return err
		}
		return tx.eachState(ctx, t, scope, each)
	}, (*Tx).leave))
}

// eachState reads what the change log keeps of each record in a scope.
func (tx *Tx) eachState(ctx context.Context, t *record.Type, scope access.Scope, each func(record.Values) error) error {
	w := &where{}
	w.scope(scope, t)
	p := tx.s.plans[t]
	read := newSelection(t, slices.DeleteFunc(slices.Clone(p.parts), func(x part) bool { return !isKept(t, x.field) }))
	rows, err := tx.conn.Query(ctx, fmt.Sprintf("SELECT %s FROM %s t%s%s", read.columns, p.table, read.joins, w), w.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		v, err := read.row(rows.RawValues())
		if err != nil {
			return err
		}
		if err := each(v); err != nil {
			return err
		}
	}
	return rows.Err()
}

// isKept reports whether a field of a record is stored with it, and so kept in the change log.
func isKept(t *record.Type, field int) bool {
	return t.All()[field].Column().Storage != record.NoStorage && !t.Infos()[field].OnRequest
}
