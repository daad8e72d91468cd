package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

func manufacturerRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.heldBy(t, "manufacturer", "devicetype", "moduletype", "platform", "inventoryitem", "inventoryitemtemplate")
		},
		2: func(t *testing.T, h *hardware) {
			typ := h.made(t, "devicetype")
			h.briefCounts(t, "manufacturer", idOf(typ, "manufacturer"), nestedIn(typ, "manufacturer"), obj{"devicetype_count": 1.0})
		},
	}
}

// heldBy asks that a record can't be deleted while a record of one of the types refers to it.
func (h *hardware) heldBy(t *testing.T, name string, types ...string) {
	t.Helper()
	field := map[string]string{"inventoryitemrole": "role", "devicerole": "device_role"}[name]
	if field == "" {
		field = name
	}
	for _, by := range types {
		id := h.make(t, name)
		holder := h.make(t, by, field, id)
		h.held(t, name, id)
		h.remove(t, by, holder)
		h.remove(t, name, id)
	}
}

// weighed asks that a weight needs a unit and is compared in grams.
func weighed(t *testing.T, h *hardware) {
	h.refused(t, "weight_unit", h.of, "weight", 5)
	h.grams(t, h.of)
}

func deviceTypeRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			want(t, "display", h.made(t, "devicetype", "model", "QFX 5100")["display"], any("QFX 5100"))
		},
		2: func(t *testing.T, h *hardware) {
			device := h.made(t, "device")
			nested := nestedIn(device, "device_type")
			wantKeys(t, "the nested type", nested, "id", "url", "display", "manufacturer", "model", "slug")
			wantKeys(t, "its manufacturer", nested["manufacturer"], "id", "url", "display", "name", "slug")
			h.briefCounts(t, "devicetype", apitest.ID(nested), nested, obj{"device_count": 1.0})
			raw := string(h.get(t, at(h.list("device"), apitest.ID(device))).Raw)
			maker, model := strings.Index(raw, `"manufacturer"`), strings.Index(raw, `"model"`)
			if slug := strings.Index(raw[model:], `"slug"`); maker > model || slug < 0 {
				t.Errorf("the order of the nested type: %s", raw)
			}
		},
		3: func(t *testing.T, h *hardware) {
			for _, height := range []any{1.25, -1, -0.5, 0.3} {
				h.refused(t, "u_height", "devicetype", "u_height", height)
			}
			for sent, shown := range map[any]string{0: "0.0", 2: "2.0", 1.5: "1.5"} {
				if raw := string(h.post(t, "devicetype", "u_height", sent).Want(t, http.StatusCreated).Raw); !strings.Contains(raw,
					`"u_height":`+shown+",") {
					t.Errorf("u_height %v is not shown as %s: %s", sent, shown, raw)
				}
			}
		},
		4: func(t *testing.T, h *hardware) {
			typ, rack := h.sized(t, 1, true), h.make(t, "rack")
			lower := h.mounted(t, rack, typ, 5, "front")
			h.mounted(t, rack, h.sized(t, 1, true), 7, "front")
			h.set(t, "devicetype", typ, "u_height", 2)
			a := h.write(t, "devicetype", typ, "u_height", 3)
			wantErrors(t, a, "u_height")
			if !strings.Contains(string(a.Raw), fmt.Sprintf("device %d", lower)) {
				t.Errorf("the error does not name the device: %s", a.Raw)
			}
			h.set(t, "devicetype", typ, "u_height", 0.5)
		},
		5: func(t *testing.T, h *hardware) {
			typ := h.sized(t, 1, true)
			device := h.mounted(t, h.make(t, "rack"), typ, 5, "front")
			h.unset(t, "u_height", "devicetype", typ, "u_height", 0)
			h.set(t, "device", device, "position", nil)
			h.set(t, "devicetype", typ, "u_height", 0)
		},
		6: func(t *testing.T, h *hardware) {
			typ, rack := h.sized(t, 1, false), h.make(t, "rack")
			h.mounted(t, rack, typ, 5, "front")
			behind := h.mounted(t, rack, h.sized(t, 1, false), 5, "rear")
			h.unset(t, "is_full_depth", "devicetype", typ, "is_full_depth", true)
			h.set(t, "device", behind, "position", 6)
			h.set(t, "devicetype", typ, "is_full_depth", true)
		},
		7: func(t *testing.T, h *hardware) {
			h.refused(t, "u_height", "devicetype", "subdevice_role", "child")
			h.refused(t, "u_height", "devicetype", "subdevice_role", "child", "u_height", 1)
			child := h.make(t, "devicetype", "subdevice_role", "child", "u_height", 0)
			h.unset(t, "u_height", "devicetype", child, "u_height", 1)
		},
		8: func(t *testing.T, h *hardware) {
			typ := h.make(t, "devicetype", "subdevice_role", "parent")
			bay := h.make(t, "devicebaytemplate", "device_type", typ)
			h.unset(t, "subdevice_role", "devicetype", typ, "subdevice_role", nil)
			h.unset(t, "subdevice_role", "devicetype", typ, "subdevice_role", "child", "u_height", 0)
			h.remove(t, "devicebaytemplate", bay)
			h.set(t, "devicetype", typ, "subdevice_role", nil)
		},
		10: func(t *testing.T, h *hardware) {
			typ := h.make(t, "devicetype", "airflow", "mixed")
			template := h.make(t, "interfacetemplate", "device_type", typ, "name", "a")
			device := h.make(t, "device", "device_type", typ)
			h.changed(t, h.write(t, "devicetype", typ, "airflow", "passive"), "update devicetype")
			h.changed(t, h.write(t, "interfacetemplate", template, "name", "b"), "update interfacetemplate")
			h.changed(t, h.post(t, "interfacetemplate", "device_type", typ, "name", "c"), "create interfacetemplate")
			h.changed(t, h.remove(t, "interfacetemplate", template), "delete interfacetemplate")
			want(t, "interfaces", names(h.find(t, "interface", "device_id=%d", device), "name"), "a")
			want(t, "airflow", nestedIn(h.read(t, "device", device), "airflow")["value"], any("mixed"))
		},
		11: func(t *testing.T, h *hardware) {
			typ := h.made(t, "devicetype")
			id := apitest.ID(typ)
			want(t, "front_image", typ["front_image"], nil)
			send := func(content []byte) apitest.Answer {
				return h.s.Do(t, apitest.Upload(t, apitest.Call{Method: "PATCH", Path: at(h.list("devicetype"), id), Token: h.actor.key}, nil,
					apitest.FilePart{Field: "front_image", Name: "front.png", Content: content}))
			}
			wantErrors(t, send([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)), "front_image")
			first := send(apitest.PNG(t, 3, 2, 1)).Want(t, http.StatusOK).Object(t)["front_image"]
			h.file(t, first).Want(t, http.StatusOK)
			second := send(apitest.PNG(t, 3, 2, 2)).Want(t, http.StatusOK).Object(t)["front_image"]
			h.file(t, first).Want(t, http.StatusNotFound)
			h.file(t, second).Want(t, http.StatusOK)
			want(t, "files", h.kept(t, "dcim.devicetype", id), 1)
			h.remove(t, "devicetype", id)
			h.file(t, second).Want(t, http.StatusNotFound)
			want(t, "files", h.kept(t, "dcim.devicetype", id), 0)
		},
		12: func(t *testing.T, h *hardware) {
			typ := h.make(t, "devicetype", "subdevice_role", "parent")
			var made []int64
			for _, name := range templates {
				made = append(made, h.make(t, name, "device_type", typ))
			}
			device := h.make(t, "device", "device_type", typ)
			h.held(t, "devicetype", typ)
			h.remove(t, "device", device)
			h.remove(t, "devicetype", typ)
			for i, name := range templates {
				h.gone(t, name, made[i])
			}
		},
	}
}

// templates are the types of templates. Those of a module type come first.
var templates = []string{"consoleporttemplate", "consoleserverporttemplate", "powerporttemplate", "poweroutlettemplate",
	"interfacetemplate",
	"rearporttemplate", "frontporttemplate", "modulebaytemplate", "devicebaytemplate", "inventoryitemtemplate"}

// ofModuleTypes is how many of them a module type can have.
const ofModuleTypes = 7

func moduleTypeRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			typ := h.made(t, "moduletype", "model", "PIC 4", "slug", "x")
			want(t, "display", typ["display"], any("PIC 4"))
			if _, is := typ["slug"]; is {
				t.Errorf("it has a slug: %v", typ)
			}
		},
		3: func(t *testing.T, h *hardware) {
			typ := h.make(t, "moduletype")
			for _, name := range templates[:ofModuleTypes] {
				wantRef(t, h.made(t, name, "module_type", typ), "module_type", typ)
			}
			for _, name := range templates[ofModuleTypes:] {
				wantErrors(t, h.do(t, http.MethodPost, h.list(name), obj{"name": "a", "module_type": typ}), "device_type")
			}
		},
		4: func(t *testing.T, h *hardware) {
			typ := h.make(t, "moduletype")
			var made []int64
			for _, name := range templates[:ofModuleTypes] {
				made = append(made, h.make(t, name, "module_type", typ))
			}
			module := h.make(t, "module", "module_type", typ)
			h.held(t, "moduletype", typ)
			h.remove(t, "module", module)
			h.remove(t, "moduletype", typ)
			for i, name := range templates[:ofModuleTypes] {
				h.gone(t, name, made[i])
			}
		},
		5: func(t *testing.T, h *hardware) {
			typ := h.make(t, "moduletype")
			template := h.make(t, "interfacetemplate", "module_type", typ, "name", "a")
			module := h.make(t, "module", "module_type", typ)
			h.changed(t, h.write(t, "interfacetemplate", template, "name", "b"), "update interfacetemplate")
			h.changed(t, h.post(t, "interfacetemplate", "module_type", typ, "name", "c"), "create interfacetemplate")
			h.changed(t, h.remove(t, "interfacetemplate", template), "delete interfacetemplate")
			want(t, "interfaces", names(h.find(t, "interface", "module_id=%d", module), "name"), "a")
		},
	}
}

func deviceRoleRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			for _, color := range []string{"00FF0", "red", "#00ff00", "00ff0g"} {
				h.refused(t, "color", "devicerole", "color", color)
			}
			want(t, "color", h.made(t, "devicerole", "color", "00ff0a")["color"], any("00ff0a"))
			if a := h.post(t, "devicerole", "color", "00FF0A"); a.Status == http.StatusCreated {
				want(t, "color", a.Object(t)["color"], any("00ff0a"))
			}
		},
		2: func(t *testing.T, h *hardware) { h.heldBy(t, "devicerole", "device") },
	}
}

func platformRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			platform := h.make(t, "platform")
			typ := h.make(t, "devicetype", "default_platform", platform)
			device := h.make(t, "device", "platform", platform)
			h.remove(t, "platform", platform)
			wantRef(t, h.read(t, "device", device), "platform", 0)
			wantRef(t, h.read(t, "devicetype", typ), "default_platform", 0)
		},
		3: func(t *testing.T, h *hardware) {
			device := h.made(t, "device", "platform", h.make(t, "platform"))
			platform := idOf(device, "platform")
			h.unset(t, "manufacturer", "platform", platform, "manufacturer", h.make(t, "manufacturer"))
			maker := idOf(nestedIn(device, "device_type"), "manufacturer")
			wantRef(t, h.set(t, "platform", platform, "manufacturer", maker), "manufacturer", maker)
		},
	}
}

// bothCounts asks for the counts of roles and platforms.
func bothCounts(t *testing.T, h *hardware) {
	field := map[string]string{"devicerole": "device_role", "platform": "platform"}[h.of]
	id := h.make(t, h.of)
	device := h.made(t, "device", field, id)
	h.briefCounts(t, h.of, id, nestedIn(device, field), obj{"device_count": 1.0, "virtualmachine_count": 0.0})
}

func inventoryItemRoleRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			h.heldBy(t, "inventoryitemrole", "inventoryitem", "inventoryitemtemplate")
		},
		2: func(t *testing.T, h *hardware) {
			id := h.make(t, "inventoryitemrole")
			item := h.made(t, "inventoryitem", "role", id)
			h.briefCounts(t, "inventoryitemrole", id, nestedIn(item, "role"), obj{"inventoryitem_count": 1.0})
		},
	}
}
