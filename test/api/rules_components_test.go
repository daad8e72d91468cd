package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// components are the types of components. Those that a module can bring come first.
var components = []string{"consoleport", "consoleserverport", "powerport", "poweroutlet", "interface", "rearport", "frontport", "modulebay",
	"devicebay", "inventoryitem"}

// ofModules are those that a module can bring.
var ofModules = components[:7]

// holder creates a device that can have the component.
func (h *hardware) holder(t *testing.T) int64 {
	t.Helper()
	return h.make(t, "device", "device_type", h.make(t, "devicetype", "subdevice_role", "parent"))
}

// componentFixed: a component stays with its device.
func componentFixed(t *testing.T, h *hardware) {
	made := h.made(t, h.of)
	h.set(t, h.of, apitest.ID(made), "device", idOf(made, "device"))
	errs := h.write(t, h.of, apitest.ID(made), "device", h.holder(t)).Want(t, http.StatusBadRequest).Object(t)
	if errs["device"] == nil {
		t.Errorf("another device is refused with %v", errs)
	}
}

// componentOrder: components are sorted by device and name.
func componentOrder(t *testing.T, h *hardware) {
	first, second := h.holder(t), h.holder(t)
	h.make(t, h.of, "device", second, "name", "A1")
	h.make(t, h.of, "device", first, "name", "B10")
	h.make(t, h.of, "device", first, "name", "B9")
	want(t, "order", names(h.find(t, h.of, "device_id=%d&device_id=%d", first, second), "name"), "B9 B10 A1")
}

// componentList: a list is created as a whole, with names as they are.
func componentList(t *testing.T, h *hardware) {
	device := h.holder(t)
	list := []obj{h.body(t, h.of, "device", device, "name", "eth[0-9]"), h.body(t, h.of, "device", device, "name", "b"),
		h.body(t, h.of, "device", device, "name", "b")}
	errs := h.do(t, http.MethodPost, h.list(h.of), list).Want(t, http.StatusBadRequest).List(t)
	if len(errs) != 3 || len(errs[0])+len(errs[1]) != 0 || len(errs[2]) == 0 {
		t.Errorf("the errors are %v", errs)
	}
	want(t, "created", len(h.find(t, h.of, "device_id=%d", device)), 0)
	list[2]["name"] = "c"
	made := h.do(t, http.MethodPost, h.list(h.of), list).Want(t, http.StatusCreated).List(t)
	want(t, "names", names(made, "name"), "eth[0-9] b c")
}

// componentModule: a component shows its module and goes with it.
func componentModule(t *testing.T, h *hardware) {
	module := h.made(t, "module")
	device := idOf(module, "device")
	h.refused(t, "module", h.of, "module", apitest.ID(module))
	made := h.made(t, h.of, "device", device, "module", apitest.ID(module))
	wantKeys(t, "the module", made["module"], "id", "url", "display", "device", "module_bay")
	want(t, "its device", nestedIn(made, "module")["device"], any(float64(device)))
	wantKeys(t, "its bay", nestedIn(made, "module")["module_bay"], "id", "url", "display", "name")
	h.remove(t, "module", apitest.ID(module))
	h.gone(t, h.of, apitest.ID(made))
}

// componentItems: inventory items go with their component.
func componentItems(t *testing.T, h *hardware) {
	made := h.made(t, h.of)
	item := h.make(t, "inventoryitem", "device", idOf(made, "device"), "component_type", "dcim."+h.of, "component_id", apitest.ID(made))
	other := h.make(t, "inventoryitem", "device", idOf(made, "device"))
	h.remove(t, h.of, apitest.ID(made))
	h.gone(t, "inventoryitem", item)
	h.read(t, "inventoryitem", other)
}

// cableReadOnly: what cables say can't be written.
func cableReadOnly(t *testing.T, h *hardware) {
	sent := obj{"cable": 7, "cable_end": "A", "link_peers": []any{1}, "link_peers_type": "dcim.interface", "_occupied": true}
	if h.of != "frontport" && h.of != "rearport" {
		maps.Copy(sent, obj{"connected_endpoints": []any{1}, "connected_endpoints_type": "dcim.interface", "connected_endpoints_reachable": true})
	}
	body := h.body(t, h.of)
	maps.Copy(body, sent)
	a := h.do(t, http.MethodPost, h.list(h.of), body).Want(t, http.StatusCreated)
	want(t, "unknown fields", a.Header.Get("X-Unknown-Fields"), "")
	made := a.Object(t)
	for name := range sent {
		got, shown := made[name]
		if empty := fmt.Sprint(got); !shown || empty != "<nil>" && empty != "" && empty != "[]" && empty != "false" {
			t.Errorf("%s is %v", name, got)
		}
	}
	h.changed(t, h.do(t, http.MethodPatch, at(h.list(h.of), apitest.ID(made)), sent))
}

// briefCable: the cable of a nested component.
func briefCable(t *testing.T, h *hardware) {
	id := h.make(t, h.of)
	row := h.first(t, h.of, "brief=1&id=%d", id)
	if cable, is := row["cable"]; !is || cable != nil {
		t.Errorf("the brief form is %v", row)
	}
}

// onDevice asks that a component can only refer to another one of the same device.
func (h *hardware) onDevice(t *testing.T, field, to string, more ...any) {
	t.Helper()
	device := h.make(t, "device")
	h.refused(t, field, h.of, append(more, "device", device, field, h.make(t, to))...)
	h.make(t, h.of, append(more, "device", device, field, h.make(t, to, "device", device))...)
}

func powerOutletRules() map[int]ruleTest {
	return map[int]ruleTest{11: func(t *testing.T, h *hardware) { h.onDevice(t, "power_port", "powerport") }}
}

func frontPortRules() map[int]ruleTest {
	return map[int]ruleTest{
		11: func(t *testing.T, h *hardware) {
			h.onDevice(t, "rear_port", "rearport")
			device := h.make(t, "device")
			rear := h.make(t, "rearport", "device", device, "positions", 2)
			h.refused(t, "rear_port_position", "frontport", "device", device, "rear_port", rear, "rear_port_position", 3)
			id := h.make(t, "frontport", "device", device, "rear_port", rear, "rear_port_position", 2)
			h.unset(t, "rear_port_position", "frontport", id, "rear_port_position", 3)
		},
		12: func(t *testing.T, h *hardware) {
			wantKeys(t, "the rear port", h.made(t, "frontport")["rear_port"], "id", "url", "display", "name", "label", "description")
		},
	}
}

func rearPortRules() map[int]ruleTest {
	return map[int]ruleTest{
		11: func(t *testing.T, h *hardware) { h.rearPositions(t, "device", h.make(t, "device")) },
		12: func(t *testing.T, h *hardware) {
			front := h.made(t, "frontport")
			h.remove(t, "rearport", idOf(front, "rear_port"))
			h.gone(t, "frontport", apitest.ID(front))
		},
	}
}

func moduleBayRules() map[int]ruleTest {
	return map[int]ruleTest{
		5: func(t *testing.T, h *hardware) {
			module := h.made(t, "module")
			a := h.get(t, h.list("modulebay")+fmt.Sprintf("?brief=1&id=%d", idOf(module, "module_bay")))
			row := a.Page(t).Results[0]
			wantKeys(t, "the bay", row, "id", "url", "display", "module", "name")
			want(t, "module", row["module"], nil)
			if raw := string(a.Raw); strings.Index(raw, `"module":`) > strings.Index(raw, `"name":`) {
				t.Errorf("the module is not before the name: %s", raw)
			}
		},
		6: func(t *testing.T, h *hardware) {
			bay := h.made(t, "modulebay", "installed_module", 99)
			want(t, "no module", bay["installed_module"], nil)
			module := h.make(t, "module", "device", idOf(bay, "device"), "module_bay", apitest.ID(bay), "serial", "S1")
			for _, got := range []obj{h.read(t, "modulebay", apitest.ID(bay)), h.set(t, "modulebay", apitest.ID(bay), "installed_module", nil)} {
				wantRef(t, got, "installed_module", module)
				wantKeys(t, "the module", got["installed_module"], "id", "url", "display", "serial")
			}
		},
		7: func(t *testing.T, h *hardware) {
			typ := h.make(t, "moduletype")
			h.make(t, "interfacetemplate", "module_type", typ, "name", "p{module}")
			device := h.make(t, "device")
			bay := h.make(t, "modulebay", "device", device, "position", "1")
			h.make(t, "module", "device", device, "module_bay", bay, "module_type", typ)
			h.changed(t, h.write(t, "modulebay", bay, "position", "2"), "update modulebay")
			want(t, "interfaces", names(h.find(t, "interface", "device_id=%d", device), "name"), "p1")
		},
		8: func(t *testing.T, h *hardware) {
			module := h.made(t, "module")
			part := h.make(t, "interface", "device", idOf(module, "device"), "module", apitest.ID(module))
			h.remove(t, "modulebay", idOf(module, "module_bay"))
			h.gone(t, "module", apitest.ID(module))
			h.gone(t, "interface", part)
		},
	}
}

func deviceBayRules() map[int]ruleTest {
	return map[int]ruleTest{
		5: func(t *testing.T, h *hardware) {
			h.refused(t, "device", "devicebay", "device", h.make(t, "device"))
			bay := h.made(t, "devicebay")
			typ := idOf(h.read(t, "device", idOf(bay, "device")), "device_type")
			h.unset(t, "subdevice_role", "devicetype", typ, "subdevice_role", nil)
			h.unset(t, "device_type", "device", idOf(bay, "device"), "device_type", h.make(t, "devicetype"))
		},
		6: func(t *testing.T, h *hardware) {
			child, bay := h.housed(t)
			self := idOf(h.read(t, "devicebay", bay), "device")
			h.unset(t, "installed_device", "devicebay", bay, "installed_device", self)
			other := h.make(t, "devicebay")
			h.unset(t, "installed_device", "devicebay", other, "installed_device", child)
		},
		7: func(t *testing.T, h *hardware) {
			bay := h.made(t, "devicebay")
			h.unset(t, "installed_device", "devicebay", apitest.ID(bay), "installed_device", h.make(t, "device"))
			h.unset(t, "installed_device", "devicebay", apitest.ID(bay), "installed_device", h.holder(t))
			rack := h.made(t, "rack")
			h.set(t, "device", idOf(bay, "device"), "site", idOf(rack, "site"), "rack", apitest.ID(rack))
			child := h.make(t, "device", "device_type", h.make(t, "devicetype", "subdevice_role", "child", "u_height", 0))
			h.changed(t, h.write(t, "devicebay", apitest.ID(bay), "installed_device", child), "update devicebay", "update device")
			wantRef(t, h.read(t, "device", child), "site", idOf(rack, "site"))
			wantRef(t, h.read(t, "device", child), "rack", apitest.ID(rack))
		},
		8: func(t *testing.T, h *hardware) {
			child, bay := h.housed(t)
			parent := h.read(t, "device", idOf(h.read(t, "devicebay", bay), "device"))
			wantRef(t, h.read(t, "device", child), "site", idOf(parent, "site"))
			h.changed(t, h.write(t, "devicebay", bay, "installed_device", nil), "update devicebay")
			wantRef(t, h.read(t, "device", child), "site", idOf(parent, "site"))
		},
	}
}

func inventoryItemRules() map[int]ruleTest {
	return map[int]ruleTest{
		4: func(t *testing.T, h *hardware) {
			device, other := h.make(t, "device"), h.make(t, "device")
			part := h.make(t, "interface", "device", device)
			pair := []any{"component_type", "dcim.interface", "component_id", part}
			wantErrors(t, h.post(t, "inventoryitem", append(pair, "device", other)...), "device")
			item := h.make(t, "inventoryitem", append(pair, "device", device)...)
			want(t, "component", h.set(t, "inventoryitem", item, "device", other)["component"], nil)
			child := h.make(t, "inventoryitem", "device", other, "parent", item)
			h.write(t, "inventoryitem", item, "device", device).Want(t, http.StatusBadRequest)
			h.write(t, "inventoryitem", child, "device", device).Want(t, http.StatusBadRequest)
			h.set(t, "inventoryitem", child, "device", device, "parent", nil)
			// A component of the new device stays, and so does any component while the device stays.
			port := h.make(t, "interface", "device", device)
			moved := h.set(t, "inventoryitem", item, "device", device, "component_type", "dcim.interface", "component_id", port)
			want(t, "component_id", moved["component_id"], any(float64(port)))
			want(t, "component_id", h.set(t, "inventoryitem", item, "name", "renamed")["component_id"], any(float64(port)))
			h.unset(t, "device", "inventoryitem", item, "component_id", h.make(t, "interface", "device", other))
			// A tree moves in one request, and its components are dropped.
			below := h.make(t, "inventoryitem", "device", device, "parent", item, "component_type", "dcim.interface", "component_id", port)
			list := []obj{{"id": item, "device": other}, {"id": below, "device": other}}
			for _, row := range h.do(t, http.MethodPatch, h.list("inventoryitem"), list).Want(t, http.StatusOK).List(t) {
				want(t, "component", fmt.Sprint(row["component_type"], row["component_id"], row["component"]), "<nil> <nil> <nil>")
			}
			change := h.changes(t, "dcim.inventoryitem", below)[1]
			want(t, "component before", nestedIn(change, "prechange_data")["component_id"], any(float64(port)))
			want(t, "component after", nestedIn(change, "postchange_data")["component_id"], nil)
		},
		5: func(t *testing.T, h *hardware) {
			top := h.made(t, "inventoryitem")
			below := h.make(t, "inventoryitem", "device", idOf(top, "device"), "parent", apitest.ID(top))
			h.unset(t, "parent", "inventoryitem", apitest.ID(top), "parent", apitest.ID(top))
			h.unset(t, "parent", "inventoryitem", apitest.ID(top), "parent", below)
			h.refused(t, "parent", "inventoryitem", "parent", apitest.ID(top))
			h.unset(t, "parent", "inventoryitem", h.make(t, "inventoryitem"), "parent", apitest.ID(top))
		},
		6: func(t *testing.T, h *hardware) { h.namesBelowParent(t, "device", h.make(t, "device")) },
		7: func(t *testing.T, h *hardware) {
			top := h.made(t, "inventoryitem")
			middle := h.make(t, "inventoryitem", "device", idOf(top, "device"), "parent", apitest.ID(top))
			leaf := h.make(t, "inventoryitem", "device", idOf(top, "device"), "parent", middle)
			h.remove(t, "inventoryitem", apitest.ID(top))
			h.gone(t, "inventoryitem", middle)
			h.gone(t, "inventoryitem", leaf)
		},
		9: func(t *testing.T, h *hardware) {
			device := h.make(t, "device")
			list := []obj{h.body(t, "inventoryitem", "device", device), h.body(t, "inventoryitem", "device", device, "parent", 99999)}
			errs := h.do(t, http.MethodPost, h.list("inventoryitem"), list).Want(t, http.StatusBadRequest).List(t)
			if len(errs) != 2 || len(errs[0]) != 0 || errs[1]["parent"] == nil {
				t.Errorf("the errors are %v", errs)
			}
			list[1]["parent"] = obj{"name": list[0]["name"]}
			h.do(t, http.MethodPost, h.list("inventoryitem"), list).Want(t, http.StatusBadRequest)
			want(t, "created", len(h.find(t, "inventoryitem", "device_id=%d", device)), 0)
			list[1]["parent"] = nil
			want(t, "created", len(h.do(t, http.MethodPost, h.list("inventoryitem"), list).Want(t, http.StatusCreated).List(t)), 2)
		},
		10: func(t *testing.T, h *hardware) {
			first, second := h.make(t, "device"), h.make(t, "device")
			h.make(t, "inventoryitem", "device", second, "name", "A")
			one := h.make(t, "inventoryitem", "device", first, "name", "T10")
			two := h.make(t, "inventoryitem", "device", first, "name", "T9")
			h.make(t, "inventoryitem", "device", first, "parent", two, "name", "B")
			h.make(t, "inventoryitem", "device", first, "parent", one, "name", "C10")
			h.make(t, "inventoryitem", "device", first, "parent", one, "name", "C9")
			want(t, "order", names(h.find(t, "inventoryitem", "device_id=%d&device_id=%d", first, second), "name"), "C9 C10 B T9 T10 A")
		},
	}
}
