package record_test

import (
	"strings"
	"testing"

	"terrier/internal/record"
)

func noData(record.Call, []record.Values) ([]any, error) { return nil, nil }

// withPanel returns a type with a panel and more fields, and another type that does not refer to it.
func withPanel(p record.Panel, fields ...record.Field) []record.Type {
	other := record.Type{App: "a", Name: "c", Plural: "cs", Brief: []string{"name"},
		Fields: record.Fields{record.Text{Name: "name", Max: 100, Required: true}}}
	return append(with(func(t *record.Type) {
		t.Panels = []record.Panel{p}
		t.Fields = append(t.Fields, fields...)
	}), other)
}

// TestPanelsAreChecked checks that a wrong panel is found at start, with what is wrong.
func TestPanelsAreChecked(t *testing.T) {
	for name, c := range map[string]struct {
		types []record.Type
		want  string // "" if nothing is wrong
	}{
		"panel without a name": {withPanel(record.Panel{List: "a.b"}), "a panel needs a name, either as Tab or as Card"},
		"panel with two names": {withPanel(record.Panel{Tab: "A", Card: "B", List: "a.b"}), "a panel needs a name, either as Tab or as Card"},
		"address of a panel":   {withPanel(record.Panel{Tab: "A/B", List: "a.b"}), `the Tab "A/B" can't be part of an address`},
		"panel twice": {with(func(t *record.Type) {
			t.Panels = []record.Panel{{Tab: "Bs", List: "a.b"}, {Card: "Bs", List: "a.b"}}
		}), `two panels are called "Bs"`},
		"empty panel": {withPanel(record.Panel{Card: "Bs"}), `panel "Bs" shows nothing: it needs a List, a Drawing or what is Merged`},
		"merged nothing": {withPanel(record.Panel{Card: "Bs", Merged: "name"}),
			`panel "Bs" shows what is Merged as "name", which must be a merged field`},
		"drawing of nothing":   {withPanel(record.Panel{Card: "Bs", Drawing: "elevation"}), `panel "Bs": Drawing and Data belong together`},
		"data without drawing": {withPanel(record.Panel{Card: "Bs", List: "a.b", Data: noData}), `panel "Bs": Drawing and Data belong together`},
		"panel of nothing":     {withPanel(record.Panel{Card: "Bs", List: "x.y"}), `panel "Bs" lists x.y, which is not registered`},
		"panel by nothing": {withPanel(record.Panel{Card: "Bs", List: "a.b", By: "x"}),
			`panel "Bs" lists a.b by "x", which is not a reference to a.b`},
		"panel by a flag": {withPanel(record.Panel{Card: "Bs", List: "a.b", By: "flag"}),
			`panel "Bs" lists a.b by "flag", which is not a reference to a.b`},
		"panel by a path": {withPanel(record.Panel{Card: "Bs", List: "a.b", By: "parent.parent", Marks: []string{"parent"}}), ""},
		"panel by a lost path": {withPanel(record.Panel{Card: "Bs", List: "a.b", By: "parent.tag"}),
			`panel "Bs" lists a.b by "parent.tag", which does not lead to a.b`},
		"marks by a flag": {withPanel(record.Panel{Card: "Bs", List: "a.b", Marks: []string{"flag"}}),
			`panel "Bs" marks records by "flag", which is not a reference to a.b`},
		"panel of strangers": {withPanel(record.Panel{Card: "Cs", List: "a.c"}), `panel "Cs" lists a.c, which does not refer to a.b`},
		"panel by either": {withPanel(record.Panel{Card: "Bs", List: "a.b"}, record.Ref{Name: "r", To: "a.b"}),
			`panel "Bs" lists a.b, which refers to a.b through several fields: set By`},
		"place by nothing": {withPanel(record.Panel{Card: "Bs", List: "a.b", Drawing: "elevation", Data: noData, At: "plce"}),
			`panel "Bs" places records of a.b by "plce", and there is no such field`},
		"each of a card": {withPanel(record.Panel{Card: "Bs", List: "a.b", Each: "Bs"}), `panel "Bs": Each is for the List of a Tab`},
		"each of nothing": {withPanel(record.Panel{Tab: "Bs", List: "a.b", Each: "Bs"}),
			`panel "Bs" draws the panel "Bs" of a.b, which has no such drawing`},
		"each": {with(func(t *record.Type) {
			t.Panels = []record.Panel{{Tab: "Bs", List: "a.b", Each: "Places"}, {Card: "Places", Drawing: "elevation", Data: noData}}
		}), ""},
		"panel by one of two":   {withPanel(record.Panel{Card: "Bs", List: "a.b", By: "r"}, record.Ref{Name: "r", To: "a.b"}), ""},
		"panel by the only one": {withPanel(record.Panel{Tab: "Many bs", List: "a.b"}), ""},
	} {
		_, err := record.NewRegistry(c.types...)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
	}
}
