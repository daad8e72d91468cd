package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Int is a whole number.
type Int struct {
	Name, Label, Help string
	Min, Max          *int64
	Required, Null    bool
	ReadOnly, Hidden  bool
	Default           int64
	StoredAs          string // the column, if its name differs from the field's
	Ranges            bool   // pages create several records at once from a text such as [1-24]
	NumberOnly        bool   // a number that is written as a text is refused
	Unit              string // the Choice that holds its unit
}

var _ FoundByValue = Int{}

func (f Int) Info() Info {
	in := Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "integer", Required: f.Required,
		Null: f.Null, ReadOnly: f.ReadOnly, Hidden: f.Hidden, Widget: NumberInput.unless(f.ReadOnly), Cell: NumberCell, Ranges: f.Ranges,
		Unit: f.Unit}
	if !f.Null && !f.Required {
		in.Default = f.Default
	}
	return in
}
func (f Int) checkDeclaration(*Type) error {
	if f.Min != nil && f.Max != nil && *f.Min > *f.Max {
		return errors.New("its minimum is above its maximum")
	}
	if f.Required || f.Null || f.ReadOnly {
		return nil
	}
	if f.Min != nil && f.Default < *f.Min || f.Max != nil && f.Default > *f.Max {
		return fmt.Errorf("its default %d would not be taken as a value", f.Default)
	}
	return nil
}

func (f Int) Column() Column {
	return Column{Name: cmp.Or(f.StoredAs, f.Name), Storage: StoreInt, Null: f.Null}
}
func (f Int) Lookups() []Lookup { return orderedLookups }

func (f Int) Parse(in any) (any, error) {
	n, err := intOf(in)
	if _, isText := in.(string); isText && f.NumberOnly {
		err = errNoInteger
	}
	switch {
	case err != nil:
		return nil, err
	case f.Min != nil && n < *f.Min:
		return nil, Invalid("Ensure this value is greater than or equal to %d.", *f.Min)
	case f.Max != nil && n > *f.Max:
		return nil, Invalid("Ensure this value is less than or equal to %d.", *f.Max)
	}
	return n, nil
}

// Sought implements FoundByValue.
func (f Int) Sought(text string) (Predicate, bool) { return soughtAs(f, text) }

// ParseInt parses what JSON clients send for a whole number. Some write 42 as 42.0.
func ParseInt(in any) (int64, error) { return intOf(in) }

func intOf(in any) (int64, error) {
	var s string
	switch v := in.(type) {
	case string:
		s = strings.TrimSpace(v)
	case fmt.Stringer:
		s = v.String()
	}
	if whole, fraction, _ := strings.Cut(s, "."); fraction != "" && strings.Trim(fraction, "0") == "" {
		s = whole
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 0, errNoInteger
	}
	return n, nil
}

var errNoInteger = Invalid("A valid integer is required.")

func (f Int) ParseText(s string) (any, error)             { return intOf(s) }
func (f Int) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Int) Schema() Schema {
	return nullable(Schema{"type": "integer", "format": "int64"}, f.Null)
}
func (f Int) InputSchema() Schema {
	s := f.Schema()
	if f.Min != nil {
		s["minimum"] = *f.Min
	}
	if f.Max != nil {
		s["maximum"] = *f.Max
	}
	return s
}

// Decimal is a number with a fraction, such as a latitude. Without a default it may be null.
type Decimal struct {
	Name, Label, Help string
	Min, Max          float64
	Places            int     // digits kept after the decimal point
	Step              float64 // a value must be a multiple of this; 0 for any value
	Default           *float64
}

func (f Decimal) Info() Info {
	in := Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "decimal", Null: f.null(), Widget: DecimalInput,
		Cell: NumberCell, Wide: true}
	if f.Default != nil {
		in.Default = *f.Default
	}
	return in
}
func (f Decimal) null() bool { return f.Default == nil }

func (f Decimal) checkDeclaration(*Type) error {
	if f.Min >= f.Max {
		return errors.New("its minimum is not below its maximum")
	}
	if f.Default != nil {
		if _, err := f.Parse(plainDigits(*f.Default)); err != nil {
			return fmt.Errorf("its default %s would not be taken as a value", plainDigits(*f.Default))
		}
	}
	return nil
}

func (f Decimal) Column() Column    { return Column{Name: f.Name, Storage: StoreFloat, Null: f.null()} }
func (f Decimal) Lookups() []Lookup { return orderedLookups }

func (f Decimal) Parse(in any) (any, error) {
	var s string
	switch v := in.(type) {
	case string:
		s = strings.TrimSpace(v)
	case fmt.Stringer:
		s = v.String()
	}
	n, err := f.ParseText(s)
	if err != nil {
		return nil, err
	}
	x := n.(float64)
	if scale := math.Pow10(f.Places); math.Abs(x) < math.MaxFloat64/scale {
		x = math.Round(x*scale) / scale
	}
	switch {
	case x < f.Min:
		return nil, Invalid("Ensure this value is greater than or equal to %s.", plainDigits(f.Min))
	case x > f.Max:
		return nil, Invalid("Ensure this value is less than or equal to %s.", plainDigits(f.Max))
	case f.Step != 0 && math.Mod(x, f.Step) != 0:
		return nil, Invalid("Enter a multiple of %s.", plainDigits(f.Step))
	}
	return x, nil
}

func plainDigits(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (f Decimal) ParseText(s string) (any, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, Invalid("A valid number is required.")
	}
	return x, nil
}

// Append writes a whole number with a point too, as 2.0: clients with types see that it may have a fraction.
func (f Decimal) Append(dst []byte, v any, _ *Printer) []byte {
	start := len(dst)
	dst = AppendValue(dst, v)
	if v != nil && bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}
func (f Decimal) Schema() Schema {
	return nullable(Schema{"type": "number", "format": "double"}, f.null())
}
func (f Decimal) InputSchema() Schema {
	s := f.Schema()
	s["minimum"], s["maximum"] = f.Min, f.Max
	if f.Step != 0 {
		s["multipleOf"] = f.Step
	}
	return s
}

// Bool is yes or no.
type Bool struct {
	Name, Label, Help string
	Default           bool
}

var _ Explained = Bool{}

func (f Bool) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "boolean", Default: f.Default, Widget: CheckBox}
}
func (f Bool) Column() Column    { return Column{Name: f.Name, Storage: StoreBool} }
func (f Bool) Lookups() []Lookup { return equalLookups }

func (f Bool) Parse(in any) (any, error) {
	switch v := in.(type) {
	case bool:
		return v, nil
	case string:
		return f.ParseText(v)
	case fmt.Stringer:
		return f.ParseText(v.String())
	}
	return nil, errBool
}

// ParseBool parses a yes or no in a query.
func ParseBool(s string) (bool, error) {
	v, err := Bool{}.ParseText(s)
	yes, _ := v.(bool)
	return yes, err
}

// HowWritten implements Explained.
func (f Bool) HowWritten() string { return "true or false." }

var errBool = Invalid("Must be a valid boolean.")

func (f Bool) ParseText(s string) (any, error) {
	switch strings.ToLower(s) {
	case "true", "t", "yes", "1", "on":
		return true, nil
	case "false", "f", "no", "0", "off":
		return false, nil
	}
	return nil, errBool
}
func (f Bool) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Bool) Schema() Schema                              { return Schema{"type": "boolean"} }
func (f Bool) InputSchema() Schema                         { return f.Schema() }
