package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// Counting is a list of which only the length is wanted.
type Counting struct {
	Type *record.Type
	Query
}

// Counts tells how long lists of one caller are: one round trip, however many.
func (s *Store) Counts(ctx context.Context, lists []Counting) ([]int64, error) {
	counts := make([]int64, len(lists))
	batch := &pgx.Batch{}
	for i, l := range lists {
		w := &where{}
		w.scope(l.Scope, l.Type)
		w.filters(l.Where, l.Type)
		statement := countStatement(l.Type, quote(l.Type.Table()), w)
		batch.Queue(statement.sql, statement.args...).QueryRow(func(row pgx.Row) error { return row.Scan(&counts[i]) })
	}
	if batch.Len() == 0 {
		return counts, nil
	}
	return counts, s.translate(s.list(ctx, lists[0].Scope, batch))
}
