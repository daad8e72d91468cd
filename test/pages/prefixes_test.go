package pages_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestPrefixTree: the list of prefixes is indented by depth and shows how much of each is used, with as many statements for many as for
// few.
func TestPrefixTree(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	for _, p := range []obj{{"prefix": "10.0.0.0/8", "status": "container"}, {"prefix": "10.0.0.0/16", "status": "container"},
		{"prefix": "10.0.0.0/24", "description": "A description to find it by"}, {"prefix": "10.1.0.0/16"}, {"prefix": "2001:db8::/32"}} {
		create(t, s, "/api/ipam/prefixes/", p)
	}
	create(t, s, "/api/ipam/ip-ranges/", obj{"start_address": "10.0.0.1/24", "end_address": "10.0.0.127/24"})
	const list = "/ipam/prefixes/"
	few, _ := needs(t, b, list, wire)
	page := b.get(t, list).Want(t, http.StatusOK)
	shows(t, page, `<th scope="row"><a href="/ipam/prefixes/1/">10.0.0.0/8</a></th>`,
		`class="depth-1" data-depth="1"><a href="/ipam/prefixes/2/">10.0.0.0/16</a><span class="visually-hidden">, level 2</span>`,
		`data-depth="2"><a href="/ipam/prefixes/3/">`, `data-depth="1"><a href="/ipam/prefixes/4/">`,
		`class="bar-used" width="50" height="10"/></svg>50 %</span>`, `width="0.8" height="10"/></svg>0.8 %`)
	hides(t, page, "style=")
	shows(t, b.get(t, list+"3/").Want(t, http.StatusOK), `width="50" height="10"/></svg>50 %</span>`) // on its own page too
	shows(t, page, "A description to find it by")
	hides(t, b.get(t, list+"?ordering=prefix").Want(t, http.StatusOK), "depth-")
	for i := range 40 {
		create(t, s, "/api/ipam/prefixes/", obj{"prefix": fmt.Sprintf("10.1.%d.0/24", i)})
	}
	if many, _ := needs(t, b, list, wire); many != few || few > 6 {
		t.Errorf("%d statements for few prefixes, %d for many", few, many)
	}
	shows(t, b.get(t, "/ipam/ip-ranges/"), `width="0" height="10"/></svg>0 %`)
}
