package pages_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestTotalWeights: the page of a rack shows the weight of the rack, its devices and their modules together, and the page of a device that
// of the device and its modules, each in one statement and in kilograms, whatever units the weights have. Callers who may not see
// devices see no total.
func TestTotalWeights(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1"})
	maker := create(t, s, "/api/dcim/manufacturers/", obj{"name": "Acme", "slug": "acme"})
	role := create(t, s, "/api/dcim/device-roles/", obj{"name": "Switch", "slug": "switch"})
	model := create(t, s, "/api/dcim/device-types/", obj{"manufacturer": maker, "model": "X", "slug": "x", "weight": 8.3, "weight_unit": "kg"})
	card := create(t, s, "/api/dcim/module-types/", obj{"manufacturer": maker, "model": "Card", "weight": 2, "weight_unit": "lb"})
	rack := create(t, s, "/api/dcim/racks/", obj{"name": "R1", "site": site, "weight": 110500, "weight_unit": "g"})
	empty := create(t, s, "/api/dcim/racks/", obj{"name": "R2", "site": site})
	device := func(name string, more obj) int64 {
		body := obj{"name": name, "device_type": model, "device_role": role, "site": site}
		for key, value := range more {
			body[key] = value
		}
		return create(t, s, "/api/dcim/devices/", body)
	}
	module := func(of int64, name string) {
		bay := create(t, s, "/api/dcim/module-bays/", obj{"device": of, "name": name})
		create(t, s, "/api/dcim/modules/", obj{"device": of, "module_bay": bay, "module_type": card})
	}
	first := device("sw-1", obj{"rack": rack, "position": 1, "face": "front"})
	device("elsewhere", nil)
	module(first, "1")
	page := func(kind string, id int64) apitest.Answer {
		return b.get(t, fmt.Sprintf("/dcim/%s/%d/", kind, id)).Want(t, http.StatusOK)
	}
	shows(t, page("devices", first), `Total weight</th><td>9.21 kg<`)
	shows(t, page("racks", rack), `Total weight</th><td>119.71 kg<`)
	hides(t, page("racks", empty), " kg<")

	path := fmt.Sprintf("/dcim/racks/%d/", rack)
	few, _ := needs(t, b, path, wire)
	module(device("sw-2", obj{"rack": rack}), "1")
	module(first, "2")
	if many, _ := needs(t, b, path, wire); many != few {
		t.Errorf("%d statements with more devices and modules, want %d", many, few)
	}
	shows(t, page("racks", rack), `Total weight</th><td>129.82 kg<`)

	view := []string{"view"}
	s.User(t, "racks", apitest.Grant{Types: []string{"dcim.rack"}, Actions: view})
	s.User(t, "some", apitest.Grant{Types: []string{"dcim.rack", "dcim.module"}, Actions: view},
		apitest.Grant{Types: []string{"dcim.device"}, Actions: view, Constraints: obj{"name": "sw-2"}})
	hides(t, login(t, s, "racks").get(t, path).Want(t, http.StatusOK), "Total weight")
	shows(t, login(t, s, "some").get(t, path).Want(t, http.StatusOK), "129.82 kg")
}
