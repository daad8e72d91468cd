package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"terrier/test/apitest"
)

// stack creates a virtual chassis with members at the positions 1, 2 and so on.
func (h *hardware) stack(t *testing.T, members int) (chassis int64, devices []int64) {
	t.Helper()
	chassis = h.make(t, "virtualchassis")
	for n := range members {
		devices = append(devices, h.make(t, "device", "virtual_chassis", chassis, "vc_position", n+1))
	}
	return chassis, devices
}

func deviceRules() map[int]ruleTest {
	rules := map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			typ := h.make(t, "devicetype", "model", "M1", "manufacturer", h.make(t, "manufacturer", "name", "Acme"))
			chassis := h.make(t, "virtualchassis", "name", "VC")
			for _, c := range []struct {
				more []any
				want string // # is the id
			}{
				{[]any{"name", "a", "asset_tag", "T1", "virtual_chassis", chassis, "vc_position", 1}, "a (T1)"},
				{[]any{"name", "b", "virtual_chassis", chassis, "vc_position", 2}, "b"},
				{[]any{"name", nil, "asset_tag", "T3", "virtual_chassis", chassis, "vc_position", 3}, "VC:3 (T3)"},
				{[]any{"name", nil, "virtual_chassis", chassis, "vc_position", 4}, "VC:4 (%.0f)"},
				{[]any{"name", nil, "asset_tag", "T5"}, "Acme M1 (T5)"},
				{[]any{"name", nil}, "Acme M1 (%.0f)"},
			} {
				device := h.made(t, "device", append(c.more, "device_type", typ)...)
				if slices.Contains([]byte(c.want), '%') {
					c.want = fmt.Sprintf(c.want, device["id"])
				}
				want(t, "display", device["display"], any(c.want))
				if _, is := device["display_name"]; is {
					t.Error("there is a display_name")
				}
			}
		},
		2: func(t *testing.T, h *hardware) {
			site, tenant := h.make(t, "site"), h.make(t, "tenancy.tenant")
			h.make(t, "device", "site", site, "name", "Core")
			h.make(t, "device", "site", site, "tenant", tenant, "name", "Core")
			for _, owner := range []any{nil, tenant} {
				a := h.post(t, "device", "site", site, "tenant", owner, "name", "cORE")
				if len(a.Want(t, http.StatusBadRequest).Object(t)) != 1 {
					t.Errorf("%s", a.Raw)
				}
			}
			h.make(t, "device", "name", "core")
			h.make(t, "device", "site", site, "name", nil)
			device := h.make(t, "device", "site", site, "name", nil)
			part := h.made(t, "interface", "device", device)
			if name, is := part["device"].(obj)["name"]; !is || name != nil {
				t.Errorf("the nested device is %v", part["device"])
			}
		},
		3: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			none := h.make(t, "device", "site", site, "name", nil)
			h.make(t, "device", "site", site, "name", nil)
			h.make(t, "device", "site", site, "name", "sw10")
			h.make(t, "device", "name", "sw9", "site", site, "tenant", h.make(t, "tenancy.tenant"))
			h.make(t, "device", "site", site, "name", "sw9")
			rows := h.find(t, "device", "site_id=%d", site)
			want(t, "order", names(rows, "name"), "sw9 sw9 sw10 <nil> <nil>")
			if apitest.ID(rows[0]) > apitest.ID(rows[1]) || apitest.ID(rows[3]) != none {
				t.Errorf("equal names are not ordered by id")
			}
		},
		4: func(t *testing.T, h *hardware) {
			device := h.make(t, "device", "name", "a-findname", "serial", "b-findserial", "asset_tag", "c-findtag", "comments", "d findcomment")
			h.make(t, "inventoryitem", "device", device, "serial", "e-finditem1")
			h.make(t, "inventoryitem", "device", device, "serial", "e-finditem2")
			for _, word := range []string{"findname", "INDSERIAL", "findtag", "findcomment", "finditem", "find"} {
				if rows := h.find(t, "device", "q=%s", word); len(rows) != 1 || apitest.ID(rows[0]) != device {
					t.Errorf("%s finds %d devices", word, len(rows))
				}
			}
			h.foundByPrimary(t, "device")
		},
		5: func(t *testing.T, h *hardware) {
			site := h.make(t, "site")
			one, two := h.make(t, "location", "site", site), h.make(t, "location", "site", site)
			rackOne, rackTwo, bare := h.make(t, "rack", "site", site, "location", one), h.make(t, "rack", "site", site, "location", two),
				h.make(t, "rack", "site", site)
			h.refused(t, "rack", "device", "rack", bare)
			h.refused(t, "location", "device", "location", one)
			h.refused(t, "rack", "device", "site", site, "location", two, "rack", rackOne)
			h.refused(t, "rack", "device", "site", site, "location", two, "rack", bare)
			device := h.made(t, "device", "site", site, "rack", rackOne)
			wantRef(t, device, "location", one)
			id := apitest.ID(device)
			h.unset(t, "rack", "device", id, "rack", rackTwo)
			wantRef(t, h.set(t, "device", id, "rack", rackTwo, "location", nil), "location", two)
			wantRef(t, h.set(t, "device", id, "rack", rackOne, "location", one), "location", one)
			h.write(t, "device", id, "site", h.make(t, "site")).Want(t, http.StatusBadRequest)
			h.set(t, "device", id, "site", h.make(t, "site"), "rack", nil, "location", nil)
		},
		6: func(t *testing.T, h *hardware) {
			h.refused(t, "face", "device", "face", "front")
			wantErrors(t, h.post(t, "device", "position", 1, "face", "front"), "face position")
			rack, typ := h.make(t, "rack"), h.make(t, "devicetype")
			wantErrors(t, h.mount(t, rack, typ, 1, nil), "face")
			for _, position := range []any{1.25, 0, 0.5, -1} {
				wantErrors(t, h.mount(t, rack, typ, position, "front"), "position")
			}
			h.mounted(t, rack, typ, 1.5, "front")
			h.mounted(t, rack, typ, nil, "front")
		},
		7: func(t *testing.T, h *hardware) {
			rack, flat := h.make(t, "rack"), h.sized(t, 0, true)
			wantErrors(t, h.mount(t, rack, flat, 1, "front"), "position")
			h.mounted(t, rack, flat, nil, "front")
			child := h.make(t, "devicetype", "subdevice_role", "child", "u_height", 0)
			wantErrors(t, h.mount(t, rack, child, nil, "front"), "face")
			h.mount(t, rack, child, 1, "front").Want(t, http.StatusBadRequest)
			h.mounted(t, rack, child, nil, nil)
		},
		8: func(t *testing.T, h *hardware) {
			rack := h.make(t, "rack", "u_height", 12)
			half, small := h.sized(t, 2, false), h.sized(t, 0.5, true)
			wantErrors(t, h.mount(t, rack, half, 11.5, "front"), "position")
			h.mounted(t, rack, half, 5, "front")
			wantErrors(t, h.mount(t, rack, half, 6.5, "front"), "position")
			h.mounted(t, rack, half, 6, "rear")
			h.mounted(t, rack, small, 10, "front")
			wantErrors(t, h.mount(t, rack, small, 10, "rear"), "position")
			h.mounted(t, rack, small, 10.5, "front")
			h.mounted(t, rack, h.sized(t, 2, true), 11, "rear")
		},
		9: func(t *testing.T, h *hardware) {
			rack, other := h.made(t, "rack"), int64(0)
			other = h.make(t, "rack", "site", idOf(rack, "site"))
			flat, tall := h.sized(t, 1, false), h.sized(t, 2, false)
			h.mounted(t, apitest.ID(rack), flat, 6, "front")
			id := h.mounted(t, apitest.ID(rack), flat, 5, "front")
			h.unset(t, "position", "device", id, "device_type", tall)
			h.set(t, "device", id, "device_type", tall, "face", "rear")
			h.unset(t, "position", "device", id, "face", "front")
			h.set(t, "device", id, "rack", other, "face", "front")
			h.unset(t, "position", "device", id, "rack", apitest.ID(rack))
			// Of requests at the same time, one gets the space.
			var created, refused int
			var mu sync.Mutex
			var wait sync.WaitGroup
			for n := range 8 {
				body := h.body(t, "device", "site", idOf(rack, "site"), "rack", apitest.ID(rack), "device_type", tall, "position", 20+float64(n%2)/2,
					"face", "front")
				wait.Go(func() {
					status := h.do(t, http.MethodPost, h.list("device"), body).Status
					mu.Lock()
					defer mu.Unlock()
					switch status {
					case http.StatusCreated:
						created++
					case http.StatusBadRequest:
						refused++
					}
				})
			}
			wait.Wait()
			want(t, "created and refused", fmt.Sprint(created, refused), "1 7")
		},
		10: func(t *testing.T, h *hardware) {
			rack, typ := h.made(t, "rack"), h.make(t, "devicetype")
			var list []obj
			for _, position := range []int{1, 2, 1} {
				list = append(list, h.body(t, "device", "site", idOf(rack, "site"), "rack", apitest.ID(rack), "device_type", typ, "position",
					position, "face", "front"))
			}
			errs := h.do(t, http.MethodPost, h.list("device"), list).Want(t, http.StatusBadRequest).List(t)
			if len(errs) != 3 || len(errs[1]) != 0 || errs[2]["position"] == nil {
				t.Errorf("the errors are %v", errs)
			}
			want(t, "devices", len(h.find(t, "device", "rack_id=%d", apitest.ID(rack))), 0)
			list[2]["position"] = 3
			h.do(t, http.MethodPost, h.list("device"), list).Want(t, http.StatusCreated)
			list[0]["name"], list[1]["name"] = h.word(), "Twin"
			list[2]["name"] = "twin"
			for _, body := range list {
				body["rack"], body["position"], body["face"] = nil, nil, nil
			}
			errs = h.do(t, http.MethodPost, h.list("device"), list).Want(t, http.StatusBadRequest).List(t)
			if len(errs) != 3 || len(errs[0])+len(errs[1]) != 0 || len(errs[2]) == 0 {
				t.Errorf("the errors are %v", errs)
			}
		},
		11: func(t *testing.T, h *hardware) {
			primaryRule("device")(t, h)
			chassisPrimary(t, h, "device", func(device int64) int64 { return device })
		},
		12: func(t *testing.T, h *hardware) {
			maker := h.make(t, "manufacturer")
			typ := h.make(t, "devicetype", "manufacturer", maker)
			h.refused(t, "platform", "device", "device_type", typ, "platform", h.make(t, "platform", "manufacturer", h.make(t, "manufacturer")))
			h.make(t, "device", "device_type", typ, "platform", h.make(t, "platform", "manufacturer", maker))
			h.make(t, "device", "device_type", typ, "platform", h.make(t, "platform"))
		},
		14: func(t *testing.T, h *hardware) {
			chassis := h.make(t, "virtualchassis")
			h.refused(t, "vc_position", "device", "virtual_chassis", chassis)
			h.make(t, "device", "virtual_chassis", chassis, "vc_position", 1)
			h.post(t, "device", "virtual_chassis", chassis, "vc_position", 1).Want(t, http.StatusBadRequest)
			h.make(t, "device", "virtual_chassis", h.make(t, "virtualchassis"), "vc_position", 1)
			h.make(t, "device", "vc_position", 1)
			h.make(t, "device", "vc_position", 1)
		},
	}
	for n, test := range deviceLifeRules() {
		rules[n] = test
	}
	return rules
}

// deviceLifeRules are about what a device brings, leads and takes along.
func deviceLifeRules() map[int]ruleTest {
	return map[int]ruleTest{
		15: func(t *testing.T, h *hardware) {
			platform := h.make(t, "platform")
			typ := h.make(t, "devicetype", "airflow", "passive", "default_platform", platform)
			for _, more := range [][]any{{}, {"airflow", nil, "platform", nil}} {
				device := h.made(t, "device", append(more, "device_type", typ)...)
				want(t, "airflow", nestedIn(device, "airflow")["value"], any("passive"))
				wantRef(t, device, "platform", platform)
			}
			other := h.make(t, "platform")
			device := h.made(t, "device", "device_type", typ, "airflow", "mixed", "platform", other)
			want(t, "airflow", nestedIn(device, "airflow")["value"], any("mixed"))
			wantRef(t, device, "platform", other)
			want(t, "airflow", h.set(t, "device", apitest.ID(device), "airflow", nil)["airflow"], nil)
		},
		16: func(t *testing.T, h *hardware) {
			typ := h.make(t, "devicetype", "subdevice_role", "parent")
			for _, name := range slices.Backward(templates) {
				if name != "rearporttemplate" { // a front port brings one
					h.make(t, name, "device_type", typ)
				}
			}
			h.make(t, "interfacetemplate", "device_type", typ, "bridge", apitest.ID(h.first(t, "interfacetemplate", "devicetype_id=%d", typ)))
			a := h.post(t, "device", "device_type", typ)
			h.changed(t, a, "create device", "create consoleport", "create consoleserverport", "create powerport", "create poweroutlet",
				"create interface", "create interface", "create rearport", "create frontport", "create modulebay", "create devicebay",
				"create inventoryitem")
			device := apitest.ID(a.Object(t))
			interfaces := h.find(t, "interface", "device_id=%d&ordering=id", device)
			wantRef(t, interfaces[1], "bridge", apitest.ID(interfaces[0]))
			// All of it is one transaction: a device that is refused leaves nothing.
			before := h.page(t, h.list("interface")+"?limit=1").Count
			body := h.body(t, "device", "device_type", typ)
			h.do(t, http.MethodPost, h.list("device"), []obj{body, body}).Want(t, http.StatusBadRequest)
			want(t, "interfaces", h.page(t, h.list("interface")+"?limit=1").Count, before)
		},
		17: func(t *testing.T, h *hardware) {
			old, other := h.make(t, "devicetype"), h.make(t, "devicetype")
			h.make(t, "interfacetemplate", "device_type", old, "name", "a")
			h.make(t, "interfacetemplate", "device_type", other, "name", "b")
			device := h.make(t, "device", "device_type", old)
			h.changed(t, h.write(t, "device", device, "device_type", other), "update device")
			want(t, "interfaces", names(h.find(t, "interface", "device_id=%d", device), "name"), "a")
		},
		13: deviceCluster,
		19: func(t *testing.T, h *hardware) {
			here, there := h.make(t, "site"), h.make(t, "site")
			device := h.make(t, "device", "site", here)
			vlan := h.make(t, "vlan", "site", here)
			port := h.make(t, "interface", "device", device, "mode", "access", "untagged_vlan", vlan)
			h.set(t, "device", device, "site", there)
			wantRef(t, h.read(t, "interface", port), "untagged_vlan", vlan)
		},
		18: func(t *testing.T, h *hardware) {
			child, bay := h.housed(t)
			parent := idOf(h.read(t, "devicebay", bay), "device")
			site := h.make(t, "site")
			location := h.make(t, "location", "site", site)
			rack := h.make(t, "rack", "site", site, "location", location)
			h.changed(t, h.write(t, "device", parent, "site", site, "rack", rack, "location", location), "update device", "update device")
			got := h.read(t, "device", child)
			wantRef(t, got, "site", site)
			wantRef(t, got, "rack", rack)
			wantRef(t, got, "location", location)
			h.set(t, "device", parent, "rack", nil, "location", nil)
			wantRef(t, h.read(t, "device", child), "rack", 0)
		},
		20: func(t *testing.T, h *hardware) {
			for _, bad := range []any{[]any{1}, "text", 5, true} {
				h.refused(t, "local_context_data", "device", "local_context_data", bad)
			}
			want(t, "data", fmt.Sprint(h.made(t, "device", "local_context_data", obj{"a": 1})["local_context_data"]), "map[a:1]")
			want(t, "no data", h.made(t, "device", "local_context_data", nil)["local_context_data"], nil)
		},
		22: func(t *testing.T, h *hardware) {
			device := h.make(t, "device", "device_type", h.make(t, "devicetype", "subdevice_role", "parent"))
			parts := map[string]int64{"module": h.make(t, "module", "device", device)}
			for _, name := range components {
				parts[name] = h.make(t, name, "device", device)
			}
			context := h.make(t, "virtualdevicecontext", "device", device)
			h.held(t, "device", device)
			h.remove(t, "virtualdevicecontext", context)
			chassis := h.make(t, "virtualchassis", "master", device)
			h.held(t, "device", device)
			h.set(t, "virtualchassis", chassis, "master", nil)
			h.remove(t, "device", device)
			for name, id := range parts {
				h.gone(t, name, id)
			}
			child, bay := h.housed(t)
			h.remove(t, "device", child)
			wantRef(t, h.read(t, "devicebay", bay), "installed_device", 0)
		},
		24: roleByTwoNames,
		25: func(t *testing.T, h *hardware) {
			h.get(t, at(h.list("device"), h.make(t, "device"))+"napalm/?method=get_facts").Want(t, http.StatusNotFound)
		},
	}
}

// housed creates a device that is installed in a bay of another one, and returns both ids.
func (h *hardware) housed(t *testing.T) (child, bay int64) {
	t.Helper()
	bay = h.make(t, "devicebay")
	child = h.make(t, "device", "device_type", h.make(t, "devicetype", "subdevice_role", "child", "u_height", 0))
	h.set(t, "devicebay", bay, "installed_device", child)
	return child, bay
}

func moduleRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			device := h.make(t, "device")
			bay := h.make(t, "modulebay", "device", device, "name", "Slot 1")
			module := h.made(t, "module", "device", device, "module_bay", bay, "module_type", h.make(t, "moduletype", "model", "PIC"))
			want(t, "display", module["display"], any(fmt.Sprintf("Slot 1: PIC (%.0f)", module["id"])))
		},
		2: func(t *testing.T, h *hardware) {
			bay := h.made(t, "module")["module_bay"]
			wantKeys(t, "the bay", bay, "id", "url", "display", "module", "name")
			want(t, "module", bay.(obj)["module"], nil)
		},
		3: func(t *testing.T, h *hardware) {
			h.refused(t, "module_bay", "module", "module_bay", h.make(t, "modulebay"))
			module := h.made(t, "module")
			h.refused(t, "module_bay", "module", "device", idOf(module, "device"), "module_bay", idOf(module, "module_bay"))
		},
		4: func(t *testing.T, h *hardware) {
			typ := h.make(t, "moduletype")
			for _, name := range slices.Backward(templates[:ofModuleTypes]) {
				if name != "rearporttemplate" {
					h.make(t, name, "module_type", typ, "name", name+" {module}", "label", "{module}")
				}
			}
			first := h.first(t, "interfacetemplate", "moduletype_id=%d", typ)
			h.make(t, "interfacetemplate", "module_type", typ, "bridge", apitest.ID(first), "name", "z")
			device := h.make(t, "device")
			bay := h.make(t, "modulebay", "device", device, "position", "7")
			a := h.post(t, "module", "device", device, "module_bay", bay, "module_type", typ)
			h.changed(t, a, "create module", "create consoleport", "create consoleserverport", "create interface", "create interface",
				"create powerport", "create poweroutlet", "create rearport", "create frontport")
			module := apitest.ID(a.Object(t))
			made := h.find(t, "interface", "device_id=%d&ordering=id", device)
			wantRef(t, made[0], "module", module)
			want(t, "name", made[0]["name"], any("interfacetemplate 7"))
			want(t, "label", made[0]["label"], any("7"))
			wantRef(t, made[1], "bridge", apitest.ID(made[0]))
		},
		5: func(t *testing.T, h *hardware) {
			typ := h.make(t, "moduletype")
			h.make(t, "interfacetemplate", "module_type", typ, "name", "p{module}")
			device := h.make(t, "device")
			bay := h.make(t, "modulebay", "device", device)
			taken := h.make(t, "interface", "device", device, "name", "p1")
			refuse := func() {
				t.Helper()
				h.post(t, "module", "device", device, "module_bay", bay, "module_type", typ).Want(t, http.StatusBadRequest)
				want(t, "modules", len(h.find(t, "module", "device_id=%d", device)), 0)
				want(t, "interfaces", len(h.find(t, "interface", "device_id=%d", device)), 1)
			}
			refuse()
			h.set(t, "modulebay", bay, "position", "1")
			refuse()
			h.set(t, "interface", taken, "name", "p2")
			h.make(t, "module", "device", device, "module_bay", bay, "module_type", typ)
		},
		6: func(t *testing.T, h *hardware) { // as in 3.5: newer clients learn that the server does not know their words
			typ := h.make(t, "moduletype")
			h.make(t, "interfacetemplate", "module_type", typ, "name", "p")
			device := h.make(t, "device")
			words := []any{"device", device, "module_type", typ, "replicate_components", false, "adopt_components", true}
			a := h.post(t, "module", words...).Want(t, http.StatusCreated)
			want(t, "unknown", a.Header.Get(unknownFields), "adopt_components, replicate_components")
			made := h.find(t, "interface", "device_id=%d", device)
			want(t, "interfaces", names(made, "name"), "p")
			wantRef(t, made[0], "module", apitest.ID(a.Object(t)))
			h.remove(t, "module", apitest.ID(a.Object(t)))
			h.make(t, "interface", "device", device, "name", "p")
			h.post(t, "module", words...).Want(t, http.StatusBadRequest)
		},
		7: func(t *testing.T, h *hardware) {
			typ, other := h.make(t, "moduletype"), h.make(t, "moduletype")
			h.make(t, "interfacetemplate", "module_type", typ, "name", "p{module}")
			h.make(t, "interfacetemplate", "module_type", other, "name", "q{module}")
			device := h.make(t, "device")
			one, two := h.make(t, "modulebay", "device", device, "position", "1"), h.make(t, "modulebay", "device", device, "position", "2")
			module := h.make(t, "module", "device", device, "module_bay", one, "module_type", typ)
			h.changed(t, h.write(t, "module", module, "module_type", other), "update module")
			h.changed(t, h.write(t, "module", module, "module_bay", two), "update module")
			want(t, "interfaces", names(h.find(t, "interface", "device_id=%d", device), "name"), "p1")
		},
		8: func(t *testing.T, h *hardware) {
			module := h.made(t, "module")
			var made []int64
			for _, name := range ofModules {
				made = append(made, h.make(t, name, "device", idOf(module, "device"), "module", apitest.ID(module)))
			}
			h.remove(t, "module", apitest.ID(module))
			for i, name := range ofModules {
				h.gone(t, name, made[i])
			}
		},
	}
}

func contextRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: contextPrimary,
		2: func(t *testing.T, h *hardware) {
			h.make(t, "virtualdevicecontext", "name", "alpha", "identifier", 24711)
			h.make(t, "virtualdevicecontext", "name", "beta", "identifier", 2471)
			for q, found := range map[string]string{"lph": "alpha", "24711": "alpha", "2471": "beta", "247": "", "24711x": ""} {
				want(t, q+" finds", names(h.find(t, "virtualdevicecontext", "q=%s", q), "name"), found)
			}
		},
		3: func(t *testing.T, h *hardware) {
			device := h.make(t, "device")
			h.make(t, "virtualdevicecontext", "device", device)
			h.make(t, "virtualdevicecontext", "device", device)
			h.make(t, "virtualdevicecontext", "device", device, "identifier", 1)
			h.post(t, "virtualdevicecontext", "device", device, "identifier", 1).Want(t, http.StatusBadRequest)
			h.make(t, "virtualdevicecontext", "identifier", 1)
		},
		4: func(t *testing.T, h *hardware) {
			context := h.made(t, "virtualdevicecontext")
			h.refused(t, "vdcs", "interface", "vdcs", []any{context["id"]})
			made := h.made(t, "interface", "device", idOf(context, "device"), "vdcs", []any{context["id"]})
			want(t, "contexts", len(made["vdcs"].([]any)), 1)
			want(t, "interfaces", h.read(t, "virtualdevicecontext", apitest.ID(context))["interface_count"], any(1.0))
			h.unset(t, "device", "virtualdevicecontext", apitest.ID(context), "device", h.make(t, "device"))
		},
	}
}

func chassisRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.make(t, "virtualchassis", "name", "same")
			h.make(t, "virtualchassis", "name", "same")
		},
		2: func(t *testing.T, h *hardware) {
			chassis, devices := h.stack(t, 2)
			nested := nestedIn(h.read(t, "device", devices[0]), "virtual_chassis")
			wantKeys(t, "the chassis", nested, "id", "url", "display", "name", "master")
			want(t, "master", nested["master"], nil)
			h.set(t, "virtualchassis", chassis, "master", devices[0])
			nested = nestedIn(h.read(t, "device", devices[1]), "virtual_chassis")
			wantRef(t, nested, "master", devices[0])
			wantKeys(t, "the master", nested["master"], "id", "url", "display", "name")
			h.briefCounts(t, "virtualchassis", chassis, nested, obj{"member_count": 2.0})
		},
		3: func(t *testing.T, h *hardware) {
			free, placed := h.make(t, "device"), h.make(t, "device", "vc_position", 5)
			for device, position := range map[int64]float64{free: 1, placed: 5} {
				a := h.post(t, "virtualchassis", "master", device)
				h.changed(t, a, "create virtualchassis", "update device")
				got := h.read(t, "device", device)
				wantRef(t, got, "virtual_chassis", apitest.ID(a.Object(t)))
				want(t, "position", got["vc_position"], any(position))
			}
		},
		4: func(t *testing.T, h *hardware) {
			chassis, devices := h.stack(t, 2)
			_, others := h.stack(t, 1)
			h.unset(t, "master", "virtualchassis", chassis, "master", h.make(t, "device"))
			h.unset(t, "master", "virtualchassis", chassis, "master", others[0])
			h.set(t, "virtualchassis", chassis, "master", devices[1])
			for _, taken := range devices { // its master, and another member
				h.refused(t, "master", "virtualchassis", "master", taken)
				wantRef(t, h.read(t, "device", taken), "virtual_chassis", chassis)
			}
			free := h.make(t, "device")
			list := []obj{h.body(t, "virtualchassis", "master", free), h.body(t, "virtualchassis", "master", free)}
			errs := h.do(t, http.MethodPost, h.list("virtualchassis"), list).Want(t, http.StatusBadRequest).List(t)
			if len(errs) != 2 || len(errs[0]) != 0 || errs[1]["master"] == nil {
				t.Errorf("one master of two: %v", errs)
			}
			wantRef(t, h.read(t, "device", free), "virtual_chassis", 0)
		},
		5: func(t *testing.T, h *hardware) {
			chassis, devices := h.stack(t, 3)
			h.set(t, "virtualchassis", chassis, "master", devices[0])
			h.write(t, "device", devices[0], "virtual_chassis", nil, "vc_position", nil).Want(t, http.StatusBadRequest)
			h.unset(t, "virtual_chassis", "device", devices[0], "virtual_chassis", h.make(t, "virtualchassis"))
			lag := h.make(t, "interface", "device", devices[0], "type", "lag")
			member := h.make(t, "interface", "device", devices[1], "lag", lag)
			h.write(t, "device", devices[1], "virtual_chassis", nil, "vc_position", nil).Want(t, http.StatusBadRequest)
			h.set(t, "device", devices[2], "virtual_chassis", nil, "vc_position", nil)
			h.set(t, "interface", member, "lag", nil)
			h.set(t, "device", devices[1], "virtual_chassis", nil, "vc_position", nil)
		},
		6: func(t *testing.T, h *hardware) {
			chassis, devices := h.stack(t, 2)
			h.set(t, "device", devices[1], "vc_priority", 9)
			lag := h.make(t, "interface", "device", devices[0], "type", "lag")
			member := h.make(t, "interface", "device", devices[1], "lag", lag)
			h.held(t, "virtualchassis", chassis)
			h.remove(t, "interface", member)
			h.remove(t, "virtualchassis", chassis)
			for _, field := range []string{"virtual_chassis", "vc_position", "vc_priority"} {
				want(t, field, h.read(t, "device", devices[1])[field], nil)
			}
		},
		7: func(t *testing.T, h *hardware) {
			chassis, devices := h.stack(t, 1)
			h.set(t, "virtualchassis", chassis, "master", devices[0])
			h.held(t, "device", devices[0])
			h.set(t, "virtualchassis", chassis, "master", nil)
			h.remove(t, "device", devices[0])
		},
	}
}
