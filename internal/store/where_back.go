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

// above accepts a record of a tree if it passes the rest of the test, or one below it does.
func (w *where) above(p record.Predicate, alias string) string {
	tree := p.Via[0].Target
	p.Via, p.UnlessAt = p.Via[1:], p.UnlessAt-1
	at := w.next()
	defer func() { w.depth-- }()
	return fmt.Sprintf("%s.id IN (WITH RECURSIVE u AS (SELECT %s.id, %[2]s.parent_id FROM %[3]s UNION SELECT c.id, c.parent_id FROM %[4]s c "+
		"JOIN u ON c.id = u.parent_id%[5]s) SELECT id FROM u)", alias, at, w.from(p, tree), quote(tree.Table()), w.seen(tree, "c"))
}

// exists tests whether there is a record with one of the ids, which the caller may see.
func (w *where) exists(p record.Predicate) string {
	at := w.next()
	defer func() { w.depth-- }()
	return fmt.Sprintf("EXISTS (SELECT FROM %s %s WHERE %[2]s.id = ANY(%[3]s)%[4]s)", quote(p.Exists.Table()), at,
		w.array(record.StoreInt, p.Values), w.seen(p.Exists, at))
}

// inSubnet accepts a record whose address is in the subnet of one of others, with the same reference.
func (w *where) inSubnet(p record.Predicate, t *record.Type, alias string) string {
	at := w.next()
	defer func() { w.depth-- }()
	c, beside := p.Field.Column(), quote(p.Subnet.Column().Name)
	return fmt.Sprintf("EXISTS (SELECT FROM %s %s WHERE %[2]s.id = ANY(%[3]s) AND %[4]s.%[5]s <<= network(%[2]s.%[6]s) AND "+
		"%[4]s.%[7]s IS NOT DISTINCT FROM %[2]s.%[7]s%[8]s)",
		quote(t.Table()), at, w.array(record.StoreInt, p.Values), alias, quote(c.Key.Name), quote(c.Name), beside, w.seen(t, at))
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
