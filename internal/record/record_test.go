package record_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"terrier/internal/record"
)

func ptr(n int64) *int64 { return &n }

// TestParse checks what each kind accepts, how it is stored, and the error messages.
func TestParse(t *testing.T) {
	colours := record.Choices{{Value: "red", Label: "Red"}, {Value: "blue", Label: "Blue"}}
	number := func(s string) json.Number { return json.Number(s) }
	for _, c := range []struct {
		name  string
		field record.Field
		in    any
		want  any
		err   string
	}{
		{"text", record.Text{Name: "n"}, " a ", "a", ""},
		{"text as it is written", record.Text{Name: "n", AsWritten: true}, "\n a\r\n\n", "\n a\r\n\n", ""},
		{"blank text as it is written", record.Text{Name: "n", AsWritten: true}, " \n\t", "", ""},
		{"text from a number", record.Text{Name: "n"}, number("12"), "12", ""},
		{"text from a list", record.Text{Name: "n"}, []any{}, nil, "Not a valid string."},
		{"text from a boolean", record.Text{Name: "n"}, true, nil, "Not a valid string."},
		{"text too long", record.Text{Name: "n", Max: 3}, "äöüß", nil, "Ensure this field has no more than 3 characters."},
		{"text as long as allowed", record.Text{Name: "n", Max: 3}, "äöü", "äöü", ""},
		{"blank required text", record.Text{Name: "n", Required: true}, "  ", nil, "This field may not be blank."},
		{"blank text is null", record.Text{Name: "n", Null: true}, "", nil, ""},
		{"text with a zero byte", record.Text{Name: "n"}, "a\x00b", nil, "Null characters are not allowed."},
		{"text that does not match", record.Text{Name: "n", Match: regexp.MustCompile(`^\d+$`), MatchHelp: "Digits."}, "x", nil, "Digits."},
		{"slug", record.Slug{Name: "s"}, "a-b_1", "a-b_1", ""},
		{"not a slug", record.Slug{Name: "s"}, "a b", nil, "Enter a valid “slug” consisting of letters, numbers, underscores or hyphens."},
		{"integer", record.Int{Name: "i"}, number("-7"), int64(-7), ""},
		{"integer from a text", record.Int{Name: "i"}, "7", int64(7), ""},
		{"integer with a fraction", record.Int{Name: "i"}, number("1.5"), nil, "A valid integer is required."},
		{"integer beyond its range", record.Int{Name: "i"}, number("9223372036854775808"), nil, "A valid integer is required."},
		{"integer too small", record.Int{Name: "i", Min: ptr(1)}, number("0"), nil, "Ensure this value is greater than or equal to 1."},
		{"integer too large", record.Int{Name: "i", Max: ptr(1)}, number("2"), nil, "Ensure this value is less than or equal to 1."},
		{"decimal is rounded", record.Decimal{Name: "d", Min: -90, Max: 90, Places: 6}, number("1.23456789"), 1.234568, ""},
		{"decimal out of range", record.Decimal{Name: "d", Min: -90, Max: 90, Places: 6}, number("91"), nil,
			"Ensure this value is less than or equal to 90."},
		{"decimal that is none", record.Decimal{Name: "d", Max: 1}, "NaN", nil, "A valid number is required."},
		{"boolean", record.Bool{Name: "b"}, true, true, ""},
		{"boolean from a word", record.Bool{Name: "b"}, "False", false, ""},
		{"boolean from nonsense", record.Bool{Name: "b"}, "maybe", nil, "Must be a valid boolean."},
		{"choice", record.Choice{Name: "c", Of: colours}, "red", "red", ""},
		{"blank choice", record.Choice{Name: "c", Of: colours}, "", nil, ""},
		{"blank choice with a default", record.Choice{Name: "c", Of: colours, Default: "red"}, "", nil, "This field may not be blank."},
		{"choice as it is read", record.Choice{Name: "c", Of: colours}, map[string]any{"value": "red"}, nil,
			`Value must be passed directly (e.g. "c": "red"); do not use a dictionary or list.`},
		{"time", record.Time{Name: "t"}, "2026-01-02T03:04:05.1234567+01:00", time.Date(2026, 1, 2, 2, 4, 5, 123456000, time.UTC), ""},
		{"day", record.Time{Name: "t"}, "2026-01-02", time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), ""},
		{"no time", record.Time{Name: "t"}, "soon", nil,
			"Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.field.Parse(c.in)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if message != c.err || (err == nil && !record.SameValue(got, c.want)) {
				t.Errorf("got %v, %q; want %v, %q", got, message, c.want, c.err)
			}
		})
	}
}

// TestStringsArePrintedAsJSON compares our printer with the standard library's reader.
func TestStringsArePrintedAsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		raw := record.AppendString(nil, s)
		var back string
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatalf("%q is printed as %s: %v", s, raw, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); utf8.ValidString(s) && back != want {
			t.Fatalf("%q comes back as %q", s, back)
		}
	})
}

func registry(t *testing.T) *record.Registry {
	t.Helper()
	reg, err := record.NewRegistry(
		record.Type{App: "a", Name: "tree", Plural: "trees", Brief: []string{"name"}, Order: []string{"name"}, Fields: record.Fields{
			record.Text{Name: "name", Required: true}, record.Ref{Name: "parent", To: "a.tree"}}},
		record.Type{App: "a", Name: "leaf", Plural: "leaves", Brief: []string{"name"}, Order: []string{"name"}, Fields: record.Fields{
			record.Text{Name: "name", Required: true}, record.Int{Name: "size"}, record.Ref{Name: "tree", To: "a.tree"},
			record.Ref{Name: "owner", To: "users.user"}, record.Secret{Name: "secret"},
			record.Choice{Name: "kind", Of: record.Choices{{Value: "x", Label: "X"}}}}},
		record.Type{App: "users", Name: "user", Plural: "users", Brief: []string{"username"}, Order: []string{"username"}, Fields: record.Fields{
			record.Text{Name: "username", Required: true}}},
	)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// TestConstraints checks what can limit a permission. Unknown constraints are refused, because ignoring them would allow more than was
// meant.
func TestConstraints(t *testing.T) {
	leaf := registry(t).Type("a.leaf")
	for raw, want := range map[string]string{
		`null`:                                   "",
		`{"name": "x"}`:                          "",
		`[{"name": "x"}, {"size__gte": 3}]`:      "",
		`{"tree__name__startswith": "x"}`:        "",
		`{"tree__parent__name__in": ["x", "y"]}`: "",
		`{"tree__isnull": true}`:                 "",
		`{"owner": "$user"}`:                     "",
		`{"owner__username": "x"}`:               "",
		`{"id__in": [1, 2]}`:                     "",
		`{"pk": 1}`:                              "",
		`{"name__isw": "x"}`:                     "",
		`{"nothing": 1}`:                         `a.leaf has no field "nothing"`,
		`{"tree__nothing": 1}`:                   `a.tree has no field "nothing"`,
		`{"tree__nam": 1}`:                       `a.tree has no field "nam": did you mean "name"?`,
		`{"secret": "x"}`:                        `secret can't be compared that way`,
		`{"name__regex": "x"}`:                   `"regex" is not a lookup`,
		`{"size__contains": "x"}`:                `size can't be compared that way`,
		`{"size": "x"}`:                          `A valid integer is required.`,
		`{"name": "$user"}`:                      `means a user's id`,
		`{"size__gt": null}`:                     `null can only be equal or not equal`,
		`{"kind": "y"}`:                          `Select a valid choice.`,
		`[1]`:                                    `constraints must be an object or a list of objects`,
		`"x"`:                                    `constraints must be an object or a list of objects`,
	} {
		_, err := record.ParseConstraints(leaf, json.RawMessage(raw), 1)
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

// TestAccessorsPanicOnUndeclaredNames: a misspelling in the program must not read as null.
func TestAccessorsPanicOnUndeclaredNames(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	registry(t).Type("a.leaf").NewValues().Text("no such field")
}

// TestSecretsHideThemselves: a secret is hidden however it is printed.
func TestSecretsHideThemselves(t *testing.T) {
	v := registry(t).Type("a.leaf").NewValues()
	v.Set("name", "n")
	v.Set("secret", record.Plain("canary"))
	p := &record.Printer{}
	out := string(p.Append(nil, v, v.Type().Plan(record.View{}))) + string(record.AppendSnapshot(nil, v))
	if strings.Contains(out, "canary") || strings.Contains(record.Plain("canary").String(), "canary") {
		t.Errorf("the secret is shown: %s", out)
	}
}

func FuzzConstraints(f *testing.F) {
	f.Add(`{"name__startswith": "x"}`)
	f.Add(`[{"tree__parent__name": null}, {"id": [1]}]`)
	f.Fuzz(func(t *testing.T, raw string) {
		// Any input is either understood or refused, without a panic.
		_, _ = record.ParseConstraints(registry(t).Type("a.leaf"), json.RawMessage(raw), 1)
	})
}

// TestConstraintsAreBounded: at most 100 alternatives with 50 searched texts each can be saved. Values that are compared for equality
// don't count. Stored constraints are understood whatever their length.
func TestConstraintsAreBounded(t *testing.T) {
	leaf := registry(t).Type("a.leaf")
	list := func(n int, item string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	values := func(n int) string {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = strconv.Quote(strconv.Itoa(i))
		}
		return "[" + strings.Join(texts, ",") + "]"
	}
	for _, c := range []struct {
		name, raw string
		bounded   bool
	}{
		{"100 alternatives", list(100, `{"name": "x"}`), true},
		{"101 alternatives", list(101, `{"name": "x"}`), false},
		{"1,000 equal", `{"name": ` + values(1000) + `}`, true},
		{"1,000 unequal", `{"name__n": ` + values(1000) + `}`, true},
		{"50 behind a reference", `{"tree__name__icontains": ` + values(50) + `}`, true},
		{"51 behind a reference", `{"tree__name__icontains": ` + values(51) + `}`, false},
		{"51 startswith", `{"name__startswith": ` + values(51) + `}`, false},
		{"51 endswith", `{"name__endswith": ` + values(51) + `}`, false},
		{"51 contains", `{"name__contains": ` + values(51) + `}`, false},
		{"51 iexact", `{"name__iexact": ` + values(51) + `}`, false},
		{"51 nic", `[{"name": "x"}, {"name__nic": ` + values(51) + `}]`, false},
		{"the same text 51 times", `{"name__ic": ` + list(51, `"x"`) + `}`, true},
	} {
		alternatives, err := record.ParseConstraints(leaf, json.RawMessage(c.raw), 1)
		if err != nil {
			t.Errorf("%s is stored and not understood: %v", c.name, err)
		}
		if err := record.BoundConstraints(alternatives); (err == nil) != c.bounded {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
