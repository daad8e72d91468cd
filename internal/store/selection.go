package store

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"terrier/internal/access"
	"terrier/internal/record"
)

// selection is what a statement reads of each record: all of it, or what will be shown.
type selection struct {
	t        *record.Type
	columns  string   // the select list, over the alias t
	exprs    []string // its parts
	scoped   []scoped
	joins    string
	slots    []slot
	width    int
	computed []part
}

// The columns that precede the fields: id and version.
const headColumns = 2

func newSelection(t *record.Type, parts []part) selection {
	s := selection{t: t, width: headColumns, exprs: []string{"t.id", "t.version"}}
	for _, x := range parts {
		if x.compute != nil {
			s.computed = append(s.computed, x)
			continue
		}
		for _, o := range x.scoped {
			o.at += s.width
			s.scoped = append(s.scoped, o)
		}
		s.slots = append(s.slots, slot{field: x.field, first: s.width, n: len(x.exprs), read: x.read})
		s.exprs = append(s.exprs, x.exprs...)
		s.width += len(x.exprs)
		s.joins += x.join
	}
	s.columns = strings.Join(s.exprs, ", ")
	return s
}

// selectionOf leaves out what a view does not show and is costly: long columns, nested records, counts. Short columns
// are always read, so that there are few different statements. Columns of the order are read for the cursors, and
// those that name the record for its display, which are not worked out over other records.
func (p *plan) selectionOf(view record.View, order []term) selection {
	if view.Whole() {
		return p.selection
	}
	needed := make([]bool, len(p.t.All()))
	for _, x := range p.parts {
		needed[x.field] = !x.isAggregate && slices.Contains(p.t.CoreIndex(), x.field)
	}
	for _, i := range p.t.Shown(view) {
		needed[i] = true
	}
	for _, x := range order {
		if x.field >= 0 {
			needed[x.field] = true
		}
	}
	for _, x := range p.parts {
		for _, i := range x.needs {
			needed[i] = needed[i] || needed[x.field]
		}
	}
	var parts []part
	for _, x := range p.parts {
		named := p.t.Display != nil && (x.isLink || x.scoped != nil && !x.isAggregate) // it may name the record by what it refers to
		if x.isPlain || needed[x.field] || named {
			parts = append(parts, x)
		}
	}
	return newSelection(p.t, parts)
}

// list returns the select list for a caller: counts and borrowed fields cover what they may see.
func (s *selection) list(w *where, scope access.Scope) string {
	sees := func(t *record.Type) bool { return scope.Sees(t).All() }
	limited := slices.ContainsFunc(s.scoped, func(o scoped) bool { return !every(o.of, sees) })
	if !limited {
		return s.columns
	}
	exprs := slices.Clone(s.exprs)
	for _, o := range s.scoped {
		exprs[o.at] = o.expr(w, scope)
	}
	return strings.Join(exprs, ", ")
}

func every[T any](all []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(all, func(x T) bool { return !holds(x) })
}

// scan reads the rows of a statement with this select list.
func (s *selection) scan(rows pgx.Rows) ([]record.Values, error) {
	found, _, err := s.scanUpTo(rows, 0)
	return found, err
}

// Breather is after how many records of a list others get the processor. A page of 1,000 takes some 10 ms, which is
// as long as Go lets a goroutine run; behind a dozen of them a request for one record would wait for their sum.
const Breather = 10

// scanUpTo reads rows up to a number of bytes, and the first in any case. The rest is not read: full says that there
// is more. 0 means no limit.
func (s *selection) scanUpTo(rows pgx.Rows, most int) (found []record.Values, full bool, err error) {
	size := 0
	for rows.Next() {
		cols := rows.RawValues()
		for _, c := range cols {
			size += printedBytes(c)
		}
		if most > 0 && size > most && len(found) > 0 {
			return found, true, nil
		}
		v, err := s.row(cols)
		if err != nil {
			rows.Close()
			return nil, false, err
		}
		if found = append(found, v); len(found)%Breather == 0 {
			runtime.Gosched()
		}
	}
	rows.Close()
	return found, false, rows.Err()
}

// printedBytes returns about how long a column gets in an answer: JSON writes most control characters with six bytes.
// Short columns are not inspected.
func printedBytes(column []byte) int {
	n := len(column)
	if n < 1<<10 {
		return n
	}
	for _, c := range column {
		switch {
		case c == '\n':
			n++
		case c < ' ':
			n += 5
		}
	}
	return n
}

func (s *selection) row(cols [][]byte) (record.Values, error) {
	v := s.t.NewValues()
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
	for _, x := range s.slots {
		value, err := x.read(cols[x.first : x.first+x.n])
		if err != nil {
			return v, fmt.Errorf("read %s.%s: %w", s.t.Key(), s.t.Infos()[x.field].Name, err)
		}
		v.SetAt(x.field, value)
	}
	for _, c := range s.computed {
		v.SetAt(c.field, c.compute(v))
	}
	return v, nil
}
