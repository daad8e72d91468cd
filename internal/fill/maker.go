package fill

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// epoch is shortly before the first row of each type was created.
var epoch = time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)

// maker makes the rows of one call of Fill.
type maker struct {
	g      *Generator
	t      *record.Type
	n      int
	before int   // rows of the type that were filled before
	first  int64 // id of row 0, known when the first row is made
	fields []fieldMaker
	anys   []anyMaker

	// The rules of required references come first, because the others can be left out, and then those that decide others.
	sameRules []record.Same
}

// fieldMaker makes the values of one field.
type fieldMaker struct {
	index int
	salt  uint64
	value valueFunc
}

// anyMaker makes references to one of several types.
type anyMaker struct {
	record.ReferenceField
	salt uint64
	to   []*record.Type // those that are filled
	null bool
	once bool // no two records may refer to the same one
}

func (g *Generator) newMaker(t *record.Type, n int, recipe Recipe) (*maker, error) {
	if t.ReadOnly {
		return nil, errors.New("only Terrier itself writes these records")
	}
	m := &maker{g: g, t: t, n: n, before: g.rows(t), sameRules: slices.Clone(t.Same)}
	slices.SortStableFunc(m.sameRules, func(a, b record.Same) int {
		return cmp.Or(cmp.Compare(optional(t, a.Ref), optional(t, b.Ref)), cmp.Compare(m.decides(b), m.decides(a)))
	})
	for name := range recipe {
		if t.Field(name) == nil {
			return nil, fmt.Errorf("the recipe names %q, and there is no such field", name)
		}
	}
	distinct := []string{t.NamingField()}
	for _, rule := range t.Rules() {
		distinct = append(distinct, rule.Fields...)
	}
	for i, f := range t.All() {
		in := t.Infos()[i]
		if f.Column().Storage == record.NoStorage || in.HalfOf != "" {
			continue
		}
		salt := saltOf(g.Seed, t.Key()+"."+in.Name)
		value, err := m.value(field{f, in, slices.Contains(distinct, in.Name)}, recipe[in.Name], salt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		m.fields = append(m.fields, fieldMaker{i, salt, value})
	}
	for _, ref := range t.References() {
		if ref.TypeField == "" {
			continue
		}
		a := anyMaker{ref, saltOf(g.Seed, t.Key()+"."+ref.Name), nil, t.Field(ref.TypeField).Info().Null,
			m.refersAnyOnce(ref)}
		for _, target := range ref.Targets {
			if g.rows(target) > 0 {
				a.to = append(a.to, target)
			}
		}
		if len(a.to) == 0 && !a.null {
			return nil, fmt.Errorf("%s: fill %s before", ref.Name, ref.Targets[0].Key())
		}
		m.anys = append(m.anys, a)
	}
	return m, nil
}

// value returns what makes the values of a field.
func (m *maker) value(f field, given func(Row) any, salt uint64) (valueFunc, error) {
	ref, refers := record.ReferenceOf(f.Field)
	switch {
	case given != nil:
		return f.parsed(given), nil
	case refers:
		return m.references(f, ref)
	}
	if apart := m.t.Apart; apart != nil && apart.To != "" {
		switch f.in.Name {
		case apart.Of:
			return f.parsed(func(r Row) any { return address(4*r.Number + 1) }), nil
		case apart.To:
			return f.parsed(func(r Row) any { return address(4*r.Number + 2) }), nil
		}
	}
	return f.value(m.t, salt)
}

// references returns what makes references to filled rows.
func (m *maker) references(f field, ref record.Reference) (valueFunc, error) {
	rows := m.g.rows(ref.Target)
	switch {
	case m.refersOnce(f.in.Name):
		return m.eachOnce(f, ref.Target, rows)
	case ref.Many:
		return func(r Row) (any, error) {
			links := []record.Link{}
			if rows > 0 && r.Draw(0, 3) == 0 {
				links = append(links, record.Link{ID: m.g.id(ref.Target, r.Draw(1, rows))})
			}
			return links, nil
		}, nil
	case ref.Target == m.t && f.in.Null:
		return func(r Row) (any, error) { return m.earlier(r, f.in.Name == "parent"), nil }, nil
	case rows > 0:
		return func(r Row) (any, error) {
			if f.skipped(r) {
				return nil, nil
			}
			return record.Link{ID: m.g.id(ref.Target, r.Draw(0, rows))}, nil
		}, nil
	case f.in.Null:
		return func(Row) (any, error) { return nil, nil }, nil
	}
	return nil, fmt.Errorf("fill %s before", ref.Target.Key())
}

// decides returns 1 for a rule that may change the reference of another one, and 0 for any other.
func (m *maker) decides(rule record.Same) int {
	if slices.ContainsFunc(m.t.Same, func(other record.Same) bool { return other.Ref == rule.Path }) {
		return 1
	}
	return 0
}

// optional returns 0 for a reference that is required, and 1 for another.
func optional(t *record.Type, ref string) int {
	if t.Field(ref).Info().Required {
		return 0
	}
	return 1
}

// refersOnce reports whether no two records may refer to the same one through a field.
func (m *maker) refersOnce(field string) bool {
	return slices.ContainsFunc(m.t.Rules(), func(rule record.Unique) bool { return len(rule.Fields) == 1 && rule.Fields[0] == field })
}

// refersAnyOnce reports whether a rule of uniqueness has the two halves of a reference and, besides, nothing but references. Then rows
// differ if no two refer to the same record.
func (m *maker) refersAnyOnce(ref record.ReferenceField) bool {
	return slices.ContainsFunc(m.t.Rules(), func(rule record.Unique) bool {
		others := slices.DeleteFunc(slices.Clone(rule.Fields), func(name string) bool {
			return name == ref.TypeField || name == ref.IDField || record.TargetOf(m.t.Field(name)) != nil
		})
		return slices.Contains(rule.Fields, ref.IDField) && len(others) == 0
	})
}

// eachOnce makes references to another filled row for each row.
func (m *maker) eachOnce(f field, target *record.Type, rows int) (valueFunc, error) {
	if last := m.before + m.n; last > rows && !f.in.Null {
		return nil, fmt.Errorf("fill at least %d of %s before: no two refer to the same one", last, target.Key())
	}
	return func(r Row) (any, error) {
		if i := r.Number - 1; i < rows {
			return record.Link{ID: m.g.id(target, i)}, nil
		}
		return nil, nil
	}, nil
}

// childrenEach is how many rows of a tree have the same parent.
const childrenEach = 8

// earlier makes a reference to an earlier row of the same call of Fill: the parent in a tree, or any for one row in three.
func (m *maker) earlier(r Row, parent bool) any {
	switch {
	case parent && r.I >= childrenEach:
		return record.Link{ID: m.first + int64(r.I/childrenEach) - 1}
	case !parent && r.I > 0 && r.Draw(0, 3) == 0:
		return record.Link{ID: m.first + int64(r.Draw(1, r.I))}
	}
	return nil
}

// tries is how often a row that Check refuses is made again, with other values.
const tries = 30

// row makes the i-th row.
func (m *maker) row(i int) (record.Values, error) {
	var refused fault.Fields
	for try := range tries {
		r := Row{I: i, N: m.n, Number: m.before + i + 1, ID: m.first + int64(i), try: try}
		v := m.t.NewValues()
		for _, f := range m.fields {
			r.salt = f.salt
			x, err := f.value(r)
			if err != nil {
				return v, fmt.Errorf("row %d, %s: %w", r.Number, m.t.Infos()[f.index].Name, err)
			}
			v.SetAt(f.index, x)
		}
		for _, a := range m.anys {
			r.salt = a.salt
			m.setAny(v, a, r)
		}
		if err := m.agree(v); err != nil {
			return v, err
		}
		if m.t.Check != nil {
			if refused = m.t.Check(m.t.NewValues(), v); len(refused) > 0 {
				m.empty(v, refused)
				refused = m.t.Check(m.t.NewValues(), v)
			}
			if len(refused) > 0 {
				continue
			}
		}
		if m.t.Derive != nil {
			m.t.Derive(m.t.NewValues(), v)
		}
		return v, nil
	}
	return record.Values{}, fmt.Errorf("row %d: Check refuses each of %d tries, the last for %v: it needs a recipe", i, tries, refused)
}

// empty takes away the values that Check refuses, if a record can do without them.
func (m *maker) empty(v record.Values, refused fault.Fields) {
	for name := range refused {
		if i := m.t.Index(name); i >= 0 && (m.t.Infos()[i].Null || m.t.Infos()[i].Default != nil) {
			v.SetAt(i, m.t.Infos()[i].Default)
		}
	}
}

// setAny refers to a record of one of several types.
func (m *maker) setAny(v record.Values, a anyMaker, r Row) {
	v.SetAt(a.Written[0], nil)
	v.SetAt(a.Written[1], nil)
	if len(a.to) == 0 || a.null && r.Draw(1, 5) == 0 {
		return
	}
	to := a.to[r.Draw(0, len(a.to))]
	row := r.Draw(2, m.g.rows(to))
	if a.once {
		to, row = a.to[(r.Number-1)%len(a.to)], (r.Number-1)/len(a.to)
	}
	v.SetAt(a.Written[0], to.Key())
	v.SetAt(a.Written[1], m.g.id(to, row))
}

// agree makes a row agree with those that it refers to, and a number with its unit.
func (m *maker) agree(v record.Values) error {
	settled := map[string]bool{}
	for _, rule := range m.sameRules {
		other, ok, err := m.behind(v, rule.Ref)
		switch {
		case err != nil:
			return err
		case !ok: // it refers to nothing
		case rule.OrNone && other.Get(rule.Path) == nil:
		case rule.Here != "" || m.t.Field(rule.Path) == nil || settled[rule.Path] && !record.SameValue(v.Get(rule.Path), other.Get(rule.Path)):
			v.Set(rule.Ref, nil)
		default:
			v.Set(rule.Path, other.Get(rule.Path))
			settled[rule.Path] = true
		}
	}
	for _, rule := range m.t.Follows {
		other, ok, err := m.behind(v, rule.Of)
		if err != nil {
			return err
		}
		for _, name := range rule.Fields {
			if ok && !settled[name] {
				v.Set(name, other.Get(name))
				settled[name] = true
			}
		}
	}
	for i, f := range m.t.All() {
		if key := f.Column().Key; key.From == record.MeasureKey && v.Get(key.Unit) == nil {
			v.SetAt(i, nil)
		}
	}
	return nil
}

// behind makes the row that a row refers to once more.
func (m *maker) behind(v record.Values, ref string) (record.Values, bool, error) {
	link, ok := v.Get(ref).(record.Link)
	if !ok {
		return record.Values{}, false, nil
	}
	target := record.TargetOf(m.t.Field(ref))
	if target == m.t && link.ID >= m.first {
		other, err := m.row(int(link.ID - m.first))
		return other, true, err
	}
	for _, b := range m.g.filled[target] {
		if i := link.ID - b.first; i >= 0 && i < int64(b.rows) {
			other, err := b.make.row(int(i))
			return other, true, err
		}
	}
	return record.Values{}, false, fmt.Errorf("%s refers to %s %d, which was not filled", ref, target.Key(), link.ID)
}
