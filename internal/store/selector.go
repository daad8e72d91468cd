package store

import (
	"fmt"

	"terrier/internal/access"
	"terrier/internal/record"
)

// selector compiles what a field asks for into a part of the select list.
type selector struct {
	t    *record.Type
	part part
}

var _ record.Selector = (*selector)(nil)

func (s *selector) Link(c record.Column, ref record.Reference) {
	alias, id := fmt.Sprintf("r%d", s.part.field), "t."+quote(c.Name)
	s.part.join = fmt.Sprintf(" LEFT JOIN %s %s ON %s.id = %s", quote(ref.Target.Table()), alias, alias, id)
	if ref.Loose { // the target may be gone: what is shown is what is still there
		id = alias + ".id"
	}
	exprs, read := briefColumns(ref.Target, alias)
	s.part.exprs, s.part.read = append([]string{id}, exprs...), readLink(read)
}

func (s *selector) Links(c record.Column, ref record.Reference) {
	s.part.exprs, s.part.read = []string{linksExpr(ref.Target, "t."+quote(c.Name))}, readLinks(ref.Target)
}

func (s *selector) Members(c record.Column) {
	s.part.exprs, s.part.read = []string{customFieldsExpr(s.t, "t."+quote(c.Name))}, one(readCompact)
}

func (s *selector) HasValue(c record.Column) {
	s.part.exprs, s.part.read, s.part.isPlain = []string{"t." + quote(c.Name) + " IS NOT NULL"}, one(readBool), true
}

func (s *selector) Count(of *record.Type, by record.Field) {
	s.another(other{of: of, what: "count(*)", by: fmt.Sprintf("n.%s = t.id", quote(by.Column().Name))}, one(readInt))
}

func (s *selector) Row(row record.OtherRow) {
	column := row.Field.Column()
	o := other{of: row.Of, what: "n." + quote(column.Name), by: "n.id = t." + quote(row.By)}
	if row.Both != "" {
		o.by += fmt.Sprintf(" AND n.%s = t.%s", quote(row.Both), quote(row.Both))
	}
	s.another(o, one(readers[column.Storage]))
}

// another reads something of records of another type.
func (s *selector) another(o other, read func([][]byte) (any, error)) {
	s.part.exprs, s.part.read, s.part.other = []string{o.expr(nil, access.Machine())}, read, &o
}

func (s *selector) Note(table, key, column string) {
	moment := fmt.Sprintf("(SELECT n.%s FROM %s n WHERE n.%s = t.id)", quote(column), quote(table), quote(key))
	s.part.exprs, s.part.read = []string{moment}, one(readTime)
}

func (s *selector) Compute(of func(record.Values) any) { s.part.compute = of }

func (s *selector) Nothing() {}
