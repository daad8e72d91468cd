package record

import (
	"fmt"
	"slices"
)

// First is the record behind the first of several references that is not empty, nested as they nest it, or null.
type First struct {
	Name, Label string
	Of          []string // other fields of the record, which refer to the same type

	readOnly
	target *Type
}

var _ Selected = First{}

// among implements sibling: it finds the other fields.
func (f First) among(fields Fields) (Field, error) {
	for _, name := range f.Of {
		i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == name })
		if i < 0 || TargetOf(fields[i]) == nil || isList(fields[i]) || f.target != nil && f.target != TargetOf(fields[i]) {
			return nil, fmt.Errorf("field %s is the first of some references, and %q is none of them", f.Name, name)
		}
		f.target = TargetOf(fields[i])
	}
	if f.target == nil {
		return nil, fmt.Errorf("field %s is the first of no references", f.Name)
	}
	return f, nil
}

// Select implements Selected.
func (f First) Select(s Selector) { s.Compute(f.of, f.Of) }

func (f First) of(v Values) any {
	for _, name := range f.Of {
		if l, ok := v.Get(name).(Link); ok {
			l.Of = f.target
			return l
		}
	}
	return nil
}

func (f First) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Type: "field", ReadOnly: true, Null: true, Cell: ReferenceCell}
}

func (f First) Append(dst []byte, v any, p *Printer) []byte {
	if l, ok := v.(Link); ok {
		return appendLink(dst, f.target, l, p)
	}
	return append(dst, "null"...)
}

func (f First) Schema() Schema { return refSchema(f.target, true) }

// set returns the filter by whether one of the references is set.
func (f First) set(t *Type) filter {
	var set []Predicate
	for _, name := range f.Of {
		set = append(set, Predicate{Field: t.Field(name), Lookup: Empty, Values: []any{false}})
	}
	return yesNoFilter(Predicate{Any: set}, Predicate{Any: set, Lookup: Not})
}

// PreferLast turns the order of every First round: the last reference that is set is shown.
func PreferLast(types []Type) {
	for i := range types {
		types[i].Fields = slices.Clone(types[i].Fields)
		for n, field := range types[i].Fields {
			if f, ok := field.(First); ok {
				f.Of = slices.Clone(f.Of)
				slices.Reverse(f.Of)
				types[i].Fields[n] = f
			}
		}
	}
}
