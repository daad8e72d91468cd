package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
)

// ChangeFilter tells which changes a scope contains. Scopes of different callers that mean the same have filters with the same key.
type ChangeFilter struct {
	Key   string
	where *where
}

// ChangeFilter compiles a scope of the change log.
func (s *Store) ChangeFilter(scope access.Scope) *ChangeFilter {
	w := s.samplesWhere(Query{Scope: scope})
	return &ChangeFilter{fmt.Sprintf("%s %#v", w, w.args), w}
}

// Filter returns the positions of those changes that a filter lets pass. Many readers wait for it, so it takes a turn of Terrier's own:
// the lists of one of them must not delay the others.
func (s *Store) Filter(ctx context.Context, f *ChangeFilter, changes []Positioned) (_ []int64, err error) {
	defer named(&err, "filter changes of the feed")
	places := make([]place, len(changes))
	for i, c := range changes {
		places[i] = place{c.Position, c.ID, c.At}
	}
	w := &where{args: slices.Clone(f.where.args), parts: f.where.parts}
	batch := &pgx.Batch{}
	sql := "SELECT x.position FROM " + w.among(places)
	passed := promiseIn(batch, sql, w.args, each[int64])
	if err := s.translate(s.list(ctx, access.Machine(), batch)); err != nil {
		return nil, err
	}
	return passed.Get(), nil
}
