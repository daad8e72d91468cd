package record

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// Total is a sum that the page of a record shows besides its fields, such as the weight of a rack with all that is in it. It is shown to
// those who may see the types that it adds up, and includes records that they may not see: these weigh something too.
type Total struct {
	Label string // "Total weight"
	// Of are the paths of the measures that are added up: "weight", "[dcim.device.rack].device_type.weight".
	Of     []string
	Unit   string // what the sum is shown in: "kg"
	Places int    // digits after the decimal point

	parts []TotalPart
	unit  Unit
}

// TotalPart is one of the paths that a total adds up. It ends in the field of a type.
type TotalPart struct {
	Via   []Hop
	Field Field
}

// Parts returns what is added up. All of it is counted in millionths of the same unit.
func (t Total) Parts() []TotalPart { return t.parts }

// Types returns the types of the records that are added up, besides the record itself and what it refers to.
func (t Total) Types() (types []*Type) {
	for _, part := range t.parts {
		for _, hop := range part.Via {
			if hop.Back && !slices.Contains(types, hop.Target) {
				types = append(types, hop.Target)
			}
		}
	}
	return types
}

// Text returns a sum of millionths for people: "318.40 kg".
func (t Total) Text(millionths float64) string {
	return strconv.FormatFloat(millionths/t.unit.Millionths, 'f', t.Places, 64) + " " + t.Unit
}

// checkTotals checks the totals and resolves their paths.
func (t *Type) checkTotals() error {
	t.Totals = slices.Clone(t.Totals) // other registries may share the declaration
	for i := range t.Totals {
		if err := t.Totals[i].resolve(t); err != nil {
			return fmt.Errorf("the total %q %w", t.Totals[i].Label, err)
		}
	}
	return nil
}

func (t *Total) resolve(of *Type) error {
	if t.Label == "" || len(t.Of) == 0 {
		return errors.New("needs a Label, and paths to add up")
	}
	t.parts = nil
	var units Units
	for _, path := range t.Of {
		r, err := of.route(path)
		if err != nil {
			return fmt.Errorf("has the path %q: %w", path, err)
		}
		measure, ok := r.field.(Measure)
		switch {
		case !ok:
			return fmt.Errorf("has the path %q, which does not end in a Measure", path)
		case !singular(of, r.via):
			return fmt.Errorf("has the path %q, which leads through a set or a reference to one of several types", path)
		case units != nil && !slices.Equal(units, measure.Of):
			return fmt.Errorf("has the path %q, which is measured in other units", path)
		}
		units = measure.Of
		t.parts = append(t.parts, TotalPart{Via: r.via, Field: measure})
	}
	unit, ok := units.find(t.Unit)
	if !ok {
		return fmt.Errorf("is shown in %q, which is none of its units", t.Unit)
	}
	t.unit = unit
	return nil
}

// singular reports whether each step of a path follows a reference to one record of one type, forwards or back.
func singular(at *Type, via []Hop) bool {
	for _, hop := range via {
		from := at
		if hop.Back {
			from = hop.Target
		}
		if ref, _ := ReferenceOf(from.Field(hop.Name)); ref.Many || ref.TypeField != "" {
			return false
		}
		at = hop.Target
	}
	return true
}
