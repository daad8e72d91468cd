package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"terrier/test/apitest"
)

// hardware creates racks, devices and what belongs to them. Types are named as in the catalogue: "rack" is dcim.rack.
type hardware struct {
	actor
	of string // the type whose rules are tested
	n  int    // how many names are taken
}

// key returns the full name of a type.
func (h *hardware) key(name string) string {
	if strings.Contains(name, ".") {
		return name
	}
	for _, app := range []string{"ipam", "virtualization", "extras"} {
		if h.s.App.Registry.Type(app+"."+name) != nil {
			return app + "." + name
		}
	}
	return "dcim." + name
}

// list returns the address of all records of a type.
func (h *hardware) list(name string) string { return h.s.App.Registry.Type(h.key(name)).Path() }

// word returns a name that nothing else has.
func (h *hardware) word() string {
	h.n++
	return fmt.Sprintf("n%d", h.n)
}

// body returns what creates a record: the names and values given, and what else the type requires. Records that are
// required and not given are created.
func (h *hardware) body(t *testing.T, name string, more ...any) obj {
	t.Helper()
	body := merge(obj{}, more)
	set := func(field string, value func() any) {
		if _, given := body[field]; !given {
			body[field] = value()
		}
	}
	ref := func(field, to string, of ...any) {
		set(field, func() any { return h.make(t, to, of...) })
	}
	text := func(fields ...string) {
		for _, field := range fields {
			set(field, func() any { return h.word() })
		}
	}
	switch name {
	case "site", "manufacturer", "platform", "tenancy.tenant", "region", "sitegroup", "vlangroup", "clustergroup", "clustertype",
		"ipam.role":
		text("name", "slug")
	case "devicerole", "inventoryitemrole":
		text("name", "slug")
		set("color", func() any { return "00ff00" })
	case "location":
		text("name", "slug")
		ref("site", "site")
	case "rack":
		text("name")
		ref("site", "site")
	case "rackreservation":
		ref("rack", "rack")
		text("description")
		set("units", func() any { return []int{1} })
		set("user", func() any { return 1 })
	case "devicetype":
		ref("manufacturer", "manufacturer")
		text("model", "slug")
	case "moduletype":
		ref("manufacturer", "manufacturer")
		text("model")
	case "device":
		text("name")
		ref("device_type", "devicetype")
		ref("device_role", "devicerole")
		ref("site", "site")
	case "virtualdevicecontext":
		text("name")
		ref("device", "device")
		set("status", func() any { return "active" })
	case "virtualchassis", "vrf", "routetarget":
		text("name")
	case "savedfilter":
		text("name", "slug")
		set("content_types", func() any { return []string{"dcim.site"} })
		set("parameters", func() any { return obj{"status": "active"} })
	case "rir":
		text("name", "slug")
	case "asn":
		ref("rir", "rir")
	case "asnrange":
		text("name", "slug")
		ref("rir", "rir")
		set("start", func() any { return 64512 })
		set("end", func() any { return 65534 })
	case "aggregate":
		ref("rir", "rir")
	case "prefix", "iprange":
	case "journalentry":
		set("assigned_object_type", func() any { return "dcim.site" })
		ref("assigned_object_id", "site")
		text("comments")
	case "customlink":
		text("name", "link_text", "link_url")
		set("content_types", func() any { return []string{"dcim.site"} })
	case "cluster":
		text("name")
		ref("type", "clustertype")
	case "virtualmachine":
		text("name")
		if body["site"] == nil {
			ref("cluster", "cluster")
		}
	case "vminterface":
		text("name")
		ref("virtual_machine", "virtualmachine")
	case "vlan":
		text("name")
		set("vid", func() any { h.n++; return 1000 + h.n%3000 })
	case "fhrpgroup":
		set("protocol", func() any { return "vrrp2" })
		set("group_id", func() any { h.n++; return h.n })
	case "fhrpgroupassignment":
		ref("group", "fhrpgroup")
		set("priority", func() any { return 100 })
		set("interface_type", func() any { return "dcim.interface" })
		ref("interface_id", "interface")
	case "l2vpn":
		text("name", "slug")
		set("type", func() any { return "vxlan" })
	case "l2vpntermination":
		ref("l2vpn", "l2vpn")
		set("assigned_object_type", func() any { return "ipam.vlan" })
		ref("assigned_object_id", "vlan")
	case "servicetemplate":
		text("name")
		set("protocol", func() any { return "tcp" })
		set("ports", func() any { return []int{80} })
	case "service":
		text("name")
		set("protocol", func() any { return "tcp" })
		set("ports", func() any { return []int{80} })
		if body["virtual_machine"] == nil {
			ref("device", "device")
		}
	case "ipaddress":
		set("address", func() any { h.n++; return fmt.Sprintf("10.%d.%d.1/24", h.n/256, h.n%256) })
	case "module":
		ref("device", "device")
		ref("module_bay", "modulebay", "device", body["device"])
		ref("module_type", "moduletype")
	default:
		h.part(t, name, body, set, ref)
		text("name")
	}
	return body
}

// part adds what a template or a component requires.
func (h *hardware) part(t *testing.T, name string, body obj, set func(string, func() any), ref func(field, to string, of ...any)) {
	t.Helper()
	kind, template := strings.CutSuffix(name, "template")
	owner := []any{"device", body["device"]}
	switch {
	case !template && kind == "devicebay":
		set("device", func() any {
			return h.make(t, "device", "device_type", h.make(t, "devicetype", "subdevice_role", "parent"))
		})
	case !template:
		ref("device", "device")
		owner[1] = body["device"]
	case body["module_type"] != nil:
		owner = []any{"module_type", body["module_type"]}
	default:
		if kind == "devicebay" {
			ref("device_type", "devicetype", "subdevice_role", "parent")
		} else {
			ref("device_type", "devicetype")
		}
		owner = []any{"device_type", body["device_type"]}
	}
	switch kind {
	case "interface":
		set("type", func() any { return "1000base-t" })
	case "rearport":
		set("type", func() any { return "8p8c" })
	case "frontport":
		set("type", func() any { return "8p8c" })
		set("rear_port", func() any { return h.make(t, strings.Replace(name, "front", "rear", 1), owner...) })
	}
}

// post sends what creates a record.
func (h *hardware) post(t *testing.T, name string, more ...any) apitest.Answer {
	t.Helper()
	return h.do(t, http.MethodPost, h.list(name), h.body(t, name, more...))
}

// made creates a record and returns it.
func (h *hardware) made(t *testing.T, name string, more ...any) obj {
	t.Helper()
	return h.post(t, name, more...).Want(t, http.StatusCreated).Object(t)
}

// make creates a record and returns its id.
func (h *hardware) make(t *testing.T, name string, more ...any) int64 {
	t.Helper()
	return apitest.ID(h.made(t, name, more...))
}

// refused asks that a record can't be created because of one field.
func (h *hardware) refused(t *testing.T, field, name string, more ...any) {
	t.Helper()
	wantErrors(t, h.post(t, name, more...), field)
}

// write sends a change of a record.
func (h *hardware) write(t *testing.T, name string, id int64, more ...any) apitest.Answer {
	t.Helper()
	return h.do(t, http.MethodPatch, at(h.list(name), id), merge(obj{}, more))
}

// set changes a record and returns it.
func (h *hardware) set(t *testing.T, name string, id int64, more ...any) obj {
	t.Helper()
	return h.write(t, name, id, more...).Want(t, http.StatusOK).Object(t)
}

// unset asks that a record can't be changed because of one field.
func (h *hardware) unset(t *testing.T, field, name string, id int64, more ...any) {
	t.Helper()
	wantErrors(t, h.write(t, name, id, more...), field)
}

// read returns a record.
func (h *hardware) read(t *testing.T, name string, id int64) obj {
	t.Helper()
	return h.get(t, at(h.list(name), id)).Want(t, http.StatusOK).Object(t)
}

// find returns the records that a query finds.
func (h *hardware) find(t *testing.T, name, query string, args ...any) []obj {
	t.Helper()
	return h.page(t, h.list(name)+"?limit=0&"+fmt.Sprintf(query, args...)).Results
}

// first returns the first record that a query finds.
func (h *hardware) first(t *testing.T, name, query string, args ...any) obj {
	t.Helper()
	rows := h.find(t, name, query, args...)
	if len(rows) == 0 {
		t.Fatalf("no %s is found by %s %v", name, query, args)
	}
	return rows[0]
}

// remove deletes a record.
func (h *hardware) remove(t *testing.T, name string, id int64) apitest.Answer {
	t.Helper()
	return h.do(t, http.MethodDelete, at(h.list(name), id), nil).Want(t, http.StatusNoContent)
}

// held asks that a record can't be deleted.
func (h *hardware) held(t *testing.T, name string, id int64) {
	t.Helper()
	h.do(t, http.MethodDelete, at(h.list(name), id), nil).Want(t, http.StatusConflict)
}

// gone asks that a record is deleted.
func (h *hardware) gone(t *testing.T, name string, id int64) {
	t.Helper()
	h.get(t, at(h.list(name), id)).Want(t, http.StatusNotFound)
}

// changed asks which records a request changed, and in which way: "created interface".
func (h *hardware) changed(t *testing.T, a apitest.Answer, want ...string) {
	t.Helper()
	var got []string
	for _, row := range h.page(t, changeLog+"?limit=0&ordering=id&request_id="+a.Header.Get("X-Request-ID")).Results {
		action := nestedIn(row, "action")["value"]
		got = append(got, fmt.Sprint(action, " ", strings.TrimPrefix(row["changed_object_type"].(string), "dcim.")))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the request made the changes %q, want %q", got, want)
	}
}

// wantErrors asks that a request was refused because of these fields alone.
func wantErrors(t *testing.T, a apitest.Answer, fields string) {
	t.Helper()
	if got := keys(a.Want(t, http.StatusBadRequest).Object(t)); got != fields {
		t.Errorf("%s %s: errors on %q, want %q: %s", a.Call.Method, a.Call.Path, got, fields, a.Raw)
	}
}

// want compares values.
func want[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// wantRef asks that a reference is to a record, or to none (0).
func wantRef(t *testing.T, record obj, field string, id int64) {
	t.Helper()
	var got int64
	if to, is := record[field].(obj); is {
		got = apitest.ID(to)
	}
	if got != id {
		t.Errorf("%s is %v, want %d", field, record[field], id)
	}
}

// wantKeys asks that an object has these keys alone.
func wantKeys(t *testing.T, what string, got any, keys ...string) {
	t.Helper()
	object, _ := got.(obj)
	if found := slices.Sorted(maps.Keys(object)); !slices.Equal(found, slices.Sorted(slices.Values(keys))) {
		t.Errorf("%s has %q, want %q", what, found, keys)
	}
}

// lacksKeys asks that an answer has none of these keys.
func lacksKeys(t *testing.T, answer obj, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, has := answer[name]; has {
			t.Errorf("the answer has %s", name)
		}
	}
}

// nestedIn returns the object that is nested in a field; none is nil.
func nestedIn(record obj, field string) obj {
	object, _ := record[field].(obj)
	return object
}

// idOf returns the id of the record that a field refers to.
func idOf(record obj, field string) int64 {
	return apitest.ID(nestedIn(record, field))
}

// containsWord tells whether a text has a word.
func containsWord(text, word string) bool {
	return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), word)
}
