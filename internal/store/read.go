package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// querier is a pool or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Lock is how rows are held while a change set is written.
type Lock string

const (
	NoLock    Lock = ""
	LockKeep  Lock = " FOR KEY SHARE OF t"     // it must not be deleted while we refer to it
	LockWrite Lock = " FOR NO KEY UPDATE OF t" // we change it
	LockErase Lock = " FOR UPDATE OF t"        // we delete it: waits for everyone who refers to it
)

// Get reads one record.
func (s *Store) Get(ctx context.Context, t *record.Type, scope access.Scope, id int64) (record.Values, error) {
	rows, err := s.find(ctx, s.pool, t, scope, []record.Predicate{{Values: []any{id}}}, 1, NoLock)
	if err != nil {
		return record.Values{}, err
	}
	if len(rows) == 0 {
		return record.Values{}, fault.ErrNotFound
	}
	return rows[0], nil
}

// Find reads at most limit records that pass every test, in the order of their ids. All
// locks are taken in that order, so that two change sets don't wait for each other.
func (tx *Tx) Find(ctx context.Context, t *record.Type, scope access.Scope, tests []record.Predicate, limit int, lock Lock) ([]record.Values, error) {
	return tx.s.find(ctx, tx.tx, t, scope, tests, limit, lock)
}

// Load reads the records with these ids.
func (tx *Tx) Load(ctx context.Context, t *record.Type, scope access.Scope, ids []int64, lock Lock) ([]record.Values, error) {
	return tx.Find(ctx, t, scope, []record.Predicate{{Values: anyOf(ids)}}, len(ids), lock)
}

func (s *Store) find(ctx context.Context, q querier, t *record.Type, scope access.Scope, tests []record.Predicate, limit int, lock Lock) ([]record.Values, error) {
	w := &where{}
	w.scope(scope, t)
	for _, p := range tests {
		w.and(w.predicate(p, t, "t"))
	}
	p := s.plans[t]
	sql := fmt.Sprintf("SELECT %s FROM %s t%s%s ORDER BY t.id LIMIT %s%s", p.columns, quote(t.Table()), p.joins, w, w.arg(limit), lock)
	rows, err := q.Query(ctx, sql, w.args...)
	if err != nil {
		return nil, translate(t, err)
	}
	found, err := p.scan(rows)
	return found, translate(t, err)
}

// Inside counts how many of the records lie in a scope.
func (tx *Tx) Inside(ctx context.Context, t *record.Type, scope access.Scope, ids []int64) (int, error) {
	w := &where{}
	w.scope(scope, t)
	w.and("t.id = ANY(" + w.arg(ids) + ")")
	var n int
	err := tx.tx.QueryRow(ctx, "SELECT count(*) FROM "+quote(t.Table())+" t"+w.String(), w.args...).Scan(&n)
	return n, translate(t, err)
}

// CustomFields reads the definitions that apply to a type.
func (s *Store) CustomFields(ctx context.Context, t *record.Type) ([]*record.Custom, error) {
	return s.customFields(ctx, s.pool, t)
}

// CustomFields reads the definitions that apply to a type.
func (tx *Tx) CustomFields(ctx context.Context, t *record.Type) ([]*record.Custom, error) {
	return tx.s.customFields(ctx, tx.tx, t)
}

// CustomFieldType is the type whose records define custom fields.
const CustomFieldType = "extras.customfield"

// No type has more custom fields than this; a form with more would be unusable.
const maxCustomFields = 1000

func (s *Store) customFields(ctx context.Context, q querier, t *record.Type) ([]*record.Custom, error) {
	def := s.reg.Type(CustomFieldType)
	rows, err := s.find(ctx, q, def, access.Machine(), []record.Predicate{{Field: def.Field("content_types"), Values: []any{t.Key()}}}, maxCustomFields, NoLock)
	if err != nil {
		return nil, err
	}
	defs := make([]*record.Custom, 0, len(rows))
	for _, v := range rows {
		c, err := record.CustomDefinition(v)
		if err != nil {
			return nil, fmt.Errorf("custom field %s: %w", v.Text("name"), err)
		}
		defs = append(defs, c)
	}
	return defs, nil
}

func anyOf[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}
