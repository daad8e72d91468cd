package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// labelledRule: the label is in the display.
func labelledRule(t *testing.T, h *hardware) {
	want(t, "display", h.made(t, h.of, "name", "a b", "label", "L 1")["display"], any("a b (L 1)"))
	want(t, "display", h.made(t, h.of, "name", "c")["display"], any("c"))
}

// owners returns the types that a template can belong to, by field.
func (h *hardware) owners() []string {
	if h.of == "modulebaytemplate" || h.of == "devicebaytemplate" || h.of == "inventoryitemtemplate" {
		return []string{"device_type"}
	}
	return []string{"device_type", "module_type"}
}

// owner creates a device type or a module type.
func (h *hardware) owner(t *testing.T, field string) int64 {
	t.Helper()
	if field == "module_type" {
		return h.make(t, "moduletype")
	}
	return h.make(t, "devicetype", "subdevice_role", "parent")
}

// templateOrder: templates are sorted by their types, then by name.
func templateOrder(t *testing.T, h *hardware) {
	last := h.make(t, h.of) // of a device type that is created first
	first := idOf(h.read(t, h.of, last), "device_type")
	second := h.owner(t, "device_type")
	h.make(t, h.of, "device_type", second, "name", "A10")
	h.make(t, h.of, "device_type", second, "name", "A9")
	wanted := []string{fmt.Sprint(h.read(t, h.of, last)["name"]), "A9", "A10"}
	if len(h.owners()) == 2 {
		early, late := h.owner(t, "module_type"), h.owner(t, "module_type")
		h.make(t, h.of, "module_type", late, "name", "A1")
		h.make(t, h.of, "module_type", early, "name", "B10")
		h.make(t, h.of, "module_type", early, "name", "B9")
		wanted = append(wanted, "B9", "B10", "A1")
	}
	rows := h.find(t, h.of, "id__gte=%d", last)
	if idOf(rows[0], "device_type") != first {
		t.Errorf("the first is %v", rows[0])
	}
	want(t, "order", names(rows, "name"), strings.Join(wanted, " "))
}

// templatePlain: templates have no tags, and their change names the type.
func templatePlain(t *testing.T, h *hardware) {
	for _, field := range h.owners() {
		owner := h.owner(t, field)
		made := h.made(t, h.of, field, owner, "tags", []any{}, "custom_fields", obj{})
		for _, name := range []string{"tags", "custom_fields"} {
			if _, is := made[name]; is {
				t.Errorf("it has %s: %v", name, made)
			}
		}
		id := apitest.ID(made)
		h.set(t, h.of, id, "label", "L")
		h.remove(t, h.of, id)
		changes := h.changes(t, "dcim."+h.of, id)
		for i, states := range [][]string{{"postchange_data"}, {"prechange_data", "postchange_data"}, {"prechange_data"}} {
			for _, state := range states {
				want(t, fmt.Sprintf("%s in %s of change %d", field, state, i), nestedIn(changes[i], state)[field], any(float64(owner)))
			}
		}
	}
}

// templateOneOwner: a template belongs to one type.
func templateOneOwner(t *testing.T, h *hardware) {
	body := h.body(t, h.of)
	body["module_type"] = h.owner(t, "module_type")
	errs := h.do(t, http.MethodPost, h.list(h.of), body).Want(t, http.StatusBadRequest).Object(t)
	if errs["module_type"] == nil {
		t.Errorf("both are refused with %v", errs)
	}
	body["device_type"], body["module_type"] = nil, nil
	errs = h.do(t, http.MethodPost, h.list(h.of), body).Want(t, http.StatusBadRequest).Object(t)
	if errs["device_type"] == nil {
		t.Errorf("none is refused with %v", errs)
	}
}

// templateFixed: a template stays with its type.
func templateFixed(t *testing.T, h *hardware) {
	for _, field := range h.owners() {
		owner := h.owner(t, field)
		id := h.make(t, h.of, field, owner)
		h.set(t, h.of, id, field, owner)
		errs := h.write(t, h.of, id, field, h.owner(t, field)).Want(t, http.StatusBadRequest).Object(t)
		if errs[field] == nil {
			t.Errorf("another %s is refused with %v", field, errs)
		}
		for _, other := range h.owners() {
			h.write(t, h.of, id, field, nil, other, h.owner(t, other)).Want(t, http.StatusBadRequest)
		}
	}
}

// templateRequired: a template needs a device type, and stays with it.
func templateRequired(t *testing.T, h *hardware) {
	body := h.body(t, h.of)
	delete(body, "device_type")
	wantErrors(t, h.do(t, http.MethodPost, h.list(h.of), body), "device_type")
	id := h.make(t, h.of)
	h.unset(t, "device_type", h.of, id, "device_type", h.owner(t, "device_type"))
	h.unset(t, "device_type", h.of, id, "device_type", nil)
}

// install creates a module of a type in a bay with a position, and returns the components of a kind that it brought.
func (h *hardware) install(t *testing.T, typ int64, position, kind string) []obj {
	t.Helper()
	device := h.make(t, "device")
	bay := h.make(t, "modulebay", "device", device, "position", position)
	module := h.make(t, "module", "device", device, "module_bay", bay, "module_type", typ)
	rows := h.find(t, kind, "module_id=%d", module)
	if len(rows) == 0 {
		t.Fatalf("the module brought no %s", kind)
	}
	return rows
}

// component returns the kind of component that a template makes.
func (h *hardware) component() string { return strings.TrimSuffix(h.of, "template") }

// templatePosition: {module} becomes the position of the bay.
func templatePosition(t *testing.T, h *hardware) {
	typ := h.owner(t, "module_type")
	h.make(t, h.of, "module_type", typ, "name", "p{module}/{module}/1", "label", "L{module}{module}")
	made := h.install(t, typ, "3", h.component())
	want(t, "name", names(made, "name"), "p3/3/1")
	want(t, "label", names(made, "label"), "L33")
	device := h.owner(t, "device_type")
	h.make(t, h.of, "device_type", device, "name", "p{module}", "label", "L{module}")
	made = h.find(t, h.component(), "device_id=%d", h.make(t, "device", "device_type", device))
	want(t, "name", names(made, "name"), "p{module}")
	want(t, "label", names(made, "label"), "L{module}")
}

// templateDescription: the description stays with the template.
func templateDescription(t *testing.T, h *hardware) {
	for _, field := range h.owners() {
		want(t, "description", h.copied(t, field, "description", "only here")["description"], any(""))
	}
}

// copied creates a template of a type, then a device or a module of the type, and returns the component that was made.
func (h *hardware) copied(t *testing.T, field string, more ...any) obj {
	t.Helper()
	owner := h.owner(t, field)
	h.make(t, h.of, append([]any{field, owner, "name", "copied"}, more...)...)
	if field == "module_type" {
		return h.install(t, owner, "1", h.component())[0]
	}
	return h.first(t, h.component(), "device_id=%d", h.make(t, "device", "device_type", owner))
}

// templateCopies asks that components take values from their templates.
func (h *hardware) templateCopies(t *testing.T, values ...any) {
	t.Helper()
	for _, field := range h.owners() {
		got := h.copied(t, field, append([]any{"label", "L"}, values...)...)
		wanted := append([]any{"name", "copied", "label", "L"}, values...)
		for i := 0; i < len(wanted); i += 2 {
			name := wanted[i].(string)
			value := got[name]
			switch v := value.(type) {
			case obj:
				if value = v["value"]; value == nil {
					value = v["id"]
				}
			}
			want(t, name, fmt.Sprint(value), fmt.Sprint(wanted[i+1]))
		}
	}
}

// drawRule: the allocated draw is at most the maximum.
func drawRule(t *testing.T, h *hardware) {
	h.refused(t, "allocated_draw", h.of, "maximum_draw", 100, "allocated_draw", 101)
	id := h.make(t, h.of, "maximum_draw", 100, "allocated_draw", 100)
	h.unset(t, "allocated_draw", h.of, id, "maximum_draw", 99)
	h.make(t, h.of, "allocated_draw", 101)
}

// sameOwner asks that a template can only refer to another one of the same type.
func (h *hardware) sameOwner(t *testing.T, field, to string) {
	t.Helper()
	for _, owner := range h.owners() {
		typ := h.owner(t, owner)
		wantErrors(t, h.post(t, h.of, owner, typ, field, h.make(t, to)), field)
		wantErrors(t, h.post(t, h.of, owner, typ, field, h.make(t, to, "module_type", h.owner(t, "module_type"))), field)
		h.make(t, h.of, owner, typ, field, h.make(t, to, owner, typ))
	}
}

// refersToSister asks that a component refers to the component that its template's template became.
func (h *hardware) refersToSister(t *testing.T, field, to string) {
	t.Helper()
	for _, owner := range h.owners() {
		typ := h.owner(t, owner)
		sister := h.make(t, to, owner, typ, "name", "s{module}")
		h.make(t, to, owner, typ, "name", "another")
		h.make(t, h.of, owner, typ, "name", "copied", field, sister)
		var made obj
		if owner == "module_type" {
			made = h.install(t, typ, "1", h.component())[0]
			for _, row := range h.find(t, h.component(), "module_id=%d&name=copied", idOf(made, "module")) {
				made = row
			}
			want(t, field, nestedIn(made, field)["name"], any("s1"))
		} else {
			device := h.make(t, "device", "device_type", typ)
			made = h.first(t, h.component(), "device_id=%d&name=copied", device)
			want(t, field, nestedIn(made, field)["name"], any("s{module}"))
		}
	}
}

func powerPortTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		9: func(t *testing.T, h *hardware) {
			h.templateCopies(t, "type", "iec-60320-c14", "maximum_draw", 200, "allocated_draw", 100)
		},
	}
}

func powerOutletTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		8: func(t *testing.T, h *hardware) { h.sameOwner(t, "power_port", "powerporttemplate") },
		9: func(t *testing.T, h *hardware) {
			h.templateCopies(t, "type", "iec-60320-c13", "feed_leg", "B")
			h.refersToSister(t, "power_port", "powerporttemplate")
		},
	}
}

func interfaceTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		8: func(t *testing.T, h *hardware) {
			h.sameOwner(t, "bridge", "interfacetemplate")
			id := h.make(t, "interfacetemplate")
			h.unset(t, "bridge", "interfacetemplate", id, "bridge", id)
		},
		9: func(t *testing.T, h *hardware) { h.interfaceOrder(t, "device_type", h.owner(t, "device_type")) },
		10: func(t *testing.T, h *hardware) {
			h.templateCopies(t, "type", "10gbase-t", "enabled", false, "mgmt_only", true, "poe_mode", "pse", "poe_type", "type2-ieee802.3at")
			h.refersToSister(t, "bridge", "interfacetemplate")
			// What no interface may be is no template either: no device could be made of the type.
			h.refused(t, "poe_mode", "interfacetemplate", "type", "virtual", "poe_mode", "pd")
			h.refused(t, "poe_type", "interfacetemplate", "poe_type", "type1-ieee802.3af")
		},
	}
}

func frontPortTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		8: func(t *testing.T, h *hardware) { h.sameOwner(t, "rear_port", "rearporttemplate") },
		9: func(t *testing.T, h *hardware) {
			typ := h.owner(t, "device_type")
			rear := h.make(t, "rearporttemplate", "device_type", typ, "positions", 2)
			h.refused(t, "rear_port_position", h.of, "device_type", typ, "rear_port", rear, "rear_port_position", 3)
			id := h.make(t, h.of, "device_type", typ, "rear_port", rear, "rear_port_position", 2)
			h.unset(t, "rear_port_position", h.of, id, "rear_port_position", 3)
		},
		10: func(t *testing.T, h *hardware) {
			h.templateCopies(t, "type", "lc", "color", "aa1409")
			typ := h.owner(t, "device_type")
			rear := h.make(t, "rearporttemplate", "device_type", typ, "positions", 2)
			h.make(t, h.of, "device_type", typ, "rear_port", rear, "rear_port_position", 2)
			device := h.make(t, "device", "device_type", typ)
			want(t, "position", h.first(t, "frontport", "device_id=%d", device)["rear_port_position"], any(2.0))
			h.refersToSister(t, "rear_port", "rearporttemplate")
		},
	}
}

func rearPortTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		8: func(t *testing.T, h *hardware) {
			front := h.made(t, "frontporttemplate")
			h.remove(t, "rearporttemplate", idOf(front, "rear_port"))
			h.gone(t, "frontporttemplate", apitest.ID(front))
		},
		9:  func(t *testing.T, h *hardware) { h.rearPositions(t, "device_type", h.owner(t, "device_type")) },
		10: func(t *testing.T, h *hardware) { h.templateCopies(t, "type", "lc", "color", "aa1409", "positions", 4) },
	}
}

// rearPositions asks that a rear port keeps the positions that are in use.
func (h *hardware) rearPositions(t *testing.T, field string, owner int64) {
	t.Helper()
	front := strings.Replace(h.of, "rear", "front", 1)
	rear := h.make(t, h.of, field, owner, "positions", 4)
	h.make(t, front, field, owner, "rear_port", rear, "rear_port_position", 1)
	h.make(t, front, field, owner, "rear_port", rear, "rear_port_position", 3)
	h.unset(t, "positions", h.of, rear, "positions", 1)
	h.unset(t, "positions", h.of, rear, "positions", 2)
	h.set(t, h.of, rear, "positions", 3)
}

func moduleBayTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		6: func(t *testing.T, h *hardware) { h.templateCopies(t, "position", "7") },
	}
}

func deviceBayTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		6: func(t *testing.T, h *hardware) {
			h.refused(t, "device_type", "devicebaytemplate", "device_type", h.make(t, "devicetype"))
			h.refused(t, "device_type", "devicebaytemplate", "device_type", h.make(t, "devicetype", "subdevice_role", "child", "u_height", 0))
			h.make(t, "devicebaytemplate", "device_type", h.make(t, "devicetype", "subdevice_role", "parent"))
		},
		7: func(t *testing.T, h *hardware) { h.templateCopies(t) },
	}
}

// bareParent: the parent is an id.
func bareParent(t *testing.T, h *hardware) {
	first := h.made(t, h.of)
	field, owner := "device", idOf(first, "device")
	if owner == 0 {
		field, owner = "device_type", idOf(first, "device_type")
	}
	want(t, "no parent", first["parent"], nil)
	made := h.made(t, h.of, field, owner, "parent", apitest.ID(first))
	want(t, "parent", made["parent"], first["id"])
	want(t, "parent in a list", h.first(t, h.of, "id=%d", apitest.ID(made))["parent"], first["id"])
}

// componentPair: the component is written as a type and an id.
func componentPair(t *testing.T, h *hardware) {
	field, kind, refers := "device", "interface", []string{"id", "url", "display", "device", "name", "cable", "_occupied"}
	if h.of == "inventoryitemtemplate" {
		field, kind, refers = "device_type", "interfacetemplate", []string{"id", "url", "display", "name"}
	}
	part := h.made(t, kind)
	owner, id := idOf(part, field), apitest.ID(part)
	made := h.made(t, h.of, field, owner, "component_type", "dcim."+kind, "component_id", id, "component", 99)
	wantRef(t, made, "component", id)
	wantKeys(t, "the component", made["component"], refers...)
	want(t, "no component", h.made(t, h.of)["component"], nil)
	h.refused(t, "component_id", h.of, field, owner, "component_type", "dcim."+kind)
	h.refused(t, "component_type", h.of, field, owner, "component_id", id)
	h.refused(t, "component_id", h.of, field, owner, "component_type", "dcim."+kind, "component_id", 99999)
	h.refused(t, "component_type", h.of, field, owner, "component_type", "dcim.site", "component_id", id)
	want(t, "emptied", h.set(t, h.of, apitest.ID(made), "component_type", nil, "component_id", nil)["component"], nil)
}

func inventoryItemTemplateRules() map[int]ruleTest {
	return map[int]ruleTest{
		8: func(t *testing.T, h *hardware) { h.namesBelowParent(t, "device_type", h.owner(t, "device_type")) },
		9: func(t *testing.T, h *hardware) {
			typ := h.owner(t, "device_type")
			h.refused(t, "parent", h.of, "device_type", typ, "parent", h.make(t, h.of))
			part := h.make(t, "interfacetemplate")
			wantErrors(t, h.post(t, h.of, "device_type", typ, "component_type", "dcim.interfacetemplate", "component_id", part), "component_id")
			top := h.make(t, h.of, "device_type", typ)
			below := h.make(t, h.of, "device_type", typ, "parent", top)
			h.unset(t, "parent", h.of, top, "parent", below)
			h.unset(t, "parent", h.of, top, "parent", top)
		},
		10: func(t *testing.T, h *hardware) {
			h.templateCopies(t, "role", h.make(t, "inventoryitemrole"), "manufacturer", h.make(t, "manufacturer"), "part_id", "P1")
			typ := h.owner(t, "device_type")
			part := h.make(t, "interfacetemplate", "device_type", typ, "name", "xe")
			other := h.make(t, h.of, "device_type", typ, "name", "twin")
			top := h.make(t, h.of, "device_type", typ, "name", "twin")
			middle := h.make(t, h.of, "device_type", typ, "name", "middle", "parent", top)
			h.make(t, h.of, "device_type", typ, "name", "twin", "parent", middle, "component_type", "dcim.interfacetemplate", "component_id", part)
			h.make(t, h.of, "device_type", typ, "name", "lone", "parent", other)
			items := map[string]obj{}
			device := h.make(t, "device", "device_type", typ)
			rows := h.find(t, "inventoryitem", "device_id=%d", device)
			byID := map[any]obj{}
			for _, row := range rows {
				byID[row["id"]] = row
			}
			for _, row := range rows {
				path := ""
				for at := row; at != nil; at = byID[at["parent"]] {
					path = "/" + at["name"].(string) + path
				}
				items[path] = row
			}
			leaf := items["/twin/middle/twin"]
			if len(rows) != 5 || leaf == nil || items["/twin/lone"] == nil || items["/twin/lone"]["parent"] == items["/twin/middle"]["parent"] {
				t.Fatalf("the items are %v", rows)
			}
			want(t, "component", nestedIn(leaf, "component")["name"], any("xe"))
			wantRef(t, nestedIn(leaf, "component"), "device", device)
		},
	}
}

// namesBelowParent asks that names are unique below one parent.
func (h *hardware) namesBelowParent(t *testing.T, field string, owner int64) {
	t.Helper()
	one := h.make(t, h.of, field, owner, "name", "same")
	two := h.make(t, h.of, field, owner, "name", "same")
	h.make(t, h.of, field, owner, "name", "below", "parent", one)
	wantErrors(t, h.post(t, h.of, field, owner, "name", "below", "parent", one), field)
	h.make(t, h.of, field, owner, "name", "below", "parent", two)
}

// interfaceOrder asks for the order of interface names.
func (h *hardware) interfaceOrder(t *testing.T, field string, owner int64) {
	t.Helper()
	ordered := []string{"xe-0/0/5", "xe-0/0/5:1", "xe-0/0/5:1.3", "xe-0/0/5:1.20", "Gi1/0/1", "ge-1/0/0", "xe-1/0/0", "Ethernet1/2",
		"Ethernet1/10",
		"Ethernet2", "Ethernet10", "lo", "vlan9", "vlan10"}
	for i := range ordered {
		h.make(t, h.of, field, owner, "name", ordered[(i*5+3)%len(ordered)])
	}
	want(t, "order", names(h.find(t, h.of, "%s_id=%d", field, owner), "name"), strings.Join(ordered, " "))
}
