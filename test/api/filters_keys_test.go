package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestFilterByUnknownKeyIsRefused: a filter by a reference finds a record by its slug, and by its name if exactly one record has it. Any
// other text is refused with the nearest keys and names, in a list, a saved filter and a negation. A hidden record is refused as a
// missing one. Ids stay as they are, and a caller who may see no record of the other type gets an empty list.
func TestFilterByUnknownKeyIsRefused(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	add := func(path string, body obj) int64 {
		t.Helper()
		return apitest.ID(s.Do(t, apitest.Call{Method: "POST", Path: path, Token: s.Admin, Body: body}).Want(t, http.StatusCreated).Object(t))
	}
	region := add("/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	site := add("/api/dcim/sites/", obj{"name": "New York 1", "slug": "nyc1", "region": region})
	hidden := add("/api/dcim/sites/", obj{"name": "Hidden", "slug": "hidden"})
	for _, of := range []int64{site, hidden} {
		add("/api/dcim/locations/", obj{"name": "Hall", "slug": fmt.Sprint("hall-", of), "site": of})
	}
	add("/api/ipam/vrfs/", obj{"name": "Blue", "rd": "65000:1"})
	add("/api/ipam/vrfs/", obj{"name": "Bare"})
	add("/api/extras/saved-filters/", obj{"name": "Wrong", "slug": "wrong", "content_types": []string{"dcim.rack"},
		"parameters": obj{"site": []string{"nyc2"}}})
	hall := "hall-" + fmt.Sprint(site)
	for _, name := range []string{"R1", "R2"} {
		add("/api/dcim/racks/", obj{"name": name, "site": site, "location": obj{"slug": hall}})
	}
	add("/api/dcim/racks/", obj{"name": "R3", "site": hidden})
	_, limited := s.User(t, "limited", apitest.Grant{Types: []string{"dcim.rack"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}, Constraints: obj{"slug": "nyc1"}})
	_, racksOnly := s.User(t, "racks", apitest.Grant{Types: []string{"dcim.rack"}, Actions: []string{"view"}})
	missing := func(name string) string { return fmt.Sprintf("There is no site %q that you may see.", name) }
	for _, x := range []struct {
		query string
		count int    // if it is answered
		why   string // if it is refused
		token string
	}{
		{query: "racks/?site=nyc1", count: 2},
		{query: "racks/?site=New York 1", count: 2},
		{query: "racks/?site=New York 1&site=hidden", count: 3},
		{query: "racks/?site__n=New York 1", count: 1},
		{query: "racks/?site=null", count: 0},
		{query: "racks/?site_id=999", count: 0},
		{query: "racks/?region=Europe", count: 2},
		{query: "racks/?location=" + hall, count: 2},
		{query: "racks/?site=nyc2", why: missing("nyc2") + ` Did you mean "nyc1"?`},
		{query: "racks/?site=nyc1&site=nyc2", why: missing("nyc2")},
		{query: "racks/?site__n=nyc2", why: missing("nyc2")},
		{query: "racks/?site=New York", why: missing("New York") + ` Did you mean "New York 1"?`},
		{query: "racks/?filter=wrong", why: missing("nyc2")},
		{query: "racks/?location=Hall", why: `Several locations are called "Hall". Write the Slug of one of them: "hall-`},
		{query: "racks/?tag=x", why: `There is no tag "x" that you may see.`},
		{query: "/api/ipam/prefixes/?vrf=Blue", count: 0},
		{query: "/api/ipam/prefixes/?vrf=65000:2", why: `There is no VRF "65000:2" that you may see. Did you mean "65000:1"?`},
		{query: "/api/ipam/prefixes/?vrf=Bare", why: `The VRF "Bare" has no Route distinguisher. Filter by its id.`},
		{query: "devices/?device_type=x", why: `There is no device type "x" that you may see.`},
		{query: "interfaces/?device=x", why: `There is no device "x" that you may see.`},
		{query: "racks/?site=hidden", why: missing("hidden"), token: limited},
		{query: "racks/?site=hiddem", why: missing("hiddem"), token: limited},
		{query: "racks/?site=nyc1", count: 2, token: limited},
		{query: "racks/?site=nyc2", count: 0, token: racksOnly},
		{query: "racks/?site=nyc1", count: 2, token: racksOnly},
		{query: "racks/?site=New York 1", count: 0, token: racksOnly},
		{query: "racks/?region=europe", count: 0, token: racksOnly},
	} {
		path, query, _ := strings.Cut(x.query, "?")
		if !strings.HasPrefix(path, "/") {
			path = "/api/dcim/" + path
		}
		values, _ := url.ParseQuery(query)
		if x.token == "" {
			x.token = s.Admin
		}
		a := s.Do(t, apitest.Call{Method: "GET", Path: path + "?" + values.Encode(), Token: x.token})
		if x.why != "" {
			if a.Status != http.StatusBadRequest || !strings.Contains(fmt.Sprint(a.Object(t)), x.why) {
				t.Errorf("%s: %d %s, want %s", x.query, a.Status, a.Raw, x.why)
			}
			continue
		}
		if n := a.Want(t, http.StatusOK).Page(t).Count; n != int64(x.count) {
			t.Errorf("%s finds %d, want %d", x.query, n, x.count)
		}
	}
	refused := s.Do(t, apitest.Call{Method: "POST", Path: "/api/extras/deliveries/retry/", Token: s.Admin,
		Body: obj{"filter": obj{"webhook": "nobody"}}})
	if refused.Status != http.StatusBadRequest || !strings.Contains(string(refused.Raw), "There is no webhook") {
		t.Errorf("a retry of the deliveries of an unknown webhook: %d %s", refused.Status, refused.Raw)
	}
}
