// Package fill owns samples: it fills the table of any record type with rows made from the type's declaration and a seed. The same seed
// makes the same rows.
//
// Rows keep the rules of single fields, uniqueness, Check and Same, and refer to rows that were filled before. They are written by COPY
// (store.Fill), so there are no changes in the log, and no webhook is notified. Filled users and tokens can't log in. A Recipe makes
// what a measurement or a demo needs besides.
package fill

import (
	"context"
	"fmt"
	"slices"

	"terrier/internal/record"
	"terrier/internal/store"
)

// Generator fills tables.
type Generator struct {
	// Progress, if set, is called now and then, and at the end of each Fill.
	Progress func(t *record.Type, rows, of int)

	Seed   uint64
	store  *store.Store
	filled map[*record.Type][]batch
}

// batch is the rows of one call of Fill.
type batch struct {
	first int64 // id
	rows  int
	make  *maker
}

// New returns a Generator for the tables of a store. The seed decides what the rows hold.
func New(s *store.Store, seed uint64) *Generator {
	return &Generator{Seed: seed, store: s, filled: map[*record.Type][]batch{}}
}

// Recipe makes the values of some fields, by name, in place of the Generator. A value is what a client would send: a text, a number as a
// text, nil for null.
type Recipe map[string]func(Row) any

// shownEach is how many rows there are between two calls of Progress.
const shownEach = 10_000

// Fill adds n rows of a type. Records that they must refer to have to be filled before.
func (g *Generator) Fill(ctx context.Context, t *record.Type, n int, recipe Recipe) error {
	m, err := g.newMaker(t, n, recipe)
	if err != nil {
		return fmt.Errorf("fill %s: %w", t.Key(), err)
	}
	first, err := g.store.Fill(ctx, t, n, func(i int, id int64) (record.Values, error) {
		if g.Progress != nil && i > 0 && i%shownEach == 0 {
			g.Progress(t, i, n)
		}
		m.first = id - int64(i)
		return m.row(i)
	})
	if err != nil {
		return err
	}
	if g.Progress != nil {
		g.Progress(t, n, n)
	}
	g.filled[t] = append(g.filled[t], batch{first, n, m})
	return nil
}

// rows returns how many rows of a type were filled.
func (g *Generator) rows(t *record.Type) (n int) {
	for _, b := range g.filled[t] {
		n += b.rows
	}
	return n
}

// id returns the id of the i-th filled row of a type.
func (g *Generator) id(t *record.Type, i int) int64 {
	for _, b := range g.filled[t] {
		if i < b.rows {
			return b.first + int64(i)
		}
		i -= b.rows
	}
	panic(fmt.Sprintf("fill: %s has no row %d", t.Key(), i))
}

// Ordered returns the types in an order in which they can be filled: each after those that its records must refer to, and, unless there is
// a circle, after those that they may refer to. Types that only Terrier itself writes are left out.
func Ordered(types []*record.Type) (order []*record.Type) {
	left := slices.DeleteFunc(slices.Clone(types), func(t *record.Type) bool { return t.ReadOnly })
	for len(left) > 0 {
		i := slices.IndexFunc(left, func(t *record.Type) bool { return !waits(t, left, false) })
		if i < 0 {
			i = max(0, slices.IndexFunc(left, func(t *record.Type) bool { return !waits(t, left, true) }))
		}
		order, left = append(order, left[i]), slices.Delete(left, i, i+1)
	}
	return order
}

// waits reports whether records of a type refer, or must refer, to those of another type that is left.
func waits(t *record.Type, left []*record.Type, must bool) bool {
	return slices.ContainsFunc(t.References(), func(ref record.ReferenceField) bool {
		if must && t.Infos()[ref.Written[0]].Null {
			return false
		}
		return slices.ContainsFunc(ref.Types(), func(target *record.Type) bool { return target != t && slices.Contains(left, target) })
	})
}
