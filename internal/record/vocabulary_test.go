package record_test

import (
	"slices"
	"strings"
	"testing"

	"terrier/internal/record"
)

// TestCheckAdded checks which words each kind takes: those it knows, and those that are stored already.
func TestCheckAdded(t *testing.T) {
	reg, err := record.NewRegistry(record.Type{App: "a", Name: "leaf", Plural: "leaves", Brief: []string{"name"},
		Rights: []string{"fold", "view"}, Fields: record.Fields{
			record.Text{Name: "name", Required: true},
			record.Text{Name: "zone", Of: record.TimeZones},
			record.Choice{Name: "kind", Of: record.Choices{{Value: "x", Label: "X"}}},
			record.List{Name: "any"},
			record.Actions{Name: "actions"},
			record.ObjectTypes{Name: "types"},
			record.ObjectTypes{Name: "other_types", Only: func(t *record.Type) bool { return t.Name != "leaf" }, OnlyHelp: "Not %s."},
		}})
	if err != nil {
		t.Fatal(err)
	}
	leaf := reg.Type("a.leaf")
	for _, c := range []struct {
		field         string
		stored, given any
		want          string
	}{
		{"zone", nil, "Europe/Lisbon", ""},
		{"zone", nil, nil, ""},
		{"zone", nil, "", ""},
		{"zone", "Lisbon", "Lisbon", ""},
		{"zone", "Lisbon", "Lisbonn", `Unknown time zone "Lisbonn".`},
		{"zone", "Lisbon", "Europe/Lisbonn", `Unknown time zone "Europe/Lisbonn". Did you mean "Europe/Lisbon"?`},
		{"zone", nil, strings.Repeat("ä", 200), `Unknown time zone "` + strings.Repeat("ä", 100) + `".`},
		{"kind", nil, "x", ""},
		{"kind", "y", "y", ""},
		{"kind", "y", "z", `"z" is not a valid choice.`},
		{"any", nil, []string{"what", "ever"}, ""},
		{"actions", nil, []string{"view", "fold"}, ""},
		{"actions", nil, []string{"view", "flod"}, `Unknown action "flod". Did you mean "fold"?`},
		{"actions", []string{"flod"}, []string{"view", "flod"}, ""},
		{"types", nil, []string{"a.leaf"}, ""},
		{"types", []string{"a.gone"}, []string{"a.gone", "a.leaf"}, ""},
		{"types", nil, []string{"a.leave"}, `Unknown type "a.leave". Did you mean "a.leaf"?`},
		{"other_types", nil, []string{"a.leaf"}, "Not a.leaf."},
		{"other_types", []string{"a.leaf"}, []string{"a.leaf"}, ""},
	} {
		message := ""
		if err := leaf.Field(c.field).(record.WordChecker).CheckAdded(c.stored, c.given); err != nil {
			message = err.Error()
		}
		if !strings.HasPrefix(message, c.want) || message == "" != (c.want == "") {
			t.Errorf("%s: %v after %v: %q, want %q", c.field, c.given, c.stored, message, c.want)
		}
	}
	if got := reg.Rights(); !slices.Equal(got, []string{"view", "add", "change", "delete", "fold"}) {
		t.Errorf("the actions are %v", got)
	}
	for word, want := range map[string]string{"a.gone": "a.gone (unknown type)", "a.leaf": "a.leaf", "": ""} {
		if got := record.MarkUnknown(leaf.Field("types"), word); got != want {
			t.Errorf("%q is shown as %q", word, got)
		}
	}
}

// TestTimeZoneNames checks that the list is complete, sorted, and has nothing but names.
func TestTimeZoneNames(t *testing.T) {
	words := record.TimeZones.Words
	if len(words) < 590 || !slices.IsSorted(words) || len(slices.Compact(slices.Clone(words))) != len(words) {
		t.Errorf("%d names", len(words))
	}
	for _, name := range []string{"UTC", "Etc/UTC", "Europe/Kiev", "Europe/Kyiv", "America/Argentina/ComodRivadavia", "US/Pacific"} {
		if !slices.Contains(words, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range []string{"Local", "Factory", "posixrules", ""} {
		if slices.Contains(words, name) {
			t.Errorf("%q is not a time zone", name)
		}
	}
}

// TestNearest checks that a misspelled word finds the one that was meant, and that a word unlike all others finds none. A very long
// word must cost nothing.
func TestNearest(t *testing.T) {
	for word, want := range map[string]string{"chnage": "change", "Change": "change", "viw": "view", "q": "", "Local": "", "ad": "add",
		strings.Repeat("change", 20): ""} {
		if got := record.Nearest(word, []string{"view", "add", "change", "delete", "Cuba"}); got != want {
			t.Errorf("%s leads to %q, want %q", word, got, want)
		}
	}
}
