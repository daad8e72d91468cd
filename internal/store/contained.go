package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"terrier/internal/record"
)

// A filter by a part of a text, such as name__ic, reads records in the order of the list until the page is full: all of them where few have
// the text. If the field is one that a search looks into, and each value has a trigram, the index of the search finds them instead.
// This costs one round trip more. If more than mostHits have a value, or the index needs longer than lookupTime, the list is read in its
// order. The index is slow where it leads to long texts, because PostgreSQL reads each of them to compare. After such a lookup there are
// none in the type for lookupPause.

const (
	lookupTime  = 250 * time.Millisecond
	lookupPause = time.Minute
)

// lookups by a part of a text.
var partLookups = []record.Lookup{record.Contains, record.Starts, record.Ends}

// isSearched reports whether a test compares a part of a text that a search looks into. It folds letters as the search does, so that the
// index has all that pass.
func isSearched(p record.Predicate, t *record.Type) bool {
	return slices.Contains(partLookups, p.Lookup) && p.Field != nil && p.Custom == "" && len(p.Via) == 0 &&
		slices.Contains(t.SearchFields(), p.Field)
}

// containedIn returns the values of the first test whose records the index of a type finds; nil if there is none.
func (s *Store) containedIn(t *record.Type, tests []record.Predicate) []any {
	if !t.SearchIndexed() {
		return nil
	}
	for _, p := range tests {
		if isSearched(p, t) && len(p.Values) > 0 && every(p.Values, func(v any) bool { return s.hasTrigram(v.(string)) }) {
			return p.Values
		}
	}
	return nil
}

// findContained looks up what passes the filters of a list, if the index finds few enough. Otherwise it returns no hits.
func (s *Store) findContained(ctx context.Context, t *record.Type, q Query) (h hits, err error) {
	values, pausedUntil := s.containedIn(t, q.Where), &s.plans[t].noLookupsUntil
	if time.Now().UnixNano() < pausedUntil.Load() {
		return h, nil
	}
	total, err := q.known()
	if values == nil || err == nil && (total.Count > mostHits || q.Cursor != "" && !total.Counted) {
		return h, nil // the rest of the list is read in its order, once for all pages together
	}
	x := s.containedStatement(t, q, values)
	batch := &pgx.Batch{}
	prove(ctx, batch)
	batch.Queue("SELECT set_config('statement_timeout', $1, true)", strconv.FormatInt(lookupTime.Milliseconds(), 10))
	batch.Queue(x.sql, x.args...).QueryRow(func(row pgx.Row) error { return row.Scan(&h.looked, &h.ids) })
	err = s.list(ctx, q.Scope, batch)
	if canceled, ok := errors.AsType[*pgconn.PgError](err); ok && canceled.Code == queryCanceled {
		pausedUntil.Store(time.Now().Add(lookupPause).UnixNano())
		return hits{}, nil
	}
	if err != nil || !h.looked {
		return hits{}, err
	}
	return h, nil
}

// containedStatement reads whether there is an index that finds few records for the values, and the ids of those that pass all filters.
// The index is read value by value, because PostgreSQL expects too many for all values together to read it.
func (s *Store) containedStatement(t *record.Type, q Query, values []any) statement {
	w := &where{}
	index := fmt.Sprintf("EXISTS (SELECT FROM pg_index i WHERE i.indexrelid = to_regclass(%s) AND i.indisvalid)",
		quoteText(quote(searchIndexName(t))))
	with := fmt.Sprintf("found AS MATERIALIZED (SELECT x.id FROM unnest(%s::text[]) p (pattern) CROSS JOIN LATERAL (SELECT o.id FROM %s o "+
		"WHERE %s LIKE %s OFFSET 0) x WHERE %s LIMIT %d), few AS MATERIALIZED (SELECT count(*) <= %d AND %[5]s AS are FROM found)",
		w.arg(patterns(record.Contains, values)), quote(t.Table()), joinedTexts(t, "o."), folded("p.pattern"), index, mostHits+1, mostHits)
	w.scope(q.Scope, t)
	w.filters(q.Where, t)
	w.and("(SELECT are FROM few)")
	return statement{fmt.Sprintf("WITH %s SELECT (SELECT are FROM few), ARRAY(SELECT t.id FROM (SELECT t.* FROM %s t "+
		"WHERE t.id = ANY(ARRAY(SELECT id FROM found)) OFFSET 0) t%s)", with, quote(t.Table()), w), w.args}
}
