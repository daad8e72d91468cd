package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
)

// KeyQuery asks which of some texts name a record of a type in a field.
type KeyQuery struct {
	Type  *record.Type
	Field record.Field
	Texts []string
}

// MissingKeys returns the texts of each query that name no record in the scope of its type, in one round trip. A record outside the
// scope is missing too.
func (s *Store) MissingKeys(ctx context.Context, queries []KeyQuery, scopes []access.Scope) (_ [][]string, err error) {
	defer named(&err, "look up the names in filters")
	batch := &pgx.Batch{}
	prove(ctx, batch)
	missing := make([]*Promise[[]string], len(queries))
	for i, q := range queries {
		w := &where{}
		expr := "t." + quote(q.Field.Column().Name)
		if beginsOrder(q.Type, q.Field) { // as its index has it
			expr = orNull(expr, lastText)
		}
		texts := w.arg(q.Texts)
		w.and(expr + " = k.text")
		w.scope(scopes[i], q.Type)
		missing[i] = promiseIn(batch, fmt.Sprintf("SELECT k.text FROM unnest(%s::text[]) k (text) WHERE NOT EXISTS (SELECT FROM %s t%s)",
			texts, quote(q.Type.Table()), w), w.args, each[string])
	}
	if err := s.list(ctx, scopes[0], batch); err != nil {
		return nil, s.translate(err)
	}
	out := make([][]string, len(queries))
	for i, m := range missing {
		out[i] = m.Get()
	}
	return out, nil
}
