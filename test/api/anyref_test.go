package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

const stickers = "/api/trial/stickers/"

// anyWorld is a server with a shelf, an item on it and a site.
type anyWorld struct {
	*apitest.Server
	shelf, item, site int64
}

func newAnyWorld(t *testing.T) anyWorld {
	t.Helper()
	w := anyWorld{Server: apitest.NewWith(t, trial.Types())}
	w.shelf = w.make(t, "/api/trial/shelves/", obj{"name": "upper"})
	w.item = w.make(t, "/api/trial/items/", obj{"name": "box", "shelf": w.shelf})
	w.site = w.make(t, "/api/dcim/sites/", obj{"name": "Lisbon", "slug": "lisbon"})
	return w
}

func (w anyWorld) make(t *testing.T, path string, body obj) int64 {
	t.Helper()
	return apitest.ID(w.send(t, "POST", path, w.Admin, body).Want(t, http.StatusCreated).Object(t))
}

func (w anyWorld) send(t *testing.T, method, path, token string, body any) apitest.Answer {
	t.Helper()
	return w.Do(t, apitest.Call{Method: method, Path: path, Token: token, Body: body})
}

func (w anyWorld) sticker(on string, id int64, more obj) obj {
	body := obj{"name": "red", "stuck_on_type": on, "stuck_on_id": id}
	for key, value := range more {
		body[key] = value
	}
	return body
}

// TestAnyRef holds how a reference to one of several types is written and shown: its type and its id, which go together,
// and the record, which is nested one level deep and ignored where somebody sends it.
func TestAnyRef(t *testing.T) {
	t.Parallel()
	w := newAnyWorld(t)
	made := w.send(t, "POST", stickers, w.Admin, w.sticker("trial.item", w.item, obj{"stuck_on": 99})).Want(t, http.StatusCreated).Object(t)
	path := fmt.Sprintf("%s%d/", stickers, apitest.ID(made))
	on := made["stuck_on"].(map[string]any)
	shelf := on["shelf"].(map[string]any)
	if made["stuck_on_type"] != "trial.item" || made["stuck_on_id"] != float64(w.item) || apitest.ID(on) != w.item || on["name"] != "box" ||
		!strings.HasSuffix(on["url"].(string), fmt.Sprintf("/api/trial/items/%d/", w.item)) {
		t.Errorf("stuck on %v", made)
	}
	if _, deeper := shelf["item_count"]; deeper || shelf["name"] != "upper" {
		t.Errorf("the shelf of the item that is nested is %v", shelf)
	}
	if made["scope_type"] != nil || made["scope_id"] != nil || made["scope"] != nil {
		t.Errorf("no scope is %v %v %v", made["scope_type"], made["scope_id"], made["scope"])
	}
	together := "scope_type and scope_id go together: give both, or null for both."
	for _, c := range []struct {
		body  obj
		field string // the only one with an error; "" where the body is taken
		want  string
	}{
		{obj{"scope_type": "dcim.site"}, "scope_id", together},
		{obj{"scope_id": w.site}, "scope_type", together},
		{obj{"scope_type": "dcim.site", "scope_id": nil}, "scope_id", together},
		{obj{"scope_type": "trial.item", "scope_id": w.item}, "scope_type",
			`"trial.item" can't be referred to here. Use one of dcim.region, dcim.site, trial.shelf.`},
		{obj{"scope_type": "dcim.site", "scope_id": "x"}, "scope_id", "A valid integer is required."},
		{obj{"scope_type": "dcim.region", "scope_id": w.site}, "scope_id",
			fmt.Sprintf("Related object not found using the provided numeric ID: %d", w.site)},
		{obj{"scope_type": "DCIM.Site", "scope_id": w.site}, "", ""},
		{obj{"scope_type": "trial.shelf", "scope_id": w.shelf}, "", ""},
		{obj{"scope_type": nil}, "scope_type", together},
		{obj{"scope_id": nil}, "scope_id", together},
		{obj{"scope_id": 99999}, "scope_id", "Related object not found using the provided numeric ID: 99999"}, // laid over the type that is there
		{obj{"scope_type": nil, "scope_id": nil}, "", ""},
		{obj{"stuck_on_id": nil}, "stuck_on_id", "This field may not be null."},
	} {
		a := w.send(t, "PATCH", path, w.Admin, c.body)
		if c.field == "" {
			a.Want(t, http.StatusOK)
			continue
		}
		if errs := a.Want(t, http.StatusBadRequest).Object(t); !reflect.DeepEqual(errs, map[string]any{c.field: []any{c.want}}) {
			t.Errorf("%v is refused with %v", c.body, errs)
		}
	}
	// What was read can be written back, and the nested record alone changes nothing.
	row := w.send(t, "GET", path, w.Admin, nil).Object(t)
	back := w.send(t, "PATCH", path, w.Admin, row).Want(t, http.StatusOK)
	if version := back.Header.Get("ETag"); version != `"4"` {
		t.Errorf("after three changes the version is %s", version)
	}
	w.send(t, "POST", stickers, w.Admin, obj{"name": "red"}).Want(t, http.StatusBadRequest)
	// unique by name and what it is stuck on
	w.send(t, "POST", stickers, w.Admin, w.sticker("trial.item", w.item, nil)).Want(t, http.StatusBadRequest)
	w.send(t, "POST", stickers, w.Admin, w.sticker("trial.shelf", w.shelf, nil)).Want(t, http.StatusCreated)
}

// TestAnyRefHidden holds that nobody can refer to what they may not see, and that what others referred to shows and stays,
// as with any reference.
func TestAnyRefHidden(t *testing.T) {
	t.Parallel()
	w := newAnyWorld(t)
	made := w.send(t, "POST", stickers, w.Admin, w.sticker("trial.item", w.item, obj{"scope_type": "dcim.site", "scope_id": w.site})).
		Want(t, http.StatusCreated).Object(t)
	path := fmt.Sprintf("%s%d/", stickers, apitest.ID(made))
	if id := w.make(t, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"}); id != w.site {
		t.Fatalf("the region has the id %d, and the site %d", id, w.site)
	}
	all := []string{"view", "add", "change"}
	_, writer := w.User(t, "writer", apitest.Grant{Types: []string{"trial.sticker"}, Actions: all},
		apitest.Grant{Types: []string{"trial.shelf"}, Actions: all},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: all, Constraints: obj{"slug": "other"}})
	row := w.send(t, "GET", path, writer, nil).Want(t, http.StatusOK).Object(t)
	if !reflect.DeepEqual(row["scope"], made["scope"]) {
		t.Errorf("the scope shows as %v, want %v", row["scope"], made["scope"])
	}
	row["name"] = "blue"
	row = w.send(t, "PUT", path, writer, row).Want(t, http.StatusOK).Object(t)
	if row["name"] != "blue" || row["scope_id"] != float64(w.site) {
		t.Errorf("written back as %v", row)
	}
	for _, body := range []obj{w.sticker("trial.item", w.item, nil),
		w.sticker("trial.shelf", w.shelf, obj{"scope_type": "dcim.site", "scope_id": w.site})} {
		errs := w.send(t, "POST", stickers, writer, body).Want(t, http.StatusBadRequest).Object(t)
		if len(errs) != 1 || errs["stuck_on_id"] == nil && errs["scope_id"] == nil {
			t.Errorf("%v is refused with %v", body, errs)
		}
	}
	// A hidden record of another type is not kept because the one that is referred to has its id.
	errs := w.send(t, "PATCH", path, writer, obj{"scope_type": "dcim.region"}).Want(t, http.StatusBadRequest).Object(t)
	if errs["scope_id"] == nil {
		t.Errorf("a hidden region is refused with %v", errs)
	}
	// Nor do counts in what is nested tell of hidden records.
	on := w.send(t, "POST", stickers, writer, w.sticker("trial.shelf", w.shelf, nil)).Want(t, http.StatusCreated).
		Object(t)["stuck_on"].(map[string]any)
	if on["item_count"] != 0.0 {
		t.Errorf("who may see no items is shown %v of them", on["item_count"])
	}
	// A permission can be limited by what a record refers to.
	_, few := w.User(t, "few", apitest.Grant{Types: []string{"trial.sticker"}, Actions: []string{"view"},
		Constraints: obj{"scope_type": "dcim.site", "scope_id": w.site}})
	if page := w.send(t, "GET", stickers, few, nil).Page(t); page.Count != 1 {
		t.Errorf("%d stickers are for the site", page.Count)
	}
}

// TestAnyRefGone shows a record that is no longer there as null: no foreign key holds it.
func TestAnyRefGone(t *testing.T) {
	t.Parallel()
	w := newAnyWorld(t)
	id := w.make(t, stickers, w.sticker("trial.shelf", w.shelf, obj{"scope_type": "dcim.site", "scope_id": w.site}))
	if _, err := w.DB.Exec(t.Context(), "DELETE FROM dcim_site"); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("%s%d/", stickers, id)
	row := w.send(t, "GET", path, w.Admin, nil).Want(t, http.StatusOK).Object(t)
	if row["scope_type"] != "dcim.site" || row["scope_id"] != float64(w.site) || row["scope"] != nil {
		t.Errorf("the scope that is gone is %v %v %v", row["scope_type"], row["scope_id"], row["scope"])
	}
	w.send(t, "PATCH", path, w.Admin, obj{"name": "blue"}).Want(t, http.StatusOK)
	w.send(t, "PATCH", path, w.Admin, obj{"scope_type": nil, "scope_id": nil}).Want(t, http.StatusOK)
}

// TestAnyRefPaths holds the filters that a type declares through references to several types: each finds what leads there
// through records that the caller may see.
func TestAnyRefPaths(t *testing.T) {
	t.Parallel()
	w := newAnyWorld(t)
	europe := w.make(t, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	portugal := w.make(t, "/api/dcim/regions/", obj{"name": "Portugal", "slug": "portugal", "parent": europe})
	w.send(t, "PATCH", fmt.Sprintf("/api/dcim/sites/%d/", w.site), w.Admin, obj{"region": portugal}).Want(t, http.StatusOK)
	w.send(t, "PATCH", fmt.Sprintf("/api/trial/items/%d/", w.item), w.Admin, obj{"weight": 7}).Want(t, http.StatusOK)
	if w.item != w.shelf {
		t.Fatal("the ids must be the same, so that only the type tells them apart")
	}
	w.make(t, "/api/trial/shelves/", obj{"name": "lower"})
	onShelf := w.make(t, stickers, w.sticker("trial.shelf", w.shelf, obj{"scope_type": "dcim.site", "scope_id": w.site}))
	onItem := w.make(t, stickers, w.sticker("trial.item", w.item, obj{"scope_type": "trial.shelf", "scope_id": w.shelf}))
	_, few := w.User(t, "few", apitest.Grant{Types: []string{"trial.sticker", "dcim.site"}, Actions: []string{"view"}})
	for _, c := range []struct {
		query  string
		found  []int64
		hidden bool // from those who may see stickers and sites alone
	}{
		{fmt.Sprintf("shelf_id=%d", w.shelf), []int64{onShelf}, true},
		{"shelf=upper", []int64{onShelf}, true},
		{"shelf=lower", nil, true}, // nothing sticks to it
		{"shelf__n=upper", []int64{onItem}, false},
		{fmt.Sprintf("item_shelf_id=%d", w.shelf), []int64{onItem}, true},
		{"item_shelf=upper", []int64{onItem}, true},
		{"item_weight__gte=7", []int64{onItem}, true},
		{"item_weight__gt=7", nil, true},
		{fmt.Sprintf("site=%d", w.site), []int64{onShelf}, false},
		{fmt.Sprintf("site_region_id=%d", europe), []int64{onShelf}, true},
		{"site_region=europe", []int64{onShelf}, true},
		{"site_region=portugal", []int64{onShelf}, true},
	} {
		if got := w.send(t, "GET", stickers+"?"+c.query, w.Admin, nil).Want(t, http.StatusOK).Page(t).
			IDs(); !reflect.DeepEqual(got, append([]int64{}, c.found...)) {
			t.Errorf("%s finds %v, want %v", c.query, got, c.found)
		}
		if got := w.send(t, "GET", stickers+"?"+c.query, few, nil).Want(t, http.StatusOK).Page(t).IDs(); c.hidden && len(got) > 0 {
			t.Errorf("%s finds %v through what is hidden", c.query, got)
		}
	}
}
