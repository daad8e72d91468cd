package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestClaimsAreProven changes what a caller may do between two reads with the same token. The second read must
// respect the change, although it comes right after the first.
func TestClaimsAreProven(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	site := apitest.ID(s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/sites/", Token: s.Admin,
		Body: map[string]any{"name": "x", "slug": "x"}}).Object(t))
	if site == 0 {
		t.Fatal("no site")
	}
	_, key := s.User(t, "carol")
	sql := func(statement string) func() {
		return func() {
			t.Helper()
			if _, err := s.DB.Exec(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
	}
	api := func(method, path string, body any) func() {
		return func() {
			t.Helper()
			if a := s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body}); a.Status >= 300 {
				t.Fatalf("%s %s: %d %s", method, path, a.Status, a.Raw)
			}
		}
	}
	permission := map[string]any{"name": "p", "object_types": []string{"dcim.site"}, "actions": []string{"view"},
		"users": []map[string]any{{"username": "carol"}}}
	for _, step := range []struct {
		what string
		do   func()
		want int
	}{
		{"nothing is granted", func() {}, 403},
		{"a permission is granted", api("POST", "/api/users/permissions/", permission), 200},
		{"it is limited to other records", api("PATCH", "/api/users/permissions/1/",
			map[string]any{"constraints": map[string]any{"name": "y"}}), 404},
		{"it is widened again", api("PATCH", "/api/users/permissions/1/", map[string]any{"constraints": nil}), 200},
		{"it is disabled by SQL", sql("UPDATE users_permission SET enabled = false"), 403},
		{"it is enabled by SQL", sql("UPDATE users_permission SET enabled = true"), 200},
		{"it moves to a group",
			sql("INSERT INTO users_group VALUES (9, 1, 'g', '', now(), now()); UPDATE users_permission SET users = '{}', groups = '{9}'"), 403},
		{"the user joins the group", sql("UPDATE users_user SET groups = '{9}' WHERE username = 'carol'"), 200},
		{"the user is deactivated", sql("UPDATE users_user SET is_active = false WHERE username = 'carol'"), 403},
		{"the user is active again", sql("UPDATE users_user SET is_active = true WHERE username = 'carol'"), 200},
		{"the token expires", sql("UPDATE users_token SET expires = now() - interval '1 s' WHERE user_id <> 1"), 403},
		{"it lasts longer", sql("UPDATE users_token SET expires = NULL"), 200},
		{"it is bound to another address", sql("UPDATE users_token SET allowed_ips = '{10.0.0.0/8}' WHERE user_id <> 1"), 403},
		{"it is free again", sql("UPDATE users_token SET allowed_ips = '{}'"), 200},
		{"it is revoked", sql("DELETE FROM users_token WHERE user_id <> 1"), 403},
	} {
		step.do()
		for range 3 { // the first look, then claims
			if a := s.Do(t, apitest.Call{Method: "GET", Path: "/api/dcim/sites/1/", Token: key}); a.Status != step.want {
				t.Fatalf("%s: %d, want %d: %s", step.what, a.Status, step.want, a.Raw)
			}
			list := s.Do(t, apitest.Call{Method: "GET", Path: "/api/dcim/sites/", Token: key})
			if want := map[int]int{200: 200, 404: 200, 403: 403}[step.want]; list.Status != want {
				t.Fatalf("%s: the list answers %d, want %d", step.what, list.Status, want)
			}
		}
	}
	// Addresses that read nothing refuse a revoked token too.
	for i, path := range []string{"/api/", "/api/status/", "/api/schema/"} {
		_, key := s.User(t, fmt.Sprint("dave", i), apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
		s.Do(t, apitest.Call{Method: "GET", Path: "/api/dcim/sites/1/", Token: key}).Want(t, http.StatusOK)
		sql("DELETE FROM users_token WHERE user_id <> 1")()
		s.Do(t, apitest.Call{Method: "GET", Path: path, Token: key}).Want(t, http.StatusForbidden)
	}
}

// TestClaimedWrites: a change set is made only for a caller who is still allowed to, and a body that was read on a
// stale claim is read again.
func TestClaimedWrites(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	_, key := s.User(t, "carol", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add", "change", "delete"}})
	sql := func(statement string) {
		t.Helper()
		if _, err := s.DB.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	made := 0
	all := func(want map[string]int, what string) {
		t.Helper()
		for range 3 { // the first lookup, then claims
			made++
			none := s.Do(t, apitest.Call{Method: "DELETE", Path: "/api/dcim/sites/", Token: key, Body: []any{}}).Status // opens no transaction
			name := fmt.Sprint("site ", made)
			a := s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/sites/", Token: key,
				Body: map[string]any{"name": name, "slug": fmt.Sprint("s", made), "comments": what}})
			id := 1
			if a.Status == 201 {
				id = int(apitest.ID(a.Object(t)))
				if a.Object(t)["name"] != name {
					t.Errorf("%s: made %v", what, a.Object(t)["name"])
				}
			}
			path := fmt.Sprintf("/api/dcim/sites/%d/", id)
			for method, got := range map[string]int{"POST": a.Status,
				"PATCH": s.Do(t, apitest.Call{Method: "PATCH", Path: path, Token: key, Body: map[string]any{"facility": fmt.Sprint(made)}}).Status,
				"none":  none} {
				if got != want[method] {
					t.Errorf("%s: %s answers %d, want %d", what, method, got, want[method])
				}
			}
			if made%3 == 0 {
				if got := s.Do(t, apitest.Call{Method: "DELETE", Path: path, Token: key}).Status; got != want["DELETE"] {
					t.Errorf("%s: DELETE answers %d, want %d", what, got, want["DELETE"])
				}
			}
		}
	}
	allowed := map[string]int{"POST": 201, "PATCH": 200, "none": 204, "DELETE": 204}
	all(allowed, "as granted")
	for range 5 { // stale each time, and still allowed
		sql("UPDATE users_user SET username = username WHERE username = 'carol'")
		all(allowed, "after a change that takes nothing away")
	}
	count := func() (n int) {
		t.Helper()
		if err := s.DB.QueryRow(t.Context(), "SELECT count(*) + (SELECT count(*) FROM extras_objectchange) FROM dcim_site").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := count()
	for _, step := range []struct{ what, statement string }{
		{"revoked permission", "UPDATE users_permission SET enabled = false"},
		{"read-only token", "UPDATE users_permission SET enabled = true; UPDATE users_token SET write_enabled = false WHERE user_id <> 1"},
		{"no user", "UPDATE users_token SET write_enabled = true; UPDATE users_user SET is_active = false WHERE username = 'carol'"},
	} {
		sql(step.statement)
		all(map[string]int{"POST": 403, "PATCH": 403, "none": 403, "DELETE": 403}, step.what)
	}
	if after := count(); after != before {
		t.Errorf("%d sites and changes, %d before", after, before)
	}
}

// TestClaimsExpire: a claim ends with its token's expiry, which no change to the accounts announces.
func TestClaimsExpire(t *testing.T) {
	t.Parallel()
	s := apitest.New(t, func(c *app.Config) { c.LoginRequired = true })
	var done bool
	_, err := s.DB.Exec(t.Context(), "UPDATE users_token SET expires = clock_timestamp() + interval '400 ms'")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[int]int{}
	for !done {
		a := s.Do(t, apitest.Call{Method: "GET", Path: "/api/dcim/sites/", Token: s.Admin})
		answers[a.Status]++
		done = a.Status != http.StatusOK || answers[http.StatusOK] > 100_000
	}
	if answers[http.StatusForbidden] != 1 || answers[http.StatusOK] == 0 {
		t.Errorf("answers by status: %v", answers)
	}
}
