package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Ints is a list of whole numbers, in the order given.
type Ints struct {
	Name, Label, Help string
	Min, Max          *int64 // of each number
	Required          bool   // at least one
	MaxItems          int    // how many there may be; 0 for as many as in any list
	FilterName        string // besides its own: ?port= finds what has the port among its ports
}

var _ Explained = Ints{}

// HowWritten implements Explained.
func (f Ints) HowWritten() string { return "Separated by commas." }

func (f Ints) Info() Info {
	in := Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "list", Required: f.Required,
		Widget: LinesInput, Cell: ListCell}
	if !f.Required {
		in.Default = []int64{}
	}
	return in
}

// maxIndexed is how many numbers an entry of an index holds beside a name.
const maxIndexed = 250

func (f Ints) checkDeclaration(t *Type) error {
	ordered := slices.ContainsFunc(t.Order, func(name string) bool { return strings.TrimPrefix(name, "-") == f.Name })
	switch {
	case f.Min != nil && f.Max != nil && *f.Min > *f.Max:
		return errors.New("its minimum is above its maximum")
	case f.MaxItems < 0 || f.MaxItems > maxList:
		return fmt.Errorf("its MaxItems must lie between 0 and %d", maxList)
	case ordered && (f.MaxItems == 0 || f.MaxItems > maxIndexed):
		return fmt.Errorf("it is in Order, and an index holds no more than %d numbers: set MaxItems", maxIndexed)
	}
	return nil
}

func (f Ints) Column() Column    { return Column{Name: f.Name, Storage: StoreNumbers} }
func (f Ints) Lookups() []Lookup { return equalLookups }

func (f Ints) addFilters(m map[string]filter, _ *Type) {
	m[f.Name] = plainFilter(Predicate{Field: f}, f)
	m[cmp.Or(f.FilterName, f.Name)] = m[f.Name]
}

func (f Ints) Parse(in any) (any, error) {
	list, err := listOf(in)
	if err != nil {
		return nil, err
	}
	switch {
	case f.Required && len(list) == 0:
		return nil, Invalid("This list may not be empty.")
	case f.MaxItems > 0 && len(list) > f.MaxItems:
		return nil, errTooMany(f.MaxItems)
	}
	item := Int{Min: f.Min, Max: f.Max}
	out := make([]int64, len(list))
	for i, given := range list {
		n, err := item.Parse(given)
		if err != nil {
			return nil, err
		}
		out[i] = n.(int64)
	}
	return out, nil
}

func (f Ints) ParseText(s string) (any, error)             { return intOf(s) }
func (f Ints) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Ints) Schema() Schema {
	return Schema{"type": "array", "items": Int{}.Schema()}
}

func (f Ints) InputSchema() Schema {
	s := Schema{"type": "array", "items": Int{Min: f.Min, Max: f.Max}.InputSchema()}
	if f.Required {
		s["minItems"] = 1
	}
	if f.MaxItems > 0 {
		s["maxItems"] = f.MaxItems
	}
	return s
}

// Numbers returns a list of whole numbers.
func (v Values) Numbers(name string) []int64 {
	l, _ := v.Get(name).([]int64)
	return slices.Clone(l)
}
