package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

const contexts = "/api/extras/config-contexts/"

// contextWorld has a device and a virtual machine that have everything that a config context can select by.
type contextWorld struct {
	actor
	ids map[string]int64 // by the name of a selector, and "above …" for what is above it in its tree
}

func newContextWorld(t *testing.T) *contextWorld {
	t.Helper()
	w := &contextWorld{actor: adminOf(apitest.New(t)), ids: map[string]int64{}}
	tree := func(selector, path string, more obj) {
		w.make(t, "above "+selector, path, more)
		w.make(t, selector, path, joinedTo(obj{"parent": w.ids["above "+selector]}, more))
	}
	tree("regions", "/api/dcim/regions/", obj{})
	tree("site_groups", "/api/dcim/site-groups/", obj{})
	w.make(t, "sites", "/api/dcim/sites/", obj{"region": w.ids["regions"], "group": w.ids["site_groups"]})
	tree("locations", "/api/dcim/locations/", obj{"site": w.ids["sites"]})
	w.make(t, "maker", "/api/dcim/manufacturers/", obj{})
	w.make(t, "device_types", "/api/dcim/device-types/", obj{"manufacturer": w.ids["maker"], "model": "m"})
	w.make(t, "roles", "/api/dcim/device-roles/", obj{})
	w.make(t, "platforms", "/api/dcim/platforms/", obj{})
	w.make(t, "cluster_types", "/api/virtualization/cluster-types/", obj{})
	w.make(t, "cluster_groups", "/api/virtualization/cluster-groups/", obj{})
	w.make(t, "clusters", "/api/virtualization/clusters/", obj{"type": w.ids["cluster_types"], "group": w.ids["cluster_groups"],
		"site": w.ids["sites"]})
	tree("tenant_groups", "/api/tenancy/tenant-groups/", obj{})
	w.make(t, "tenants", "/api/tenancy/tenants/", obj{"group": w.ids["tenant_groups"]})
	w.make(t, "tags", "/api/extras/tags/", obj{})
	w.make(t, "other tag", "/api/extras/tags/", obj{})
	has := obj{"site": w.ids["sites"], "platform": w.ids["platforms"], "cluster": w.ids["clusters"], "tenant": w.ids["tenants"],
		"tags": []int64{w.ids["tags"], w.ids["other tag"]}}
	w.make(t, "device", "/api/dcim/devices/", joinedTo(obj{"location": w.ids["locations"], "device_type": w.ids["device_types"],
		"device_role": w.ids["roles"]}, has))
	w.make(t, "machine", "/api/virtualization/virtual-machines/", joinedTo(obj{"role": w.ids["roles"]}, has))
	w.make(t, "bare device", "/api/dcim/devices/", obj{"device_type": w.ids["device_types"], "device_role": w.ids["roles"],
		"site": w.create(t, "/api/dcim/sites/", obj{"name": "bare", "slug": "bare"})})
	return w
}

// joinedTo returns an object with the members of two.
func joinedTo(a, b obj) obj {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// make creates a record with a name and, where it may have one, a slug.
func (w *contextWorld) make(t *testing.T, key, path string, body obj) {
	t.Helper()
	full := obj{"name": key, "slug": strings.ReplaceAll(key, " ", "-")}
	maps.Copy(full, body)
	w.ids[key] = w.create(t, path, full)
}

// context creates a config context with a name, whose data is true under that name.
func (w *contextWorld) context(t *testing.T, name string, more obj) int64 {
	t.Helper()
	body := obj{"name": name, "data": obj{name: true}}
	maps.Copy(body, more)
	return w.create(t, contexts, body)
}

// of returns the config context of a record.
func (w *contextWorld) of(t *testing.T, key string) obj {
	t.Helper()
	path := "/api/dcim/devices/"
	if key == "machine" {
		path = "/api/virtualization/virtual-machines/"
	}
	got := w.get(t, at(path, w.ids[key])).Want(t, http.StatusOK).Object(t)["config_context"].(obj)
	for _, row := range w.page(t, fmt.Sprintf("%s?id=%d", path, w.ids[key])).Results {
		same(t, "the context in the list", row["config_context"], got)
	}
	return got
}

// names checks the keys of a config context.
func (w *contextWorld) names(t *testing.T, key, want string) {
	t.Helper()
	if got := strings.Join(slices.Sorted(maps.Keys(w.of(t, key))), " "); got != want {
		t.Errorf("the context of the %s has %q, want %q", key, got, want)
	}
}

// clear deletes all config contexts.
func (w *contextWorld) clear(t *testing.T) {
	t.Helper()
	for _, row := range w.page(t, contexts+"?limit=0").Results {
		w.do(t, http.MethodDelete, at(contexts, apitest.ID(row)), nil).Want(t, http.StatusNoContent)
	}
}

// selector returns the value of a selector that names one record.
func (w *contextWorld) selector(name, key string) obj {
	if name == "tags" {
		return obj{name: []string{strings.ReplaceAll(key, " ", "-")}}
	}
	return obj{name: []int64{w.ids[key]}}
}

var selectors = []string{"regions", "site_groups", "sites", "locations", "device_types", "roles", "platforms", "cluster_types",
	"cluster_groups", "clusters", "tenant_groups", "tenants", "tags"}

// contextRules are the tests of the rules of config contexts, by number.
var contextRuleTests = map[int]func(*testing.T, *contextWorld){
	1: func(t *testing.T, w *contextWorld) {
		for _, bad := range []any{[]int{1}, "text", 7, true, nil} {
			errs := w.do(t, http.MethodPost, contexts, obj{"name": "bad", "data": bad}).Want(t, http.StatusBadRequest).Object(t)
			if errs["data"] == nil {
				t.Errorf("%v: %v", bad, errs)
			}
		}
		w.do(t, http.MethodPost, contexts, obj{"name": "none"}).Want(t, http.StatusBadRequest)
	},
	2: func(t *testing.T, w *contextWorld) {
		id := w.context(t, "idle", obj{"is_active": false})
		w.names(t, "device", "")
		w.patch(t, contexts, id, obj{"is_active": true})
		w.names(t, "device", "idle")
	},
	3: func(t *testing.T, w *contextWorld) {
		w.context(t, "all", nil)
		w.context(t, "both", joinedTo(w.selector("sites", "sites"), w.selector("roles", "roles")))
		w.context(t, "one", joinedTo(w.selector("sites", "sites"), obj{"regions": []int64{w.ids["above regions"]},
			"tenant_groups": []int64{w.ids["above tenant_groups"]}}))
		w.context(t, "several", obj{"tags": []string{"other-tag", "tags"}})
		w.names(t, "device", "all both several")
		w.names(t, "machine", "all both several")
		w.names(t, "bare device", "all")
	},
	4: func(t *testing.T, w *contextWorld) {
		for _, name := range selectors {
			w.context(t, name, w.selector(name, name))
		}
		for _, name := range []string{"regions", "site_groups", "locations", "tenant_groups"} {
			w.context(t, "above_"+name, w.selector(name, "above "+name))
		}
		want := append(slices.Clone(selectors), "above_regions", "above_site_groups")
		w.names(t, "device", strings.Join(slices.Sorted(slices.Values(want)), " "))
	},
	5: func(t *testing.T, w *contextWorld) {
		for _, name := range []string{"regions", "site_groups", "locations", "platforms", "cluster_types", "cluster_groups", "clusters",
			"tenant_groups", "tenants", "tags"} {
			w.context(t, name, w.selector(name, name))
		}
		w.context(t, "all", nil)
		w.names(t, "bare device", "all")
	},
	6: func(t *testing.T, w *contextWorld) {
		for _, name := range selectors {
			w.context(t, name, w.selector(name, name))
		}
		want := slices.DeleteFunc(slices.Sorted(slices.Values(selectors)), func(s string) bool { return s == "locations" || s == "device_types" })
		w.names(t, "machine", strings.Join(want, " "))
		site := w.create(t, "/api/dcim/sites/", obj{"name": "own", "slug": "own"})
		w.context(t, "own site", obj{"sites": []int64{site}})
		alone := w.create(t, "/api/virtualization/virtual-machines/", obj{"name": "alone", "site": site})
		w.ids["machine"], alone = alone, w.ids["machine"]
		w.names(t, "machine", "own site")
		w.ids["machine"] = alone
	},
	7: func(t *testing.T, w *contextWorld) {
		for i, c := range []struct {
			name   string
			weight int
			data   string
		}{
			{"z", 10, `{"kept": 1, "deep": {"a": {"x": 1, "y": 1}, "b": 1}, "list": [1, 2], "null": {"a": 1}, "emptied": {"a": 1}, "by name": "z"}`},
			{"y", 2000, `{"deep": {"a": {"y": 2, "z": 2}}, "list": [3], "null": null, "emptied": {}, "by weight": "y"}`},
			{"b", 10, `{"by name": "b", "by weight": "b"}`},
			{"c", 1000, `{"by weight": "c", "default": true}`},
		} {
			body := obj{"name": c.name, "weight": c.weight, "data": json.RawMessage(c.data)}
			if i == 3 {
				delete(body, "weight") // 1000 is the default
			}
			w.create(t, contexts, body)
		}
		var want obj
		if err := json.Unmarshal([]byte(`{"kept": 1, "deep": {"a": {"x": 1, "y": 2, "z": 2}, "b": 1}, "list": [3], "null": null, "emptied": {},
			"by name": "z", "by weight": "y", "default": true}`), &want); err != nil {
			t.Fatal(err)
		}
		same(t, "merged", w.of(t, "device"), want)
	},
	8: func(t *testing.T, w *contextWorld) {
		w.create(t, contexts, obj{"name": "heavy", "weight": 32767, "data": obj{"a": obj{"b": 1, "c": 1}, "list": []int{1}, "d": 1}})
		for key, path := range map[string]string{"device": "/api/dcim/devices/", "machine": "/api/virtualization/virtual-machines/"} {
			got := w.patch(t, path, w.ids[key], obj{"local_context_data": obj{"a": obj{"c": 2}, "list": []int{2}}})
			want := obj{"a": obj{"b": 1.0, "c": 2.0}, "list": []any{2.0}, "d": 1.0}
			same(t, "the answer of the change", got["config_context"], want)
			same(t, "with its own data", w.of(t, key), want)
			w.patch(t, path, w.ids[key], obj{"local_context_data": nil})
		}
	},
	9: func(t *testing.T, w *contextWorld) {
		id := w.context(t, "tagged", obj{"tags": []string{"tags", "other-tag"}})
		same(t, "tags", w.get(t, at(contexts, id)).Object(t)["tags"], []any{"tags", "other-tag"})
		same(t, "tags", w.patch(t, contexts, id, obj{"tags": []string{"tags"}})["tags"], []any{"tags"})
		w.do(t, http.MethodPatch, at(contexts, id), obj{"tags": []string{"no-such-tag"}}).Want(t, http.StatusBadRequest)
		if n := len(w.page(t, contexts+"?tag=tags&tag=other-tag").Results); n != 1 { // a selector names one or the other
			t.Errorf("tag=tags&tag=other-tag found %d", n)
		}
	},
	10: func(t *testing.T, w *contextWorld) {
		site := w.create(t, "/api/dcim/sites/", obj{"name": "gone", "slug": "gone"})
		id := w.context(t, "of the site", obj{"sites": []int64{site, w.ids["sites"]}})
		narrow := w.context(t, "narrow", obj{"sites": []int64{site}})
		w.names(t, "device", "of the site")
		w.do(t, http.MethodDelete, at("/api/dcim/sites/", site), nil).Want(t, http.StatusNoContent)
		w.names(t, "device", "narrow of the site")
		for _, c := range []int64{id, narrow} {
			if rows := w.changes(t, "extras.configcontext", c); len(rows) != 2 {
				t.Errorf("the context has %d changes, want its creation and the loss of the site", len(rows))
			}
		}
	},
	11: func(t *testing.T, w *contextWorld) {
		before := w.get(t, at("/api/dcim/devices/", w.ids["device"])).Object(t)
		rows := len(w.changes(t, "dcim.device", w.ids["device"]))
		id := w.context(t, "a", nil)
		w.patch(t, contexts, id, obj{"data": obj{"b": 1}})
		after := w.get(t, at("/api/dcim/devices/", w.ids["device"])).Object(t)
		if after["last_updated"] != before["last_updated"] || len(w.changes(t, "dcim.device", w.ids["device"])) != rows {
			t.Error("a change of a context is a change of the device")
		}
		same(t, "the context", after["config_context"], obj{"b": 1.0})
		if n := len(w.changes(t, "extras.configcontext", id)); n != 2 {
			t.Errorf("the context has %d changes, want 2", n)
		}
	},
	12: func(t *testing.T, w *contextWorld) {
		made := w.get(t, at(contexts, w.context(t, "plain", obj{"custom_fields": obj{"a": 1}}))).Object(t)
		if _, has := made["custom_fields"]; has || len(made["tags"].([]any)) > 0 {
			t.Errorf("a config context has custom fields or tags: %v", made)
		}
	},
	13: func(t *testing.T, w *contextWorld) {
		made := w.get(t, at(contexts, w.context(t, "from here",
			obj{"data_source": 7, "data_path": "a/b", "data_file": 9, "data_synced": "2026-01-01T00:00:00Z"}))).Object(t)
		for name, want := range (obj{"data_source": nil, "data_path": "", "data_file": nil, "data_synced": nil}) {
			if got, has := made[name]; !has || got != want {
				t.Errorf("%s is %v", name, got)
			}
		}
		for _, filter := range []string{"data_source_id=7", "data_file_id=9"} {
			if n := len(w.page(t, contexts+"?"+filter).Results); n != 0 {
				t.Errorf("%s found %d", filter, n)
			}
		}
	},
	14: func(t *testing.T, w *contextWorld) {
		w.create(t, contexts, obj{"name": "Clocks", "description": "for every rack", "data": obj{"ntp": []string{"time.example"}}})
		w.context(t, "other", nil)
		for q, want := range map[string]int{"clock": 1, "EVERY": 1, "time.exam": 1, "NTP": 1, "nothing": 0} {
			if n := len(w.page(t, contexts+"?q="+q).Results); n != want {
				t.Errorf("q=%s found %d, want %d", q, n, want)
			}
		}
	},
}

// TestConfigContextRules tests the rules of the catalogue: TestConfigContextRules/7 is the seventh.
func TestConfigContextRules(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../catalogue/extras.json")
	if err != nil {
		t.Fatal(err)
	}
	var extras struct {
		Types []struct {
			Name  string
			Rules []string
		}
	}
	if err := json.Unmarshal(raw, &extras); err != nil {
		t.Fatal(err)
	}
	w := newContextWorld(t)
	n := 0
	for _, typ := range extras.Types {
		if typ.Name != "configcontext" {
			continue
		}
		for i, text := range typ.Rules {
			test := contextRuleTests[i+1]
			if test == nil && !strings.HasPrefix(text, "4.4 and later") { // of a later dialect than ours
				t.Errorf("rule %d has no test: %s", i+1, text)
			}
			if test == nil {
				continue
			}
			n++
			t.Run(fmt.Sprint(i+1), func(t *testing.T) {
				w.clear(t)
				test(t, w)
			})
		}
	}
	if n != len(contextRuleTests) {
		t.Errorf("%d of %d tests belong to rules", n, len(contextRuleTests))
	}
}

// TestConfigContextsInAnswers checks where the config context of a device is, and where it is not.
func TestConfigContextsInAnswers(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	w.context(t, "a", nil)
	path := at("/api/dcim/devices/", w.ids["device"])
	has := func(record obj) bool {
		_, has := record["config_context"]
		return has
	}
	for query, want := range map[string]bool{"": true, "?exclude=config_context": false, "?brief=true": false, "?fields=config_context": true,
		"?fields=name": false, "?omit=config_context": false} {
		one := w.get(t, path+query).Want(t, http.StatusOK).Object(t)
		if has(one) != want {
			t.Errorf("%s: the device has a context: %t", query, has(one))
		}
		if want {
			same(t, query, one["config_context"], obj{"a": true})
		}
		for _, row := range w.page(t, "/api/dcim/devices/"+query).Results {
			if has(row) != want {
				t.Errorf("%s: a listed device has a context: %t", query, has(row))
			}
		}
	}
	body := obj{"device_type": w.ids["device_types"], "device_role": w.ids["roles"], "site": w.ids["sites"]}
	made := w.do(t, http.MethodPost, "/api/dcim/devices/", []obj{body, joinedTo(obj{"local_context_data": obj{"b": 1}}, body)}).
		Want(t, http.StatusCreated).List(t)
	same(t, "a new device", made[0]["config_context"], obj{"a": true})
	same(t, "a new device with its own data", made[1]["config_context"], obj{"a": true, "b": 1.0})
	for _, row := range w.changes(t, "dcim.device", apitest.ID(made[1])) {
		if has(row["postchange_data"].(obj)) {
			t.Error("a snapshot has the context")
		}
	}
}

// TestConfigContextsCountUnseen checks that contexts that a caller may not see count in what the caller is shown of a device.
func TestConfigContextsCountUnseen(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	w.context(t, "a", nil)
	_, reader := newActor(t, w.s, "reader", apitest.Grant{Types: []string{"dcim.device"}, Actions: []string{"view"}})
	reader.get(t, contexts).Want(t, http.StatusForbidden)
	same(t, "the context", reader.get(t, at("/api/dcim/devices/", w.ids["device"])).Object(t)["config_context"], obj{"a": true})
}

// TestConfigContextFilters checks the filters by what a selector names, and those that clients send without effect.
func TestConfigContextFilters(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	for _, name := range selectors {
		w.context(t, name, w.selector(name, name))
	}
	w.context(t, "above", obj{"regions": []int64{w.ids["above regions"]}})
	for _, name := range selectors {
		filter := strings.TrimSuffix(name, "s")
		found := func(query string) string {
			names := []string{}
			for _, row := range w.page(t, contexts+"?"+query).Results {
				names = append(names, row["name"].(string))
			}
			return strings.Join(names, " ")
		}
		if got := found(fmt.Sprintf("%s_id=%d", filter, w.ids[name])); got != name {
			t.Errorf("%s_id found %q", filter, got)
		}
		if name != "clusters" && name != "device_types" {
			if got := found(fmt.Sprintf("%s=%s", filter, name)); got != name {
				t.Errorf("%s found %q", filter, got)
			}
		}
		if got := found(fmt.Sprintf("name=above&%s=%d&%[1]s=slug", name, w.ids[name])); got != "above" {
			t.Errorf("%s, which has no effect, found %q", name, got)
		}
	}
}

// TestChangedConfigContextsCountAtOnce checks that a device shows contexts as they are, however often they were read before.
func TestChangedConfigContextsCountAtOnce(t *testing.T) {
	t.Parallel()
	w := newContextWorld(t)
	w.make(t, "other site", "/api/dcim/sites/", obj{})
	device := at("/api/dcim/devices/", w.ids["device"])
	shows := func(what string, want obj) {
		t.Helper()
		for range 2 {
			same(t, what, w.get(t, device).Object(t)["config_context"], want)
			same(t, what+", in a list", w.page(t, "/api/dcim/devices/?id="+fmt.Sprint(w.ids["device"])).Results[0]["config_context"], want)
		}
	}
	shows("no contexts", obj{})
	id := w.context(t, "a", nil)
	shows("a new context", obj{"a": true})
	for _, change := range []struct {
		what string
		body obj
		want obj
	}{
		{"changed data", obj{"data": obj{"b": 1}}, obj{"b": 1.0}},
		{"a selector that does not match", obj{"sites": []int64{w.ids["other site"]}}, obj{}},
		{"no selector", obj{"sites": []int64{}}, obj{"b": 1.0}},
		{"inactive", obj{"is_active": false}, obj{}},
		{"active again", obj{"is_active": true}, obj{"b": 1.0}},
	} {
		w.do(t, http.MethodPatch, at(contexts, id), change.body).Want(t, http.StatusOK)
		shows(change.what, change.want)
	}
	w.do(t, http.MethodDelete, at(contexts, id), nil).Want(t, http.StatusNoContent)
	shows("deleted", obj{})
}
