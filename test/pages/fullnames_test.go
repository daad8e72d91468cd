package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestFullNames: pages and pickers write a port with its device and a rack with its site, where the API shows the display alone. A picker
// narrows by every word of a full name, and a form takes what the picker offers. The form for a new record has the parent of the list that
// leads to it. Nobody reads the name of a record that they may not see.
func TestFullNames(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Switch", "slug": "switch"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Corvid", "slug": "corvid"})
	model := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "CS", "slug": "cs"})
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "R01", "site": site})
	var ports []int64
	for i := range 30 {
		device := create(t, s, "/api/dcim/devices/", obj{"name": fmt.Sprintf("lis1-sw%02d", i), "site": site, "device_role": role,
			"device_type": model, "rack": rack})
		ports = append(ports, create(t, s, "/api/dcim/interfaces/", obj{"name": "mgmt0", "device": device, "type": "1000base-t"}))
	}
	port, full := ports[27], "lis1-sw27 › mgmt0"
	address := create(t, s, "/api/ipam/ip-addresses/", obj{"address": "10.0.0.1/24", "assigned_object_type": "dcim.interface",
		"assigned_object_id": port})
	shows(t, b.get(t, fmt.Sprintf("/ipam/ip-addresses/%d/", address)).Want(t, http.StatusOK), ">"+full+"<")
	shows(t, b.get(t, fmt.Sprintf("/dcim/interfaces/%d/", port)).Want(t, http.StatusOK), "<h1>"+full)
	shows(t, b.get(t, "/dcim/devices/").Want(t, http.StatusOK), ">R01 (Lisbon 1)<")
	if display := s.Do(t, apitest.Call{Method: "GET", Path: fmt.Sprintf("/api/dcim/interfaces/%d/", port), Token: s.Admin}).
		Object(t)["display"]; display != "mgmt0" {
		t.Errorf("the API shows it as %v", display)
	}
	value := fmt.Sprintf("%s #%d", full, port)
	for _, typed := range []string{"lis1-sw27", "mgmt0 sw27", "sw27 mgmt0", full, "lis1-sw27:mgmt0", "lisbon sw27 mgmt0"} {
		part := b.get(t, "/dcim/interfaces/choices/?typed="+url.QueryEscape(typed)).Want(t, http.StatusOK)
		if n := strings.Count(string(part.Raw), "<option"); typed != "lis1-sw27" && n != 1 {
			t.Errorf("%q: %d choices, want 1: %s", typed, n, part.Raw)
		}
		if typed != "lis1-sw27" {
			shows(t, part, `value="`+value+`"`)
		}
		ids := b.get(t, "/ipam/ip-addresses/choices/?for=assigned_object&of=dcim.interface&typed="+url.QueryEscape(typed))
		if typed != "lis1-sw27" {
			shows(t, ids.Want(t, http.StatusOK), fmt.Sprintf(`value="%d"`, port), full)
		}
	}
	made := b.post(t, "/dcim/interfaces/add/", url.Values{"device": {"lis1-sw27"}, "name": {"ge0"}, "type": {"virtual"}, "parent": {value}})
	made.Want(t, http.StatusSeeOther)
	wrong := b.post(t, "/dcim/interfaces/add/", url.Values{"device": {"lis1-sw27"}, "name": {"ge1"}, "type": {"virtual"},
		"parent": {fmt.Sprintf("lis1-sw27 › mgmt1 #%d", port)}})
	if wrong.Status == http.StatusSeeOther {
		t.Error("a full name with the id of another record is taken")
	}

	list := b.get(t, fmt.Sprintf("/ipam/ip-addresses/?assigned_object_type=dcim.interface&assigned_object_id=%d", port)).Want(t, http.StatusOK)
	shows(t, list, fmt.Sprintf(`href="/ipam/ip-addresses/add/?assigned_object_id=%d&amp;assigned_object_type=dcim.interface"`, port))
	if chips := strings.Join(chipsOf(list), "; "); !strings.Contains(chips, "Assigned object is "+full) {
		t.Errorf("the chips are %s", chips)
	}
	shows(t, b.get(t, fmt.Sprintf("/dcim/racks/?site_id=%d", site)).Want(t, http.StatusOK),
		fmt.Sprintf(`href="/dcim/racks/add/?site=%%23%d"`, site))
	shows(t, b.get(t, fmt.Sprintf("/dcim/racks/add/?site=%%23%d", site)).Want(t, http.StatusOK), `name="site" id="id_site" value="Lisbon 1"`)

	s.User(t, "narrow", apitest.Grant{Types: []string{"dcim.device"}, Actions: []string{"view"}})
	hides(t, login(t, s, "narrow").get(t, "/dcim/devices/").Want(t, http.StatusOK), "R01 (Lisbon 1)")
}

// TestFullNamesOfRows: the main column of lists, rows of changes, forms and notes name a record with its owner. A tab of the owner does not
// repeat it.
func TestFullNamesOfRows(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Switch", "slug": "switch"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Corvid", "slug": "corvid"})
	model := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "CS", "slug": "cs"})
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "R01", "site": site})
	device := create(t, s, "/api/dcim/devices/", obj{"name": "lis1-sw01", "site": site, "device_role": role, "device_type": model,
		"rack": rack})
	group := create(t, s, "/api/ipam/vlan-groups/", obj{"name": "Campus", "slug": "campus"})
	create(t, s, "/api/ipam/vlans/", obj{"vid": 10, "name": "voice", "group": group})
	port := create(t, s, "/api/dcim/interfaces/", obj{"name": "mgmt0", "device": device, "type": "virtual"})
	const full = "lis1-sw01 › mgmt0"
	shows(t, b.get(t, "/dcim/interfaces/").Want(t, http.StatusOK), ">"+full+"</a></th>", `aria-label="Select `+full+`"`)
	shows(t, b.get(t, "/dcim/racks/").Want(t, http.StatusOK), ">R01 (Lisbon 1)</a></th>")
	shows(t, b.get(t, "/ipam/vlans/").Want(t, http.StatusOK), ">VLAN 10 voice (Campus)</a></th>")
	shows(t, b.get(t, fmt.Sprintf("/dcim/devices/%d/interfaces/", device)).Want(t, http.StatusOK), ">mgmt0</a></th>")

	for _, path := range []string{"/", "/extras/object-changes/"} {
		shows(t, b.get(t, path).Want(t, http.StatusOK), ">"+full+"</a>", ">R01 (Lisbon 1)</a>", ">VLAN 10 voice (Campus)</a>")
	}
	change := fmt.Sprintf("/extras/object-changes/%d/", number(t, s, "SELECT max(id) FROM extras_objectchange"))
	shows(t, b.get(t, change).Want(t, http.StatusOK), "<h1>"+full)

	value := fmt.Sprintf(`value="R01 (Lisbon 1) #%d"`, rack)
	shows(t, b.get(t, fmt.Sprintf("/dcim/devices/%d/edit/", device)).Want(t, http.StatusOK), value)
	shows(t, b.get(t, fmt.Sprintf("/dcim/devices/add/?rack=%%23%d", rack)).Want(t, http.StatusOK), value)
	shows(t, b.get(t, fmt.Sprintf("/dcim/racks/%d/devices/", rack)).Want(t, http.StatusOK), fmt.Sprintf("rack=%%23%d", rack))
	shows(t, b.get(t, fmt.Sprintf("/ipam/ip-addresses/add/?assigned_object_type=dcim.interface&assigned_object_id=%d", port)).
		Want(t, http.StatusOK), fmt.Sprintf("%d is %s.", port, full))

	path := fmt.Sprintf("/dcim/interfaces/%d/", port)
	form := url.Values{"device": {"lis1-sw01"}, "name": {"ge0"}, "type": {"virtual"}}
	for _, c := range []struct {
		path, note string
		form       url.Values
	}{
		{"/dcim/interfaces/add/", "Created interface lis1-sw01 › ge0.", form},
		{path + "edit/", "Saved interface lis1-sw01 › mgmt1.", url.Values{"device": {"lis1-sw01"}, "name": {"mgmt1"}, "type": {"virtual"}}},
		{path + "delete/", "Deleted interface lis1-sw01 › mgmt1.", url.Values{}},
	} {
		if got := note(t, b, b.post(t, c.path, c.form)); got != c.note {
			t.Errorf("%s: %q", c.path, got)
		}
	}
}
