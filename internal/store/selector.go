package store

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
)

// selector compiles what a field asks for into a part of the select list.
type selector struct {
	t        *record.Type
	alias    string // of the row that has the field
	nested   string // begins the aliases of what the row refers to
	isNested bool   // the row is itself one that another refers to
	part     part
}

var _ record.Selector = (*selector)(nil)

func (s *selector) compile(f record.Field) {
	if f, ok := f.(record.Selected); ok {
		f.Select(s)
		return
	}
	s.Column(f.Column())
}

// shortText is how many characters a text may have that is always read.
const shortText = 1000

// Column is a plain column.
func (s *selector) Column(c record.Column) {
	expr := s.column(c)
	if c.Storage == record.StoreTexts {
		expr = "array_to_json(" + expr + ")"
	}
	s.one(expr, readers[c.Storage], decoders[c.Storage])
	info := s.t.Infos()[s.part.field]
	long := info.MaxBytes > 0 || info.Max > shortText || c.Storage == record.StoreJSON || c.Storage == record.StoreJSONText
	s.part.isPlain = !long || c.Storage == record.StoreSealed
}

func (s *selector) column(c record.Column) string { return s.alias + "." + quote(c.Name) }

// one makes a part of one expression.
func (s *selector) one(expr string, read func([]byte) (any, error), decode func(any) (any, error)) {
	s.part.exprs = []string{expr}
	s.part.read = func(cols [][]byte) (any, error) { return read(cols[0]) }
	s.part.decode = func(values []any) (any, error) {
		if values[0] == nil || decode == nil {
			return values[0], nil
		}
		return decode(values[0])
	}
}

// Link joins the referenced record. Inside a nested record it shows less: its own references are left out.
//
// What is shown of it is worked out where it is looked up: not for rows that refer to none, and once for many that refer to the same.
// If callers see different things of it, all of it is worked out for each row.
//
// OFFSET makes PostgreSQL look up each record by its id. Otherwise it reads a table of some ten thousand rows as a whole to join a page,
// and takes longer to find the best order of a dozen joins than to read it.
func (s *selector) Link(c record.Column, ref record.Reference) {
	alias, id, fields := s.nested+strconv.Itoa(s.part.field), s.column(c), slices.Concat(ref.Target.BriefIndex(), ref.Also)
	if s.isNested {
		fields = ref.Target.CoreIndex()
	}
	x := linkPart(alias+".id", briefParts(ref.Target, alias, fields), ref.Target)
	columns, inside, outside := alias+".*", "", x.join
	if x.scoped == nil {
		columns, inside, outside = alias+".id", x.join, ""
		for i, expr := range x.exprs[1:] {
			columns += fmt.Sprintf(", %s AS c%d", expr, i)
			x.exprs[i+1] = fmt.Sprintf("%s.c%d", alias, i)
		}
	}
	x.join = fmt.Sprintf(" LEFT JOIN LATERAL (SELECT %s FROM %s %s%s WHERE %[3]s.id = %[5]s OFFSET 0) %[3]s ON TRUE", columns,
		quote(ref.Target.Table()), alias, inside, id) + outside
	if !ref.Loose { // else the target may be gone: what is left of it is shown
		x.exprs[0] = id
	}
	x.field, x.isLink = s.part.field, true
	s.part = x
}

// AnyLink makes [n, id, brief…] of the record behind a reference to one of several types, of which it is the nth.
func (s *selector) AnyLink(typ, id record.Column, ref record.Reference) {
	alias := s.nested + "a" + strconv.Itoa(s.part.field)
	links := make([]part, len(ref.Targets))
	var of []*record.Type
	for n, target := range ref.Targets {
		fields := target.BriefIndex()
		if s.isNested {
			fields = target.CoreIndex()
		}
		links[n] = linkPart(alias+".id", briefParts(target, alias, fields), target)
		for _, x := range links[n].scoped {
			of = append(of, x.of...)
		}
	}
	// Each row looks into one table. Joins would make the planner look at all of them, and some fields refer to sixty types.
	expr := func(w *where, by access.Scope) string {
		var b strings.Builder
		b.WriteString("CASE " + s.column(typ))
		for n, target := range ref.Targets {
			fmt.Fprintf(&b, " WHEN '%s' THEN (SELECT json_build_array(%d, %s) FROM %s %s%s WHERE %s.id = %s)", target.Key(), n,
				strings.Join(links[n].exprsFor(w, by), ", "), quote(target.Table()), alias, links[n].join, alias, s.column(id))
		}
		b.WriteString(" END")
		return b.String()
	}
	if of != nil {
		s.part.scoped = []scoped{{of: of, expr: expr}}
	}
	decode := decodeAnyLink(links, ref.Targets)
	s.one(expr(nil, access.Machine()), readJSONAs(decode), decode)
	s.part.isLink = true
}

// Links makes a list of [id, brief…] of the records whose ids are in an array.
func (s *selector) Links(c record.Column, ref record.Reference) {
	alias, array, fields := s.nested+"g", s.column(c), ref.Target.BriefIndex()
	if s.isNested {
		fields = ref.Target.CoreIndex()
	}
	link := linkPart(alias+".id", briefParts(ref.Target, alias, fields), ref.Target)
	expr := func(w *where, by access.Scope) string {
		return fmt.Sprintf("CASE WHEN %s <> '{}' THEN (SELECT json_agg(json_build_array(%s) ORDER BY %s.id) FROM %s %s%s WHERE "+
			"%s.id = ANY(%s)) END",
			array, strings.Join(link.exprsFor(w, by), ", "), alias, quote(ref.Target.Table()), alias, link.join, alias, array)
	}
	var of []*record.Type
	for _, x := range link.scoped {
		of = append(of, x.of...)
	}
	if of != nil {
		s.part.scoped = []scoped{{of: of, expr: expr}}
	}
	s.one(expr(nil, access.Machine()), readLinks(link), nil)
}

// exprsFor returns the expressions of a part for a caller.
func (x part) exprsFor(w *where, by access.Scope) []string {
	exprs := slices.Clone(x.exprs)
	for _, s := range x.scoped {
		exprs[s.at] = s.expr(w, by)
	}
	return exprs
}

// Members are the custom fields.
func (s *selector) Members(c record.Column) {
	s.one(customFieldsExpr(s.t, s.column(c)), readCompact, nil)
}

// HasValue reads whether another column has a value.
func (s *selector) HasValue(c record.Column) {
	s.one(emptyTest(s.column(c), c, []any{false}), readBool, nil)
	s.part.isPlain = true
}

// Part computes a number from another column.
func (s *selector) Part(c record.Column) {
	s.one(fmt.Sprintf(partForms[c.Part], s.column(c)), readInt, decodeInt)
	s.part.isPlain = true
}

// Either reads whether one of several columns is true.
func (s *selector) Either(columns []record.Column) {
	tests := make([]string, len(columns))
	for i, c := range columns {
		tests[i] = s.column(c)
	}
	s.one("("+strings.Join(tests, " OR ")+")", readBool, nil)
	s.part.isPlain = true
}

// Aggregate counts or adds up what refers to this record itself, as far as the caller may see it. A sum that no whole number can hold ends
// at the largest one. Decimals are added up as they are shown: 0.1 and 0.2 are 0.3.
func (s *selector) Aggregate(of *record.Type, by, sum record.Field) {
	what, storage := "count(*)", record.StoreInt
	if sum != nil {
		c := sum.Column()
		what, storage = fmt.Sprintf("coalesce(sum(n.%s), 0)", quote(c.Name)), c.Storage
		switch storage {
		case record.StoreInt:
			what = fmt.Sprintf("least(greatest(%s, %d), %d)::bigint", what, math.MinInt64, math.MaxInt64)
		case record.StoreFloat:
			what = fmt.Sprintf("coalesce(sum(n.%s::numeric), 0)::float8", quote(c.Name))
		}
	}
	s.another(of, what, s.referring(of, by, "n"), storage)
	s.part.isAggregate = true
}

// CountBelow counts what refers to this record of a tree, or to one below it. The caller must be allowed to see each step down the tree, as
// in a filter by this record. Each step goes down and counts by an index: in a join, PostgreSQL might read a whole table at each step.
func (s *selector) CountBelow(of *record.Type, by record.Field) {
	at := selector{t: s.t, alias: "down"}
	expr := func(w *where, caller access.Scope) string {
		seen := func(t *record.Type, alias string) string {
			if view := caller.Sees(t); !view.All() {
				return " AND " + w.within(view, t, alias)
			}
			return ""
		}
		return fmt.Sprintf("(WITH RECURSIVE down AS (SELECT %s.id UNION ALL SELECT c.id FROM down CROSS JOIN LATERAL (SELECT c.id FROM %s c "+
			"WHERE c.parent_id = down.id%s OFFSET 0) c) SELECT sum((SELECT count(*) FROM %s n WHERE %s%s))::bigint FROM down)", s.alias,
			quote(s.t.Table()), seen(s.t, "c"), quote(of.Table()), at.referring(of, by, "n"), seen(of, "n"))
	}
	s.one(expr(nil, access.Machine()), readers[record.StoreInt], decoders[record.StoreInt])
	s.part.scoped = []scoped{{of: []*record.Type{s.t, of}, expr: expr}}
	s.part.isAggregate = true
}

// CountBetween counts what the caller may see.
func (s *selector) CountBetween(of *record.Type, number record.Field, from, to record.Column) {
	within := fmt.Sprintf("n.%s BETWEEN %s AND %s", quote(number.Column().Name), s.column(from), s.column(to))
	s.another(of, "count(*)", within, record.StoreInt)
	s.part.isAggregate = true
}

// referring tests whether a record of another type, under its alias, refers to this one.
func (s *selector) referring(of *record.Type, by record.Field, alias string) string {
	ref, _ := record.ReferenceOf(by)
	switch {
	case ref.TypeField != "":
		return fmt.Sprintf("%s.%s = '%s' AND %[1]s.%[4]s = %[5]s.id", alias, quote(of.Field(ref.TypeField).Column().Name), s.t.Key(),
			quote(of.Field(ref.IDField).Column().Name), s.alias)
	case ref.Many:
		return fmt.Sprintf("%s.%s @> ARRAY[%s.id]", alias, quote(by.Column().Name), s.alias)
	}
	return fmt.Sprintf("%s.%s = %s.id", alias, quote(by.Column().Name), s.alias)
}

// Back makes [id, brief…] of the record that refers to this one. Where another record is shown instead, that one leads to it.
func (s *selector) Back(b record.BackLink) {
	alias, fields := s.nested+"b"+strconv.Itoa(s.part.field), slices.Concat(b.Of.BriefIndex(), b.Also)
	if s.isNested && b.Through < 0 {
		fields = b.Of.CoreIndex()
	}
	link := linkPart(alias+".id", briefParts(b.Of, alias, fields), b.Of)
	expr := func(w *where, by access.Scope) string {
		return fmt.Sprintf("(SELECT json_build_array(%s) FROM %s %s%s WHERE %s)", strings.Join(link.exprsFor(w, by), ", "),
			quote(b.Of.Table()), alias, link.join, s.referring(b.Of, b.By, alias))
	}
	var of []*record.Type
	for _, x := range link.scoped {
		of = append(of, x.of...)
	}
	if of != nil {
		s.part.scoped = []scoped{{of: of, expr: expr}}
	}
	decode := decodeBack(link, b)
	s.one(expr(nil, access.Machine()), readJSONAs(decode), decode)
}

// Backs makes a list of [id, brief…] of the records that refer to this one and that the caller may see.
func (s *selector) Backs(of *record.Type, by record.Field) {
	alias, fields := s.nested+"b"+strconv.Itoa(s.part.field), of.BriefIndex()
	if s.isNested {
		fields = of.CoreIndex()
	}
	link := linkPart(alias+".id", briefParts(of, alias, fields), of)
	expr := func(w *where, caller access.Scope) string {
		within := ""
		if seen := caller.Sees(of); !seen.All() {
			within = " AND " + w.within(seen, of, alias)
		}
		return fmt.Sprintf("(SELECT json_agg(json_build_array(%s) ORDER BY %s.id) FROM %s %[2]s%[4]s WHERE %[5]s%[6]s)",
			strings.Join(link.exprsFor(w, caller), ", "), alias, quote(of.Table()), link.join, s.referring(of, by, alias), within)
	}
	types := []*record.Type{of}
	for _, x := range link.scoped {
		types = append(types, x.of...)
	}
	s.part.scoped = []scoped{{of: types, expr: expr}}
	s.one(expr(nil, access.Machine()), readLinks(link), nil)
}

// Depth counts the records above this one. Most trees are flat, so that most records cost nothing. OFFSET makes PostgreSQL look up each
// record by its id: of some thousand rows it would read all at each step.
func (s *selector) Depth() {
	parent := quote(s.t.Field("parent").Column().Name)
	s.one(fmt.Sprintf("CASE WHEN %[1]s.%[2]s IS NULL THEN 0::bigint ELSE (WITH RECURSIVE above AS (SELECT n.%[2]s FROM %[3]s n WHERE "+
		"n.id = %[1]s.%[2]s UNION ALL SELECT n.%[2]s FROM above CROSS JOIN LATERAL (SELECT n.%[2]s FROM %[3]s n "+
		"WHERE n.id = above.%[2]s OFFSET 0) n) SELECT count(*) FROM above) END", s.alias, parent, quote(s.t.Table())), readInt, decodeInt)
}

// Row reads a field of another row, if the caller may see it.
func (s *selector) Row(row record.OtherRow) {
	by := fmt.Sprintf("n.id = %s.%s", s.alias, quote(row.By))
	if row.Both != "" {
		by += fmt.Sprintf(" AND n.%s = %s.%s", quote(row.Both), s.alias, quote(row.Both))
	}
	column := row.Field.Column()
	s.another(row.Of, "n."+quote(column.Name), by, column.Storage)
}

// another reads something of records of another type.
func (s *selector) another(of *record.Type, what, by string, storage record.Storage) {
	expr := func(w *where, caller access.Scope) string {
		within := ""
		if seen := caller.Sees(of); !seen.All() {
			within = " AND " + w.within(seen, of, "n")
		}
		return fmt.Sprintf("(SELECT %s FROM %s n WHERE %s%s)", what, quote(of.Table()), by, within)
	}
	s.part.scoped = []scoped{{of: []*record.Type{of}, expr: expr}}
	s.one(expr(nil, access.Machine()), readers[storage], decoders[storage])
}

// Note looks into a side table.
func (s *selector) Note(table, key, column string) {
	s.one(fmt.Sprintf("(SELECT n.%s FROM %s n WHERE n.%s = %s.id)", quote(column), quote(table), quote(key), s.alias), readTime,
		decoders[record.StoreTime])
}

// Compute runs after everything is read.
func (s *selector) Compute(of func(record.Values) any, needs []string) {
	s.part.compute = of
	for _, name := range needs {
		s.part.needs = append(s.part.needs, s.t.Index(name))
	}
}

// Nothing reads nothing.
func (s *selector) Nothing() {}
