// Package search_test searches the demo network for what people type, and compares what comes first.
package search_test

import (
	_ "embed"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
)

//go:embed queries.txt
var queries string

var (
	firstType = regexp.MustCompile(`<h2 class="card-header"><a href="[^"]*">([^<]*)</a>`)
	firstHit  = regexp.MustCompile(`(?s)data-hit>(.*?)</a>`)
	suggested = regexp.MustCompile(`<a href="[^"]*" data-hit data-meant>([^<]*)</a>`)
	markup    = regexp.MustCompile(`<[^>]*>`)
)

// suggestion is what a query has as its type if nothing is found and another text is suggested.
const suggestion = "Suggested"

// query is a text that people type, and what must come first.
type query struct{ text, kind, name string }

// readQueries returns the queries of queries.txt.
func readQueries(t *testing.T) (read []query) {
	t.Helper()
	for line := range strings.Lines(queries) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 3 {
			t.Fatalf("%q is not a text, a type and a name", line)
		}
		read = append(read, query{parts[0], parts[1], parts[2]})
	}
	if len(read) < 70 {
		t.Errorf("only %d texts are searched for", len(read))
	}
	return read
}

// newDemo makes a server with the medium demo network, and returns the cookie of a superuser.
func newDemo(t *testing.T) (s *apitest.Server, cookie string) {
	t.Helper()
	s = apitest.New(t)
	if err := s.App.Demo(t.Context(), "medium", func(int) {}); err != nil {
		t.Fatal(err)
	}
	return s, s.Login(t, "admin")
}

// search searches for the text of a query, reports what comes first if that is not what must, and returns how long the page took.
func search(t *testing.T, s *apitest.Server, cookie string, q query) time.Duration {
	t.Helper()
	began := time.Now()
	page := s.Do(t, apitest.Call{Method: http.MethodGet, Path: "/search/?q=" + url.QueryEscape(q.text),
		Header: map[string]string{"Cookie": cookie, "Accept": "text/html"}}).Want(t, http.StatusOK)
	took := time.Since(began)
	kind, name := first(firstType, page.Raw), first(firstHit, page.Raw)
	if meant := first(suggested, page.Raw); kind == "-" && meant != "-" {
		kind, name = suggestion, meant
	}
	if kind != q.kind || name != q.name {
		t.Errorf("%s: first comes %s %q, want %s %q", q.text, kind, name, q.kind, q.name)
	}
	return took
}

// TestSearchFindsFirst: what people type into the search brings the record that they mean to the first place of the page. If they
// misspelled it, they get a suggestion.
func TestSearchFindsFirst(t *testing.T) {
	t.Parallel()
	s, cookie := newDemo(t)
	for _, q := range readQueries(t) {
		search(t, s, cookie, q)
	}
}

// first returns the text of the first match in a page; "-" for none.
func first(pattern *regexp.Regexp, page []byte) string {
	m := pattern.FindSubmatch(page)
	if m == nil {
		return "-"
	}
	return html.UnescapeString(strings.TrimSpace(markup.ReplaceAllString(string(m[1]), "")))
}
