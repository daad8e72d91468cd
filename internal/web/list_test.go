package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"terrier/internal/store"
)

// TestPageLinks: the numbers of the pages are shown only where it is known how many there are, and lead to the same list.
func TestPageLinks(t *testing.T) {
	t.Parallel()
	p := &TypePages{Path: "/dcim/sites/"}
	counted := func(n int64) store.Total { return store.Total{Count: n, Counted: true} }
	for _, c := range []struct {
		offset, limit int
		total         store.Total
		want          string
	}{
		{0, 50, counted(50), ""},
		{0, 50, counted(51), "[1] 2"},
		{0, 50, counted(600), "[1] 2 3 … 12"},
		{250, 50, counted(600), "1 … 4 5 [6] 7 8 … 12"},
		{150, 50, counted(600), "1 2 3 [4] 5 6 … 12"},
		{550, 50, counted(600), "1 … 10 11 [12]"},
		{600, 50, counted(600), ""}, // beyond the last
		{25, 50, counted(600), ""},  // between two pages
		{0, 50, store.Total{}, ""},
		{0, 50, store.Total{Count: 10_001, Counted: true, Capped: true}, ""},
	} {
		params := url.Values{"q": {"lis"}, "offset": {"7"}, "cursor": {"x"}}
		var got []string
		for _, l := range p.pageLinks(params, store.Query{Limit: c.limit}, store.Page{Offset: c.offset, Total: c.total}) {
			text := fmt.Sprint(l.N)
			switch {
			case l.Current:
				text = "[" + text + "]"
			case l.N == 0:
				text = "…"
			}
			got = append(got, text)
			if want := fmt.Sprintf("/dcim/sites/?offset=%d&q=lis", (l.N-1)*c.limit); l.N > 1 && l.Href != want {
				t.Errorf("page %d is at %s, want %s", l.N, l.Href, want)
			}
			if l.N == 1 && l.Href != "/dcim/sites/?q=lis" {
				t.Errorf("page 1 is at %s", l.Href)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("offset %d of %v: %q, want %q", c.offset, c.total, s, c.want)
		}
	}
}

// TestCut: only long texts are shortened, so only their cells can get the focus.
func TestCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", mostShown+1)
	for _, c := range []struct{ kind, text, want string }{
		{TextCell, long[2:], TextCell}, {TextCell, long, CutCell}, {LongCell, "short", TextCell}, {LongCell, long, CutCell},
		{LinkCell, long, CutLinkCell}, {LinkCell, "short", LinkCell}, {CodeCell, long, CodeCell}, {BadgeCell, long, BadgeCell},
	} {
		if got := cut(Cell{Kind: c.kind, Text: c.text}); got.Kind != c.want || got.Text != c.text {
			t.Errorf("%s with %d bytes: %s %q, want %s", c.kind, len(c.text), got.Kind, got.Text, c.want)
		}
	}
}

// TestRowMenuIsEscaped: a name that looks like HTML stays a name.
func TestRowMenuIsEscaped(t *testing.T) {
	t.Parallel()
	p := &TypePages{Path: "/dcim/sites/"}
	got := string(p.rowMenu("3", `"><script>`, rowRights{change: true}))
	if strings.Contains(got, "<script>") || !strings.Contains(got, `href="/dcim/sites/3/edit/"`) || strings.Contains(got, "delete") {
		t.Error(got)
	}
	if got := string(labelAttr(`a" onclick="b`)); strings.Count(got, `"`) != 2 {
		t.Error(got)
	}
}
