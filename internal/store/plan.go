package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
)

// plan is a type compiled for statements. It is read by one select list that brings a record
// with the brief fields of everything it refers to, so that a page is one statement.
type plan struct {
	t        *record.Type
	table    string
	columns  string   // the select list, over the alias t
	exprs    []string // its parts
	others   []other
	joins    string
	slots    []slot
	width    int
	computed []computed
	get      string // one record by id, for callers who may see all
	brief    string // the select list of a nested representation
	link     func([][]byte) (any, error)
	linked   int // columns of it
	writing  *writing
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

func borrowed(t *record.Type, f record.Borrowed) other {
	of := t.Registry().Type(f.From)
	o := other{of: of, what: "n." + quote(of.Field(f.Field).Column().Name), by: "n.id = t." + quote(f.By)}
	if f.Both != "" {
		o.by += fmt.Sprintf(" AND n.%s = t.%s", quote(f.Both), quote(f.Both))
	}
	return o
}

// computed is worked out when everything else is read.
type computed struct {
	field int
	of    func(record.Values) any
}

// slot reads one field from consecutive columns of a row.
type slot struct {
	field int
	first int
	n     int
	read  func(cols [][]byte) (any, error)
}

// The columns that precede the fields: id and version.
const headColumns = 2

func newPlan(t *record.Type) *plan {
	p := &plan{t: t, table: quote(t.Table()), width: headColumns, writing: newWriting(t)}
	columns := []string{"t.id", "t.version"}
	add := func(field int, read func([][]byte) (any, error), exprs ...string) {
		p.slots = append(p.slots, slot{field: field, first: p.width, n: len(exprs), read: read})
		columns = append(columns, exprs...)
		p.width += len(exprs)
	}
	for i, f := range t.All() {
		column := f.Column()
		expr := "t." + quote(column.Name)
		switch x := f.(type) {
		case record.Ref:
			alias := fmt.Sprintf("r%d", i)
			p.joins += fmt.Sprintf(" LEFT JOIN %s %s ON %s.id = %s", quote(x.Target().Table()), alias, alias, expr)
			exprs, read := briefColumns(x.Target(), alias)
			if x.Loose { // the target may be gone: what is shown is what is still there
				expr = alias + ".id"
			}
			add(i, readLink(read), append([]string{expr}, exprs...)...)
		case record.Refs:
			add(i, readLinks(x.Target()), linksExpr(x.Target(), expr))
		case record.Tags:
			add(i, readLinks(x.Target()), linksExpr(x.Target(), expr))
		case record.CustomFields:
			add(i, one(readCompact), customFieldsExpr(t, expr))
		case record.Count:
			of := t.Registry().Type(x.Of)
			o := other{len(columns), of, "count(*)", fmt.Sprintf("n.%s = t.id", quote(of.Field(x.By).Column().Name))}
			p.others = append(p.others, o)
			add(i, one(readInt), o.expr(nil, access.Machine()))
		case record.Borrowed:
			o := borrowed(t, x)
			o.at = len(columns)
			p.others = append(p.others, o)
			add(i, one(readers[o.of.Field(x.Field).Column().Storage]), o.expr(nil, access.Machine()))
		case record.HasValue:
			add(i, one(readBool), "t."+quote(t.Field(x.Of).Column().Name)+" IS NOT NULL")
		case record.Noted:
			add(i, one(readTime), fmt.Sprintf("(SELECT n.%s FROM %s n WHERE n.%s = t.id)", quote(x.Name), quote(x.Table), quote(x.By)))
		case record.Attached:
		case record.Computed:
			p.computed = append(p.computed, computed{i, x.Of})
		case record.Secret:
			add(i, one(readSealed), expr)
		default:
			if column.Storage == record.StoreTexts {
				expr = "array_to_json(" + expr + ")"
			}
			add(i, one(readers[column.Storage]), expr)
		}
	}
	p.exprs, p.columns = columns, strings.Join(columns, ", ")
	p.get = fmt.Sprintf("SELECT %s FROM %s t%s WHERE t.id = $1", p.columns, p.table, p.joins)
	exprs, reads := briefColumns(t, "t")
	p.brief, p.link, p.linked = strings.Join(append([]string{"t.id"}, exprs...), ", "), readLink(reads), 1+len(exprs)
	return p
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
// definition's default, else null. Values whose definition is gone are not shown.
func customFieldsExpr(t *record.Type, column string) string {
	return fmt.Sprintf(`coalesce((SELECT json_object_agg(d.name, coalesce(%s -> d.name, d."default", 'null') ORDER BY d.weight, d.name)`+
		` FROM extras_customfield d WHERE d.content_types @> ARRAY['%s']), '{}')`, column, t.Key())
}

// selectList is the type's select list for a caller: what is counted and borrowed is what they may see.
func (p *plan) selectList(w *where, scope access.Scope) string {
	limited := slices.ContainsFunc(p.others, func(o other) bool { return !scope.Sees(o.of).All() })
	if !limited {
		return p.columns
	}
	exprs := slices.Clone(p.exprs)
	for _, o := range p.others {
		exprs[o.at] = o.expr(w, scope.Sees(o.of))
	}
	return strings.Join(exprs, ", ")
}

// scan reads the rows of a statement whose select list is p.columns.
func (p *plan) scan(rows pgx.Rows) ([]record.Values, error) {
	defer rows.Close()
	var out []record.Values
	for rows.Next() {
		v, err := p.row(rows.RawValues())
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

func (p *plan) row(cols [][]byte) (record.Values, error) {
	v := p.t.NewValues()
	id, err := readInt(cols[0])
	if err != nil {
		return v, err
	}
	v.SetID(id.(int64))
	version, err := readInt(cols[1])
	if err != nil {
		return v, err
	}
	v.Version = version.(int64)
	for _, s := range p.slots {
		value, err := s.read(cols[s.first : s.first+s.n])
		if err != nil {
			return v, fmt.Errorf("read %s.%s: %w", p.t.Key(), p.t.Infos()[s.field].Name, err)
		}
		v.SetAt(s.field, value)
	}
	for _, c := range p.computed {
		v.SetAt(c.field, c.of(v))
	}
	return v, nil
}
