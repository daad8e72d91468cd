package api_test

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// filterWorld is a server with records to filter, and a user who sees only some of them.
type filterWorld struct {
	anyWorld
	ids     map[string]int64 // by name
	limited string
}

func newFilterWorld(t *testing.T) filterWorld {
	t.Helper()
	w := filterWorld{anyWorld: anyWorld{Server: apitest.NewWith(t, trial.Types())}, ids: map[string]int64{}}
	_, w.limited = w.User(t, "limited", visible(w)...)
	return w
}

// add creates records and keeps their ids.
func (w filterWorld) add(t *testing.T, path string, bodies ...obj) {
	t.Helper()
	for _, body := range bodies {
		w.ids[body["name"].(string)] = w.make(t, path, body)
	}
}

// fillShelves creates records of most trial types.
func (w filterWorld) fillShelves(t *testing.T) {
	t.Helper()
	add := func(path string, bodies ...obj) { w.add(t, path, bodies...) }
	add(regions, obj{"name": "europe", "slug": "europe"})
	add(regions, obj{"name": "iberia", "slug": "iberia", "parent": w.ids["europe"]})
	add(sites, obj{"name": "lisbon", "slug": "lisbon", "region": w.ids["iberia"]},
		obj{"name": "hidden bonn", "slug": "bonn", "region": w.ids["europe"]})
	add("/api/trial/shelves/", obj{"name": "upper", "site": w.ids["lisbon"]}, obj{"name": "lower", "site": w.ids["hidden bonn"]},
		obj{"name": "bare"})
	add("/api/trial/items/", obj{"name": "box", "shelf": w.ids["upper"]}, obj{"name": "bag", "shelf": w.ids["lower"]})
	add("/api/trial/items/", obj{"name": "jar", "shelf": w.ids["upper"], "friends": []int64{w.ids["box"]}, "asset_tag": "1"},
		obj{"name": "hidden jug", "shelf": w.ids["lower"], "friends": []int64{w.ids["bag"]}})
	add("/api/trial/ports/", obj{"name": "eth0", "shelf": w.ids["upper"], "mac_address": "00:00:00:00:00:01", "weight": 2,
		"weight_unit": "g", "notes": obj{"a": 1}},
		obj{"name": "hidden eth0", "shelf": w.ids["lower"], "mac_address": "00:00:00:00:00:02"},
		obj{"name": "eth1", "shelf": w.ids["upper"], "weight": 2, "weight_unit": "lb", "notes": nil})
	add(stickers, obj{"name": "red", "stuck_on_type": "trial.shelf", "stuck_on_id": w.ids["upper"]},
		obj{"name": "blue", "stuck_on_type": "trial.item", "stuck_on_id": w.ids["lower"]}, // an item with the id of a shelf
		obj{"name": "hidden red", "stuck_on_type": "trial.shelf", "stuck_on_id": w.ids["lower"]})
	add("/api/trial/kits/", obj{"name": "kit"})
	add("/api/trial/crates/", obj{"name": "crate", "kit": w.ids["kit"], "shelf": w.ids["upper"]},
		obj{"name": "hidden crate", "kit": w.ids["kit"], "shelf": w.ids["lower"]})
	add("/api/trial/slots/", obj{"name": "slot", "crate": w.ids["crate"], "item": w.ids["box"]},
		obj{"name": "other slot", "crate": w.ids["hidden crate"], "item": w.ids["bag"]})
	add("/api/trial/slots/", obj{"name": "third slot", "crate": w.make(t, "/api/trial/crates/", obj{"name": "crate", "kit": w.ids["kit"],
		"site": w.ids["hidden bonn"]})}) // another crate of this name
}

// unknownKey is what a filter finds that names no record which the caller may see.
const unknownKey = "unknown key"

// visible grants to see every record whose name does not begin with "hidden".
func visible(w filterWorld) (grants []apitest.Grant) {
	for _, typ := range w.App.Registry.Types() {
		grant := apitest.Grant{Types: []string{typ.Key()}, Actions: []string{"view"}}
		if typ.Field("name") != nil {
			grant.Constraints = obj{"name__nisw": "hidden"}
		}
		if !typ.ReadOnly {
			grants = append(grants, grant)
		}
	}
	return grants
}

// found returns the names of the records that a query finds, or what they are shown as.
func (w filterWorld) found(t *testing.T, token, path string) string {
	t.Helper()
	a := w.send(t, "GET", path, token, nil)
	if a.Status == 400 && strings.Contains(string(a.Raw), "that you may see") {
		return unknownKey
	}
	if a.Status != 200 {
		return fmt.Sprint(a.Status, " ", string(a.Raw))
	}
	var names []string
	for _, row := range a.Object(t)["results"].([]any) {
		name, _ := row.(map[string]any)["name"].(string)
		names = append(names, cmp.Or(name, row.(map[string]any)["display"].(string)))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// TestFiltersAreChecked holds that a filter by yes or no takes nothing else, and that no lookup is made up.
func TestFiltersAreChecked(t *testing.T) {
	t.Parallel()
	w := anyWorld{Server: apitest.NewWith(t, trial.Types())}
	for _, query := range []string{"stocked=maybe", "placed=", "stocked__n=true", "rear_port__n=1", "virtual_machine_id__n=1",
		"placed__empty=true"} {
		w.send(t, "GET", "/api/trial/shelves/?"+query, w.Admin, nil).Want(t, 400)
	}
}

// TestFilters holds what declared filters find, and that none finds anything by a record that the caller may not see.
func TestFilters(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	w.fillShelves(t)
	id := func(name string) string { return fmt.Sprint(w.ids[name]) }
	w.check(t, []found{
		{"shelves/?mac_address=00:00:00:00:00:01", "upper", "="},
		{"shelves/?mac_address=000000000002", "lower", ""},
		{"shelves/?mac_address__n=00:00:00:00:00:02", "bare, upper", "bare, lower, upper"},
		{"shelves/?mac_address=00:00:00:00:00:01&mac_address=00:00:00:00:00:02", "lower, upper", "upper"},
		{"shelves/?sticker=red", "upper", "="},
		{"shelves/?sticker=blue", "", "="},
		{"shelves/?sticker__ic=red", "lower, upper", "upper"},
		{"shelves/?slot_item=box", "upper", "="},
		{"shelves/?slot_item_id=" + id("bag"), "lower", ""},
		{"shelves/?stocked=true", "lower, upper", "="},
		{"shelves/?stocked=false", "bare", "="},
		{"shelves/?stocked=false&stocked=true", "bare, lower, upper", "="},
		{"shelves/?used=true", "lower, upper", "upper"},
		{"shelves/?used=false", "bare", "bare, lower"},
		{"shelves/?placed=true", "lower, upper", "="},
		{"shelves/?placed=0", "bare", "="},
		{"shelves/?region=europe", "lower", ""},
		{"shelves/?region=iberia", "upper", "="},
		{"shelves/?region_id=" + id("europe"), "lower", ""},
		{"shelves/?region_id__n=" + id("europe"), "bare, upper", "bare, lower, upper"},
		{"shelves/?rear_port=17&name=upper", "upper", "="},
		{"shelves/?virtual_machine_id=1", "", "="},
		{"items/?admired=true", "bag, box", "box"},
		{"items/?admired=no", "hidden jug, jar", "bag, jar"},
		{"items/?noted=true", "jar", "="},
		{"items/?noted=false", "bag, box, hidden jug", "bag, box"},
		{"items/?shelf=" + id("upper"), "box, jar", "="},
		{"items/?shelf__n=" + id("upper"), "bag, hidden jug", "bag"},
		{"ports/?system=metric", "eth0", "="},
		{"ports/?system__n=metric", "eth1, hidden eth0", "eth1"},
		{"ports/?system=metric&system=imperial", "eth0, eth1", "="},
		{"ports/?system=kg", "", "="},
		{"ports/?notes=true", "eth0", "="},
		{"ports/?notes=false", "eth1, hidden eth0", "eth1"},
		{"items/?name=BOX", "box", "="},
		{"items/?name=BOX&name=bAg&name=x", "bag, box", "="},
		{"items/?name__n=BOX", "bag, hidden jug, jar", "bag, jar"},
		{"items/?name__ic=B", "bag, box", "="},
		{"items/?name__ie=JAR", "jar", "="},
		{"items/?name=b_x", "", "="},
		{"items/?asset_tag__empty=false", "jar", "="},
		{"items/?asset_tag__n=1", "bag, box, hidden jug", "bag, box"},
		{"slots/?crate=crate", "slot, third slot", "="},
		{"slots/?crate_id=" + id("crate"), "slot", "="},
		{"slots/?kit=kit", "other slot, slot, third slot", "slot, third slot"},
		{"slots/?kit_id=" + id("kit"), "other slot, slot, third slot", "slot, third slot"},
		{"slots/?shelf=upper", "slot", "="},
		{"slots/?shelf=null", "third slot", "="},
		{"slots/?shelf_id=" + id("lower"), "other slot", ""},
		{"slots/?crate=CRATE", unknownKey, "="},
		{"items/?admirer=jar", "box", "="},
		{"items/?admirer__ic=j", "bag, box", "box"},
	})
}

// TestFilterByEither holds a filter with two paths: ports are found by their shelf and by other shelves of its site, unless they are
// private.
func TestFilterByEither(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	id := func(name string) string { return fmt.Sprint(w.ids[name]) }
	w.add(t, sites, obj{"name": "lisbon", "slug": "lisbon", "facility": "dc1"}, obj{"name": "porto", "slug": "porto"})
	w.add(t, "/api/trial/shelves/", obj{"name": "upper", "site": w.ids["lisbon"]}, obj{"name": "side", "site": w.ids["lisbon"]},
		obj{"name": "north", "site": w.ids["porto"]}, obj{"name": "hidden away", "site": w.ids["porto"]}, obj{"name": "lone"})
	port := func(name, shelf string, private bool) obj {
		return obj{"name": name, "shelf": w.ids[shelf], "private": private}
	}
	w.add(t, "/api/trial/ports/", port("eth0", "upper", false), port("eth1", "upper", true), port("eth2", "side", false),
		port("eth3", "side", true), port("eth4", "hidden away", false), port("eth5", "north", false), port("eth6", "lone", false))
	w.check(t, []found{
		{"ports/?shelf_id=" + id("upper"), "eth0, eth1, eth2", "="},
		{"ports/?shelf_id=" + id("side"), "eth0, eth2, eth3", "="},
		{"ports/?shelf_id__n=" + id("side"), "eth1, eth4, eth5, eth6", "="},
		{"ports/?shelf_id=" + id("upper") + "&shelf_id=" + id("side"), "eth0, eth1, eth2, eth3", "="},
		{"ports/?shelf_id=" + id("lone"), "eth6", "="},
		{"ports/?shelf_id=" + id("hidden away"), "eth4, eth5", "eth4"},
		{"ports/?shelf_id=" + id("north"), "eth4, eth5", "eth5"},
		{"ports/?shelf=upper", "eth0, eth1", "="},
		{"ports/?shelf=dc1", "eth0, eth2", "="},
		{"ports/?shelf__n=dc1", "eth1, eth3, eth4, eth5, eth6", "="},
		{"ports/?shelf=hidden+away", "eth4", ""}, // which may be the facility of a site
	})
}

// TestFiltersOfPlaces holds the filters of sites and locations through other records.
func TestFiltersOfPlaces(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	id := func(name string) string { return fmt.Sprint(w.ids[name]) }
	for _, list := range []string{regions, "/api/dcim/site-groups/", "/api/tenancy/tenant-groups/"} {
		of := path.Base(list)
		w.add(t, list, obj{"name": of, "slug": of})
		w.add(t, list, obj{"name": of + " below", "slug": of + "-below", "parent": w.ids[of]},
			obj{"name": "hidden " + of, "slug": "hidden-" + of, "parent": w.ids[of]})
	}
	w.add(t, "/api/tenancy/tenants/", obj{"name": "t1", "slug": "t1", "group": w.ids["tenant-groups below"]},
		obj{"name": "t2", "slug": "t2", "group": w.ids["hidden tenant-groups"]})
	w.add(t, sites, obj{"name": "lisbon", "slug": "lisbon", "tenant": w.ids["t1"], "region": w.ids["regions below"],
		"group": w.ids["site-groups below"]},
		obj{"name": "bonn", "slug": "bonn", "tenant": w.ids["t2"], "region": w.ids["hidden regions"], "group": w.ids["hidden site-groups"]})
	locations := "/api/dcim/locations/"
	w.add(t, locations, obj{"name": "l1", "slug": "l1", "site": w.ids["lisbon"], "tenant": w.ids["t1"]},
		obj{"name": "l2", "slug": "l2", "site": w.ids["bonn"], "tenant": w.ids["t2"]})
	w.check(t, []found{
		{sites + "?tenant_group=tenant-groups", "bonn, lisbon", "lisbon"},
		{sites + "?tenant_group_id=" + id("tenant-groups below"), "lisbon", "="},
		{sites + "?tenant_group_id=" + id("hidden tenant-groups"), "bonn", ""},
		{locations + "?tenant_group=tenant-groups", "l1, l2", "l1"},
		{locations + "?tenant_group_id=" + id("tenant-groups below"), "l1", "="},
		{locations + "?region=regions", "l1, l2", "l1"},
		{locations + "?region_id=" + id("hidden regions"), "l2", ""},
		{locations + "?site_group=site-groups-below", "l1", "="},
		{locations + "?site_group_id=" + id("site-groups"), "l1, l2", "l1"},
	})
}

// TestFiltersOfExtras holds the filters of tags, custom fields, webhooks and changes that are not those of a field.
func TestFiltersOfExtras(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	const tags, fields, hooks, changes = "/api/extras/tags/", "/api/extras/custom-fields/", "/api/extras/webhooks/",
		"/api/extras/object-changes/"
	w.add(t, tags, obj{"name": "core", "slug": "core"}, obj{"name": "edge", "slug": "edge"}, obj{"name": "idle", "slug": "idle"})
	w.add(t, sites, obj{"name": "lisbon", "slug": "lisbon", "tags": []int64{w.ids["core"]}},
		obj{"name": "hidden bonn", "slug": "bonn", "tags": []int64{w.ids["edge"]}})
	w.add(t, fields, obj{"name": "cf", "content_types": []string{"dcim.site"}, "type": "text"})
	w.add(t, hooks, obj{"name": "hook", "content_types": []string{"dcim.site"}, "type_create": true, "payload_url": "http://example.com"})
	typeID := func(key string) string {
		return fmt.Sprint("content_type_id=", w.App.Registry.Type(key).ContentTypeID())
	}
	site, region := typeID("dcim.site"), typeID("dcim.region")
	w.check(t, []found{
		{tags + "?" + site, "core, edge", "core"},
		{tags + "?" + region, "", "="},
		{tags + "?" + site + "&" + region + "&content_type_id=1", "core, edge", "core"},
		{fields + "?" + site, "cf", "="},
		{fields + "?" + region, "", "="},
		{fields + "?content_type_id=1", "", "="},
		{hooks + "?" + site, "hook", "="},
		{hooks + "?" + strings.Replace(site, "=", "__n=", 1), "", "="},
		{hooks + "?content_type_id__n=1", "hook", "="},
		{tags + "?content_type=dcim.site", "core, edge", "core"},
		{tags + "?content_type=DCIM.Site&content_type=dcim.region", "core, edge", "core"},
		{tags + "?content_type=dcim.region", "", "="},
		{tags + "?content_type=dcim.nothing", "", "="},
		{fields + "?filter_logic=exact&is_cloneable=False&ui_visibility=read-write&search_weight=1000", "cf", "="},
		{fields + "?is_cloneable=true", "", "="},
		{fields + "?group_name=x", "", "="},
		{hooks + "?type_job_start=false", "hook", "="},
		{hooks + "?type_job_end=true", "", "="},
	})
	made := w.send(t, "GET", changes+"?object_repr=lisbon", w.Admin, nil).Want(t, 200).Object(t)["results"].([]any)
	if len(made) != 1 {
		t.Fatalf("%d changes of lisbon", len(made))
	}
	w.send(t, "GET", fields+"?content_type_id=dcim.site", w.Admin, nil).Want(t, http.StatusBadRequest)
	at := made[0].(map[string]any)["time"].(string)
	for query, want := range map[string]int64{"object_repr__ic=LISB": 1, "object_repr__n=lisbon&changed_object_type=dcim.site": 1,
		"object_repr=lisbon&time_after=" + at: 1, "object_repr=lisbon&time_before=" + at: 1, "object_repr=lisbon&time_after=2100-01-01": 0,
		"object_repr=lisbon&time_before=2020-01-01":                              0,
		"changed_object_type_id=" + strings.TrimPrefix(site, "content_type_id="): 2, "changed_object_type_id=1": 0,
		"object_repr=lisbon&changed_object_type_id__n=" + strings.TrimPrefix(site, "content_type_id="): 0} {
		if page := w.send(t, "GET", changes+"?"+query, w.Admin, nil).Want(t, 200).Page(t); page.Count != want {
			t.Errorf("%s finds %d, want %d", query, page.Count, want)
		}
	}
}

// TestFilterByRequest holds that the records of a list are found by the requests that created and updated them, by callers who don't
// see the change log too.
func TestFilterByRequest(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	_, w.limited = w.User(t, "narrow", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"},
		Constraints: obj{"name__nisw": "hidden"}})
	made := w.send(t, "POST", sites, w.Admin, []obj{{"name": "a", "slug": "a"}, {"name": "b", "slug": "b"}, {"name": "hidden c", "slug": "c"}})
	ids := made.Want(t, http.StatusCreated).List(t)
	patch := w.send(t, "PATCH", sites, w.Admin, []obj{{"id": ids[0]["id"], "facility": "x"}, {"id": ids[2]["id"], "facility": "x"}}).
		Want(t, http.StatusOK)
	region := w.send(t, "POST", regions, w.Admin, obj{"name": "r", "slug": "r"}).Want(t, http.StatusCreated) // with the id of a site
	create, update, other := made.Header.Get("X-Request-ID"), patch.Header.Get("X-Request-ID"), region.Header.Get("X-Request-ID")
	for _, c := range []found{
		{"created_by_request=" + create, "a, b, hidden c", "a, b"},
		{"updated_by_request=" + create, "", ""},
		{"modified_by_request=" + create, "a, b, hidden c", "a, b"},
		{"created_by_request=" + update, "", ""},
		{"updated_by_request=" + update, "a, hidden c", "a"},
		{"modified_by_request=" + strings.ToUpper(update), "a, hidden c", "a"},
		{"modified_by_request=" + update + "&created_by_request=" + create + "&name=a", "a", "a"},
		{"created_by_request=" + other, "", ""},
		{"created_by_request=" + other + "&created_by_request=" + create + "&created_by_request=" + create, "a, b, hidden c", "a, b"},
	} {
		for token, want := range map[string]string{w.Admin: c.want, w.limited: c.limited} {
			if got := w.found(t, token, sites+"?"+c.query); got != want {
				t.Errorf("%s finds %q, want %q", c.query, got, want)
			}
		}
	}
	w.send(t, "GET", sites+"?created_by_request=x", w.Admin, nil).Want(t, http.StatusBadRequest)
	w.send(t, "GET", "/api/extras/object-changes/?created_by_request="+create, w.Admin, nil).Want(t, http.StatusBadRequest)
}

// found is what a query must find.
type found struct {
	query   string
	want    string // names
	limited string // what the limited user finds; "=" for the same
}

func (w filterWorld) check(t *testing.T, cases []found) {
	t.Helper()
	for _, c := range cases {
		if c.limited == "=" {
			c.limited = c.want
		}
		for token, want := range map[string]string{w.Admin: c.want, w.limited: c.limited} {
			path := c.query
			if !strings.HasPrefix(path, "/") {
				path = "/api/trial/" + path
			}
			if got := w.found(t, token, path); got != want {
				t.Errorf("%s finds %q, want %q (limited: %v)", c.query, got, want, token == w.limited)
			}
		}
	}
}
