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

	"terrier/test/apitest"
)

//go:embed queries.txt
var queries string

var (
	firstType = regexp.MustCompile(`<h2 class="card-header"><a href="[^"]*">([^<]*)</a>`)
	firstHit  = regexp.MustCompile(`(?s)data-hit>(.*?)</a>`)
	markup    = regexp.MustCompile(`<[^>]*>`)
)

// TestSearchFindsFirst: what people type into the search brings the record that they mean to the first place of the page.
func TestSearchFindsFirst(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	if err := s.App.Demo(t.Context(), "medium", func(int) {}); err != nil {
		t.Fatal(err)
	}
	cookie := s.Login(t, "admin")
	n := 0
	for line := range strings.Lines(queries) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 3 {
			t.Fatalf("%q is not a text, a type and a name", line)
		}
		n++
		page := s.Do(t, apitest.Call{Method: http.MethodGet, Path: "/search/?q=" + url.QueryEscape(parts[0]),
			Header: map[string]string{"Cookie": cookie, "Accept": "text/html"}}).Want(t, http.StatusOK)
		typ, name := first(firstType, page.Raw), first(firstHit, page.Raw)
		if typ != parts[1] || name != parts[2] {
			t.Errorf("%s: first comes %s %q, want %s %q", parts[0], typ, name, parts[1], parts[2])
		}
	}
	if n < 60 {
		t.Errorf("only %d texts were searched for", n)
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
