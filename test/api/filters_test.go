package api_test

import (
	"fmt"
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
	add := func(path string, bodies ...obj) {
		for _, body := range bodies {
			w.ids[body["name"].(string)] = w.make(t, path, body)
		}
	}
	add(regions, obj{"name": "europe", "slug": "europe"})
	add(regions, obj{"name": "iberia", "slug": "iberia", "parent": w.ids["europe"]})
	add(sites, obj{"name": "lisbon", "slug": "lisbon", "region": w.ids["iberia"]},
		obj{"name": "hidden bonn", "slug": "bonn", "region": w.ids["europe"]})
	add("/api/trial/shelves/", obj{"name": "upper", "site": w.ids["lisbon"]}, obj{"name": "lower", "site": w.ids["hidden bonn"]},
		obj{"name": "bare"})
	add("/api/trial/items/", obj{"name": "box", "shelf": w.ids["upper"]}, obj{"name": "bag", "shelf": w.ids["lower"]})
	add("/api/trial/items/", obj{"name": "jar", "shelf": w.ids["upper"], "friends": []int64{w.ids["box"]}, "asset_tag": "1"},
		obj{"name": "hidden jug", "shelf": w.ids["lower"], "friends": []int64{w.ids["bag"]}})
	add("/api/trial/ports/", obj{"name": "eth0", "shelf": w.ids["upper"], "mac_address": "00:00:00:00:00:01", "weight": 2, "weight_unit": "g", "notes": obj{"a": 1}},
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
	_, w.limited = w.User(t, "limited", visible(w)...)
	return w
}

// visible grants to see every record whose name does not begin with "hidden".
func visible(w filterWorld) (grants []apitest.Grant) {
	for _, typ := range w.App.Registry.Types() {
		if typ.Field("name") == nil || typ.ReadOnly {
			continue
		}
		grants = append(grants, apitest.Grant{Types: []string{typ.Key()}, Actions: []string{"view"}, Constraints: obj{"name__nisw": "hidden"}})
	}
	return grants
}

// found returns the names of the records that a query finds.
func (w filterWorld) found(t *testing.T, token, path string) string {
	t.Helper()
	a := w.send(t, "GET", path, token, nil)
	if a.Status != 200 {
		return fmt.Sprint(a.Status, " ", string(a.Raw))
	}
	var names []string
	for _, row := range a.Object(t)["results"].([]any) {
		names = append(names, row.(map[string]any)["name"].(string))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// TestFiltersAreChecked holds that a filter by yes or no takes nothing else, and that no lookup is made up.
func TestFiltersAreChecked(t *testing.T) {
	t.Parallel()
	w := anyWorld{Server: apitest.NewWith(t, trial.Types())}
	for _, query := range []string{"stocked=maybe", "placed=", "stocked__n=true", "rear_port__n=1", "virtual_machine_id__n=1", "placed__empty=true"} {
		w.send(t, "GET", "/api/trial/shelves/?"+query, w.Admin, nil).Want(t, 400)
	}
}

// TestFilters holds what declared filters find, and that none finds anything by a record that the caller may not see.
func TestFilters(t *testing.T) {
	t.Parallel()
	w := newFilterWorld(t)
	id := func(name string) string { return fmt.Sprint(w.ids[name]) }
	for _, c := range []struct {
		query   string
		want    string
		limited string // what the limited user finds; "=" for the same
	}{
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
		{"items/?admirer=jar", "box", "="},
		{"items/?admirer__ic=j", "bag, box", "box"},
	} {
		if c.limited == "=" {
			c.limited = c.want
		}
		for token, want := range map[string]string{w.Admin: c.want, w.limited: c.limited} {
			if got := w.found(t, token, "/api/trial/"+c.query); got != want {
				t.Errorf("%s finds %q, want %q (limited: %v)", c.query, got, want, token == w.limited)
			}
		}
	}
}
