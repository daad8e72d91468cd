package web

import (
	"bytes"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestPrintTime: a time is an element that has it in UTC, for people and for the script; where no element is allowed it is a text.
func TestPrintTime(t *testing.T) {
	t.Parallel()
	amsterdam := time.FixedZone("", 3600)
	page := template.Must(template.New("").Funcs(template.FuncMap{"time": printTime}).Parse(
		`{{time .At}} {{time .Since "exact"}} {{time .At "clock"}} {{time .At "day"}} <option data-time>{{time .At "plain"}} a change</option>`))
	at := time.Date(2026, 11, 18, 0, 30, 5, 999, amsterdam)
	var b strings.Builder
	if err := page.Execute(&b, struct {
		At    time.Time
		Since *time.Time
	}{at, &at}); err != nil {
		t.Fatal(err)
	}
	want := `<time datetime="2026-11-17T23:30:05Z">2026-11-17 23:30:05 UTC</time> ` +
		`<time datetime="2026-11-17T23:30:05Z" data-exact>2026-11-17 23:30:05 UTC</time> ` +
		`<time datetime="2026-11-17T23:30:05Z" data-clock>23:30</time> <time datetime="2026-11-17T23:30:05Z" data-day>11-17</time> ` +
		`<option data-time>2026-11-17 23:30:05 UTC a change</option>`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

// notForPages are the files that write a time somewhere other than on a page.
var notForPages = map[string]string{
	"moment.go":                   "the one way",
	"transfer.go":                 "the name of a file",
	"typed.go":                    "the value of an input",
	"home_changes.go":             "days in UTC, and filters",
	"accountpages/token_form.go":  "a value for the ledger",
	"hookpages/webhook_replay.go": "a filter, and the argument of a command",
}

// TestOneWayToPrintTimes: pages leave it to the template function "time" to format a time. That every time is in its element on the pages
// themselves, test/pages checks for each page it asks for.
func TestOneWayToPrintTimes(t *testing.T) {
	t.Parallel()
	formats := regexp.MustCompile(`\.(Append)?Format\(`)
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "node_modules" {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(path)
		content = bytes.ReplaceAll(content, []byte("transfer.Format("), nil) // a type
		if seen[name] = formats.Match(content); seen[name] && notForPages[name] == "" {
			t.Errorf("%s formats a time: pass it to a template, which prints it with {{time}}", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range notForPages {
		if !seen[name] {
			t.Errorf("%s formats no time any more", name)
		}
	}
}
