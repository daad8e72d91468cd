package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestWholeNumbersWithAFraction: some clients write 42 as 42.0. An id in an address has no fraction.
func TestWholeNumbersWithAFraction(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	id := admin.create(t, "/api/dcim/sites/", site("A"))
	body := fmt.Sprintf(`{"name": "v", "vid": 42.0, "site": %d.000}`, id)
	vlan := admin.do(t, "POST", "/api/ipam/vlans/", body).Want(t, http.StatusCreated).Object(t)
	if vlan["vid"] != 42.0 || vlan["site"].(map[string]any)["id"] != float64(id) {
		t.Errorf("created %v", vlan)
	}
	for _, number := range []string{"42.5", `"42."`, "4.2e1", `".0"`, "42.0e0"} {
		admin.do(t, "POST", "/api/ipam/vlans/", `{"name": "w", "vid": `+number+`}`).Want(t, http.StatusBadRequest)
	}
	if n := admin.page(t, "/api/ipam/vlans/?vid=42.0").Count; n != 1 {
		t.Errorf("?vid=42.0 finds %d", n)
	}
	admin.get(t, "/api/dcim/sites/"+fmt.Sprint(id)+".0/").Want(t, http.StatusNotFound)
}

// TestTokensByTheirKey: a list of tokens finds the one with a key, by the digests that may be stored of it, and only among those that the
// caller may see. The key is in no link and in no log, and a saved filter refuses it.
func TestTokensByTheirKey(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	_, reader := s.User(t, "reader", apitest.Grant{Types: []string{"users.token"}, Actions: []string{"view"},
		Constraints: obj{"description": "x"}})
	if page := admin.page(t, tokens+"?key="+s.Admin); page.Count != 1 || page.Next != nil {
		t.Errorf("by its own key: %+v", page)
	}
	if n := admin.page(t, tokens+"?key="+strings.ToUpper(reader)+"&limit=1").Count; n != 1 {
		t.Errorf("another's key in capitals: %d", n)
	}
	admin.get(t, tokens+"?limit=1&key="+s.Admin+"&key="+reader).Want(t, http.StatusBadRequest) // no link could lead to the second
	if n := (actor{s: s, key: reader}).page(t, tokens+"?key="+s.Admin).Count; n != 0 {
		t.Errorf("a token that the caller may not see: %d", n)
	}
	for _, key := range []string{"", "x", reader[:39], "%25"} {
		if n := admin.page(t, tokens+"?key="+key).Count; n != 0 {
			t.Errorf("?key=%s finds %d", key, n)
		}
	}
	admin.get(t, tokens+"?key__ic=a").Want(t, http.StatusBadRequest)
	for _, name := range []string{"key", "password"} {
		admin.do(t, "POST", "/api/extras/saved-filters/", obj{"name": name, "slug": name, "content_types": []string{"users.token"},
			"parameters": obj{name: reader}}).Want(t, http.StatusBadRequest)
	}
	if strings.Contains(s.Log.String(), reader) {
		t.Error("the log has a key")
	}
}

// TestUsersByPassword: clients send the password of an account with the filters by which they look for it. It has no effect, and is in
// no link and no log.
func TestUsersByPassword(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	s.User(t, "one")
	s.User(t, "two")
	page := admin.page(t, "/api/users/users/?limit=1&password=not+a+secret")
	if page.Count != 3 || page.Next == nil || strings.Contains(*page.Next, "password") {
		t.Errorf("%+v", page)
	}
	if n := admin.page(t, "/api/users/users/?username=one&password="+strings.ReplaceAll(apitest.Password, " ", "+")).Count; n != 1 {
		t.Errorf("%d users, want one", n)
	}
	if strings.Contains(s.Log.String(), "not a secret") || strings.Contains(s.Log.String(), "not+a+secret") {
		t.Error("the log has the password")
	}
}

// TestScopeIsASite: a prefix or cluster that is written with scope_type and scope_id keeps a site. Another scope is refused, because there
// is no place for it.
func TestScopeIsASite(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	first, second := admin.create(t, sites, site("A")), admin.create(t, sites, site("B"))
	kind := admin.create(t, "/api/virtualization/cluster-types/", obj{"name": "t", "slug": "t"})
	for list, body := range map[string]obj{
		"/api/ipam/prefixes/":           {"prefix": "10.0.0.0/24"},
		"/api/virtualization/clusters/": {"name": "c", "type": kind},
	} {
		id := admin.create(t, list, merge(body, []any{"scope_type", "dcim.site", "scope_id", first}))
		has := func(what string, want any) {
			t.Helper()
			got := admin.get(t, at(list, id)).Object(t)["site"]
			if object, ok := got.(map[string]any); ok {
				got = int64(object["id"].(float64))
			}
			if got != want {
				t.Errorf("%s, %s: the site is %v, want %v", list, what, got, want)
			}
		}
		refused := func(body obj, field string) {
			t.Helper()
			if errs := admin.do(t, "PATCH", at(list, id), body).Want(t, http.StatusBadRequest).Object(t); errs[field] == nil {
				t.Errorf("%s %v: %v, want an error about %s", list, body, errs, field)
			}
		}
		has("created", first)
		refused(obj{"scope_type": "dcim.region", "scope_id": first}, "scope_type")
		refused(obj{"scope_type": "dcim.site"}, "scope_id")
		refused(obj{"scope_id": first}, "scope_type")
		refused(obj{"scope_type": "dcim.site", "scope_id": 999}, "scope_id")
		refused(obj{"scope_type": "dcim.site", "scope_id": first, "site": second}, "scope_id")
		has("after refusals", first)
		a := admin.do(t, "PATCH", at(list, id), obj{"scope_type": "dcim.site", "scope_id": second}).Want(t, http.StatusOK)
		if unknown := a.Header.Get(unknownFields); unknown != "" {
			t.Errorf("%s: unknown fields %s", list, unknown)
		}
		has("changed", second)
		admin.do(t, "PATCH", at(list, id), obj{"site": second, "scope_type": nil, "scope_id": nil}).Want(t, http.StatusOK)
		has("a site beside no scope", second)
		admin.do(t, "PATCH", at(list, id), obj{"scope_type": nil, "scope_id": nil}).Want(t, http.StatusOK)
		has("emptied", nil)
	}
}
