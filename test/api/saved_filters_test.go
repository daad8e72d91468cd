package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

func containsText(s, part string) bool { return strings.Contains(s, part) }

// TestOwnSavedFilters: people without a permission keep private filters of their own, which nobody else sees, and see the shared ones.
// Everything else takes a permission.
func TestOwnSavedFilters(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	sees := apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}}
	bobID, bob := newActor(t, s, "bob", sees)
	carolID, carol := newActor(t, s, "carol", sees)
	_, editor := newActor(t, s, "editor", sees,
		apitest.Grant{Types: []string{"extras.savedfilter"}, Actions: []string{"view", "add", "change", "delete"}})
	admin.create(t, sites, site("lisbon"))

	made := bob.do(t, "POST", savedFilters, savedBody("mine", obj{"name": "lisbon"})).Want(t, http.StatusCreated).Object(t)
	if made["user"] != float64(bobID) || made["shared"] != false {
		t.Errorf("bob's filter is %v", made)
	}
	mine, shared := apitest.ID(made), admin.create(t, savedFilters, savedBody("everybody", obj{"name": "lisbon"}))
	refused := func(a apitest.Answer, status int) {
		t.Helper()
		if a.Status != status {
			t.Errorf("%s %s %v: %d, want %d: %s", a.Call.Method, a.Call.Path, a.Call.Body, a.Status, status, a.Raw)
		}
	}
	refused(bob.do(t, "POST", savedFilters, savedBody("x", obj{}, "shared", true)), http.StatusForbidden)
	refused(bob.do(t, "POST", savedFilters, savedBody("x", obj{}, "user", nil)), http.StatusForbidden)
	refused(bob.do(t, "POST", savedFilters, savedBody("x", obj{}, "user", carolID)), http.StatusBadRequest) // a user whom bob may not see
	refused(bob.do(t, "PATCH", at(savedFilters, mine), obj{"shared": true}), http.StatusForbidden)
	refused(bob.do(t, "PATCH", at(savedFilters, mine), obj{"user": nil}), http.StatusForbidden)
	refused(bob.do(t, "PATCH", at(savedFilters, mine), obj{"weight": 7}), http.StatusOK)
	refused(actor{s, s.TokenOf(t, "bob", true)}.do(t, "PATCH", at(savedFilters, mine), obj{"weight": 8}), http.StatusForbidden)

	if got := names(carol.page(t, savedFilters).Results, "name"); got != "everybody" {
		t.Errorf("carol sees %s", got)
	}
	refused(carol.get(t, at(savedFilters, mine)), http.StatusNotFound)
	for _, id := range []int64{mine, shared} {
		refused(carol.do(t, "PATCH", at(savedFilters, id), obj{"weight": 7}), http.StatusNotFound)
		refused(carol.do(t, "DELETE", at(savedFilters, id), nil), http.StatusNotFound)
	}
	if n := carol.page(t, sites+"?filter=everybody").Count; n != 1 {
		t.Errorf("carol finds %d sites", n)
	}
	// Somebody else's private filter is answered exactly as one that there isn't.
	for name, there := range map[string]string{"filter": "mine", "filter_id": fmt.Sprint(mine)} {
		not := map[string]string{"filter": "none", "filter_id": fmt.Sprint(mine + 100)}[name]
		a, b := carol.get(t, sites+"?"+name+"="+there), carol.get(t, sites+"?"+name+"="+not)
		if wantField(t, a, name); strings.ReplaceAll(string(a.Raw), there, not) != string(b.Raw) {
			t.Errorf("%s and %s", a.Raw, b.Raw)
		}
	}
	// With the permission it is a record like others.
	if n := editor.page(t, sites+"?filter=mine").Count; n != 1 {
		t.Errorf("the editor finds %d sites", n)
	}
	refused(editor.do(t, "PATCH", at(savedFilters, mine), obj{"shared": true}), http.StatusOK)
	if n := carol.page(t, sites+"?filter=mine").Count; n != 1 {
		t.Errorf("carol finds %d sites by what is shared now", n)
	}
	refused(bob.do(t, "DELETE", at(savedFilters, mine), nil), http.StatusNotFound) // it is shared, so no longer only bob's
	refused(editor.do(t, "PATCH", at(savedFilters, mine), obj{"shared": false}), http.StatusOK)
	refused(bob.do(t, "DELETE", at(savedFilters, mine), nil), http.StatusNoContent)
}

// TestSavedFiltersStayClosed: open reading opens no saved filter.
func TestSavedFiltersStayClosed(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(c *app.Config) { c.ExemptViewPermissions = []string{"*"} })
	adminOf(s).create(t, savedFilters, savedBody("shared", obj{"name": "x"}))
	anybody := actor{s, ""}
	anybody.get(t, sites).Want(t, http.StatusOK)
	anybody.get(t, savedFilters).Want(t, http.StatusForbidden)
	wantField(t, anybody.get(t, sites+"?filter=shared"), "filter")
}

// TestUsableSavedFilters: enabled, and shared or of the one who asks. A superuser asks like everybody else.
func TestUsableSavedFilters(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	bobID, bob := newActor(t, s, "bob")
	admin.create(t, savedFilters, savedBody("shared", obj{}))
	admin.create(t, savedFilters, savedBody("off", obj{}, "enabled", false))
	admin.create(t, savedFilters, savedBody("bobs", obj{}, "shared", false, "user", bobID))
	admin.create(t, savedFilters, savedBody("bobs-off", obj{}, "shared", false, "user", bobID, "enabled", false))
	admin.create(t, savedFilters, savedBody("nobodys", obj{}, "shared", false))
	for who, want := range map[actor][2]string{
		admin: {"shared", "bobs bobs-off nobodys off"}, bob: {"bobs shared", "bobs-off off"},
	} {
		for i, usable := range []string{"true", "false"} {
			if got := names(who.page(t, savedFilters+"?usable="+usable).Results, "name"); got != want[i] {
				t.Errorf("usable=%s finds %s, want %s", usable, got, want[i])
			}
		}
	}
}

// TestSavedParameters: those of a saved filter are checked and limited as those of a request, and only filters count.
func TestSavedParameters(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	for i := range 3 {
		admin.create(t, sites, site(fmt.Sprint("site ", i)))
	}
	texts := func(from, n int) (out []string) {
		for i := range n {
			out = append(out, fmt.Sprint("text", from+i))
		}
		return out
	}
	for slug, parameters := range map[string]obj{
		"many": {"name__ic": texts(0, 51)}, "thirty": {"name__ic": texts(0, 30)}, "unknown": {"nosuch": "x"}, "word": {"created": "never"},
		"shown": {"limit": 1, "offset": 2, "ordering": "-name", "brief": true, "fields": "id",
			"filter": "unknown", "filter_id": 7, "cursor": "x"},
		"search": {"q": "site 1"}, "typed": {"id__gte": 1, "name__empty": false}, "long": {"name": strings.Repeat("x", 15000)},
		"nothing": {"status": []string{}},
	} {
		admin.create(t, savedFilters, savedBody(slug, parameters))
	}
	for query, field := range map[string]string{
		"filter=many": "name__ic", "filter=thirty&name__ic=" + strings.Join(texts(100, 30), "&name__ic="): "name__ic",
		"filter=unknown": "nosuch", "filter=word": "created", "filter=search&q=other": "q", "filter_id=x": "filter_id",
		"filter=" + strings.Join(texts(0, 51), "&filter="): "filter", "filter=shown&filter=gone": "filter", "filter=": "filter",
	} {
		wantField(t, admin.get(t, sites+"?"+query), field)
	}
	for query, want := range map[string]int64{
		"filter=thirty": 0, "filter=search": 1, "filter=search&q=site+1": 1, "filter=typed": 3, "filter=nothing": 3,
	} {
		if n := admin.page(t, sites+"?"+query).Count; n != want {
			t.Errorf("%s found %d, want %d", query, n, want)
		}
	}
	admin.get(t, sites+"?filter=long&name="+strings.Repeat("y", 2000)).Want(t, http.StatusRequestURITooLong)
	page := admin.page(t, sites+"?filter=shown")
	if len(page.Results) != 3 || page.Results[0]["name"] != "site 0" || page.Results[0]["status"] == nil {
		t.Errorf("a saved filter changed how the list is shown: %v", page.Results)
	}
	next, _ := url.Parse(*admin.page(t, sites+"?filter=typed&limit=2").Next)
	if got := next.Query(); !slices.Equal(got["filter"], []string{"typed"}) || got.Has("id__gte") {
		t.Errorf("next is %s", next)
	}
	for _, bad := range []any{obj{"a": 1}, []any{[]any{"a"}}} {
		wantField(t, admin.do(t, "POST", savedFilters, savedBody("bad", obj{"status": bad})), "parameters")
	}
	loose := adminOf(apitest.New(t, func(c *app.Config) { c.StrictFilters = false }))
	loose.get(t, sites+"?filter=nosuch").Want(t, http.StatusOK)
}

// TestSavedFilterStatements: a list that names saved filters takes one more statement, and no other list does.
func TestSavedFilterStatements(t *testing.T) {
	t.Parallel()
	s, wire := counted(t)
	admin := adminOf(s)
	for _, slug := range []string{"one", "two"} {
		admin.create(t, savedFilters, savedBody(slug, obj{"name": slug}))
	}
	needs := func(query string) int64 {
		least := int64(1 << 62)
		for range 4 { // the first prepares the statements
			wire.Statements.Store(0)
			admin.get(t, sites+query).Want(t, http.StatusOK)
			least = min(least, wire.Statements.Load())
		}
		return least
	}
	without := needs("?name=one")
	for _, query := range []string{"?filter=one", "?filter=one&filter=two&filter_id=1&filter_id=2"} {
		if n := needs(query); n != without+1 {
			t.Errorf("%s takes %d statements, and without it %d", query, n, without)
		}
	}
}
