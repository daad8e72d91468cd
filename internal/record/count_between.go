package record

import (
	"fmt"
	"slices"
)

// CountBetween is the number of records of another type whose number lies between two numbers of this one, both included. It covers only
// the records that the caller may see, and is read only if a view shows it.
type CountBetween struct {
	Name     string // "asn_count"
	Of       string // the other type: "ipam.asn"
	Number   string // its number: "asn"
	From, To string // numbers of this record

	readOnly
	of       *Type
	from, to Column
}

var (
	_ Selected = CountBetween{}
	_ Counting = CountBetween{}
)

func (f CountBetween) resolve(r *Registry) (Field, error) {
	if f.of = r.byKey[f.Of]; f.of == nil {
		return nil, fmt.Errorf("field %s counts %s, which is not registered", f.Name, f.Of)
	}
	return f, nil
}

// among implements sibling: it finds the two numbers.
func (f CountBetween) among(fields Fields) (Field, error) {
	for _, end := range []struct {
		name string
		into *Column
	}{{f.From, &f.from}, {f.To, &f.to}} {
		i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == end.name })
		if i < 0 || fields[i].Column().Storage != StoreInt {
			return nil, fmt.Errorf("field %s counts from %q to %q, which are not two numbers", f.Name, f.From, f.To)
		}
		*end.into = fields[i].Column()
	}
	return f, nil
}

func (f CountBetween) checkDeclaration(*Type) error {
	if number := f.of.Field(f.Number); number == nil || number.Column().Storage != StoreInt {
		return fmt.Errorf("it counts %s by %q, which is not a number", f.Of, f.Number)
	}
	return nil
}

// Select implements Selected.
func (f CountBetween) Select(s Selector) { s.CountBetween(f.of, f.of.Field(f.Number), f.from, f.to) }

// Counts implements Counting.
func (f CountBetween) Counts() []*Type { return []*Type{f.of} }

func (f CountBetween) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "integer", ReadOnly: true, Default: int64(0)}
}

func (f CountBetween) Schema() Schema { return Schema{"type": "integer", "format": "int64"} }
