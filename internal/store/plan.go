package store

import (
	"fmt"
	"slices"
	"sync/atomic"

	"terrier/internal/access"
	"terrier/internal/record"
)

// plan is a type compiled for statements. One select list reads a record with the brief fields of everything it
// refers to, so that a page is one statement.
type plan struct {
	selection // of the whole record
	table     string
	parts     []part
	link      part // what a nested representation shows, over the alias t
	writing   *writing
	merges    []merging

	noLookupsUntil atomic.Int64 // in nanoseconds: see contained.go
}

// part is how one field is read.
type part struct {
	field   int
	exprs   []string
	join    string
	read    func(cols [][]byte) (any, error)
	decode  func(values []any) (any, error) // reads it if the columns come as JSON
	compute func(record.Values) any         // instead of both, once everything else is read
	needs   []int                           // the fields that compute looks at
	scoped  []scoped
	isPlain bool // a short column of the row itself, which is always read
	isLink  bool // a single reference

	isAggregate bool // worked out over other records, which costs
}

// scoped is an expression of the select list that reads records of other types, which the caller may not see in full.
type scoped struct {
	at   int // its place in the list, or among those of its part
	of   []*record.Type
	expr func(w *where, by access.Scope) string
}

// slot reads one field from consecutive columns of a row.
type slot struct {
	field int
	first int
	n     int
	read  func(cols [][]byte) (any, error)
}

func newPlan(t *record.Type) *plan {
	p := &plan{table: quote(t.Table()), writing: newWriting(t), merges: newMergings(t)}
	for i := range t.All() {
		if x := newPart(t, i); x.read != nil || x.compute != nil {
			p.parts = append(p.parts, x)
		}
	}
	p.selection = newSelection(t, slices.DeleteFunc(slices.Clone(p.parts), func(x part) bool { return t.Infos()[x.field].OnRequest }))
	p.link = linkPart("t.id", briefParts(t, "t", t.BriefIndex()), t)
	return p
}

// newPart compiles a field of the record itself.
func newPart(t *record.Type, i int) part {
	s := &selector{t: t, alias: "t", nested: "r", part: part{field: i}}
	s.compile(t.All()[i])
	return s.part
}

// briefParts compiles some of the brief fields of a record that another one refers to.
func briefParts(t *record.Type, alias string, fields []int) []part {
	parts := make([]part, len(fields))
	for n, i := range fields {
		s := &selector{t: t, alias: alias, nested: alias + "_", isNested: true, part: part{field: i}}
		s.compile(t.All()[i])
		parts[n] = s.part
	}
	return parts
}

// linkPart reads an id and the fields of the record behind it, as a link to a record of t.
func linkPart(id string, brief []part, t *record.Type) part {
	x := part{exprs: []string{id}}
	for _, b := range brief {
		for _, s := range b.scoped {
			s.at += len(x.exprs)
			x.scoped = append(x.scoped, s)
		}
		x.exprs = append(x.exprs, b.exprs...)
		x.join += b.join
	}
	x.read, x.decode = readLink(t, brief), decodeLink(t, brief)
	return x
}

// customFieldsExpr shows every defined custom field: the record's value, else the definition's default, else null.
// Values whose definition is gone are not shown. The inner query does not depend on the row, so PostgreSQL reads the
// definitions once per page.
func customFieldsExpr(t *record.Type, column string) string {
	return fmt.Sprintf(`coalesce((SELECT json_object_agg(d ->> 0, coalesce(%s -> (d ->> 0), d -> 1)) FROM jsonb_array_elements(`+
		`(SELECT jsonb_agg(jsonb_build_array(c.name, c."default") ORDER BY c.weight, c.name) FROM extras_customfield c WHERE `+
		`c.content_types @> ARRAY['%s'])) d), '{}')`,
		column, t.Key())
}
