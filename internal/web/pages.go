package web

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// TypePages are the pages of one record type. Everything that depends only on its declaration is computed once.
type TypePages struct {
	site   *Site
	Type   *record.Type
	Path   string // of the list: /dcim/sites/
	Title  string // "Sites"
	Single string // "Site"

	filterNames  []string
	allColumns   []column
	firstColumns []string
	actions      []actionPages

	own  OwnPages
	nav  navLinks
	home homeLine
}

func newTypePages(s *Site, t *record.Type, own OwnPages) *TypePages {
	p := &TypePages{site: s, Type: t, Path: PagePath(t), Title: Capital(t.PluralTitle()), Single: Capital(t.Title()),
		filterNames: t.FilterNames(),
		own:         own}
	p.allColumns, p.firstColumns = columnsOf(t)
	p.actions = newActionPages(p)
	return p
}

// PagePath returns the address of a type's list: the API's without /api.
func PagePath(t *record.Type) string { return strings.TrimPrefix(t.Path(), "/api") }

// RecordPath returns the address of a record's page.
func RecordPath(t *record.Type, id int64) string { return PagePath(t) + t.FormatID(id) + "/" }

func Capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// TitleOf returns the name of the type with the key. It also works for a type that no longer exists.
func (s *Site) TitleOf(key string) string {
	if t := s.Registry.Type(key); t != nil {
		return t.Title()
	}
	return key
}

// KindOf is like TitleOf, with a capital letter.
func (s *Site) KindOf(key string) string {
	if s.Registry.Type(key) == nil {
		return key
	}
	return Capital(s.TitleOf(key))
}

// ID returns the id in the address. If it is not an id, the record is not found.
func (p *TypePages) ID(v *Visit) (int64, error) {
	id, err := p.Type.ParseID(v.R.PathValue("id"))
	if err != nil {
		return 0, fault.ErrNotFound
	}
	return id, nil
}

// Record returns the record in the address.
func (p *TypePages) Record(v *Visit) (record.Values, error) {
	id, err := p.ID(v)
	if err != nil {
		return record.Values{}, err
	}
	return p.site.Ledger.Get(v.Ctx, v.Caller, p.Type, id)
}

// Crumbs returns the steps that lead to a page of the type. A section that is called like the type is no step of its own.
func (p *TypePages) Crumbs(more ...Crumb) []Crumb {
	steps := []Crumb{{p.Type.Section, ""}, {p.Title, p.Path}}
	if p.Title == p.Type.Section {
		steps = steps[1:]
	}
	return append(steps, more...)
}

// With returns an address with some parameters set. Empty ones are left out.
func With(path string, params url.Values, pairs ...string) string {
	q := url.Values{}
	for key, values := range params {
		q[key] = values
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		q.Del(pairs[i])
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// OwnPages is what a type adds to its derived pages.
type OwnPages struct {
	Form, Detail string // templates of their own
	MoreForm     func(v *Visit, form *FormPage, found record.Values) error
	MoreDetail   func(v *Visit, d *DetailPage, found record.Values) error
	Cells        map[string]func(record.Values) Cell      // cells of a list, by field, that need more than the field's value
	Columns      []OwnColumn                              // columns more of the list, after the names
	Added        func(v *Visit, made record.Values) error // answers after a creation, instead of the redirect
}

// OwnColumn is a column of a list, worked out for all records of a page at once. Cells returns a cell for each record.
type OwnColumn struct {
	Label string
	Needs []string // the fields that Cells looks at
	Cells func(v *Visit, rows []record.Values) ([]Cell, error)
}

// addOwnColumns adds the type's own columns after the names.
func (p *TypePages) addOwnColumns(v *Visit, l *listPage, rows []record.Values) error {
	for _, column := range slices.Backward(p.own.Columns) {
		if err := l.addOwnColumn(v, column, rows); err != nil {
			return err
		}
	}
	return nil
}

// addOwnColumn adds a column after the names. If it is not ready in time, its cells say so.
func (l *listPage) addOwnColumn(v *Visit, column OwnColumn, rows []record.Values) error {
	if len(rows) == 0 {
		return nil
	}
	var cells []Cell
	slow, err := v.quickly(func(v *Visit) (err error) {
		cells, err = column.Cells(v, rows)
		return err
	})
	if err != nil {
		return err
	}
	if slow {
		cells = slices.Repeat([]Cell{{Kind: SlowCell}}, len(rows))
	}
	l.Heads = slices.Insert(l.Heads, 1, head{Label: column.Label})
	for i := range l.Rows {
		cell := inTable(cells[i])
		cell.Label = labelAttr(column.Label)
		l.Rows[i].Cells = append([]tableCell{cell}, l.Rows[i].Cells...)
	}
	return nil
}
