package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestOwnTokens: everybody has their own tokens by default, and nobody else's.
func TestOwnTokens(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	aliceID, alice := newActor(t, s, "alice")
	bobID, bob := newActor(t, s, "bob",
		apitest.Grant{Types: []string{"users.token"}, Actions: []string{"grant"}},
		apitest.Grant{Types: []string{"users.user"}, Actions: []string{"view"}})
	hers := alice.create(t, tokens, obj{"description": "hers"})

	t.Run("only one's own are listed", func(t *testing.T) {
		for _, row := range alice.page(t, tokens).Results {
			if row["user"].(obj)["username"] != "alice" {
				t.Errorf("alice sees %v", row["display"])
			}
		}
		if n, all := alice.page(t, tokens).Count, admin.page(t, tokens).Count; n != 2 || all != 4 {
			t.Errorf("alice counts %d, an administrator %d", n, all)
		}
	})
	t.Run("somebody else's are not found", func(t *testing.T) {
		for _, call := range []struct {
			method string
			body   any
		}{{"GET", nil}, {"PATCH", obj{"description": "x"}}, {"PUT", obj{"user": bobID}}, {"DELETE", nil}} {
			wantDetail(t, bob.do(t, call.method, at(tokens, hers), call.body), http.StatusNotFound, notFound)
		}
		for _, method := range []string{"PATCH", "DELETE"} {
			errs := bob.do(t, method, tokens, []obj{{"id": hers, "user": bobID}}).Want(t, http.StatusBadRequest).List(t)
			if want := fmt.Sprintf("[map[id:[No object with ID %d was found.]]]", hers); fmt.Sprint(errs) != want {
				t.Errorf("%s: %v", method, errs)
			}
		}
		if n := bob.page(t, fmt.Sprintf("%s?id=%d", tokens, hers)).Count; n != 0 {
			t.Errorf("found by a filter")
		}
	})
	t.Run("one's own can be changed and deleted", func(t *testing.T) {
		if got := alice.patch(t, tokens, hers, obj{"write_enabled": false, "description": "read"}); got["write_enabled"] != false ||
			got["description"] != "read" {
			t.Errorf("%v", got)
		}
		alice.do(t, "DELETE", at(tokens, hers), nil).Want(t, http.StatusNoContent)
	})
	t.Run("for another user it needs grant_token", func(t *testing.T) {
		if errs := alice.do(t, "POST", tokens, obj{"user": bobID}).Want(t, http.StatusBadRequest).Object(t); errs["user"] == nil {
			t.Errorf("alice may not even see bob: %v", errs)
		}
		_, carol := newActor(t, s, "carol", apitest.Grant{Types: []string{"users.user"}, Actions: []string{"view"}})
		wantDetail(t, carol.do(t, "POST", tokens, obj{"user": bobID}), http.StatusForbidden, denied)
		own := carol.create(t, tokens, obj{})
		wantDetail(t, carol.do(t, "PATCH", at(tokens, own), obj{"user": bobID}), http.StatusForbidden, denied)
		if got := carol.get(t, at(tokens, own)).Object(t)["user"].(obj)["username"]; got != "carol" {
			t.Errorf("the token moved to %v", got)
		}
	})
	t.Run("grant_token alone is not add", func(t *testing.T) {
		// Bob may add his own by default; a token for alice lies outside that.
		wantDetail(t, bob.do(t, "POST", tokens, obj{"user": aliceID}), http.StatusForbidden, denied)
	})
	t.Run("with add and grant", func(t *testing.T) {
		admin.create(t, grants, obj{"name": "add tokens", "object_types": []string{"users.token"}, "actions": []string{"add"},
			"users": []int64{bobID}})
		made := bob.do(t, "POST", tokens, obj{"user": aliceID, "description": "by bob"}).Want(t, http.StatusCreated).Object(t)
		if made["user"].(obj)["username"] != "alice" || made["key"] == nil {
			t.Errorf("%v", made)
		}
		wantDetail(t, bob.get(t, at(tokens, apitest.ID(made))), http.StatusNotFound, notFound)
	})
	t.Run("but not for a superuser", func(t *testing.T) {
		root := apitest.ID(admin.page(t, users+"?username=admin").Results[0])
		wantDetail(t, bob.do(t, "POST", tokens, obj{"user": root}), http.StatusForbidden, denied)
	})
	t.Run("a read-only token makes no other", func(t *testing.T) {
		reader := actor{s, s.TokenOf(t, "alice", true)}
		wantDetail(t, reader.do(t, "POST", tokens, obj{"write_enabled": true}), http.StatusForbidden, denied)
		for _, row := range reader.page(t, tokens).Results {
			wantDetail(t, reader.do(t, "PATCH", at(tokens, apitest.ID(row)), obj{"write_enabled": true}), http.StatusForbidden, denied)
		}
	})
}

// TestAllowedNetworks: networks are kept in the form in which callers are known, where an IPv4 address is never
// inside an IPv6 one.
func TestAllowedNetworks(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	_, alice := newActor(t, s, "alice")
	for given, want := range map[string]string{
		"10.0.0.1": "10.0.0.1/32", "10.1.2.3/8": "10.0.0.0/8", "0.0.0.0/0": "0.0.0.0/0", "2001:db8::1": "2001:db8::1/128",
		"2001:db8::1/32": "2001:db8::/32", "::/0": "::/0",
		"::ffff:10.0.0.1": "10.0.0.1/32", "::ffff:10.1.2.3/104": "10.0.0.0/8", "::ffff:0:0/96": "0.0.0.0/0", "::ffff:10.0.0.1/128": "10.0.0.1/32",
		"::ffff:10.0.0.0/95": "", "::ffff:10.0.0.0/8": "", "10.0.0.0/33": "", "localhost": "",
	} {
		a := alice.do(t, "POST", tokens, obj{"allowed_ips": []string{given}})
		if want == "" {
			if errs := a.Want(t, http.StatusBadRequest).Object(t); errs["allowed_ips"] == nil {
				t.Errorf("%s: %v", given, errs)
			}
			continue
		}
		if got := a.Want(t, http.StatusCreated).Object(t)["allowed_ips"]; fmt.Sprint(got) != "["+want+"]" {
			t.Errorf("%s is kept as %v, want %s", given, got, want)
		}
	}
	key := alice.do(t, "POST", tokens, obj{"allowed_ips": []string{"::ffff:192.0.2.0/120"}}).Want(t, http.StatusCreated).
		Object(t)["key"].(string)
	for from, status := range map[string]int{"192.0.2.7:1234": 200, "[::ffff:192.0.2.7]:1234": 200, "192.0.3.7:1234": 403} {
		s.Do(t, apitest.Call{Method: "GET", Path: tokens, Token: key, From: from}).Want(t, status)
	}
}

// TestConstraints: the same two permissions with different constraints, the sites that they let a user see, and what
// each lookup means. The sites are Alpha (active, in a region, tenant Acme), alpine (planned), Beta (retired, in the
// region).
func TestConstraints(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	region := admin.create(t, regions, obj{"name": "North", "slug": "north"})
	tenant := admin.create(t, tenants, obj{"name": "Acme", "slug": "acme"})
	red, blue := admin.create(t, tags, obj{"name": "red", "slug": "red"}), admin.create(t, tags, obj{"name": "blue", "slug": "blue"})
	alpha := admin.create(t, sites, site("Alpha", "region", region, "tenant", tenant, "latitude", 10, "tags", []int64{red, blue}))
	admin.create(t, sites, site("alpine", "status", "planned", "latitude", 20, "tags", []int64{red}))
	admin.create(t, sites, site("Beta", "status", "retired", "region", region, "facility", "x_y"))
	id, user := newActor(t, s, "user")
	permission := func(name string, constraints any) int64 {
		return admin.create(t, grants, obj{"name": name, "object_types": []string{"dcim.site"}, "actions": []string{"view"},
			"users": []int64{id}, "constraints": constraints})
	}
	one := permission("one", nil)
	for _, row := range []struct {
		name        string
		constraints any
		want        string
	}{
		{"null", nil, "Alpha alpine Beta"},
		{"empty object", obj{}, "Alpha alpine Beta"},
		{"empty list", []any{}, ""},
		{"one key", obj{"name": "Alpha"}, "Alpha"},
		{"keys are ANDed", obj{"region": region, "status": "active"}, "Alpha"},
		{"objects are ORed", []obj{{"status": "active"}, {"status": "planned"}}, "Alpha alpine"},
		{"AND inside OR", []obj{{"region": region, "status": "active"}, {"name": "alpine"}}, "Alpha alpine"},
		{"exact", obj{"name__exact": "Alpha"}, "Alpha"},
		{"iexact", obj{"name__iexact": "ALPHA"}, "Alpha"},
		{"contains minds the case", obj{"name__contains": "LP"}, ""},
		{"contains", obj{"name__contains": "lp"}, "Alpha alpine"},
		{"icontains", obj{"name__icontains": "LP"}, "Alpha alpine"},
		{"startswith minds the case", obj{"name__startswith": "Al"}, "Alpha"},
		{"istartswith", obj{"name__istartswith": "Al"}, "Alpha alpine"},
		{"endswith minds the case", obj{"name__endswith": "HA"}, ""},
		{"endswith", obj{"name__endswith": "ha"}, "Alpha"},
		{"iendswith", obj{"name__iendswith": "HA"}, "Alpha"},
		{"wildcards mean themselves", obj{"facility__contains": "_"}, "Beta"},
		{"percent too", obj{"name__contains": "%"}, ""},
		{"in", obj{"name__in": []string{"Alpha", "Beta"}}, "Alpha Beta"},
		{"id in", obj{"id__in": []int64{alpha}}, "Alpha"},
		{"pk", obj{"pk": alpha}, "Alpha"},
		{"isnull", obj{"region__isnull": true}, "alpine"},
		{"isnull false", obj{"region__isnull": false}, "Alpha Beta"},
		{"isnull behind a reference", obj{"tenant__group__isnull": true}, "Alpha"},
		{"isnull false behind a reference, without one", obj{"tenant__group__isnull": false}, ""},
		{"null value", obj{"tenant": nil}, "alpine Beta"},
		{"gte", obj{"latitude__gte": 20}, "alpine"},
		{"lt", obj{"latitude__lt": 20}, "Alpha"},
		{"lte", obj{"latitude__lte": 20}, "Alpha alpine"},
		{"gt", obj{"latitude__gt": "10"}, "alpine"},
		{"through a reference", obj{"region__slug": "north"}, "Alpha Beta"},
		{"through a reference with a lookup", obj{"tenant__name__startswith": "Ac"}, "Alpha"},
		{"reference id", obj{"region_id": region}, "Alpha Beta"},
		{"through tags", obj{"tags__slug": "blue"}, "Alpha"},
		{"tags in", obj{"tags__slug__in": []string{"red", "blue"}}, "Alpha alpine"},
		{"lookup of the filters: n", obj{"status__n": "active"}, "alpine Beta"},
		{"lookup of the filters: ic", obj{"name__ic": "LP"}, "Alpha alpine"},
		{"lookup of the filters: empty", obj{"facility__empty": false}, "Beta"},
	} {
		t.Run(row.name, func(t *testing.T) {
			admin.patch(t, grants, one, obj{"constraints": row.constraints})
			page := user.page(t, sites+"?ordering=id")
			if got := names(page.Results, "name"); got != row.want || page.Count != int64(len(page.Results)) {
				t.Errorf("sees %q (%d), want %q", got, page.Count, row.want)
			}
		})
	}
	t.Run("several permissions are ORed", func(t *testing.T) {
		admin.patch(t, grants, one, obj{"constraints": obj{"name": "Alpha"}})
		permission("two", obj{"name": "Beta"})
		if got := names(user.page(t, sites+"?ordering=id").Results, "name"); got != "Alpha Beta" {
			t.Errorf("sees %q", got)
		}
	})
	t.Run("a disabled permission grants nothing", func(t *testing.T) {
		admin.patch(t, grants, one, obj{"enabled": false})
		if got := names(user.page(t, sites).Results, "name"); got != "Beta" {
			t.Errorf("sees %q", got)
		}
	})
	t.Run("through a group", func(t *testing.T) {
		group := admin.create(t, "/api/users/groups/", obj{"name": "staff"})
		admin.patch(t, grants, one, obj{"enabled": true, "users": []int64{}, "groups": []int64{group}})
		if got := names(user.page(t, sites).Results, "name"); got != "Beta" {
			t.Errorf("outside the group sees %q", got)
		}
		admin.patch(t, users, id, obj{"groups": []int64{group}})
		if got := names(user.page(t, sites+"?ordering=id").Results, "name"); got != "Alpha Beta" {
			t.Errorf("inside the group sees %q", got)
		}
	})
	t.Run("$user", func(t *testing.T) {
		admin.create(t, grants, obj{"name": "me", "object_types": []string{"users.user"}, "actions": []string{"view"},
			"users": []int64{id}, "constraints": obj{"id": "$user"}})
		if got := names(user.page(t, users).Results, "username"); got != "user" {
			t.Errorf("sees %q", got)
		}
		admin.create(t, grants, obj{"name": "mine", "object_types": []string{"extras.objectchange"}, "actions": []string{"view"},
			"users": []int64{id}, "constraints": obj{"user": "$user"}})
		user.create(t, tokens, obj{})
		if got := user.page(t, changeLog); got.Count != 1 || got.Results[0]["user_name"] != "user" {
			t.Errorf("sees %d changes", got.Count)
		}
	})
	for _, constraints := range []any{obj{"nam": 1}, obj{"name__like": "x"}, obj{"name__gte": "x"}, obj{"region__slug__foo": "x"},
		obj{"latitude": "north"},
		obj{"name": obj{}}, obj{"name": "$user"}, "name", 1, []any{1}, obj{"custom_fields": 1}, obj{"region__isnull": "yes"},
		obj{"id__gte": nil}} {
		t.Run(fmt.Sprintf("refused %v", constraints), func(t *testing.T) {
			errs := admin.do(t, "PATCH", at(grants, one), obj{"constraints": constraints}).Want(t, http.StatusBadRequest).Object(t)
			if errs["constraints"] == nil {
				t.Errorf("%v", errs)
			}
		})
	}
	t.Run("isnull on a JSON field", func(t *testing.T) {
		admin.create(t, grants, obj{"name": "plain definitions", "object_types": []string{"extras.customfield"},
			"actions": []string{"view"}, "users": []int64{id}, "constraints": obj{"default__isnull": true}})
		admin.create(t, defs, obj{"name": "plain", "content_types": []string{"dcim.region"}})
		admin.create(t, defs, obj{"name": "filled", "content_types": []string{"dcim.region"}, "default": "x"})
		if got := names(user.page(t, defs).Results, "name"); got != "plain" {
			t.Errorf("sees %q", got)
		}
	})
}

// TestConstrainedWrites: no permission is 403, an object outside the constraints 404, and a
// write that takes it outside is rolled back with 403 and leaves no trace.
func TestConstrainedWrites(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	all := []string{"view", "add", "change", "delete"}
	_, user := newActor(t, s, "user", apitest.Grant{Types: []string{"dcim.site"}, Actions: all, Constraints: obj{"status": "planned"}})
	mine := admin.create(t, sites, site("Mine", "status", "planned"))
	other := admin.create(t, sites, site("Other"))
	changesOf := func() int64 { return admin.page(t, changeLog).Count }

	wantDetail(t, user.get(t, regions), http.StatusForbidden, denied)
	for _, row := range []struct {
		name, method, path string
		body               any
		status             int
	}{
		{"get outside", "GET", at(sites, other), nil, 404},
		{"patch outside", "PATCH", at(sites, other), obj{"status": "planned"}, 404},
		{"put outside", "PUT", at(sites, other), site("Other", "status", "planned"), 404},
		{"delete outside", "DELETE", at(sites, other), nil, 404},
		{"bulk patch outside", "PATCH", sites, []obj{{"id": other, "status": "planned"}}, 400},
		{"bulk delete outside", "DELETE", sites, []obj{{"id": other}}, 400},
		{"bulk delete, one outside", "DELETE", sites, []obj{{"id": mine}, {"id": other}}, 400},
		{"move out by patch", "PATCH", at(sites, mine), obj{"status": "active"}, 403},
		{"move out by put", "PUT", at(sites, mine), site("Mine", "status", "active"), 403},
		{"move out in bulk", "PATCH", sites, []obj{{"id": mine, "status": "active"}}, 403},
		{"create outside", "POST", sites, site("New"), 403},
		{"create in bulk, one outside", "POST", sites, []obj{site("New 1", "status", "planned"), site("New 2")}, 403},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := changesOf()
			user.do(t, row.method, row.path, row.body).Want(t, row.status)
			if n := changesOf(); n != before {
				t.Errorf("%d change rows of a refused change", n-before)
			}
			if got := names(admin.page(t, sites+"?ordering=id").Results, "name"); got != "Mine Other" {
				t.Errorf("the sites are now %q", got)
			}
			if got := admin.get(t, at(sites, mine)).Object(t)["status"].(obj)["value"]; got != "planned" {
				t.Errorf("the site is now %v", got)
			}
		})
	}
	t.Run("inside it works", func(t *testing.T) {
		user.patch(t, sites, mine, obj{"facility": "F"})
		id := user.create(t, sites, site("Planned", "status", "planned"))
		user.do(t, "DELETE", at(sites, id), nil).Want(t, http.StatusNoContent)
	})
}
