package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestBeginningOfANameIsCompleted: a text that names no record, and with which the name of exactly one begins that the caller may see, is
// refused with that name, which the form then has.
func TestBeginningOfANameIsCompleted(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/dcim/regions/", obj{"name": "Access country", "slug": "access"})
	create(t, s, "/api/dcim/regions/", obj{"name": "North 1", "slug": "n1"})
	create(t, s, "/api/dcim/regions/", obj{"name": "North 2", "slug": "n2"})
	site := func(region string) url.Values {
		return url.Values{"name": {"Lisbon"}, "slug": {"lis"}, "status": {"active"}, "region": {region}}
	}
	shows(t, b.post(t, "/dcim/sites/add/", site("acc")).Want(t, http.StatusBadRequest), `There is no region &#34;acc&#34; that you may see.`,
		`Did you mean &#34;Access country`, `value="Access country`)
	hides(t, b.post(t, "/dcim/sites/add/", site("north")).Want(t, http.StatusBadRequest), "Did you mean")
	shows(t, b.post(t, "/dcim/sites/add/", site("north")), `value="north"`)
	s.User(t, "few", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add"}},
		apitest.Grant{Types: []string{"dcim.region"}, Actions: []string{"view"}, Constraints: obj{"name": "North 1"}})
	few := login(t, s, "few")
	hides(t, few.post(t, "/dcim/sites/add/", site("acc")).Want(t, http.StatusBadRequest), "Access country")
	shows(t, few.post(t, "/dcim/sites/add/", site("north")).Want(t, http.StatusBadRequest), `value="North 1`)
}

// TestAddFromARackHasItsLocation: the form for a new device in a rack shows the location that saving would take over from the rack.
func TestAddFromARackHasItsLocation(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lis"})
	room := create(t, s, "/api/dcim/locations/", obj{"name": "Server room", "slug": "room", "site": site})
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": site, "location": room})
	page := string(b.get(t, fmt.Sprintf("/dcim/racks/%d/", rack)).Want(t, http.StatusOK).Raw)
	_, link, _ := strings.Cut(page, `href="/dcim/devices/add/?`)
	link, _, _ = strings.Cut(link, `"`)
	shows(t, b.get(t, "/dcim/devices/add/?"+html.UnescapeString(link)).Want(t, http.StatusOK), `value="Server room`, `value="R1`)
}

// TestUnitConflictNamesTheOther: a device in a taken unit is refused with the name of the device that takes it, if the caller may see that
// one, and with the units that are free.
func TestUnitConflictNamesTheOther(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lis"})
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": site, "u_height": 12})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Maker", "slug": "maker"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Switch", "slug": "switch"})
	kind := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "Two", "slug": "two", "u_height": 2})
	device := func(name string, position int) obj {
		return obj{"name": name, "site": site, "rack": rack, "device_type": kind, "device_role": role, "position": position, "face": "front"}
	}
	create(t, s, "/api/dcim/devices/", device("lis-sw01", 5))
	s.User(t, "few", apitest.Grant{Types: []string{"dcim.device"}, Actions: []string{"view", "add"},
		Constraints: obj{"name__startswith": "mine"}},
		apitest.Grant{Types: []string{"dcim.site", "dcim.rack", "dcim.devicetype", "dcim.devicerole"}, Actions: []string{"view"}})
	form := url.Values{"name": {"mine"}, "site": {"Lisbon"}, "rack": {fmt.Sprintf("#%d", rack)}, "device_type": {fmt.Sprintf("#%d", kind)},
		"device_role": {"Switch"}, "position": {"6"}, "face": {"front"}, "status": {"active"}}
	for who, other := range map[string]string{"admin": "lis-sw01", "few": "Another device"} {
		shows(t, login(t, s, who).post(t, "/dcim/devices/add/", form).Want(t, http.StatusBadRequest),
			other+" takes unit 6 of the rack. Free units: 1–4, 7–12.")
	}
	a := s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/devices/", Token: s.Admin, Body: device("mine", 6)})
	shows(t, a.Want(t, http.StatusBadRequest), "lis-sw01 takes unit 6 of the rack. Free units: 1–4, 7–12.")
	two := s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/devices/", Token: s.Admin, Body: []obj{device("a", 9), device("b", 10)}})
	shows(t, two.Want(t, http.StatusBadRequest), "a takes unit 10 of the rack.")
}
