package store

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
)

// where builds the condition of one statement. Values are always parameters, and several values of one filter are one
// array parameter, so that there are few different statements.
type where struct {
	args  []any
	parts []string
	depth int
	by    access.Scope // the caller's: filters respect what they may see
	first bool         // a test is looked up before the list is read
}

func (w *where) arg(v any) string {
	w.args = append(w.args, v)
	return "$" + strconv.Itoa(len(w.args))
}

func (w *where) and(cond string) { w.parts = append(w.parts, cond) }

func (w *where) String() string {
	if len(w.parts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.parts, " AND ")
}

// scope limits the statement to what the caller may touch.
func (w *where) scope(s access.Scope, t *record.Type) {
	w.by = s
	if !s.All() {
		w.and(w.within(s, t, "t"))
	}
}

// filters limits the statement to what passes every test.
func (w *where) filters(tests []record.Predicate, t *record.Type) {
	for _, p := range tests {
		w.and(w.predicate(p, t, "t"))
	}
	if t.Copies != nil {
		w.copied(tests, t)
	}
}

// copied also tests the row from which this one copies a field, because that row has the index.
func (w *where) copied(tests []record.Predicate, t *record.Type) {
	of := t.Registry().Type(t.Copies.Of)
	var there []record.Predicate
	narrow := false
	for _, p := range tests {
		if p.Field == nil || p.Lookup != record.Exact {
			continue
		}
		if name, ok := t.Copies.Fields[p.Field.Info().Name]; ok {
			p.Field = of.Field(name)
			there = append(there, p)
			narrow = narrow || p.Field.Column().Storage != record.StoreText // the name of a type matches most of the table
		}
	}
	if !narrow {
		return
	}
	conds := make([]string, len(there))
	for i, p := range there {
		conds[i] = w.predicate(p, of, "o")
	}
	// Looked up first: the planner would rather scan all rows in their order until it meets them.
	w.and(fmt.Sprintf("t.%s = ANY(ARRAY(SELECT o.id FROM %s o WHERE %s))", quote(t.Copies.By), quote(of.Table()),
		strings.Join(conds, " AND ")))
}

// within tests whether a row is in a limited scope.
func (w *where) within(s access.Scope, t *record.Type, alias string) string {
	var parts []string
	for _, part := range s.Parts() {
		alternatives := []string{"FALSE"}
		for _, all := range part {
			conds := []string{"TRUE"}
			for _, p := range all {
				conds = append(conds, w.predicate(p, t, alias))
			}
			alternatives = append(alternatives, "("+strings.Join(conds, " AND ")+")")
		}
		parts = append(parts, "("+strings.Join(alternatives, " OR ")+")")
	}
	return "(" + strings.Join(parts, " AND ") + ")"
}

// value returns a field of the record, or of another record that it belongs to and the caller may see.
func (w *where) value(t *record.Type, name string) string {
	if x := newPart(t, t.Index(name)); x.scoped != nil {
		return x.scoped[0].expr(w, w.by)
	}
	c := t.Field(name).Column()
	return textOfColumn("t."+quote(c.Name), c.Storage)
}

// searched returns what a list is read from: its table or, if a search covers only the newest records, those of them
// that pass the tests so far. They are in the default order, so that a page ends as soon as it is full.
func (w *where) searched(t *record.Type, q string) string {
	if q == "" || t.SearchNewest == 0 {
		return quote(t.Table())
	}
	return w.newestRecords(t, t.SearchNewest)
}

// newestRecords returns the newest records that pass the tests so far.
func (w *where) newestRecords(t *record.Type, n int) string {
	newest := fmt.Sprintf("(SELECT t.* FROM %s t%s ORDER BY t.id DESC LIMIT %d)", quote(t.Table()), w, n)
	w.parts = nil
	return newest
}

// together tests several columns against rows of values.
func (w *where) together(tests []record.Predicate) {
	var columns, arrays []string
	for _, p := range tests {
		c := p.Field.Column()
		columns = append(columns, "t."+quote(c.Name))
		arrays = append(arrays, w.arg(typed(c.Storage, p.Values))+"::"+arrayTypes[c.Storage])
	}
	w.and(fmt.Sprintf("(%s) IN (SELECT * FROM unnest(%s))", strings.Join(columns, ", "), strings.Join(arrays, ", ")))
}

// opposite maps each negative lookup to its positive one.
var opposite = map[record.Lookup]record.Lookup{
	record.Not: record.Exact, record.NotContains: record.Contains, record.NotStarts: record.Starts,
	record.NotEnds: record.Ends, record.NotEqualFold: record.EqualFold,
}

// predicate compiles one test. A record without a value is "not equal" to every value, so a negation negates a test
// that counts null as false.
func (w *where) predicate(p record.Predicate, t *record.Type, alias string) string {
	switch {
	case p.Lookup == record.Always:
		return "TRUE"
	case p.Lookup == record.Never:
		return "FALSE"
	case p.Has != nil:
		return w.has(p, t, alias)
	case p.Exists != nil:
		return w.exists(p)
	case p.Did != nil: // looked up first, through the index of requests
		return fmt.Sprintf("%s.id = ANY(ARRAY(SELECT c.object_id FROM extras_objectchange c WHERE c.request_id = ANY(%s) "+
			"AND c.object_type = '%s' AND c.action = ANY(%s)))", alias, w.array(record.StoreUUID, p.Values), t.Key(), w.arg(p.Did))
	}
	if p.Asker {
		p.Asker, p.Values = false, []any{w.by.By().User}
	}
	if positive, ok := opposite[p.Lookup]; ok {
		p.Lookup = positive
		return "NOT coalesce(" + w.predicate(p, t, alias) + ", FALSE)"
	}
	if p.Unless != nil && p.UnlessAt == 0 {
		unless, none := p.Unless.Column(), "NULL"
		if unless.Storage == record.StoreBool {
			none = "NOT TRUE"
		}
		p.Unless = nil
		return fmt.Sprintf("(%s AND %s.%s IS %s)", w.predicate(p, t, alias), alias, quote(unless.Name), none)
	}
	if p.First {
		w.first = true
		defer func() { w.first = false }()
	}
	if len(p.Via) > 0 {
		return w.through(p, t, alias)
	}
	if len(p.Any) > 0 {
		tests := make([]string, len(p.Any))
		for i, one := range p.Any {
			tests[i] = w.predicate(one, t, alias)
		}
		return "(" + strings.Join(tests, " OR ") + ")"
	}
	if len(p.Every) > 0 {
		tests := make([]string, len(p.Every))
		for i, one := range p.Every {
			tests[i] = w.predicate(one, t, alias)
		}
		return "(" + strings.Join(tests, " AND ") + ")"
	}
	if p.Custom != "" {
		return w.custom(p, alias)
	}
	if p.Subnet != nil {
		return w.inSubnet(p, t, alias)
	}
	if p.Field == nil {
		return w.compare(alias+".id", record.Column{Storage: record.StoreInt}, p)
	}
	if isReckoned(p) {
		return w.compare(reckoned(p.Field, t, alias), record.Column{Storage: record.StoreInt}, p)
	}
	column := p.Field.Column()
	if column.Part == record.Family && !slices.Contains(p.Values, nil) {
		return ofFamily(alias+"."+quote(column.Name), p)
	}
	expr := fmt.Sprintf(partForms[column.Part], alias+"."+quote(column.Name))
	if p.Subtree {
		return w.below(expr, record.TargetOf(p.Field), record.Predicate{Values: p.Values})
	}
	if t.TimedID && column.Name == drawnFrom && len(p.Values) > 0 {
		return "(" + w.compare(expr, column, p) + w.drawn(p, alias) + ")"
	}
	if isSearched(p, t) {
		return fmt.Sprintf("%s LIKE ANY(ARRAY(SELECT %s FROM unnest(%s::text[]) x))", folded(textOfColumn(expr, column.Storage)), folded("x"),
			w.arg(patterns(p.Lookup, p.Values)))
	}
	if column.Key.From == record.HostKey && p.Lookup == record.Exact {
		return w.hosted(alias, column, p)
	}
	isLast := func(v any) bool { return v == nil || v == lastText } // a null text would be equal to both
	if p.Lookup == record.Exact && !slices.ContainsFunc(p.Values, isLast) && beginsOrder(t, p.Field) {
		expr = orNull(expr, lastText)
	}
	if column.LookedUp && p.Lookup == record.Exact && !slices.Contains(p.Values, any("")) { // so that PostgreSQL sees that the index has them
		return fmt.Sprintf("(%s AND %s <> '')", w.compare(expr, column, p), expr)
	}
	return w.compare(expr, column, p)
}

// beginsOrder reports whether the default order begins with a text that may be null. Its index has the null texts last.
func beginsOrder(t *record.Type, f record.Field) bool {
	c := f.Column()
	return c.Null && c.Natural && t.Order[0] == f.Info().Name
}

// through follows a reference and tests the referenced record.
func (w *where) through(p record.Predicate, t *record.Type, alias string) string {
	hop := p.Via[0]
	if hop.Back {
		return w.back(p, t, alias)
	}
	if hop.Up {
		return w.above(p, alias)
	}
	if ref, _ := record.ReferenceOf(t.Field(hop.Name)); ref.TypeField != "" {
		is := fmt.Sprintf("%s.%s = '%s'", alias, quote(t.Field(ref.TypeField).Column().Name), hop.Target.Key())
		return "(" + is + " AND " + w.behind(p, alias+"."+quote(t.Field(ref.IDField).Column().Name)) + ")"
	}
	return w.behind(p, alias+"."+quote(t.Field(hop.Name).Column().Name))
}

// behind tests the record that the first step leads to, or those of a set, whose ids are in a column.
func (w *where) behind(p record.Predicate, column string) string {
	hop := p.Via[0]
	none := column + " IS NULL"
	if hop.Many {
		none = column + " = '{}'"
	}
	inner := p
	inner.Via, inner.First, inner.UnlessAt = p.Via[1:], false, p.UnlessAt-1
	if len(inner.Via) == 0 && record.TargetOf(p.Field) == nil { // what the test says of a reference is about this one
		inner.OrNone, inner.All, inner.Subtree = false, false, false
	} else {
		p.OrNone, p.All, p.Subtree = false, false, false
	}
	if p.OrNone && len(p.Values) == 0 && len(p.Any) == 0 {
		return none
	}
	var cond string
	switch {
	case hop.Many && p.All:
		cond = fmt.Sprintf("%s @> (SELECT array_agg(%s.id) FROM %s HAVING count(*) = %s)", column, w.next(), w.from(inner, hop.Target),
			w.arg(distinct(p.Values)))
		w.depth--
	case hop.Many:
		cond = fmt.Sprintf("%s && ARRAY(SELECT %s.id FROM %s)", column, w.next(), w.from(inner, hop.Target))
		w.depth--
	case p.Subtree:
		cond = w.below(column, hop.Target, inner)
	case p.First: // each of several such tests can then use an index
		cond = fmt.Sprintf("%s = ANY(ARRAY(SELECT %s.id FROM %s))", column, w.next(), w.from(inner, hop.Target))
		w.depth--
	default:
		cond = fmt.Sprintf("%s IN (SELECT %s.id FROM %s)", column, w.next(), w.from(inner, hop.Target))
		w.depth--
	}
	if p.OrNone {
		return "(" + cond + " OR " + none + ")"
	}
	return cond
}

// next names the alias of a nested select.
func (w *where) next() string {
	w.depth++
	return fmt.Sprintf("v%d", w.depth)
}

func (w *where) from(p record.Predicate, t *record.Type) string {
	alias := fmt.Sprintf("v%d", w.depth)
	seen := ""
	if p.Seen {
		seen = w.seen(t, alias)
	}
	return fmt.Sprintf("%s %s WHERE %s%s", quote(t.Table()), alias, w.predicate(p, t, alias), seen)
}

// below accepts a reference into a tree: the matching records or any below them. The caller must be allowed to see
// each step, from the first on, so that hidden records can't be probed by what is below them. A reference that is not
// into a tree is compared only with what the record shows of it anyway.
func (w *where) below(column string, t *record.Type, p record.Predicate) string {
	values, null := splitNull(p.Values)
	p.Values = values
	alias := w.next()
	cond := fmt.Sprintf("%s IN (WITH RECURSIVE d AS (SELECT %s.id FROM %s%s UNION SELECT c.id FROM %s c JOIN d ON c.parent_id = "+
		"d.id%s) SELECT id FROM d)",
		column, alias, w.from(p, t), w.seen(t, alias), quote(t.Table()), w.seen(t, "c"))
	w.depth--
	if null {
		return "(" + cond + " OR " + column + " IS NULL)"
	}
	return cond
}

// seen limits a step to what the caller may see.
func (w *where) seen(t *record.Type, alias string) string {
	view := w.by.Sees(t)
	if view.All() {
		return ""
	}
	return " AND " + w.within(view, t, alias)
}
