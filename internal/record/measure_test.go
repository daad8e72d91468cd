package record_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/record"
)

// cables returns a type with a length, and a function that makes a record of it.
func cables(t *testing.T) (*record.Type, func(n, unit any) record.Values) {
	t.Helper()
	reg, err := record.NewRegistry(withFields(record.Measure{Name: "length", Unit: "length_unit", Of: record.Lengths, Max: 999_999.99,
		Places: 2},
		record.Choice{Name: "length_unit", Of: record.Lengths.Choices("km", "m", "cm", "mi", "ft", "in")})...)
	if err != nil {
		t.Fatal(err)
	}
	typ := reg.Type("a.b")
	return typ, func(n, unit any) record.Values {
		v := typ.NewValues()
		v.Set("length", n)
		v.Set("length_unit", unit)
		return v
	}
}

// TestMeasures checks which numbers are accepted, and that a number needs a unit if either changes.
func TestMeasures(t *testing.T) {
	typ, cable := cables(t)
	checkForms(t, typ.Field("length"), []form{
		{json.Number("2.005"), "2.01", ""}, {"7", "7", ""}, {json.Number("-1"), "", "Ensure this value is greater than or equal to 0."},
		{json.Number("1000000"), "", "Ensure this value is less than or equal to 999999.99."}, {"2 m", "", "A valid number is required."},
	})
	for _, c := range []struct {
		before, after record.Values
		wrong         bool
	}{
		{typ.NewValues(), cable(2.0, nil), true}, {typ.NewValues(), cable(2.0, "m"), false}, {typ.NewValues(), cable(nil, nil), false},
		{typ.NewValues(), cable(nil, "m"), false},
		{cable(2.0, "m"), cable(2.0, nil), true}, {cable(2.0, nil), cable(2.0, nil), false}, {cable(2.0, nil), cable(3.0, nil), true},
	} {
		if errs := typ.Check(c.before, c.after); (len(errs["length_unit"]) > 0) != c.wrong {
			t.Errorf("%v %v after %v %v: %v", c.after.Get("length"), c.after.Get("length_unit"), c.before.Get("length"),
				c.before.Get("length_unit"), errs)
		}
	}
}

// TestMeasuresMeanTheSame checks that one length in two units has one key, and that a longer one has a larger key.
func TestMeasuresMeanTheSame(t *testing.T) {
	typ, cable := cables(t)
	key := func(n float64, unit string) any { return typ.Field("length").Column().Key.Of(cable(n, unit)) }
	for _, c := range []struct {
		a    float64
		unit string
		b    float64
		in   string
	}{{1, "km", 1000, "m"}, {2.5, "m", 250, "cm"}, {1, "ft", 12, "in"}, {1, "mi", 5280, "ft"}, {1.1, "km", 1100, "m"},
		{0.07, "m", 7, "cm"}, {2.54, "cm", 1, "in"}} {
		if key(c.a, c.unit) != key(c.b, c.in) {
			t.Errorf("%g %s is %v and %g %s is %v", c.a, c.unit, key(c.a, c.unit), c.b, c.in, key(c.b, c.in))
		}
	}
	if key(1, "furlong") != nil {
		t.Error("an unknown unit has a key")
	}
	rapid.Check(t, func(t *rapid.T) {
		hundredths := rapid.IntRange(0, 99_999_998).Draw(t, "n")
		unit := rapid.SampledFrom(record.Lengths).Draw(t, "unit").Value
		if less, more := key(float64(hundredths)/100, unit), key(float64(hundredths+1)/100, unit); less.(int64) >= more.(int64) {
			t.Fatalf("%d hundredths of %s: %v, one more: %v", hundredths, unit, less, more)
		}
	})
}

// TestMeasureTests checks what filters of a measure read: a number alone, or one with a unit.
func TestMeasureTests(t *testing.T) {
	typ, _ := cables(t)
	for text, want := range map[string]any{"2": 2.0, "-2.5": -2.5, "2m": int64(2e6), "2 m": int64(2e6), " 1 mi ": int64(1_609_344_000),
		"1e3 m": int64(1e9),
		"m":     nil, "2 kg": nil, "2 m m": nil, "": nil, "NaN": nil, "inf": nil, "99999999999 km": nil} {
		if got, err := typ.Field("length").ParseText(text); got != want || (err == nil) != (want != nil) {
			t.Errorf("%q is read as %v, %v; want %v", text, got, err, want)
		}
	}
}
