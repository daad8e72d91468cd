package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestDeletePageNamesWhatHangs: the page that asks before a record is deleted has, for each type, how many records prevent it, go with it
// or lose their reference, and names the first of them with links, as pages write names. Records that the caller may not see are neither
// named nor counted.
func TestDeletePageNamesWhatHangs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	tenant := create(t, s, "/api/tenancy/tenants/", obj{"name": "Acme", "slug": "acme"})
	room := create(t, s, "/api/dcim/locations/", obj{"name": "Room", "slug": "room", "site": site})
	var racks []int64
	for i := range 12 {
		racks = append(racks, create(t, s, "/api/dcim/racks/", obj{"name": fmt.Sprintf("R%02d", i), "site": site, "location": room}))
	}
	for i := range 3 {
		create(t, s, "/api/ipam/vlans/", obj{"name": fmt.Sprintf("secret-%d", i), "vid": 10 + i, "site": site, "tenant": tenant})
	}
	at := fmt.Sprintf("/dcim/sites/%d/delete/", site)
	b := login(t, s, "admin")
	page := b.get(t, at).Want(t, http.StatusOK)
	shows(t, page, "What prevents it", fmt.Sprintf(`<a href="/dcim/racks/?site_id=%d">12 racks</a>`, site),
		fmt.Sprintf(`<a href="/dcim/racks/%d/">R00 (Lisbon 1)</a>`, racks[0]), "and 2 more", "prevent it",
		fmt.Sprintf(`<a href="/ipam/vlans/?site_id=%d">3 VLANs</a>`, site), ">VLAN 10 secret-0")
	hides(t, page, "dcim.rack", "dependent objects", "R11")

	// Another type holds the tenant alone. What merely loses its reference is there too.
	shows(t, b.get(t, fmt.Sprintf("/tenancy/tenants/%d/delete/", tenant)).Want(t, http.StatusOK), "3 VLANs</a>")
	page = b.get(t, fmt.Sprintf("/dcim/locations/%d/delete/", room)).Want(t, http.StatusOK)
	shows(t, page, "12 racks</a>", "R00 (Lisbon 1)", "and 2 more")

	// A person with fewer rights.
	s.User(t, "few", apitest.Grant{Types: []string{"dcim.site", "dcim.location"}, Actions: []string{"view", "delete"}},
		apitest.Grant{Types: []string{"dcim.rack"}, Actions: []string{"view"}, Constraints: obj{"name": "R03"}})
	page = login(t, s, "few").get(t, at).Want(t, http.StatusOK)
	shows(t, page, "1 rack</a>", ">R03 (Lisbon 1)</a>", "Records that you may not see prevent it too")
	hides(t, page, "R00", "secret", "VLAN", "12 racks", "more</td>")
}
