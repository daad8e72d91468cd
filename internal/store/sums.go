package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
)

// Sums returns totals of a record, in one statement. A sum is nil if there is nothing to add up. The scope says whose turn it takes: the
// caller has read the record already.
func (s *Store) Sums(ctx context.Context, scope access.Scope, v record.Values, totals []record.Total) (_ []*float64, err error) {
	defer named(&err, "sum up what %s has", v.Type())
	if len(totals) == 0 {
		return nil, nil
	}
	sums, exprs, into := make([]*float64, len(totals)), make([]string, len(totals)), make([]any, len(totals))
	for i, total := range totals {
		parts := make([]string, len(total.Parts()))
		for n, part := range total.Parts() {
			parts[n] = sumOf(v.Type(), part)
		}
		exprs[i], into[i] = fmt.Sprintf("(SELECT sum(n)::float8 FROM (%s) x (n))", strings.Join(parts, " UNION ALL ")), &sums[i]
	}
	batch := &pgx.Batch{}
	batch.Queue("SELECT "+strings.Join(exprs, ", "), v.ID()).QueryRow(func(row pgx.Row) error { return row.Scan(into...) })
	return sums, s.translate(s.list(ctx, scope, batch))
}

// sumOf adds up the measures at the end of a path that begins at the record $1.
func sumOf(t *record.Type, part record.TotalPart) string {
	from, at := quote(t.Table())+" t0", "t0"
	for i, hop := range part.Via {
		next := fmt.Sprintf("t%d", i+1)
		from += " JOIN " + quote(hop.Target.Table()) + " " + next
		if hop.Back {
			from += fmt.Sprintf(" ON %s.%s = %s.id", next, quote(hop.Target.Field(hop.Name).Column().Name), at)
		} else {
			from += fmt.Sprintf(" ON %s.id = %s.%s", next, at, quote(t.Field(hop.Name).Column().Name))
		}
		at, t = next, hop.Target
	}
	return fmt.Sprintf("SELECT sum(%s.%s) FROM %s WHERE t0.id = $1", at, quote(part.Field.Column().Key.Name), from)
}
