package store

import (
	"fmt"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
)

// plan is a type compiled for statements. It is read by one select list that brings a record
// with the brief fields of everything it refers to, so that a page is one statement.
type plan struct {
	selection // of the whole record
	table     string
	parts     []part
	get       string // one record by id, for callers who may see all
	brief     string // the select list of a nested representation
	link      func([][]byte) (any, error)
	linked    int // columns of it
	writing   *writing
}

// part is how one field is read.
type part struct {
	field   int
	exprs   []string
	join    string
	read    func(cols [][]byte) (any, error)
	compute func(record.Values) any // in place of read, once everything else is read
	other   *other
	isPlain bool // a short column of the row itself, which is always read
}

// other is a part of the select list that looks at records of another type.
type other struct {
	at   int // its place in the list
	of   *record.Type
	what string // select what
	by   string // from where
}

// expr is the part for a caller who may see a part of the other type.
func (o other) expr(w *where, seen access.Scope) string {
	scope := ""
	if !seen.All() {
		scope = " AND " + w.within(seen, o.of, "n")
	}
	return fmt.Sprintf("(SELECT %s FROM %s n WHERE %s%s)", o.what, quote(o.of.Table()), o.by, scope)
}

// slot reads one field from consecutive columns of a row.
type slot struct {
	field int
	first int
	n     int
	read  func(cols [][]byte) (any, error)
}

func newPlan(t *record.Type) *plan {
	p := &plan{table: quote(t.Table()), writing: newWriting(t)}
	for i, f := range t.All() {
		if x, ok := newPart(t, i, f); ok {
			p.parts = append(p.parts, x)
		}
	}
	p.selection = newSelection(t, p.parts)
	p.get = fmt.Sprintf("SELECT %s FROM %s t%s WHERE t.id = $1", p.columns, p.table, p.joins)
	exprs, reads := briefColumns(t, "t")
	p.brief, p.link, p.linked = strings.Join(append([]string{"t.id"}, exprs...), ", "), readLink(reads), 1+len(exprs)
	return p
}

// shortText is how many characters a text may have that is always read.
const shortText = 1000

// newPart compiles a field. read is false for what is not read with the record.
func newPart(t *record.Type, i int, f record.Field) (x part, read bool) {
	if f, ok := f.(record.Selected); ok {
		s := &selector{t: t, part: part{field: i}}
		f.Select(s)
		return s.part, s.part.read != nil || s.part.compute != nil
	}
	column := f.Column()
	expr := "t." + quote(column.Name)
	if column.Storage == record.StoreTexts {
		expr = "array_to_json(" + expr + ")"
	}
	info := t.Infos()[i]
	long := info.MaxBytes > 0 || info.Max > shortText || column.Storage == record.StoreJSON || column.Storage == record.StoreJSONText
	isPlain := !long || column.Storage == record.StoreSealed
	return part{field: i, exprs: []string{expr}, read: one(readers[column.Storage]), isPlain: isPlain}, true
}

// briefColumns selects what a nested representation of t shows.
func briefColumns(t *record.Type, alias string) ([]string, []func([]byte) (any, error)) {
	var exprs []string
	var reads []func([]byte) (any, error)
	for _, i := range t.BriefIndex() {
		c := t.All()[i].Column()
		exprs = append(exprs, alias+"."+quote(c.Name))
		reads = append(reads, readers[c.Storage])
	}
	return exprs, reads
}

// linksExpr makes a list of [id, brief…] of the records whose ids stand in an array.
func linksExpr(t *record.Type, array string) string {
	exprs, _ := briefColumns(t, "g")
	return fmt.Sprintf("CASE WHEN %s <> '{}' THEN (SELECT json_agg(json_build_array(%s) ORDER BY g.id) FROM %s g WHERE g.id = ANY(%s)) END",
		array, strings.Join(append([]string{"g.id"}, exprs...), ", "), quote(t.Table()), array)
}

// customFieldsExpr shows every defined custom field: the record's value, else the
// definition's default, else null. Values whose definition is gone are not shown. The inner query does not depend on the row, so
// PostgreSQL reads the definitions once for a whole page.
func customFieldsExpr(t *record.Type, column string) string {
	return fmt.Sprintf(`coalesce((SELECT json_object_agg(d ->> 0, coalesce(%s -> (d ->> 0), d -> 1)) FROM jsonb_array_elements(`+
		`(SELECT jsonb_agg(jsonb_build_array(c.name, c."default") ORDER BY c.weight, c.name) FROM extras_customfield c WHERE c.content_types @> ARRAY['%s'])) d), '{}')`,
		column, t.Key())
}
