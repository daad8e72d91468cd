package record

import (
	"fmt"
	"slices"
)

// Either is true if one of several other fields of the record is true.
type Either struct {
	Name string
	Of   []string // the other fields

	readOnly
	others []Column
}

var _ Selected = Either{}

// among implements sibling: it finds the other fields.
func (f Either) among(fields Fields) (Field, error) {
	f.others = nil
	for _, name := range f.Of {
		i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == name })
		if i < 0 || fields[i].Column().Storage != StoreBool {
			return nil, fmt.Errorf("field %s depends on %q, which is not true or false", f.Name, name)
		}
		f.others = append(f.others, fields[i].Column())
	}
	return f, nil
}

// Select implements Selected.
func (f Either) Select(s Selector) { s.Either(f.others) }

func (f Either) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "boolean", ReadOnly: true}
}
func (f Either) Schema() Schema { return Schema{"type": "boolean"} }
