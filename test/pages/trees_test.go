package pages_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTreesAreIndented: lists of regions, and of the inventory items of a device, show the tree, page by page, with as many statements for
// many as for few; in another order they don't.
func TestTreesAreIndented(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	europe := create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	create(t, s, "/api/dcim/regions/", obj{"name": "Africa", "slug": "africa"})
	portugal := create(t, s, "/api/dcim/regions/", obj{"name": "Portugal", "slug": "portugal", "parent": europe})
	create(t, s, "/api/dcim/regions/", obj{"name": "Lisbon", "slug": "lisbon", "parent": portugal})
	create(t, s, "/api/dcim/regions/", obj{"name": "France", "slug": "france", "parent": europe})
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "region": portugal})

	const list = "/dcim/regions/"
	few, _ := needs(t, b, list, wire)
	page := b.get(t, list).Want(t, http.StatusOK)
	rows := []string{`<th scope="row"><a href="/dcim/regions/2/">Africa</a></th>`,
		`<th scope="row"><a href="/dcim/regions/1/">Europe</a></th>`,
		`<th scope="row" class="depth-1"><a href="/dcim/regions/5/">France</a><span class="visually-hidden">, level 2</span></th>`,
		`<th scope="row" class="depth-1"><a href="/dcim/regions/3/">Portugal</a>`,
		`<th scope="row" class="depth-2"><a href="/dcim/regions/4/">Lisbon</a>`}
	shows(t, page, rows...)
	at := -1
	for _, row := range rows {
		if i := strings.Index(string(page.Raw), row); i < at {
			t.Errorf("%s is not after the row before it", row)
		} else {
			at = i
		}
	}
	second := b.get(t, list+"?limit=3&offset=3").Want(t, http.StatusOK)
	shows(t, second, `class="depth-1"><a href="/dcim/regions/3/">`, `class="depth-2"><a href="/dcim/regions/4/">`, "Previous")
	hides(t, second, "France")
	shows(t, b.get(t, list+"?limit=3").Want(t, http.StatusOK), "limit=3&amp;offset=3")
	hides(t, b.get(t, list+"?ordering=-name").Want(t, http.StatusOK), "depth-")
	found := b.get(t, list+"?q=lisbon").Want(t, http.StatusOK)
	shows(t, found, `<th scope="row"><a href="/dcim/regions/4/">Lisbon</a></th>`)

	hall := create(t, s, "/api/dcim/locations/", obj{"name": "Hall", "slug": "hall", "site": site})
	create(t, s, "/api/dcim/locations/", obj{"name": "Cage", "slug": "cage", "site": site, "parent": hall})
	shows(t, b.get(t, "/dcim/locations/").Want(t, http.StatusOK), `class="depth-1"><a href="/dcim/locations/2/">Cage</a>`)
	create(t, s, "/api/dcim/manufacturers/", obj{"name": "M", "slug": "m"})
	create(t, s, "/api/dcim/device-types/", obj{"manufacturer": 1, "model": "D", "slug": "d"})
	create(t, s, "/api/dcim/device-roles/", obj{"name": "R", "slug": "r", "color": "aa1409"})
	create(t, s, "/api/dcim/devices/", obj{"name": "d", "device_type": 1, "device_role": 1, "site": site})
	create(t, s, "/api/dcim/inventory-items/", obj{"device": 1, "name": "Supervisor"})
	create(t, s, "/api/dcim/inventory-items/", obj{"device": 1, "name": "Module", "parent": 1})
	shows(t, b.get(t, "/dcim/devices/1/inventory-items/").Want(t, http.StatusOK),
		`class="depth-1"><a href="/dcim/inventory-items/2/">Module</a>`)
	if many, _ := needs(t, b, list, wire); many != few || few > 6 {
		t.Errorf("%d statements for few regions, %d for many", few, many)
	}
}
