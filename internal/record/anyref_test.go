package record_test

import (
	"encoding/json"
	"testing"

	"terrier/internal/record"
)

// anyRegistry returns a registry with notes. A note may be about a page or a book.
func anyRegistry(t *testing.T) *record.Registry {
	t.Helper()
	named := record.Fields{record.Text{Name: "name", Required: true}}
	reg, err := record.NewRegistry(
		record.Type{App: "a", Name: "page", Plural: "pages", Brief: []string{"name"}, Fields: named},
		record.Type{App: "a", Name: "book", Plural: "books", Brief: []string{"name"}, Fields: named},
		record.Type{App: "a", Name: "note", Plural: "notes", Brief: []string{"name"}, Fields: append(named,
			record.AnyRef{Name: "about", To: []string{"a.page", "a.book"}},
			record.AnyRef{Name: "parent", To: []string{"a.book"}, Required: true, TypeName: "content_type", IDName: "object_id"})},
	)
	if err != nil {
		t.Fatal(err)
	}
	return reg
}

// TestAnyRefParts checks what a reference to one of several types takes, half by half.
func TestAnyRefParts(t *testing.T) {
	note := anyRegistry(t).Type("a.note")
	types := "Use one of a.page, a.book."
	for _, c := range []struct {
		field string
		given any
		want  any
		err   string
	}{
		{"about_type", "a.page", "a.page", ""},
		{"about_type", "A.Book", "a.book", ""},
		{"about_type", "", nil, ""},
		{"about_type", nil, nil, ""},
		{"about_type", "a.note", nil, `"a.note" can't be referred to here. ` + types},
		{"about_type", json.Number("7"), nil, `"7" can't be referred to here. ` + types},
		{"content_type", "", nil, `"" can't be referred to here. Use one of a.book.`},
		{"content_type", nil, nil, "This field may not be null."},
		{"about_id", json.Number("7"), int64(7), ""},
		{"about_id", "7", int64(7), ""},
		{"about_id", nil, nil, ""},
		{"about_id", "x", nil, "A valid integer is required."},
		{"about_id", json.Number("0"), nil, "Ensure this value is greater than or equal to 1."},
		{"object_id", nil, nil, "This field may not be null."},
		{"about", json.Number("7"), nil, "This field is read-only."},
	} {
		f := note.Field(c.field)
		got, err := record.ParseValue(f, f.Info(), c.given)
		if message := textOfError(err); got != c.want || message != c.err {
			t.Errorf("%s of %v is %v and %q, want %v and %q", c.field, c.given, got, message, c.want, c.err)
		}
	}
}

func textOfError(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestAnyRefIsShown checks the three members of a reference to one of several types, the two of its snapshot, and the error for
// one half without the other.
func TestAnyRefIsShown(t *testing.T) {
	reg := anyRegistry(t)
	note, page := reg.Type("a.note"), reg.Type("a.page")
	about := note.References()[0]
	for _, c := range []struct {
		typ, id, read any
		shown, state  string
		missing       string
	}{
		{"a.page", int64(7), record.Link{ID: 7, Of: page, Brief: []any{"first"}},
			`"about_type":"a.page","about_id":7,"about":{"id":7,"url":"http://x/api/a/pages/7/","display":"first","name":"first"}`,
			`"about_type":"a.page","about_id":7`, ""},
		{"a.page", int64(7), nil, `"about_type":"a.page","about_id":7,"about":null`, `"about_type":"a.page","about_id":7`, ""},
		{nil, nil, nil, `"about_type":null,"about_id":null,"about":null`, `"about_type":null,"about_id":null`, ""},
		{"a.page", nil, nil, "", "", "about_id"},
		{nil, int64(7), nil, "", "", "about_type"},
	} {
		v := note.NewValues()
		v.Set("about_type", c.typ)
		v.Set("about_id", c.id)
		v.Set("about", c.read)
		if got := about.Missing(v); got != c.missing {
			t.Errorf("of %v %v is missing %q, want %q", c.typ, c.id, got, c.missing)
		}
		if c.missing != "" {
			continue
		}
		p := &record.Printer{Base: "http://x"}
		if got := string(p.Append(nil, v, note.Plan(record.View{Only: []string{"about_type", "about_id", "about"}}))); got != "{"+c.shown+"}" {
			t.Errorf("shown as %s, want %s", got, c.shown)
		}
		if got := string(record.AppendSnapshot(nil, v)); got != `{"name":null,`+c.state+
			`,"content_type":null,"object_id":null,"created":null,"last_updated":null}` {
			t.Errorf("the snapshot is %s", got)
		}
		links := about.Links(v)
		switch {
		case c.typ == nil && len(links) != 0:
			t.Errorf("%v is not a link", links)
		case c.typ != nil && (len(links) != 1 || links[0].ID != 7 || about.Of(links[0]) != page):
			t.Errorf("the link is %v", links)
		}
	}
}

// TestAnyRefFilters checks the names by which a reference to one of several types is found.
func TestAnyRefFilters(t *testing.T) {
	note := anyRegistry(t).Type("a.note")
	for _, c := range []struct{ key, value, err string }{
		{"about_type", "a.page", ""},
		{"about_type", "null", ""},
		{"about_type__n", "a.book", ""},
		{"about_type", "a.pgae", `"a.pgae" can't be referred to here.`},
		{"content_type", "null", `"null" can't be referred to here.`},
		{"about_id", "7", ""},
		{"about_id__gte", "7", ""},
		{"about_id__empty", "true", ""},
		{"about", "7", ""},
		{"about__n", "7", ""},
		{"object_id", "7", ""},
		{"parent", "7", ""},
	} {
		p, known, err := note.ParseFilter(c.key, []string{c.value})
		if !known || (c.err == "") != (err == nil) {
			t.Errorf("%s=%s: %v, %v", c.key, c.value, known, err)
		}
		if want := map[string]string{"about": "about_id", "parent": "object_id"}[c.key]; want != "" && p.Field.Info().Name != want {
			t.Errorf("%s tests %s", c.key, p.Field.Info().Name)
		}
	}
}
