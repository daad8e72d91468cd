package record

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
)

// Measure is a number whose unit is in another field: a weight, a length. Lists are ordered by both together, so that 2 kg is more
// than 500 g. It may be null. If it is not, the unit must be given too.
type Measure struct {
	Name, Label, Help string
	Unit              string // the Choice that holds the unit
	Of                Units  // what the units mean
	Max               float64
	Places            int // digits kept after the decimal point

	unit Field
}

// Units are the units that a measure may have.
type Units []Unit

// Unit is one unit. Millionths is its size in millionths of the first unit.
type Unit struct {
	Value, Label string
	Millionths   float64
}

// Weights are counted in grams, Lengths in metres.
var (
	Weights = Units{{"g", "Grams", 1e6}, {"kg", "Kilograms", 1e9}, {"oz", "Ounces", 28_349_523.125}, {"lb", "Pounds", 453_592_370}}
	Lengths = Units{{"m", "Meters", 1e6}, {"km", "Kilometers", 1e9}, {"cm", "Centimeters", 1e4}, {"mi", "Miles", 1_609_344_000},
		{"ft", "Feet", 304_800}, {"in", "Inches", 25_400}}
)

// Choices returns the units with these values, in the given order. A value that is no unit is left to the Measure to refuse.
func (u Units) Choices(values ...string) Choices {
	out := make(Choices, len(values))
	for i, value := range values {
		unit, _ := u.find(value)
		out[i] = Option{value, unit.Label}
	}
	return out
}

func (u Units) find(value string) (Unit, bool) {
	i := slices.IndexFunc(u, func(unit Unit) bool { return unit.Value == value })
	if i < 0 {
		return Unit{}, false
	}
	return u[i], true
}

// normal returns a measure in millionths of the first unit; ok is false if there is no such unit.
func (u Units) normal(n float64, value string) (millionths int64, ok bool) {
	unit, ok := u.find(value)
	return int64(math.RoundToEven(n * unit.Millionths)), ok
}

var (
	_ Explained = Measure{}
	_ Compared  = Measure{}
)

// HowWritten implements Explained.
func (f Measure) HowWritten() string { return "A number; its unit is in " + f.Unit + "." }

func (f Measure) number() Decimal {
	return Decimal{Name: f.Name, Label: f.Label, Help: f.Help, Max: f.Max, Places: f.Places}
}

// among implements sibling.
func (f Measure) among(fields Fields) (Field, error) {
	i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == f.Unit })
	if i < 0 {
		return nil, fmt.Errorf("field %s has its unit in %s, which does not exist", f.Name, f.Unit)
	}
	f.unit = fields[i]
	return f, nil
}

// exactly is the limit up to which a float represents every whole number exactly.
const exactly = 1 << 53

func (f Measure) checkDeclaration(*Type) error {
	if err := f.number().checkDeclaration(nil); err != nil {
		return err
	}
	if _, ok := f.unit.(Choice); !ok || !f.unit.Column().Null {
		return fmt.Errorf("its unit %s must be a Choice that may be null", f.Unit)
	}
	for i, unit := range f.Of {
		switch {
		case unit.Millionths <= 0 || slices.ContainsFunc(f.Of[:i], func(other Unit) bool { return other.Value == unit.Value }):
			return fmt.Errorf("its unit %q is there twice, or means nothing", unit.Value)
		case f.Max*unit.Millionths >= exactly:
			return fmt.Errorf("%s %s is more than can be compared exactly", plainDigits(f.Max), unit.Value)
		}
	}
	for _, o := range f.unit.Info().Choices {
		if _, ok := f.Of.find(o.Value); !ok {
			return fmt.Errorf("%s offers %q, which is none of its units", f.Unit, o.Value)
		}
	}
	return nil
}

func (f Measure) Info() Info {
	in := f.number().Info()
	in.Unit = f.Unit
	return in
}

func (f Measure) Column() Column {
	c := f.number().Column()
	c.Key = Key{Name: f.Name + "_key", Storage: StoreInt, From: MeasureKey, Unit: f.Unit, Units: f.Of, Of: f.key}
	return c
}

// key returns the sort key that the database generates for a record.
func (f Measure) key(v Values) any {
	if n, ok := v.Get(f.Name).(float64); ok {
		if millionths, ok := f.Of.normal(n, v.Text(f.Unit)); ok {
			return millionths
		}
	}
	return nil
}

// checkFields implements checking: a number without a unit means nothing.
func (f Measure) checkFields(before, after Values) (field, message string) {
	same := after.Same(before, f.Name) && after.Same(before, f.Unit)
	if after.Get(f.Name) == nil || after.Get(f.Unit) != nil || same {
		return "", ""
	}
	return f.Unit, "Choose the unit of " + f.Name + "."
}

func (f Measure) Lookups() []Lookup                           { return orderedLookups }
func (f Measure) Parse(in any) (any, error)                   { return f.number().Parse(in) }
func (f Measure) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Measure) Schema() Schema                              { return f.number().Schema() }
func (f Measure) InputSchema() Schema                         { return f.number().InputSchema() }

// ParseText parses the value of a test: a number as it is shown, or a number with a unit.
func (f Measure) ParseText(s string) (any, error) {
	s = strings.TrimSpace(s)
	digits := strings.TrimRight(s, "abcdefghijklmnopqrstuvwxyz")
	value := s[len(digits):]
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return nil, Invalid("A valid number is required, with or without a unit.")
	}
	if value == "" {
		return n, nil
	}
	millionths, ok := f.Of.normal(n, value)
	if !ok || math.Abs(float64(millionths)) >= exactly {
		return nil, Invalid("%.100q is not a unit of %s, or the value is too large.", value, f.Name)
	}
	return millionths, nil
}

// PartOf implements Compared.
func (f Measure) PartOf(Lookup) (Field, bool) { return nil, false }

// Test implements Compared. A number without a unit is compared with the number alone, whatever its unit.
func (f Measure) Test(l Lookup, texts []string) (Predicate, error) {
	one := l
	if l == Not {
		one = Exact
	}
	bare, normal := Predicate{Field: f, Lookup: one}, Predicate{Field: key{f}, Lookup: one}
	for _, s := range texts {
		if s == nullWord && one == Exact {
			bare.Values = append(bare.Values, nil)
			continue
		}
		v, err := f.ParseText(s)
		if err != nil {
			return Predicate{}, err
		}
		if _, isNormal := v.(int64); isNormal {
			normal.Values = append(normal.Values, v)
		} else {
			bare.Values = append(bare.Values, v)
		}
	}
	given := slices.DeleteFunc([]Predicate{bare, normal}, func(p Predicate) bool { return len(p.Values) == 0 })
	return oneOf(f, l, given), nil
}

// checkedFields returns the type's Check, extended by the checks of its fields.
func (t *Type) checkedFields() func(before, after Values) fault.Fields {
	own := t.Check
	var fields []checking
	for _, f := range t.fields {
		if x, ok := f.(checking); ok {
			fields = append(fields, x)
		}
	}
	if len(fields) == 0 {
		return own
	}
	return func(before, after Values) fault.Fields {
		errs := fault.Fields{}
		if own != nil {
			errs = own(before, after)
		}
		for _, f := range fields {
			if name, message := f.checkFields(before, after); name != "" {
				if errs == nil {
					errs = fault.Fields{}
				}
				errs.Add(name, "%s", message)
			}
		}
		return errs
	}
}

// checking is a field that checks itself together with other fields of its record.
type checking interface {
	// checkFields returns an error message and the field that it is about, "" if there is none. before is empty on a creation.
	checkFields(before, after Values) (field, message string)
}
