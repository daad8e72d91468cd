package record_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"terrier/internal/record"
)

// form is a value as it is written, stored and shown.
type form struct {
	in    any
	shown string // JSON; "" where it is refused
	err   string
}

// checkForms parses and prints each value. A shown value can be written back and stays the same.
func checkForms(t *testing.T, f record.Field, forms []form) {
	t.Helper()
	for _, c := range forms {
		value, err := f.Parse(c.in)
		if err != nil {
			if c.shown != "" || err.Error() != c.err {
				t.Errorf("%s takes %v: %v, want %s%s", f.Info().Name, c.in, err, c.shown, c.err)
			}
			continue
		}
		if shown := string(f.Append(nil, value, nil)); shown != c.shown {
			t.Errorf("%s shows %v as %s, want %s%s", f.Info().Name, c.in, shown, c.shown, c.err)
			continue
		}
		if again, err := f.Parse(asWritten(t, f, c.shown)); value != nil && (err != nil || !record.SameValue(again, value)) {
			t.Errorf("%s shows %s and reads it as %v, %v", f.Info().Name, c.shown, again, err)
		}
	}
}

// asWritten returns a shown value as a client sends it back.
func asWritten(t *testing.T, f record.Field, shown string) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(shown))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if x, ok := f.(record.ReadBack); ok {
		v = x.FromShown(v)
	}
	return v
}

// TestDates checks which days are taken.
func TestDates(t *testing.T) {
	wrong := "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
	checkForms(t, record.Date{Name: "d"}, []form{
		{"2026-01-31", `"2026-01-31"`, ""}, {" 2028-02-29 ", `"2028-02-29"`, ""}, {"0001-01-01", `"0001-01-01"`, ""},
		{"9999-12-31", `"9999-12-31"`, ""},
		{"", "null", ""}, {"2026-02-29", "", wrong}, {"2026-1-31", "", wrong}, {"0000-01-01", "", wrong}, {"31.01.2026", "", wrong},
		{"2026-01-31T00:00:00Z", "", wrong}, {json.Number("20260131"), "", wrong}, {true, "", "Not a valid string."},
	})
	checkForms(t, record.Date{Name: "d", Required: true}, []form{{"", "", "This field may not be blank."}})
	rapid.Check(t, func(t *rapid.T) {
		day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(-700_000, 2_900_000).Draw(t, "day")).Format(time.DateOnly)
		if got, err := (record.Date{}).Parse(day); err != nil || got != day {
			t.Fatalf("%s: %v, %v", day, got, err)
		}
	})
}

// TestHardwareAddresses checks which notations of MAC addresses and WWNs are taken.
func TestHardwareAddresses(t *testing.T) {
	wrong := "Enter a MAC address, such as 00:1B:44:11:3A:B7."
	shown := `"00:1B:44:11:3A:B7"`
	checkForms(t, record.MAC{Name: "m"}, []form{
		{"00:1b:44:11:3a:b7", shown, ""}, {"00-1B-44-11-3A-B7", shown, ""}, {"001b.4411.3ab7", shown, ""}, {"001b44:113ab7", shown, ""},
		{"001b44-113ab7", shown, ""}, {" 001B44113AB7 ", shown, ""}, {"", "null", ""},
		{"00:1b:44:11:3a", "", wrong}, {"00:1b:44:11:3a:b7:01", "", wrong}, {"00:1b:44:11:3a:g7", "", wrong}, {"00:1b-44:11:3a:b7", "", wrong},
		{"0:1b:44:11:3a:b7", "", wrong}, {"001:b44:113:ab7:", "", wrong}, {":::::", "", wrong}, {"x", "", wrong},
		{[]any{}, "", "Not a valid string."},
	})
	wrong, shown = "Enter a WWN, such as 50:06:01:60:3C:E0:1A:2B.", `"50:06:01:60:3C:E0:1A:2B"`
	checkForms(t, record.WWN{Name: "w"}, []form{
		{"50:06:01:60:3c:e0:1a:2b", shown, ""}, {"500601603CE01A2B", shown, ""}, {"5006-0160-3ce0-1a2b", shown, ""},
		{"50060160:3ce01a2b", shown, ""},
		{"", "null", ""}, {"00:1b:44:11:3a:b7", "", wrong}, {"500601603CE01A2", "", wrong},
	})
	pairs := regexp.MustCompile(`^([0-9A-F]{2}:){5}[0-9A-F]{2}$`)
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.StringMatching(`[0-9a-fA-F:.-]{10,18}`), rapid.String()).Draw(t, "in")
		v, err := record.MAC{}.ParseText(in)
		if s, _ := v.(string); err == nil && !pairs.MatchString(s) {
			t.Fatalf("%q is taken as %q", in, s)
		}
	})
}

// TestIntLists checks what a list of whole numbers takes. Its order stays, and so does a number that is there twice.
func TestIntLists(t *testing.T) {
	checkForms(t, record.Ints{Name: "ports", Min: ptr(1), Max: ptr(65535)}, []form{
		{[]any{json.Number("443"), "80", json.Number("80")}, "[443,80,80]", ""}, {[]any{}, "[]", ""},
		{[]any{json.Number("0")}, "", "Ensure this value is greater than or equal to 1."},
		{[]any{json.Number("65536")}, "", "Ensure this value is less than or equal to 65535."},
		{[]any{json.Number("1.5")}, "", "A valid integer is required."}, {[]any{nil}, "", "A valid integer is required."},
		{"80", "", `Expected a list of items but got type "str".`},
	})
	checkForms(t, record.Ints{Name: "units", Required: true},
		[]form{{[]any{}, "", "This list may not be empty."}, {[]any{json.Number("-3")}, "[-3]", ""}})
	checkForms(t, record.Ints{Name: "units", MaxItems: 2},
		[]form{{[]any{"1", "2"}, "[1,2]", ""}, {[]any{"1", "2", "3"}, "", "Ensure this list has no more than 2 items."}})
}

// TestNumberChoices checks that a choice whose values are numbers is shown with the number, and takes it bare.
func TestNumberChoices(t *testing.T) {
	widths := []record.NumberOption{{Value: 10, Label: "10 inches"}, {Value: 19, Label: "19 inches"}}
	f := record.NumberChoice{Name: "width", Of: widths}
	checkForms(t, f, []form{
		{json.Number("19"), `{"value":19,"label":"19 inches"}`, ""}, {"10", `{"value":10,"label":"10 inches"}`, ""}, {"", "null", ""},
		{"wide", "", `"wide" is not a valid choice.`}, {json.Number("19.5"), "", `"19.5" is not a valid choice.`},
		{map[string]any{"value": json.Number("19")}, "", `Value must be passed directly (e.g. "width": 19); do not use a dictionary or list.`},
		{json.Number("7"), `{"value":7,"label":"7"}`, ""}, // what is stored may stay; CheckAdded refuses it elsewhere
	})
	checkForms(t, record.NumberChoice{Name: "width", Of: widths, Default: 19}, []form{{"", "", "This field may not be blank."}})
	for _, c := range []struct {
		stored, given any
		err           string
	}{{nil, int64(19), ""}, {int64(7), int64(7), ""}, {int64(19), int64(7), `"7" is not a valid choice.`}, {int64(19), nil, ""}} {
		if err := f.CheckAdded(c.stored, c.given); (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%v after %v: %v, want %s", c.given, c.stored, err, c.err)
		}
	}
	if v := f.Info().ChoiceValue(f.Info().Choices[1]); v != json.Number("19") {
		t.Errorf("the second option has the value %v", v)
	}
}
