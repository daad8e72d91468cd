package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/internal/record"
	"terrier/internal/rest"
	"terrier/test/apitest"
)

// matrix has a line for every address that the registry does not bring with it: whether
// it answers everybody alike. The list and the records of a type need none: the rule
// below knows them from their type.
var matrix = map[string]bool{
	"/api/{$}": true, "/api/status/{$}": true, "/api/status": true, "/api/schema/{$}": true, "/api/docs/{$}": true,
	provision + "{$}": true,
}

// listed tells whether the matrix says who may call a route.
func listed(r rest.Route, types []*record.Type) bool {
	if r.Type != nil {
		return r.Pattern == r.Type.Path()+"{$}" && !r.Detail || r.Pattern == r.Type.Path()+"{id}/{$}" && r.Detail
	}
	section := func(t *record.Type) bool { return r.Pattern == "/api/"+t.App+"/{$}" }
	return (matrix[r.Pattern] || slices.ContainsFunc(types, section)) && r.Open
}

// role is somebody at the door.
type role struct {
	name string
	who  actor
}

// expect is the whole rule of who gets which status. The record asked for is one that a
// constrained user may not touch, and a token that belongs to the administrator.
func expect(who string, r rest.Route, method string) int {
	switch {
	case method == "OPTIONS" && r.Type != nil:
		return http.StatusOK
	case method == "OPTIONS":
		return http.StatusNoContent
	case method == "HEAD":
		return expect(who, r, "GET")
	case !slices.Contains(r.Methods, method):
		return http.StatusMethodNotAllowed
	case r.Pattern == provision+"{$}":
		return http.StatusBadRequest // without name and password, whoever asks
	case r.Open:
		return http.StatusOK
	case who == "superuser":
		return permitted(r, method)
	case who == "anonymous", who == "reader" && method != "GET":
		return http.StatusForbidden
	case who == "reader":
		return http.StatusOK
	case who == "nobody" && r.Type.Owner == "":
		return http.StatusForbidden
	}
	// Constrained, or nobody with what is their own: they may come in, but not to this record.
	switch {
	case method == "GET" && !r.Detail:
		return http.StatusOK
	case method == "POST" && who == "nobody":
		return http.StatusBadRequest // the user it shall belong to is not visible to them
	case method == "POST":
		return http.StatusForbidden
	}
	return http.StatusNotFound
}

// permitted is what the probes below get from somebody who may do everything.
func permitted(r rest.Route, method string) int {
	switch {
	case method == "POST":
		return http.StatusCreated
	case method == "DELETE" && r.Detail:
		return http.StatusPreconditionFailed // probed with a version it does not have
	case method == "DELETE":
		return http.StatusBadRequest // probed together with a record that does not exist
	}
	return http.StatusOK
}

func TestRouteRoleMatrix(t *testing.T) {
	s := apitest.New(t)
	admin, l := adminOf(s), newLeast(s)
	types := s.App.Registry.Types()
	all := []string{"view", "add", "change", "delete"}
	victims := map[*record.Type]victim{}
	var names []string
	var constraints []apitest.Grant
	for _, typ := range types {
		names = append(names, typ.Key())
		seen := l.firstOf(t, typ) // made before the victim, which is therefore another
		var mine int64
		if typ.Fixed {
			newest := admin.page(t, typ.Path()).IDs()
			victims[typ], mine = victim{id: newest[0]}, newest[1]
		} else {
			body, id := l.create(t, typ)
			victims[typ] = victim{body, id}
			_, mine = l.create(t, typ)
		}
		// What the bodies refer to is visible, so that it is the constraint that refuses.
		constraints = append(constraints, apitest.Grant{Types: []string{typ.Key()}, Actions: all, Constraints: obj{"id": mine}},
			apitest.Grant{Types: []string{typ.Key()}, Actions: all[:1], Constraints: obj{"id": seen}})
	}
	_, nobody := newActor(t, s, "nobody")
	_, constrained := newActor(t, s, "constrained", constraints...)
	newActor(t, s, "reader", apitest.Grant{Types: names, Actions: append(all, "grant")})
	roles := []role{{"anonymous", actor{s, ""}}, {"nobody", nobody}, {"reader", actor{s, s.TokenOf(t, "reader", true)}}, {"constrained", constrained}, {"superuser", admin}}

	for _, r := range s.App.API.Routes() {
		if !listed(r, types) {
			t.Errorf("%s is not in the matrix: say who may call it", r.Pattern)
			continue
		}
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} {
			for _, role := range roles {
				t.Run(strings.Join([]string{method, r.Pattern, role.name}, " "), func(t *testing.T) {
					v := victims[r.Type]
					if r.Type != nil && method == http.MethodPost {
						v.body = l.body(t, r.Type)
					}
					got := s.Do(t, probe(r, method, role, v))
					if want := expect(role.name, r, method); got.Status != want {
						t.Errorf("got %d, want %d: %.300s", got.Status, want, got.Raw)
					}
				})
			}
		}
	}
}

// victim is a record that the constrained user may not touch, and the body it was made of.
type victim struct {
	body obj
	id   int64
}

// probe makes a request that changes nothing even where it is allowed, except a POST.
func probe(r rest.Route, method string, who role, v victim) apitest.Call {
	c := apitest.Call{Method: method, Path: strings.TrimSuffix(r.Pattern, "{$}"), Token: who.who.key, Header: map[string]string{}}
	c.Path = strings.Replace(c.Path, "{id}", fmt.Sprint(v.id), 1)
	switch {
	case r.Type == nil || !slices.Contains(r.Methods, method) || method == http.MethodGet:
	case method == http.MethodPost:
		c.Body = v.body
	case method == http.MethodDelete && r.Detail:
		c.Header["If-Match"] = `"99"`
	case method == http.MethodDelete && who.name == "superuser":
		c.Body = []obj{{"id": v.id}, {"id": 1 << 40}}
	case r.Detail:
		c.Body = v.body
	default:
		item := maps.Clone(v.body)
		item["id"] = v.id
		c.Body = []obj{item}
	}
	return c
}

// TestOwnerInTheMatrix: the role that only tokens know, their owner.
func TestOwnerInTheMatrix(t *testing.T) {
	s := apitest.New(t)
	id, owner := newActor(t, s, "owner")
	theirs := apitest.ID(adminOf(s).page(t, tokens+"?user=admin").Results[0])
	for _, row := range []struct {
		method, path string
		body         any
		own, others  int
	}{
		{"GET", "detail", nil, 200, 404}, {"PATCH", "detail", obj{"description": "x"}, 200, 404}, {"PUT", "detail", obj{"user": id}, 200, 404},
		{"PATCH", "list", obj{"description": "y"}, 200, 404}, {"PUT", "list", obj{"user": id}, 200, 404},
		{"DELETE", "list", obj{}, 204, 404}, {"DELETE", "detail", nil, 204, 404},
	} {
		for _, own := range []bool{true, false} {
			t.Run(fmt.Sprint(row.method, " ", row.path, " own=", own), func(t *testing.T) {
				target, want := theirs, row.others
				if own {
					target, want = owner.create(t, tokens, obj{}), row.own
				}
				path, body := at(tokens, target), row.body
				if row.path == "list" {
					item := obj{"id": target}
					for k, v := range row.body.(obj) {
						item[k] = v
					}
					path, body = tokens, []obj{item}
				}
				owner.do(t, row.method, path, body).Want(t, want)
			})
		}
	}
	adminOf(s).get(t, at(tokens, theirs)).Want(t, http.StatusOK)
}

// serverMatrix is the same for the addresses outside the API: what an anonymous caller,
// a token, and a bad token get. Nothing here depends on permissions.
var serverMatrix = map[string]struct{ anonymous, token int }{
	"GET /healthz":  {200, 200},
	"GET /readyz":   {200, 200},
	"GET /{$}":      {200, 200},
	"POST /login/":  {400, 400},
	"POST /logout/": {204, 204},
}

func TestServerRoutes(t *testing.T) {
	s := apitest.New(t)
	for _, pattern := range s.App.Server.Patterns() {
		want, ok := serverMatrix[pattern]
		if !ok {
			t.Errorf("%s is not in the matrix: say who may call it", pattern)
			continue
		}
		method, path, _ := strings.Cut(strings.TrimSuffix(pattern, "{$}"), " ")
		t.Run(pattern, func(t *testing.T) {
			s.Do(t, apitest.Call{Method: method, Path: path}).Want(t, want.anonymous)
			s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin}).Want(t, want.token)
			if method == "GET" {
				s.Do(t, apitest.Call{Method: "POST", Path: path}).Want(t, http.StatusMethodNotAllowed)
			} else {
				s.Do(t, apitest.Call{Method: "GET", Path: path}).Want(t, http.StatusMethodNotAllowed)
			}
		})
	}
	s.Do(t, apitest.Call{Method: "GET", Path: "/nothing"}).Want(t, http.StatusNotFound)
	s.Do(t, apitest.Call{Method: "GET", Path: "/debug/pprof/"}).Want(t, http.StatusNotFound)
}
