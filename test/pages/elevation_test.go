package pages_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestElevationPages: the page of a rack draws what is in it, and free units lead to the form for a device there. The page of a site draws
// its racks, with as many statements for many as for one.
func TestElevationPages(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Server", "slug": "server", "color": "00ff00"})
	model := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "X", "slug": "x", "is_full_depth": false})
	rack := func(name string) int64 {
		id := create(t, s, "/api/dcim/racks/", obj{"name": name, "site": site, "u_height": 4})
		for _, at := range []int{1, 2} {
			create(t, s, "/api/dcim/devices/", obj{"name": fmt.Sprint(name, "-", at), "device_type": model, "device_role": role, "site": site,
				"rack": id, "position": at, "face": "front"})
		}
		return id
	}
	first := rack("R1")
	create(t, s, "/api/dcim/rack-reservations/", obj{"rack": first, "units": []int{4}, "user": 1, "description": "<Storage>"})
	path := fmt.Sprintf("/dcim/racks/%d/", first)
	page := b.get(t, path).Want(t, http.StatusOK)
	shows(t, page, `fill="#00ff00"`, `fill="#000000">R1-1</text>`, "&lt;Storage&gt;", "<figcaption>75 % of 4 units in use<",
		fmt.Sprintf(`/dcim/devices/add/?face=rear&amp;next=%%2Fdcim%%2Fracks%%2F%d%%2F&amp;position=3&amp;rack=%%23%[1]d`, first)+
			`&amp;site=Lisbon&#43;1"`)
	hides(t, page, "style=", "face=front&amp;next=%2Fdcim%2Fracks%2F1%2F&amp;position=2&")

	// Whoever may not see devices sees no elevation; whoever sees some sees where the others are.
	s.User(t, "racks", apitest.Grant{Types: []string{"dcim.rack", "dcim.site"}, Actions: []string{"view"}})
	s.User(t, "some", apitest.Grant{Types: []string{"dcim.rack", "dcim.site"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.device"}, Actions: []string{"view"}, Constraints: obj{"name": "R1-1"}})
	hides(t, login(t, s, "racks").get(t, path).Want(t, http.StatusOK), "R1-1", "Elevation")
	limited := login(t, s, "some").get(t, path).Want(t, http.StatusOK)
	shows(t, limited, "R1-1", ">Taken</text>", "U2")
	hides(t, limited, "R1-2", "Storage", "/add/")

	tab := fmt.Sprintf("/dcim/sites/%d/racks/", site)
	var want int64
	for round, names := range [][]string{{}, {"R2", "R3", "R4"}} {
		for _, name := range names {
			rack(name)
		}
		got, _ := needs(t, b, tab, wire)
		shown := b.get(t, tab).Want(t, http.StatusOK)
		if want == 0 {
			want = got
		}
		if got != want || strings.Count(string(shown.Raw), `<figure class="picture">`) != 1+len(names) {
			t.Errorf("round %d: %d statements, want %d", round, got, want)
		}
	}
	shows(t, b.get(t, tab+"?limit=2").Want(t, http.StatusOK), "1–2 of 4", `rel="next"`, ">R2-1</text>")
	hides(t, b.get(t, tab+"?limit=2").Want(t, http.StatusOK), "R3")
}
