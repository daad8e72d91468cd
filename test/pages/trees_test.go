package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
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
	needed, _ := needs(t, b, list, wire)
	page := b.get(t, list).Want(t, http.StatusOK)
	rows := []string{`<th scope="row"><a href="/dcim/regions/2/">Africa</a></th>`,
		`<th scope="row"><a href="/dcim/regions/1/">Europe</a></th>`,
		`<th scope="row" class="depth-1" data-depth="1"><a href="/dcim/regions/5/">France</a><span class="visually-hidden">, level 2</span></th>`,
		`<th scope="row" class="depth-1" data-depth="1"><a href="/dcim/regions/3/">Portugal</a>`,
		`<th scope="row" class="depth-2" data-depth="2"><a href="/dcim/regions/4/">Lisbon</a>`}
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
	shows(t, second, `data-depth="1"><a href="/dcim/regions/3/">`, `data-depth="2"><a href="/dcim/regions/4/">`, "Previous")
	hides(t, second, "France")
	shows(t, b.get(t, list+"?limit=3").Want(t, http.StatusOK), "limit=3&amp;offset=3")
	hides(t, b.get(t, list+"?ordering=-name").Want(t, http.StatusOK), "depth-")
	found := b.get(t, list+"?q=lisbon").Want(t, http.StatusOK)
	shows(t, found, `<th scope="row"><a href="/dcim/regions/4/">Lisbon</a></th>`)

	hall := create(t, s, "/api/dcim/locations/", obj{"name": "Hall", "slug": "hall", "site": site})
	create(t, s, "/api/dcim/locations/", obj{"name": "Cage", "slug": "cage", "site": site, "parent": hall})
	shows(t, b.get(t, "/dcim/locations/").Want(t, http.StatusOK), `data-depth="1"><a href="/dcim/locations/2/">Cage (Lisbon 1)</a>`)
	create(t, s, "/api/dcim/manufacturers/", obj{"name": "M", "slug": "m"})
	create(t, s, "/api/dcim/device-types/", obj{"manufacturer": 1, "model": "D", "slug": "d"})
	create(t, s, "/api/dcim/device-roles/", obj{"name": "R", "slug": "r", "color": "aa1409"})
	create(t, s, "/api/dcim/devices/", obj{"name": "d", "device_type": 1, "device_role": 1, "site": site})
	create(t, s, "/api/dcim/inventory-items/", obj{"device": 1, "name": "Supervisor"})
	create(t, s, "/api/dcim/inventory-items/", obj{"device": 1, "name": "Module", "parent": 1})
	shows(t, b.get(t, "/dcim/devices/1/inventory-items/").Want(t, http.StatusOK),
		`data-depth="1"><a href="/dcim/inventory-items/2/">Module</a>`)
	above := portugal
	for n := range 10 {
		above = create(t, s, "/api/dcim/regions/", obj{"name": fmt.Sprint("Part ", n), "slug": fmt.Sprint("part-", n), "parent": above})
	}
	many := b.get(t, list).Want(t, http.StatusOK)
	shows(t, many, fmt.Sprintf(`class="depth-8" data-depth="11"><a href="/dcim/regions/%d/">Part 9</a>`, above), ", level 12<")
	if more, _ := needs(t, b, list, wire); more != needed || needed > 6 {
		t.Errorf("%d statements for five regions, %d for fifteen", needed, more)
	}
}

// TestTreesAreSorted: no column of a list that shows a tree is marked as sorted. A press on one sorts by it, another reverses the order,
// and a third leads back to the tree.
func TestTreesAreSorted(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	create(t, s, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/8"})
	create(t, s, "/api/dcim/sites/", obj{"name": "Site", "slug": "site"})

	tree := b.get(t, "/dcim/regions/").Want(t, http.StatusOK)
	shows(t, tree, `<th scope="col"><a href="/dcim/regions/?ordering=name">Name</a></th>`)
	hides(t, tree, "aria-sort", "▲")
	shows(t, b.get(t, "/dcim/regions/?ordering=name").Want(t, http.StatusOK),
		`<th scope="col" aria-sort="ascending"><a href="/dcim/regions/?ordering=-name">Name <span aria-hidden="true">▲`)
	shows(t, b.get(t, "/dcim/regions/?ordering=-name").Want(t, http.StatusOK),
		`<th scope="col" aria-sort="descending"><a href="/dcim/regions/">Name <span aria-hidden="true">▼`)
	shows(t, b.get(t, "/dcim/regions/?ordering=-name&q=e&offset=0").Want(t, http.StatusOK),
		`aria-sort="descending"><a href="/dcim/regions/?q=e">`)
	shows(t, b.get(t, "/dcim/sites/?ordering=-name").Want(t, http.StatusOK), `aria-sort="descending"><a href="/dcim/sites/?ordering=name">`)
	shows(t, b.get(t, "/ipam/prefixes/?ordering=-prefix").Want(t, http.StatusOK), `aria-sort="descending"><a href="/ipam/prefixes/">`)
}

// TestFlatPagesOfTreesSayIt: a page of a list that is a tree says so if it is not in the order of the tree.
func TestFlatPagesOfTreesSayIt(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for _, name := range []string{"a", "b", "c"} {
		create(t, s, "/api/dcim/regions/", obj{"name": name, "slug": name})
	}
	const says = "not in the order of the tree"
	next := s.Do(t, apitest.Call{Method: "GET", Path: "/api/dcim/regions/?limit=2", Token: s.Admin}).Page(t).Next
	_, flat, _ := strings.Cut(*next, "?") // the API lists records in the type's own order
	page := b.get(t, "/dcim/regions/?"+flat).Want(t, http.StatusOK)
	shows(t, page, says, `aria-sort="ascending"`, ">c</a>")
	for _, query := range []string{"", "?limit=2&offset=2", "?ordering=name", "?q=nothing", "?offset=9"} {
		hides(t, b.get(t, "/dcim/regions/"+query).Want(t, http.StatusOK), says)
	}
	hides(t, b.get(t, "/ipam/prefixes/").Want(t, http.StatusOK), says)
}

// TestPagesOfTreesCountWhatIsBelow: the page of a record in a tree, its counts, its tabs and the lists that it leads to have the same
// records: those that refer to it or to a record below it.
func TestPagesOfTreesCountWhatIsBelow(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	europe := create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	portugal := create(t, s, "/api/dcim/regions/", obj{"name": "Portugal", "slug": "portugal", "parent": europe})
	secret := create(t, s, "/api/dcim/regions/", obj{"name": "Secret", "slug": "secret", "parent": portugal})
	var site int64
	for n, region := range []int64{portugal, portugal, secret} {
		site = create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprint("s", n), "slug": fmt.Sprint("s", n), "region": region})
	}
	s.User(t, "some", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.region"}, Actions: []string{"view"}, Constraints: obj{"name__n": "Secret"}})
	for who, n := range map[string]int{"admin": 3, "some": 2} {
		person := login(t, s, who)
		link := fmt.Sprintf("/dcim/sites/?region_id=%d", europe)
		shows(t, person.get(t, fmt.Sprintf("/dcim/regions/%d/", europe)).Want(t, http.StatusOK),
			fmt.Sprintf(`<a href="%s">Sites</a><span class="badge text-bg-secondary">%d</span>`, link, n), fmt.Sprintf("<td>%d</td>", n))
		shows(t, person.get(t, link).Want(t, http.StatusOK), fmt.Sprintf("1–%d of %[1]d", n))
	}
	shows(t, b.get(t, fmt.Sprintf("/dcim/regions/%d/", europe)).Want(t, http.StatusOK),
		fmt.Sprintf(`<a href="/dcim/regions/?parent_id=%d">Regions (parent)</a><span class="badge text-bg-secondary">1</span>`, europe))

	hall := create(t, s, "/api/dcim/locations/", obj{"name": "Hall", "slug": "hall", "site": site})
	cage := create(t, s, "/api/dcim/locations/", obj{"name": "Cage", "slug": "cage", "site": site, "parent": hall})
	create(t, s, "/api/dcim/racks/", obj{"name": "A1", "site": site, "location": cage})
	path := fmt.Sprintf("/dcim/locations/%d/", hall)
	for _, address := range []string{path, path + "racks/", path + "images/"} {
		shows(t, b.get(t, address).Want(t, http.StatusOK), `Racks <span class="badge text-bg-secondary">1</span>`)
	}
	shows(t, b.get(t, path+"racks/").Want(t, http.StatusOK), ">A1</a>", "1–1 of 1")
}
