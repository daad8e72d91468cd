package gallery_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"terrier/internal/webhook"
	"terrier/internal/webhook/gallery"
)

var update = flag.Bool("update", false, "write what is rendered to testdata")

// awkward is a name with everything that breaks a careless template.
const awkward = "Lisbon \"1\" <!channel> & 'co' @all\n*bold* [x](https://evil.example) $HOME 🚀"

// site is a change of a site as the ledger stores it.
func site(t *testing.T, kind, name string) *webhook.Event {
	t.Helper()
	text := func(v any) []byte {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	quoted := string(text(name))
	data := `{"id":7,"url":"https://cmdb.example.org/api/dcim/sites/7/","display":` + quoted + `,"name":` + quoted + `,"slug":"lis",` +
		`"status":{"value":"active","label":"Active"},"region":{"id":3,"url":"https://cmdb.example.org/api/dcim/regions/3/",` +
		`"display":"Portugal","name":"Portugal","slug":"pt"},` +
		`"tenant":null,"latitude":38.5,"comments":"","tags":[{"id":1,"name":"Prod","slug":"prod"}],"custom_fields":{"owner":"net"},` +
		`"created":"2026-02-01T08:00:00.000000Z","last_updated":"2026-03-01T12:04:05.120000Z"}`
	pre := `{"name":"Lisbon","slug":"lis","status":"planned","region":null,"tenant":null,"latitude":38.5,"comments":"` +
		strings.Repeat("old ", 60) + `",` +
		`"tags":["Prod"],"custom_fields":{"owner":"net","floors":2},"created":"2026-02-01T08:00:00.000000Z",` +
		`"last_updated":"2026-02-01T08:00:00.000000Z"}`
	post := `{"name":` + quoted + `,"slug":"lis","status":"active","region":3,"tenant":null,"latitude":38.25,"comments":"",` +
		`"tags":["Prod","EU <1>"],"custom_fields":{"owner":` + quoted +
		`,"floors":null},"created":"2026-02-01T08:00:00.000000Z","last_updated":"2026-03-01T12:04:05.120000Z"}`
	e := &webhook.Event{Kind: kind, Model: "site", Username: `al"ice <a&b> @here`, RequestID: "0190a2b4-0000-7000-8000-000000000001",
		Timestamp: time.Date(2026, 3, 1, 12, 4, 5, 120_000_000, time.UTC), Data: []byte(data)}
	if kind != "created" {
		e.Prechange = []byte(pre)
	}
	if kind != "deleted" {
		e.Postchange = []byte(post)
	}
	return e
}

func render(t *testing.T, g gallery.Template, e *webhook.Event) webhook.Request {
	t.Helper()
	c, faults := webhook.Compile(webhook.Hook{Method: g.Method, URL: g.URL, ContentType: g.ContentType, AdditionalHeaders: g.Headers,
		BodyTemplate: g.Body})
	if faults != nil {
		t.Fatal(faults)
	}
	r, err := c.Render(e, webhook.Sending{Now: e.Timestamp})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// decoded is a body as its receiver reads it.
func decoded(t *testing.T, body []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, body)
	}
	return v
}

func TestGolden(t *testing.T) {
	for _, g := range gallery.All() {
		for _, kind := range []string{"created", "updated", "deleted"} {
			t.Run(g.Key+"."+kind, func(t *testing.T) {
				body := render(t, g, site(t, kind, awkward)).Body
				decoded(t, body)
				path := filepath.Join("testdata", g.Key+"."+kind+".golden")
				if *update {
					if err := os.WriteFile(path, append(body, '\n'), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(append(body, '\n'), want) {
					t.Errorf("renders\n%s\nwant\n%s", body, want)
				}
			})
		}
	}
}

// TestNoStrayGolden: every expectation belongs to a template.
func TestNoStrayGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.golden")
	if err != nil || len(files) != 3*len(gallery.All()) {
		t.Errorf("there are %d files for %d templates: %v", len(files), len(gallery.All()), err)
	}
}

// TestHostileNames: no name changes the structure of a body: it has the same keys and number of items as the body for
// a harmless name.
func TestHostileNames(t *testing.T) {
	for _, g := range gallery.All() {
		for _, kind := range []string{"created", "updated", "deleted"} {
			want := shape(decoded(t, render(t, g, site(t, kind, "Porto")).Body))
			for _, name := range []string{`"}],"x":"`, `\`, `\"`, "{{ 1 }}", "{% if %}", "\u2028\x00\x1b", "a\r\nb", "</script>", " ",
				strings.Repeat("🚀", 2000)} {
				if got := shape(decoded(t, render(t, g, site(t, kind, name)).Body)); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %s, %q: the body is\n%v\nwant\n%v", g.Key, kind, name, got, want)
				}
			}
		}
	}
}

// shape is a value without its texts. A text that is JSON itself has a shape too.
func shape(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, member := range x {
			out[key] = shape(member)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = shape(item)
		}
		return out
	case string:
		var inner map[string]any
		if json.Unmarshal([]byte(x), &inner) == nil {
			return shape(inner)
		}
		return "text"
	}
	return v
}

// TestNoMention: a name mentions nobody, and no variable of a pipeline is expanded.
func TestNoMention(t *testing.T) {
	forbidden := map[string][]string{"mattermost": {"@all", "@here", "<!", " [x", "](https://evil"}, "gitlab": {"$"}}
	for _, g := range gallery.All() {
		body := decoded(t, render(t, g, site(t, "updated", awkward)).Body)
		if g.Key == "mattermost" {
			attachment := body.(map[string]any)["attachments"].([]any)[0].(map[string]any)
			delete(attachment, "fallback") // plain text for clients that show nothing else
		}
		if g.Key == "slack" {
			if text := body.(map[string]any)["text"].(string); strings.ContainsAny(text, "<>") {
				t.Errorf("slack could read markup in %q", text)
			}
		}
		for _, text := range texts(body) {
			for _, bad := range forbidden[g.Key] {
				if strings.Contains(text, bad) {
					t.Errorf("%s: %q holds %q", g.Key, text, bad)
				}
			}
		}
	}
}

// texts lists all texts in a value.
func texts(v any) []string {
	switch x := v.(type) {
	case string:
		return []string{x}
	case []any:
		var all []string
		for _, item := range x {
			all = append(all, texts(item)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, member := range x {
			all = append(all, texts(member)...)
		}
		return all
	}
	return nil
}

// TestManyChanges: all templates respect Slack's limit of ten items.
func TestManyChanges(t *testing.T) {
	var pre, post []string
	for _, letter := range strings.Split("abcdefghijklmno", "") {
		pre, post = append(pre, `"`+letter+`":1`), append(post, `"`+letter+`":2`)
	}
	for _, g := range gallery.All() {
		e := site(t, "updated", "Porto")
		e.Prechange, e.Postchange = []byte("{"+strings.Join(pre, ",")+"}"), []byte("{"+strings.Join(post, ",")+"}")
		body := render(t, g, e).Body
		decoded(t, body)
		switch g.Key {
		case "slack", "teams":
			if !bytes.Contains(body, []byte("and 6 more")) || bytes.Contains(body, []byte(`"j: `)) {
				t.Errorf("%s does not stop after nine: %s", g.Key, body)
			}
		case "mattermost":
			if !bytes.Contains(body, []byte("and 5 more")) || bytes.Contains(body, []byte(`"k"`)) {
				t.Errorf("mattermost does not stop after ten: %s", body)
			}
		}
	}
}

// TestLargeChange: a record as large as a request allows stays within the limits of the template engine.
func TestLargeChange(t *testing.T) {
	for _, g := range gallery.All() {
		e := site(t, "updated", "Porto")
		var pre, post []string
		for i := range 60 {
			pre, post = append(pre, fmt.Sprintf(`"f%d":"%s"`, i, strings.Repeat("é<\\n", 500))),
				append(post, fmt.Sprintf(`"f%d":["%s"]`, i, strings.Repeat("@*", 500)))
		}
		pre, post = append(pre, `"comments":""`), append(post, `"comments":"`+strings.Repeat("word ", 200_000)+`"`)
		e.Prechange, e.Postchange = []byte("{"+strings.Join(pre, ",")+"}"), []byte("{"+strings.Join(post, ",")+"}")
		decoded(t, render(t, g, e).Body)
	}
}

func TestPlaceholders(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range gallery.All() {
		if g.Key == "" || seen[g.Key] || g.Name == "" || g.Help == "" || !strings.HasPrefix(g.URL, "https://") || len(g.URL) > 500 {
			t.Errorf("%+v lacks something, or is there twice", g)
		}
		seen[g.Key] = true
		if g.Headers != "" && !strings.Contains(g.Headers, "<") {
			t.Errorf("%s: the headers do not show what to fill in: %s", g.Key, g.Headers)
		}
	}
}
