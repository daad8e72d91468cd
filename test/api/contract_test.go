package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

const provision = "/api/users/tokens/provision/"

var (
	timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$`)
	hexKey    = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// tokenFields is the table of interface.md §2.1: each field and what it must be on a
// token that was just provisioned for alice (§4.1).
var tokenFields = []struct {
	field string
	ok    func(v any, token obj, s *apitest.Server) bool
}{
	{"id", func(v any, _ obj, _ *apitest.Server) bool {
		n, ok := v.(float64)
		return ok && n > 0 && n == float64(int64(n))
	}},
	{"url", func(v any, token obj, s *apitest.Server) bool { return v == s.URL+at(tokens, apitest.ID(token)) }},
	{"display", func(v any, token obj, _ *apitest.Server) bool {
		key, _ := token["key"].(string)
		return len(key) == 40 && v == key[34:]+" (alice)"
	}},
	{"user", func(v any, _ obj, s *apitest.Server) bool {
		u, ok := v.(obj)
		return ok && len(u) == 4 && u["username"] == "alice" && u["display"] == "alice" && u["url"] == s.URL+at(users, apitest.ID(u))
	}},
	{"created", func(v any, _ obj, _ *apitest.Server) bool { return timestamp.MatchString(fmt.Sprint(v)) }},
	{"expires", func(v any, _ obj, _ *apitest.Server) bool { return v == nil }},
	{"key", func(v any, _ obj, _ *apitest.Server) bool { return hexKey.MatchString(fmt.Sprint(v)) }},
	{"write_enabled", func(v any, _ obj, _ *apitest.Server) bool { return v == true }},
	{"description", func(v any, _ obj, _ *apitest.Server) bool { return v == "" }},
}

func TestTokenOfTheContract(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	aliceID, alice := newActor(t, s, "alice", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add"}})
	credentials := obj{"username": "alice", "password": apitest.Password}

	made := s.Do(t, apitest.Call{Method: "POST", Path: provision, Body: credentials,
		Header: map[string]string{"Accept": "application/json; indent=4"}}).Want(t, http.StatusCreated)
	token := made.Object(t)
	for _, row := range tokenFields {
		t.Run("field "+row.field, func(t *testing.T) {
			if v, given := token[row.field]; !given || !row.ok(v, token, s) {
				t.Errorf("%s is %v (given: %v)", row.field, v, given)
			}
		})
	}
	t.Run("indent", func(t *testing.T) {
		if !strings.Contains(string(made.Raw), "\n    \"id\":") {
			t.Errorf("not indented: %s", made.Raw)
		}
	})
	t.Run("location", func(t *testing.T) {
		if made.Header.Get("Location") != token["url"] {
			t.Errorf("Location is %q, url %q", made.Header.Get("Location"), token["url"])
		}
	})
	key, id := token["key"].(string), apitest.ID(token)
	t.Run("the key is shown once and null ever after", func(t *testing.T) {
		for name, a := range map[string]apitest.Answer{
			"get": alice.get(t, at(tokens, id)), "patch": alice.do(t, "PATCH", at(tokens, id), obj{"description": "x"}),
			"admin": admin.get(t, at(tokens, id)),
		} {
			if v, given := a.Want(t, http.StatusOK).Object(t)["key"]; !given || v != nil {
				t.Errorf("%s: key is %v (given: %v)", name, v, given)
			}
		}
		for _, path := range []string{tokens, changeLog + "?limit=0"} {
			if strings.Contains(string(admin.get(t, path).Raw), key) {
				t.Errorf("GET %s shows the key", path)
			}
		}
	})
	t.Run("rule 1: one or more tokens", func(t *testing.T) {
		before := alice.page(t, tokens).Count
		alice.create(t, tokens, obj{})
		alice.create(t, tokens, obj{})
		if n := alice.page(t, tokens).Count; n != before+2 {
			t.Errorf("%d tokens after two more than %d", n, before)
		}
	})
	t.Run("rule 2: a key may be supplied to restore a token", func(t *testing.T) {
		alice.do(t, "DELETE", at(tokens, id), nil).Want(t, http.StatusNoContent)
		wantDetail(t, actor{s, key}.get(t, sites), http.StatusForbidden, "Invalid token")
		again := alice.do(t, "POST", tokens, obj{"key": key}).Want(t, http.StatusCreated).Object(t)
		if again["key"] != key {
			t.Errorf("restored with key %v", again["key"])
		}
		actor{s, key}.page(t, sites)
		for name, weak := range map[string]string{"short": "abc", "not hex": strings.Repeat("g", 40), "one digit": strings.Repeat("0", 40),
			"counting": "0123456789abcdef0123456789abcdef01234567", "taken": key} {
			if errs := alice.do(t, "POST", tokens, obj{"key": weak}).Want(t, http.StatusBadRequest).Object(t); errs["key"] == nil {
				t.Errorf("%s: %v", name, errs)
			}
		}
		if errs := alice.do(t, "PATCH", at(tokens, apitest.ID(again)), obj{"key": strings.Repeat("0123456789abcdef0f1e", 2)}).
			Want(t, http.StatusBadRequest).Object(t); errs["key"] == nil {
			t.Errorf("the key of a token was changed: %v", errs)
		}
	})
	t.Run("rule 3: what the user may do", func(t *testing.T) {
		alice.create(t, sites, site("By alice"))
		wantDetail(t, alice.do(t, "POST", tenants, obj{"name": "x", "slug": "x"}), http.StatusForbidden, denied)
	})
	t.Run("rule 4: an administrator takes tokens away", func(t *testing.T) {
		own := alice.create(t, tokens, obj{"description": "mine"})
		admin.patch(t, users, aliceID, obj{"manage_tokens": false})
		wantDetail(t, alice.do(t, "POST", tokens, obj{}), http.StatusForbidden, denied)
		wantDetail(t, alice.do(t, "PATCH", at(tokens, own), obj{"description": "x"}), http.StatusForbidden, denied)
		wantDetail(t, s.Do(t, apitest.Call{Method: "POST", Path: provision, Body: credentials}), http.StatusForbidden, denied)
		alice.page(t, tokens)
		alice.do(t, "DELETE", at(tokens, own), nil).Want(t, http.StatusNoContent)
		back := admin.create(t, grants, obj{"name": "tokens back", "object_types": []string{"users.token"}, "actions": []string{"add"},
			"users": []int64{aliceID}, "constraints": obj{"user": "$user"}})
		alice.create(t, tokens, obj{})
		s.Do(t, apitest.Call{Method: "POST", Path: provision, Body: credentials}).Want(t, http.StatusCreated)
		admin.do(t, "DELETE", at(grants, back), nil).Want(t, http.StatusNoContent)
		admin.patch(t, users, aliceID, obj{"manage_tokens": true})
		alice.create(t, tokens, obj{})
	})
	t.Run("rule 5: expiry", func(t *testing.T) {
		later := alice.do(t, "POST", tokens, obj{"expires": "2999-01-02T03:04:05Z"}).Want(t, http.StatusCreated).Object(t)
		if later["expires"] != "2999-01-02T03:04:05.000000Z" {
			t.Errorf("expires is %v", later["expires"])
		}
		holder := actor{s, later["key"].(string)}
		holder.page(t, sites)
		admin.patch(t, tokens, apitest.ID(later), obj{"expires": "2001-01-01T00:00:00Z"})
		wantDetail(t, holder.get(t, sites), http.StatusForbidden, "Token expired")
	})
}

// TestProvision: §4.1 of the interface, and what clients.md adds to it.
func TestProvision(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	newActor(t, s, "alice")
	for _, row := range []struct {
		name   string
		body   any
		status int
		want   obj // a part of the answer
	}{
		{"expires, description, write_enabled and allowed_ips are honoured",
			obj{"username": "alice", "password": apitest.Password, "expires": "2999-01-01T00:00:00Z", "description": "ci",
				"write_enabled": false, "allowed_ips": []string{"192.0.2.1"}},
			201, obj{"expires": "2999-01-01T00:00:00.000000Z", "description": "ci", "write_enabled": false, "allowed_ips": "[192.0.2.1/32]"}},
		{"the rest is not", obj{"username": "alice", "password": apitest.Password, "user": 1, "key": strings.Repeat("0123456789abcdef0f1e", 2)},
			201, obj{"allowed_ips": []any{}, "write_enabled": true}},
		{"wrong password", obj{"username": "alice", "password": "wrong"}, 403, obj{"detail": "Invalid username/password"}},
		{"unknown user", obj{"username": "bob", "password": apitest.Password}, 403, obj{"detail": "Invalid username/password"}},
		{"nothing", obj{}, 400, obj{"username": []any{"This field is required."}, "password": []any{"This field is required."}}},
		{"no password", obj{"username": "alice"}, 400, obj{"password": []any{"This field is required."}}},
		{"no name", obj{"password": "x"}, 400, obj{"username": []any{"This field is required."}}},
		{"blank", obj{"username": "", "password": ""}, 400,
			obj{"username": []any{"This field may not be blank."}, "password": []any{"This field may not be blank."}}},
		{"no texts", obj{"username": 1, "password": obj{}}, 400,
			obj{"username": []any{"Not a valid string."}, "password": []any{"Not a valid string."}}},
		{"a bad expiry", obj{"username": "alice", "password": apitest.Password, "expires": "soon"}, 400, nil},
		{"a list", []any{}, 400, nil},
		{"not JSON", "{", 400, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := s.Do(t, apitest.Call{Method: "POST", Path: provision, Body: row.body}).Want(t, row.status).Object(t)
			for field, want := range row.want {
				if fmt.Sprint(got[field]) != fmt.Sprint(want) {
					t.Errorf("%s is %v, want %v", field, got[field], want)
				}
			}
			if row.status == 201 && got["user"].(obj)["username"] != "alice" {
				t.Errorf("made for %v", got["user"])
			}
		})
	}
}

// TestAuthentication is the table of clients.md, §5 and §7 of the interface: what is
// sent, from where, and the one detail it is refused with ("" when it is accepted).
func TestAuthentication(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	_, alice := newActor(t, s, "alice", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "add"}})
	ghostID, ghost := newActor(t, s, "ghost")
	admin.patch(t, users, ghostID, obj{"is_active": false})
	keyWith := func(more obj) string {
		return alice.do(t, "POST", tokens, more).Want(t, http.StatusCreated).Object(t)["key"].(string)
	}
	expired := keyWith(obj{"expires": "2001-01-01T00:00:00Z"})
	bound := keyWith(obj{"allowed_ips": []string{"192.0.2.0/24", "2001:db8::1"}})
	reader := s.TokenOf(t, "alice", true)
	unknown := "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"
	for _, row := range []struct {
		name, header, from string
		method             string
		detail             string
	}{
		{"no credentials (§5.6, §7)", "", "", "GET", noCreds},
		{"no credentials, write", "", "", "POST", noCreds},
		{"another scheme", "Basic YWxpY2U6eA==", "", "GET", noCreds},
		{"bearer", "Bearer " + alice.key, "", "GET", noCreds},
		{"the bare key", alice.key, "", "GET", noCreds},
		{"token (§5.1)", "Token " + alice.key, "", "GET", ""},
		{"lower case", "token " + alice.key, "", "GET", ""},
		{"upper case", "TOKEN " + alice.key, "", "GET", ""},
		{"the key in capitals", "Token " + strings.ToUpper(alice.key), "", "GET", ""},
		{"unknown key", "Token " + unknown, "", "GET", "Invalid token"},
		{"short key", "Token abc", "", "GET", "Invalid token"},
		{"strange key", "Token ' OR 1=1--xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "", "GET",
			"Invalid token header. Token string should not contain spaces."},
		{"expired (§5.4)", "Token " + expired, "", "GET", "Token expired"},
		{"inactive", "Token " + ghost.key, "", "GET", "User inactive"},
		{"wrong address", "Token " + bound, "198.51.100.7:1234", "GET",
			"Source IP 198.51.100.7 is not permitted to authenticate using this token."},
		{"wrong address, IPv6", "Token " + bound, "[2001:db8::2]:1234", "GET",
			"Source IP 2001:db8::2 is not permitted to authenticate using this token."},
		{"allowed network", "Token " + bound, "192.0.2.77:1234", "GET", ""},
		{"allowed address, IPv6", "Token " + bound, "[2001:db8::1]:1234", "GET", ""},
		{"allowed network, mapped", "Token " + bound, "[::ffff:192.0.2.77]:1234", "GET", ""},
		{"read-only token on a read (§5.3)", "Token " + reader, "", "GET", ""},
		{"read-only token on a write (§5.3)", "Token " + reader, "", "POST", denied},
		{"permission missing", "Token " + alice.key, "", "DELETE", denied},
		{"no key", "Token", "", "GET", "Invalid token header. No credentials provided."},
		{"no key, a space", "Token ", "", "GET", "Invalid token header. No credentials provided."},
		{"a key with a space", "Token " + alice.key[:20] + " " + alice.key[20:], "", "GET",
			"Invalid token header. Token string should not contain spaces."},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := apitest.Call{Method: row.method, Path: sites, From: row.from, Header: map[string]string{}}
			if row.header != "" {
				c.Header["Authorization"] = row.header
			}
			if row.method != "GET" {
				c.Body = []any{}
			}
			if row.detail != "" {
				wantDetail(t, s.Do(t, c), http.StatusForbidden, row.detail)
				return
			}
			page := s.Do(t, c).Page(t) // the shape of §4.2
			if page.Count != 0 || page.Next != nil || page.Previous != nil || page.Results == nil {
				t.Errorf("not the page of an empty list: %+v", page)
			}
		})
	}
	t.Run("a forwarded address is believed only from a proxy", func(t *testing.T) {
		a := s.Do(t, apitest.Call{Method: "GET", Path: sites, Token: bound, From: "198.51.100.7:1",
			Header: map[string]string{"X-Forwarded-For": "192.0.2.77"}})
		wantDetail(t, a, http.StatusForbidden, "Source IP 198.51.100.7 is not permitted to authenticate using this token.")
	})
	t.Run("nothing was written", func(t *testing.T) {
		if n := admin.page(t, sites).Count; n != 0 {
			t.Errorf("%d sites", n)
		}
	})
}

// TestExempt: EXEMPT_VIEW_PERMISSIONS and LOGIN_REQUIRED (§5.5): status by path for an anonymous caller, and for a
// user without any permission.
func TestExempt(t *testing.T) {
	t.Parallel()
	guarded := []string{users, "/api/users/groups/", grants, tokens, webhooks, deliveries, conditionErrors, queues, workers}
	for _, server := range []struct {
		name      string
		exempt    []string
		login     bool
		open      []string // readable without an account
		closed    []string
		knownOnly bool // readable by a known user, not by an anonymous one
	}{
		{"one type", []string{"dcim.site"}, false, []string{sites}, append([]string{regions, tenants, changeLog}, guarded...), false},
		{"all", []string{"*"}, false, []string{sites, regions, tenants, tags, defs, changeLog}, guarded, false},
		{"a guarded type by name", []string{"*", "users.user"}, false, []string{sites, users}, []string{grants}, false},
		{"webhooks by name", []string{"*", "extras.webhook"}, false, []string{webhooks}, []string{deliveries, conditionErrors, users}, false},
		{"login required", []string{"*"}, true, []string{sites, changeLog}, guarded, true},
	} {
		t.Run(server.name, func(t *testing.T) {
			s := apitest.New(t, func(c *app.Config) { c.ExemptViewPermissions, c.LoginRequired = server.exempt, server.login })
			_, user := newActor(t, s, "user")
			id := adminOf(s).create(t, sites, site("A"))
			nobody := actor{s, ""}
			for _, path := range server.open {
				user.page(t, path)
				if server.knownOnly {
					wantDetail(t, nobody.get(t, path), http.StatusForbidden, noCreds)
				} else {
					nobody.page(t, path)
				}
				wantDetail(t, actor{s, "0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c"}.get(t, path), http.StatusForbidden, "Invalid token")
				if path != changeLog {
					wantDetail(t, nobody.do(t, "POST", path, obj{}), http.StatusForbidden, noCreds)
					wantDetail(t, user.do(t, "POST", path, obj{}), http.StatusForbidden, denied)
				}
			}
			for _, path := range server.closed {
				wantDetail(t, nobody.get(t, path), http.StatusForbidden, noCreds)
				if path != tokens { // everybody has their own
					wantDetail(t, user.get(t, path), http.StatusForbidden, denied)
				}
			}
			for _, method := range []string{"PATCH", "PUT", "DELETE"} {
				wantDetail(t, nobody.do(t, method, at(sites, id), obj{}), http.StatusForbidden, noCreds)
				wantDetail(t, user.do(t, method, at(sites, id), obj{}), http.StatusForbidden, denied)
			}
			nobody.get(t, "/api/").Want(t, http.StatusOK)
		})
	}
}
