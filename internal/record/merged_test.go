package record_test

import (
	"strings"
	"testing"

	"terrier/internal/record"
)

var mergeSource = record.Type{App: "a", Name: "source", Plural: "sources", Brief: []string{"name"}, Order: []string{"name"},
	Fields: record.Fields{record.Text{Name: "name", Max: 100, Required: true}, record.Bool{Name: "on"},
		record.JSON{Name: "data", Object: true, Required: true}, record.JSON{Name: "any"},
		record.Refs{Name: "bs", To: "a.b"}, record.Refs{Name: "others", To: "a.b"}, record.Ref{Name: "one", To: "a.b"}}}

// merging returns types with a merged field, after change was applied to it.
func merging(change func(*record.Merged)) []record.Type {
	f := record.Merged{Name: "all", From: "a.source", Data: "data", If: "on", Last: "own",
		Match: []record.Match{{Selector: "bs", Path: "parent", Above: true}}}
	change(&f)
	return append(withFields(record.JSON{Name: "own", Object: true}, record.Refs{Name: "friends", To: "a.b"},
		record.Ref{Name: "of", To: "a.source"}, f), mergeSource)
}

// TestMergedFieldsAreChecked checks that a mistake in what a field is merged from is found at start, with what is wrong.
func TestMergedFieldsAreChecked(t *testing.T) {
	match := func(m ...record.Match) []record.Type { return merging(func(f *record.Merged) { f.Match = m }) }
	parent := record.Match{Selector: "bs", Path: "parent"}
	for name, c := range map[string]struct {
		types []record.Type
		want  string
	}{
		"nothing wrong":    {merging(func(*record.Merged) {}), ""},
		"a set":            {match(record.Match{Selector: "bs", Path: "friends"}), ""},
		"no source":        {merging(func(f *record.Merged) { f.From = "a.x" }), "field all is merged from a.x, which is not registered"},
		"no data":          {merging(func(f *record.Merged) { f.Data = "any" }), `its Data names "any", which is not a JSON object of a.source`},
		"no flag":          {merging(func(f *record.Merged) { f.If = "name" }), `its If names "name", which is not a yes or no of a.source`},
		"no own object":    {merging(func(f *record.Merged) { f.Last = "name" }), `its Last names "name", which is not a JSON object`},
		"no selector":      {match(record.Match{Selector: "one", Path: "parent"}), `the selector "one", which is not a set of references`},
		"selector twice":   {match(parent, parent), `the selector "bs" twice`},
		"no path":          {match(record.Match{Selector: "bs", Path: "x"}), `its Match has the path "x": a.b has no field "x"`},
		"another type":     {match(record.Match{Selector: "bs", Path: "of"}), `the path "of", which does not lead to a.b as bs does`},
		"through a set":    {match(record.Match{Selector: "bs", Path: "friends.parent"}), "which must lead through references to one record"},
		"back":             {match(record.Match{Selector: "bs", Path: "[a.b.parent].parent"}), "which must lead through references"},
		"slugs of nothing": {withFields(record.Refs{Name: "rs", To: "a.b", Slugs: true}), "field rs: it is shown as Slugs, and a.b has none"},
		"above no tree": {append(merging(func(f *record.Merged) {
			f.Match = []record.Match{{Selector: "sources", Path: "of", Above: true}}
		})[:1], selectingItself()), `its Match says Above for "sources", and a.source is not a tree`},
	} {
		_, err := record.NewRegistry(c.types...)
		switch {
		case err == nil && c.want != "":
			t.Errorf("%s: there is no error, want %q", name, c.want)
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: the error is %v, want %q", name, err, c.want)
		}
	}
}

// selectingItself is a type of sources that select by sources.
func selectingItself() record.Type {
	t := mergeSource
	t.Fields = append(record.Fields{record.Refs{Name: "sources", To: "a.source"}}, mergeSource.Fields...)
	return t
}
