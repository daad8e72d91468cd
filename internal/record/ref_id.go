package record

import (
	"fmt"
	"slices"
)

// RefID is the id that a reference holds, as a field of its own that only the brief form shows.
type RefID struct {
	Name string
	Of   string // the reference

	readOnly
	column Column
}

var _ Selected = RefID{}

// among implements sibling: it finds the reference.
func (f RefID) among(fields Fields) (Field, error) {
	i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == f.Of })
	if i < 0 || TargetOf(fields[i]) == nil || fields[i].Column().Storage != StoreInt {
		return nil, fmt.Errorf("field %s is the id of %q, which is not a reference to one record", f.Name, f.Of)
	}
	f.column = fields[i].Column()
	return f, nil
}

// Select implements Selected.
func (f RefID) Select(s Selector) { s.Column(f.column) }

func (f RefID) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "integer", ReadOnly: true, Null: f.column.Null, Hidden: true, BriefOnly: true}
}
func (f RefID) Schema() Schema { return bareSchema(f.column.Null) }
