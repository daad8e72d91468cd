package api_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// injected is what an attacker adds to a body.
func injected(root int64) obj {
	return obj{"id": 1, "pk": 1, "version": 99, "created": "2001-01-01T00:00:00Z", "last_updated": "2001-01-01T00:00:00Z", "epoch": 77,
		"is_superuser": true,
		"user":         root, "user_id": root, "key_hint": "aaaaaa", "key_sealed": "x", "password_sealed": "x", "secret_sealed": "x",
		"additional_headers_sealed": "x", "paused_at": "2001-01-01T00:00:00Z", "url": "http://evil.test/", "display": "x"}
}

// TestMassAssignment: a user who may make and change every type, but is no superuser, gains nothing from fields that
// they may not set.
func TestMassAssignment(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin, l := adminOf(s), newLeast(s)
	root := apitest.ID(admin.page(t, users+"?username=admin").Results[0])
	var types []string
	for _, r := range s.App.API.Routes() {
		if r.Type != nil && !r.Detail && r.Actions == nil {
			types = append(types, r.Type.Key())
		}
	}
	_, mallory := newActor(t, s, "mallory", apitest.Grant{Types: types, Actions: []string{"view", "add", "change", "delete"}})
	for _, r := range s.App.API.Routes() {
		if r.Type == nil || r.Detail || r.Actions != nil || r.Type.ReadOnly {
			continue
		}
		path := r.Type.Path()
		mix := func(drop ...string) obj {
			b := l.body(t, r.Type)
			maps.Copy(b, injected(root))
			for _, name := range drop {
				delete(b, name)
			}
			return b
		}
		t.Run(r.Type.Key(), func(t *testing.T) {
			body := mix(r.Type.Elevated, r.Type.Owner)
			made := mallory.do(t, "POST", path, body).Want(t, http.StatusCreated)
			got := made.Object(t)
			id := apitest.ID(got)
			if made.Header.Get("ETag") != `"1"` || strings.HasPrefix(got["created"].(string), "2001") || got["url"] != s.URL+at(path, id) ||
				got["display"] == "x" {
				t.Errorf("%s %v", made.Header.Get("ETag"), got)
			}
			checkRow(t, s, r.Type.Table(), id)
			delete(body, "password")
			after := mallory.do(t, "PATCH", at(path, id), body).Want(t, http.StatusOK)
			if after.Header.Get("ETag") != `"1"` || apitest.ID(after.Object(t)) != id {
				t.Errorf("the change took effect: %s %s", after.Header.Get("ETag"), after.Raw)
			}
			checkRow(t, s, r.Type.Table(), id)
			for _, name := range []string{r.Type.Elevated, r.Type.Owner} {
				if name == "" || r.Type.Shared != "" { // what belongs to others there gives no rights
					continue
				}
				before := admin.page(t, changeLog).Count
				wantDetail(t, mallory.do(t, "POST", path, mix()), http.StatusForbidden, denied)
				wantDetail(t, mallory.do(t, "PATCH", at(path, id), obj{name: injected(root)[name]}), http.StatusForbidden, denied)
				wantDetail(t, mallory.do(t, "PATCH", path, []obj{{"id": id, name: injected(root)[name]}}), http.StatusForbidden, denied)
				if n := admin.page(t, changeLog).Count; n != before {
					t.Errorf("%d change rows", n-before)
				}
			}
		})
	}
	t.Run("superusers are out of reach", func(t *testing.T) {
		before := admin.get(t, at(users, root)).Want(t, 200)
		for _, call := range []struct {
			method, path string
			body         any
		}{
			{"PATCH", at(users, root), obj{"password": "a password of mallory's"}}, {"PATCH", at(users, root), obj{"is_active": false}},
			{"PATCH", at(users, root), obj{"is_superuser": false}},
			{"PUT", at(users, root), obj{"username": "admin", "password": "a password of mallory's"}}, {"DELETE", at(users, root), nil},
			{"PATCH", users, []obj{{"id": root, "email": "m@evil.test"}}}, {"DELETE", users, []obj{{"id": root}}},
		} {
			wantDetail(t, mallory.do(t, call.method, call.path, call.body), http.StatusForbidden, denied)
		}
		if after := admin.get(t, at(users, root)); string(after.Raw) != string(before.Raw) {
			t.Errorf("%s", after.Raw)
		}
	})
}

// checkRow checks columns that no answer shows.
func checkRow(t *testing.T, s *apitest.Server, table string, id int64) {
	t.Helper()
	query := map[string]string{
		"users_user": `SELECT is_superuser OR epoch <> 1 OR password_sealed = 'x' FROM users_user WHERE id = $1`,
		"extras_webhook": `SELECT secret_sealed <> '' OR additional_headers_sealed <> '' OR EXISTS (SELECT FROM extras_webhook_pause WHERE ` +
			`webhook_id = id) FROM extras_webhook WHERE id = $1`,
		"users_token": `SELECT user_id <> (SELECT id FROM users_user WHERE username = 'mallory') OR key_hint = 'aaaaaa' OR key_sealed = 'x' ` +
			`FROM users_token WHERE id = $1`,
	}[table]
	if query == "" {
		return
	}
	var bad bool
	if err := s.DB.QueryRow(context.Background(), query, id).Scan(&bad); err != nil || bad {
		t.Errorf("%s %d was written as injected (%v)", table, id, err)
	}
}

// TestHiddenRows: records that a caller may not see leave no trace in any answer: the answers are the same bytes
// before and after the hidden rows are deleted.
func TestHiddenRows(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	shown := obj{"name__startswith": "Shown"}
	view := []string{"view", "add", "change", "delete"}
	_, user := newActor(t, s, "user", apitest.Grant{Types: []string{"dcim.site", "dcim.region", "tenancy.tenant", "extras.tag"},
		Actions: view, Constraints: shown},
		apitest.Grant{Types: []string{"users.user"}, Actions: []string{"view"}, Constraints: obj{"id": "$user"}})
	region := admin.create(t, regions, obj{"name": "Shown region", "slug": "shown"})
	hiddenRegion := admin.create(t, regions, obj{"name": "Hidden region", "slug": "hidden", "parent": region})
	tenant := admin.create(t, tenants, obj{"name": "Shown tenant", "slug": "shown"})
	held := admin.create(t, tenants, obj{"name": "Shown and held", "slug": "held"})
	hiddenTenant := admin.create(t, tenants, obj{"name": "Hidden tenant", "slug": "hidden"})
	hiddenTag := admin.create(t, tags, obj{"name": "Hidden tag", "slug": "hidden"})
	for i := range 4 {
		admin.create(t, sites, site(fmt.Sprint("Shown ", i), "region", region, "tenant", tenant))
	}
	var hidden []string
	for i := range 4 {
		id := admin.create(t, sites, site(fmt.Sprint("Hidden ", i), "region", region, "tenant", []int64{tenant, held}[i%2], "facility",
			"secret", "tags", []int64{hiddenTag}))
		hidden = append(hidden, at(sites, id))
	}
	hidden = append(hidden, at(regions, hiddenRegion), at(tenants, hiddenTenant), at(tags, hiddenTag))

	t.Run("they can't be referred to", func(t *testing.T) {
		for field, values := range map[string][2]any{
			"region": {hiddenRegion, 999}, "tenant": {hiddenTenant, 999}, "tags": {[]any{hiddenTag}, []any{999}},
		} {
			for _, v := range values {
				errs := user.do(t, "POST", sites, site("Shown new", field, v)).Want(t, http.StatusBadRequest).Object(t)
				want := fmt.Sprint("[Related object not found using the provided numeric ID: ", strings.Trim(fmt.Sprint(v), "[]"), "]")
				if fmt.Sprint(errs[field]) != want {
					t.Errorf("%s: %v", field, errs)
				}
			}
		}
		for _, slug := range []string{"hidden", "no-such"} {
			errs := user.do(t, "POST", sites, site("Shown new", "region", obj{"slug": slug}, "tenant", obj{"slug": slug})).
				Want(t, http.StatusBadRequest).Object(t)
			want := "[Related object not found using the provided attributes: slug: " + slug + "]"
			if fmt.Sprint(errs["region"]) != want || fmt.Sprint(errs["tenant"]) != want {
				t.Errorf("%v", errs)
			}
		}
		errs := user.do(t, "POST", tokens, obj{"user": obj{"username": "admin"}}).Want(t, http.StatusBadRequest).Object(t)
		if !strings.Contains(fmt.Sprint(errs["user"]), "not found") {
			t.Errorf("%v", errs)
		}
	})
	t.Run("a refused delete does not name them", func(t *testing.T) {
		if raw := string(user.do(t, "DELETE", at(tenants, held), nil).Want(t, http.StatusConflict).Raw); strings.Contains(raw, "Hidden") {
			t.Errorf("%s", raw)
		}
	})
	queries := []string{
		sites, sites + "?q=hidden", sites + "?q=secret", sites + "?name=Hidden+1", sites + "?name__n=Hidden+1",
		sites + "?facility=secret", sites + "?facility__n=secret", sites + "?limit=1", sites + "?limit=2&offset=2",
		sites + "?region=shown", sites + "?region=hidden", fmt.Sprintf("%s?region_id=%d", sites, hiddenRegion), sites + "?tenant=shown",
		sites + "?tenant=hidden", sites + "?tag=hidden", sites + "?tag__n=hidden",
		sites + "?ordering=-name", sites + "?ordering=tenant&limit=3", sites + "?brief=1", regions, regions + "?parent=shown",
		regions + "?q=h", tenants, tenants + "?slug=hidden", tags, tags + "?q=h", users, users + "?q=admin", "/api/", "/api/dcim/",
	}
	queries = append(queries, hidden...)
	before := map[string]string{}
	for _, q := range queries {
		before[q] = string(user.get(t, q).Raw)
	}
	for _, path := range hidden {
		admin.do(t, "DELETE", path, nil).Want(t, http.StatusNoContent)
	}
	for _, q := range queries {
		t.Run("unchanged "+q, func(t *testing.T) {
			if got := string(user.get(t, q).Raw); got != before[q] {
				t.Errorf("before\n%s\nafter\n%s", before[q], got)
			}
		})
	}
	t.Run("custom fields do not show to strangers", func(t *testing.T) {
		admin.create(t, defs, obj{"name": "known", "content_types": []string{"dcim.site"}})
		_, nobody := newActor(t, s, "nobody")
		for _, query := range []string{"?cf_known=1", "?cf_unknown=1", "?nam=1"} {
			wantDetail(t, actor{s, ""}.get(t, sites+query), http.StatusForbidden, noCreds)
			wantDetail(t, nobody.get(t, sites+query), http.StatusForbidden, denied)
		}
	})
}

// TestHiddenMembers: a member of a set that the record shows, but the caller may not see, stays when they change the
// rest of the set. A hidden record can't be added.
func TestHiddenMembers(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	_, user := newActor(t, s, "user", apitest.Grant{Types: []string{"dcim.site", "users.user", "users.permission"},
		Actions: []string{"view", "change"}},
		apitest.Grant{Types: []string{"extras.tag", "users.group"}, Actions: []string{"view"}, Constraints: obj{"name": "Shown"}})
	groups := "/api/users/groups/"
	for _, row := range []struct {
		path, field, members string
		body                 func(name string) obj
		member               func(name string) obj
	}{
		{sites, "tags", tags, func(name string) obj { return site(name) }, func(name string) obj { return site(name) }},
		{users, "groups", groups, func(name string) obj { return obj{"username": name, "password": "a password of nobody's"} },
			func(name string) obj { return obj{"name": name} }},
		{grants, "groups", groups, func(name string) obj {
			return obj{"name": name, "object_types": []string{"dcim.site"}, "actions": []string{"view"}}
		}, nil},
	} {
		t.Run(row.path+row.field, func(t *testing.T) {
			if row.member != nil {
				admin.do(t, "POST", row.members, []obj{row.member("Hidden"), row.member("Other"), row.member("Shown")}).Want(t, http.StatusCreated)
			}
			named := func(name string) int64 { return apitest.ID(admin.page(t, row.members+"?name="+name).Results[0]) }
			hidden, other, shown := named("Hidden"), named("Other"), named("Shown")
			with, without := row.body("with"), row.body("without")
			with[row.field] = []int64{hidden}
			id, bare := admin.create(t, row.path, with), admin.create(t, row.path, without)
			read := user.get(t, at(row.path, id)).Object(t)[row.field].([]any)[0].(obj)
			guess := maps.Clone(read)
			guess["name"] = "Other"
			for _, step := range []struct {
				name string
				id   int64
				set  []any
				want string // the members afterwards, or those that were not found
			}{
				{"add to it", id, []any{hidden, shown}, "Hidden Shown"},
				{"put another one in", id, []any{hidden, other}, fmt.Sprint("numeric ID: ", other, "]")},
				{"put an unknown one in", id, []any{hidden, 999}, "numeric ID: 999]"},
				{"put it elsewhere", bare, []any{hidden, shown}, fmt.Sprint("numeric ID: ", hidden, "]")},
				{"take from it", id, []any{hidden}, "Hidden"},
				{"add to what was read", id, []any{read, shown}, "Hidden Shown"},
				{"guess what it is", id, []any{guess}, "provided attributes: "},
				{"take it off", id, []any{shown}, "Shown"},
				{"put it back", id, []any{hidden, shown}, fmt.Sprint("numeric ID: ", hidden, "]")},
				{"put back what was read", id, []any{read, shown}, "provided attributes: "},
			} {
				got := user.do(t, "PATCH", at(row.path, step.id), obj{row.field: step.set})
				if got.Status == http.StatusOK {
					var members []string
					for _, m := range got.Object(t)[row.field].([]any) {
						members = append(members, m.(obj)["name"].(string))
					}
					if strings.Join(members, " ") != step.want {
						t.Errorf("%s: %s", step.name, members)
					}
				} else if errs := got.Want(t, http.StatusBadRequest).Object(t); !strings.Contains(fmt.Sprint(errs[row.field]), step.want) {
					t.Errorf("%s: %s", step.name, got.Raw)
				}
			}
		})
	}
}
