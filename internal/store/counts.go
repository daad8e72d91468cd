package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/record"
)

// Counting is a list of which only the length is needed, up to the limit if it has one.
type Counting struct {
	Type *record.Type
	Query
}

// mostArguments is how many values one statement of Counts has before the next begins. PostgreSQL accepts 65,535.
const mostArguments = 10_000

// Counts returns the lengths of lists of one caller: two statements in one round trip, however many lists. A list
// without filters is the sum of a few rows per type; all others are counted together.
func (s *Store) Counts(ctx context.Context, lists []Counting) (_ []int64, err error) {
	defer named(&err, "count the records of lists")
	counts := make([]int64, len(lists))
	batch := &pgx.Batch{}
	read := func(rows pgx.Rows) error {
		var i int
		var n int64
		_, err := pgx.ForEachRow(rows, []any{&i, &n}, func() error {
			counts[i] = n
			return nil
		})
		return err
	}
	var whole []string // the types of unfiltered lists, "" for others
	w, counted := &where{}, []string(nil)
	count := func() {
		if len(counted) > 0 {
			batch.Queue(strings.Join(counted, " UNION ALL "), w.args...).Query(read)
			w, counted = &where{}, nil
		}
	}
	for i, l := range lists {
		from := w.list(l.Type, l.Query, hits{})
		if len(w.parts) == 0 {
			whole = append(whole, l.Type.Key())
			continue
		}
		whole = append(whole, "")
		if l.Limit > 0 {
			counted = append(counted, fmt.Sprintf("SELECT %d, count(*) FROM (SELECT FROM %s t%s LIMIT %d) t", i, from, w, l.Limit))
		} else {
			counted = append(counted, fmt.Sprintf("SELECT %d, count(*) FROM %s t%s", i, from, w))
		}
		if w.parts = nil; len(w.args) > mostArguments {
			count()
		}
	}
	count()
	if strings.Join(whole, "") != "" {
		batch.Queue(`SELECT l.i::int - 1, sum(c.n)::bigint FROM unnest($1::text[]) WITH ORDINALITY l (type, i) JOIN record_count c ON `+
			`c.type = l.type GROUP BY 1`, whole).Query(read)
	}
	if batch.Len() == 0 {
		return counts, nil
	}
	return counts, s.translate(s.list(ctx, lists[0].Scope, batch))
}
