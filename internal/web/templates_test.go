package web

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestPanelsOnOwnTemplates: a type whose page has its own template shows its cards, its tabs and the links of its actions too.
func TestPanelsOnOwnTemplates(t *testing.T) {
	t.Parallel()
	all, err := ParseTemplates(fstest.MapFS{"templates/own.html": {Data: []byte(`{{define "own content"}}Its own.{{end}}`)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		template string
		data     any
		want     []string
	}{
		{pageTemplate("own"), frame{Page: Page{Name: "own", Cards: []panelPart{{Label: "Ports", Table: &panelTable{}}}}},
			[]string{"Its own.", `<h2 class="card-header">Ports</h2>`}},
		{"change content", &DetailPage{More: &changePage{}, Tabs: []tabLink{{Label: "Ports", Name: "ports", Href: "/1/ports/"}},
			Actions: []ActionLink{{Label: "Poke", Href: "/1/poke/"}}}, []string{`href="/1/ports/">Ports</a>`, `href="/1/poke/">Poke</a>`}},
	} {
		var b strings.Builder
		if err := all.ExecuteTemplate(&b, c.template, c.data); err != nil {
			t.Fatal(err)
		}
		for _, text := range c.want {
			if n := strings.Count(b.String(), text); n != 1 {
				t.Errorf("%s has %q %d times: %s", c.template, text, n, b.String())
			}
		}
	}
}
