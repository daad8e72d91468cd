package record_test

import (
	"strings"
	"testing"

	"terrier/internal/record"
)

// withTotal returns a type with a weight and a total.
func withTotal(total record.Total) []record.Type {
	return with(func(t *record.Type) {
		t.Fields = append(t.Fields,
			record.Measure{Name: "weight", Unit: "weight_unit", Of: record.Weights, Max: 1000},
			record.Choice{Name: "weight_unit", Of: record.Weights.Choices("g", "kg")},
			record.Measure{Name: "length", Unit: "length_unit", Of: record.Lengths, Max: 1000},
			record.Choice{Name: "length_unit", Of: record.Lengths.Choices("m")},
			record.Refs{Name: "others", To: "a.b"},
			record.AnyRef{Name: "any", To: []string{"a.b"}})
		t.Totals = []record.Total{total}
	})
}

// TestTotalsAreChecked checks that a wrong total is found at start, with what is wrong.
func TestTotalsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		total record.Total
		want  string // "" if nothing is wrong
	}{
		"no name":      {record.Total{Of: []string{"weight"}, Unit: "kg"}, "needs a Label, and paths to add up"},
		"no paths":     {record.Total{Label: "W", Unit: "kg"}, "needs a Label, and paths to add up"},
		"no such path": {record.Total{Label: "W", Of: []string{"wieght"}, Unit: "kg"}, `has the path "wieght"`},
		"a plain text": {record.Total{Label: "W", Of: []string{"name"}, Unit: "kg"}, `has the path "name", which does not end in a Measure`},
		"a record":     {record.Total{Label: "W", Of: []string{"parent"}, Unit: "kg"}, "does not end in a Measure"},
		"no such unit": {record.Total{Label: "W", Of: []string{"weight"}, Unit: "m"}, `is shown in "m", which is none of its units`},
		"other units":  {record.Total{Label: "W", Of: []string{"weight", "length"}, Unit: "kg"}, "is measured in other units"},
		"a set":        {record.Total{Label: "W", Of: []string{"others.weight"}, Unit: "kg"}, "leads through a set"},
		"a set back":   {record.Total{Label: "W", Of: []string{"[a.b.others].weight"}, Unit: "kg"}, "leads through a set"},
		"any type":     {record.Total{Label: "W", Of: []string{"any[a.b].weight"}, Unit: "kg"}, "leads through a set"},
		"right":        {record.Total{Label: "W", Of: []string{"weight", "parent.weight", "[a.b.parent].weight"}, Unit: "kg"}, ""},
	} {
		_, err := record.NewRegistry(withTotal(c.total)...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
	}
}
