package api_test

import (
	"fmt"
	"net/url"
	"testing"

	"terrier/test/apitest"
)

const (
	devices    = "/api/dcim/devices/"
	interfaces = "/api/dcim/interfaces/"
)

// fillDevices creates devices with components: sw1 and sw2 are members of a virtual chassis with a third one that is hidden, and SW1 is
// alone at another site.
func (w filterWorld) fillDevices(t *testing.T) {
	t.Helper()
	add := func(path string, bodies ...obj) { w.add(t, path, bodies...) }
	add(regions, obj{"name": "europe", "slug": "europe"})
	add(regions, obj{"name": "iberia", "slug": "iberia", "parent": w.ids["europe"]})
	add(sites, obj{"name": "lisbon", "slug": "lisbon", "region": w.ids["iberia"]},
		obj{"name": "hidden bonn", "slug": "bonn", "region": w.ids["europe"]})
	add("/api/dcim/locations/", obj{"name": "floor", "slug": "floor", "site": w.ids["lisbon"]})
	add("/api/dcim/locations/", obj{"name": "room", "slug": "room", "site": w.ids["lisbon"], "parent": w.ids["floor"]})
	add("/api/dcim/racks/", obj{"name": "rack 1", "site": w.ids["lisbon"], "location": w.ids["room"], "serial": "R-1a"})
	add("/api/dcim/manufacturers/", obj{"name": "maker", "slug": "maker"})
	for _, model := range []string{"big", "small"} {
		role := map[string]any{"big": "parent", "small": "child"}[model]
		height := map[string]any{"big": 1, "small": 0}[model]
		w.ids[model] = w.make(t, "/api/dcim/device-types/", obj{"model": model, "slug": "slug-" + model, "manufacturer": w.ids["maker"],
			"subdevice_role": role, "u_height": height, "is_full_depth": model == "big"})
	}
	add("/api/dcim/device-roles/", obj{"name": "access", "slug": "access"})
	device := func(name, site, model string, more obj) obj {
		body := obj{"name": name, "site": w.ids[site], "device_type": w.ids[model], "device_role": w.ids["access"]}
		for key, value := range more {
			body[key] = value
		}
		return body
	}
	add("/api/dcim/virtual-chassis/", obj{"name": "stack"})
	member := func(position int) obj { return obj{"virtual_chassis": w.ids["stack"], "vc_position": position} }
	add(devices, device("sw1", "lisbon", "big", member(1)), device("sw2", "lisbon", "big", member(2)),
		device("hidden sw3", "lisbon", "big", member(3)), device("SW1", "hidden bonn", "big", obj{"serial": "S-1"}),
		device("lone", "lisbon", "big", obj{"rack": w.ids["rack 1"], "location": w.ids["room"], "local_context_data": obj{"a": 1}}),
		device("blade", "lisbon", "small", nil))
	w.send(t, "PATCH", at("/api/dcim/virtual-chassis/", w.ids["stack"]), w.Admin, obj{"master": w.ids["sw1"]}).Want(t, 200)
	add("/api/dcim/device-bays/", obj{"name": "bay", "device": w.ids["lone"], "installed_device": w.ids["blade"]})
	port := func(name, device string, more obj) obj {
		body := obj{"name": name, "device": w.ids[device], "type": "1000base-t"}
		for key, value := range more {
			body[key] = value
		}
		return body
	}
	only := obj{"mgmt_only": true}
	add(interfaces, port("one", "sw1", obj{"mac_address": "00:00:00:00:00:01"}), port("one m", "sw1", only), port("two", "sw2", nil),
		port("two m", "sw2", only), port("three", "hidden sw3", obj{"mac_address": "00:00:00:00:00:03"}),
		port("other", "SW1", obj{"type": "lag"}),
		port("last", "lone", obj{"type": "ieee802.11a", "mac_address": "00:00:00:00:00:09"}),
		port("hidden last", "blade", obj{"type": "virtual", "mac_address": "00:00:00:00:00:04"}))
	add("/api/dcim/rear-ports/", obj{"name": "rear", "device": w.ids["sw2"], "type": "8p8c"})
	add("/api/dcim/front-ports/", obj{"name": "front", "device": w.ids["sw2"], "type": "8p8c", "rear_port": w.ids["rear"]})
	add("/api/dcim/console-port-templates/", obj{"name": "con", "device_type": w.ids["big"], "type": "rj-45"})
}

// TestDeviceFilters holds the filters of devices and their components that are about other records.
func TestDeviceFilters(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	w.fillDevices(t)
	id := func(name string) string { return fmt.Sprint(w.ids[name]) }
	w.check(t, []found{
		// Any member finds the interfaces of the others, by its name only the master does.
		{interfaces + "?device_id=" + id("sw1"), "one, one m, three, two", "one, one m, two"},
		{interfaces + "?device_id=" + id("sw2"), "one, three, two, two m", "one, two, two m"},
		{interfaces + "?device_id=" + id("hidden sw3"), "one, three, two", "three"},
		{interfaces + "?device_id=" + id("lone"), "last", "="},
		{interfaces + "?device_id=" + id("lone") + "&device_id=" + id("SW1"), "last, other", "="},
		{interfaces + "?device_id__n=" + id("sw1"), "hidden last, last, other, two m", "last, other, three, two m"},
		{interfaces + "?device=sw1", "one, one m, three, two", "one, one m, two"},
		{interfaces + "?device=sw2", "two, two m", "="},
		{interfaces + "?device=SW1", "other", "="},
		{interfaces + "?kind=physical", "one, one m, three, two, two m", "="},
		{interfaces + "?kind=virtual", "hidden last, other", "other"},
		{interfaces + "?kind=wireless", "last", "="},
		{interfaces + "?kind=wired", "", "="},
		{interfaces + "?form_factor=lag&device_id=" + id("SW1"), "other", "="},
		{interfaces + "?virtual_machine_id=1", "", "="},
		{interfaces + "?location=room", "hidden last, last", "last"}, // a blade is where its parent is
		{interfaces + "?location=floor", "", "="},
		{interfaces + "?location_id=" + id("floor"), "", "="},
		{interfaces + "?rack=rack+1&rack_id=" + id("rack 1"), "hidden last, last", "last"},
		{interfaces + "?device_type=small", "hidden last", ""},
		{interfaces + "?device_type_id=" + id("small"), "hidden last", ""},
		{interfaces + "?device_role=access&name__ic=m", "one m, two m", "="},
		{interfaces + "?region=europe&name__ic=last", "hidden last, last", "last"},
		{interfaces + "?site=bonn", "other", unknownKey},
		{interfaces + "?virtual_chassis=stack", "one, one m, three, two, two m", "one, one m, two, two m"},
		{interfaces + "?virtual_chassis_id=" + id("stack") + "&name=three", "three", ""},
		{devices + "?name=sw1", "SW1, sw1", "="},
		{devices + "?name=Sw1&serial=s-1", "SW1", "="},
		{devices + "?name__n=SW1&name__ic=s", "hidden sw3, sw2", "sw2"},
		{devices + "?mac_address=000000000001", "sw1", "="},
		{devices + "?mac_address=00:00:00:00:00:04", "blade", ""},
		{devices + "?parent_device_id=" + id("lone"), "blade", "="},
		{devices + "?model=slug-small", "blade", "="},
		{devices + "?role=access&name=lone", "lone", "="},
		{devices + "?role_id=" + id("access") + "&name=lone", "lone", "="},
		{devices + "?manufacturer=maker&is_full_depth=false", "blade", "="},
		{devices + "?interfaces=false", "", "blade"},
		{devices + "?device_bays=true", "lone", "="},
		{devices + "?pass_through_ports=true", "sw2", "="},
		{devices + "?pass_through_ports=false&name__ic=sw", "SW1, hidden sw3, sw1", "SW1, sw1"},
		{devices + "?virtual_chassis_member=true", "hidden sw3, sw1, sw2", "sw1, sw2"},
		{devices + "?virtual_chassis_member=false", "SW1, blade, lone", "="},
		{devices + "?local_context_data=true", "lone", "="},
		{devices + "?location_id=" + id("floor"), "blade, lone", "="},
		{devices + "?region=europe&name=sw1", "SW1, sw1", "sw1"},
		{"/api/dcim/racks/?serial=r-1A", "rack 1", "="},
		{"/api/dcim/racks/?location=floor", "rack 1", "="},
		{"/api/dcim/virtual-chassis/?master=sw1", "stack", "="},
		{"/api/dcim/virtual-chassis/?master=sw2", "", "="},
		{"/api/dcim/virtual-chassis/?region=iberia&master_id=" + id("sw1"), "stack", "="},
		{"/api/dcim/front-ports/?rear_port=99&device=sw2", "front", "="},
		{"/api/dcim/front-ports/?device_id=" + id("sw1"), "", "="},
		{"/api/dcim/console-port-templates/?devicetype_id=" + id("big"), "con", "="},
		{"/api/dcim/console-port-templates/?device_type=" + id("big"), "con", "="},
		{"/api/dcim/console-port-templates/?device_type_id=" + id("small"), "", "="},
	})
}

// TestNamelessDevices: no name finds a device without one, not even the text that an order has in the place of null.
func TestNamelessDevices(t *testing.T) {
	t.Parallel()
	h := &hardware{actor: adminOf(apitest.New(t))}
	h.make(t, "interface", "device", h.make(t, "device", "name", nil))
	const last = "\uffff"
	want(t, "before there is such a name", len(h.find(t, "interface", "device=%s", url.QueryEscape(last))), 0)
	named := h.make(t, "interface", "device", h.make(t, "device", "name", last))
	found := h.find(t, "interface", "device=%s", url.QueryEscape(last))
	if len(found) != 1 || apitest.ID(found[0]) != named {
		t.Errorf("found %v, want the interface %d", names(found, "id"), named)
	}
}
