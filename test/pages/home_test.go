package pages_test

import (
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestHomeCountsWhatTheCallerSees: all of a type, or what the constraints of a permission let through, and no
// type they may not see.
func TestHomeCountsWhatTheCallerSees(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 2", "slug": "lis2"})
	create(t, s, "/api/dcim/regions/", obj{"name": "Lisbon", "slug": "lisbon"})
	s.User(t, "limited", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: obj{"slug": "lis2"}})
	counted := func(path, label, count string) string {
		return `<a href="` + path + `">` + label + `</a><span class="badge text-bg-secondary">` + count + `</span></li>`
	}
	sites, regions, groups := "/dcim/sites/", "/dcim/regions/", "/dcim/site-groups/"

	home := login(t, s, "admin").get(t, "/").Want(t, http.StatusOK)
	shows(t, home, counted(sites, "Sites", "2"), counted(regions, "Regions", "1"), counted(groups, "Site groups", "0"))
	home = login(t, s, "limited").get(t, "/").Want(t, http.StatusOK)
	shows(t, home, counted(sites, "Sites", "1"))
	hides(t, home, regions)
}
