package api_test

import (
	"bytes"
	"net/http"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestStrictBodies: a key that the type does not know is refused with the nearest known one if the request asks for that, or a setting does
// for all. Nothing is written then. What was read can be sent back.
func TestStrictBodies(t *testing.T) {
	t.Parallel()
	for name, all := range map[string]bool{"asked for": false, "for all": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t, func(c *app.Config) { c.StrictBodies = all })
			admin := adminOf(s)
			prefix := admin.create(t, "/api/ipam/prefixes/", obj{"prefix": "10.0.0.0/24"})
			id := admin.create(t, sites, site("A"))
			read := merge(admin.get(t, at(sites, id)).Object(t), []any{"status", "active"})
			send := func(t *testing.T, method, path string, body any, prefer string) apitest.Answer {
				t.Helper()
				return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body, Header: map[string]string{"Prefer": prefer}})
			}
			for _, row := range []struct {
				name, method, path string
				body               any
				status             int
				want               string
			}{
				{"a change", "PATCH", at(sites, id), obj{"descriptn": "zz", "statuss": "planned"}, 400,
					`{"descriptn":["Unknown field. Did you mean \"description\"?"],"statuss":["Unknown field. Did you mean \"status\"?"]}`},
				{"nothing like it", "POST", sites, site("B", "quux", 1), 400, `{"quux":["Unknown field."]}`},
				{"a list", "POST", sites, []obj{site("C"), site("D", "nam", "x")}, 400,
					`[{},{"nam":["Unknown field. Did you mean \"name\"?"]}]`},
				{"a list of changes", "PATCH", sites, []obj{{"id": id, "facilty": "1"}}, 400,
					`[{"facilty":["Unknown field. Did you mean \"facility\"?"]}]`},
				{"a list to delete", "DELETE", sites, []obj{{"id": id, "idd": 1}}, 400, `[{"idd":["Unknown field. Did you mean \"id\"?"]}]`},
				{"an action that adds", "POST", at("/api/ipam/prefixes/", prefix) + "available-ips/", obj{"dns_nam": "x"}, 400,
					`{"dns_nam":["Unknown field. Did you mean \"dns_name\"?"]}`},
				{"a token", "POST", tokens + "provision/", obj{"username": "admin", "password": apitest.Password, "desc": "x"}, 400,
					`{"desc":["Unknown field."]}`},
				{"what was read", "PUT", at(sites, id), read, 200, ""},
				{"what is known", "POST", at("/api/ipam/prefixes/", prefix) + "available-prefixes/",
					obj{"prefix_length": 28, "description": "x", "display": "x"}, 201, ""},
			} {
				prefer := "respond-async, Handling = \"strict\"; x=y"
				if all {
					prefer = "handling=lenient"
				}
				a := send(t, row.method, row.path, row.body, prefer).Want(t, row.status)
				if row.want != "" && string(bytes.TrimSpace(a.Raw)) != row.want {
					t.Errorf("%s: %s, want %s", row.name, a.Raw, row.want)
				}
				if applied := a.Header.Get("Preference-Applied"); (applied == "handling=strict") == all {
					t.Errorf("%s: Preference-Applied is %q", row.name, applied)
				}
			}
			if n := admin.get(t, sites).Object(t)["count"]; n != 1.0 {
				t.Errorf("%v sites, want the first alone", n)
			}
			if status := send(t, "PATCH", at(sites, id), obj{"colour": "x"}, "handling=lenient").Status; (status == http.StatusOK) == all {
				t.Errorf("without being asked for: %d", status)
			}
		})
	}
}
