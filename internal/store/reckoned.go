package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// mostReckoned is how many records numbers are worked out for to test them.
const mostReckoned = CountCap

// looked does what must be done before a list is read: it looks up what a search finds, and what passes the tests of numbers that are
// worked out for each record. The query that it returns is left to be tested.
func (s *Store) looked(ctx context.Context, t *record.Type, q Query) (Query, hits, error) {
	tests, rest := []record.Predicate(nil), []record.Predicate(nil)
	for _, p := range q.Where {
		if isReckoned(p) {
			tests = append(tests, p)
		} else {
			rest = append(rest, p)
		}
	}
	if tests == nil {
		h, err := s.findHits(ctx, t, q)
		return q, h, err
	}
	q.Where = rest
	x := s.reckonStatement(t, q, tests)
	var left int
	h := hits{looked: true}
	batch := &pgx.Batch{}
	prove(ctx, batch)
	batch.Queue(x.sql, x.args...).QueryRow(func(row pgx.Row) error { return row.Scan(&left, &h.ids) })
	if err := s.list(ctx, q.Scope, batch); err != nil {
		return q, hits{}, err
	}
	if left > mostReckoned {
		return q, hits{}, tooManyToReckon(tests[0])
	}
	return q, h, nil
}

// reckonStatement reads how many records the other tests of a list leave, and the ids of those that pass these. If there are too many,
// no number is worked out.
func (s *Store) reckonStatement(t *record.Type, q Query, tests []record.Predicate) statement {
	w := &where{}
	w.scope(q.Scope, t)
	w.filters(q.Where, t)
	if q.Search != "" {
		s.hits(w, t, q.Search)
	}
	rest := fmt.Sprintf("SELECT t.* FROM %s t%s LIMIT %d", quote(t.Table()), w, mostReckoned+1)
	w.parts = []string{fmt.Sprintf("(SELECT n FROM many) <= %d", mostReckoned)}
	w.filters(tests, t)
	return statement{fmt.Sprintf("WITH rest AS MATERIALIZED (%s), many AS MATERIALIZED (SELECT count(*) AS n FROM rest) "+
		"SELECT (SELECT n FROM many), ARRAY(SELECT t.id FROM rest t%s)", rest, w), w.args}
}

func isReckoned(p record.Predicate) bool {
	_, ok := p.Field.(record.Reckoned)
	return ok
}

func tooManyToReckon(p record.Predicate) error {
	name := record.FilterNameOf(p.Field)
	return fault.Field(name, "The other filters leave more than %d records, too many to work out %s for each. Narrow the list by %s.",
		mostReckoned, name, p.Field.(record.Reckoned).NarrowBy())
}

// reckoned is the number that a test compares, of the record under an alias.
func reckoned(f record.Field, t *record.Type, alias string) string {
	s := &selector{t: t, alias: alias}
	s.compile(f)
	return s.part.exprs[0]
}
