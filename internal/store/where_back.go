package store

import (
	"fmt"
	"strings"

	"terrier/internal/record"
)

// back follows a step back: it tests the records that refer to this one. Those that pass are looked up first.
func (w *where) back(p record.Predicate, t *record.Type, alias string) string {
	hop := p.Via[0]
	p.Via, p.UnlessAt = p.Via[1:], p.UnlessAt-1
	at := w.next()
	defer func() { w.depth-- }()
	column, is := referring(hop, t, at)
	if hop.Many {
		column = "unnest(" + column + ")"
	}
	return fmt.Sprintf("%s.id IN (SELECT %s FROM %s%s)", alias, column, w.from(p, hop.Target), is)
}

// has accepts a record that others refer to, or one that none refers to. OFFSET keeps PostgreSQL from reading all of the others: it
// looks for one of each record on the page.
func (w *where) has(p record.Predicate, t *record.Type, alias string) string {
	word, join := "EXISTS", " OR "
	if p.Lookup == record.Not {
		word, join = "NOT EXISTS", " AND "
	}
	tests := make([]string, len(p.Has))
	for i, hop := range p.Has {
		at := w.next()
		column, is := referring(hop, t, at)
		refers := fmt.Sprintf("%s = %s.id", column, alias)
		if hop.Many {
			refers = fmt.Sprintf("%s @> ARRAY[%s.id]", column, alias)
		}
		tests[i] = fmt.Sprintf("%s (SELECT FROM %s %s WHERE %s%s%s OFFSET 0)", word, quote(hop.Target.Table()), at, refers, is,
			w.seen(hop.Target, at))
		w.depth--
	}
	return "(" + strings.Join(tests, join) + ")"
}

// referring returns the column in which a record refers to one of type t, and what else must be true of it.
func referring(hop record.Hop, t *record.Type, alias string) (column, is string) {
	field := hop.Target.Field(hop.Name)
	if ref, _ := record.ReferenceOf(field); ref.TypeField != "" {
		is = fmt.Sprintf(" AND %s.%s = '%s'", alias, quote(hop.Target.Field(ref.TypeField).Column().Name), t.Key())
		field = hop.Target.Field(ref.IDField)
	}
	return alias + "." + quote(field.Column().Name), is
}
