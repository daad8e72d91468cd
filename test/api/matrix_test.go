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
	"terrier/test/trial"
)

// matrix has every address that does not come from a record type, and whether it answers everybody alike. Lists and
// records of a type need no line: the rule below follows from their type.
var matrix = map[string]bool{
	"/api/{$}": true, "/api/status/{$}": true, "/api/status": true, "/api/schema/{$}": true, "/api/docs/{$}": true,
	provision + "{$}": true,
}

// done is what the superuser's probe of each declared action is answered. What others are answered follows from the
// declaration.
var done = map[string]int{
	"POST extras.deliveries/retry":   200,
	"POST extras.delivery/retry":     400, // the delivery is still queued
	"POST extras.delivery/redeliver": 400,
	"POST extras.webhook/pause":      200,
	"POST extras.webhook/resume":     200,
	"POST extras.webhook/test":       202,
	"GET dcim.rack/elevation":        200,
	"GET trial.shelf/places":         200,
	"GET trial.shelf/free-pegs":      200,
	"POST trial.shelf/free-pegs":     201,
	"POST trial.crate/next-slot":     201,

	"POST trial.crate/sync-components":     200,
	"POST trial.kit/sync-components":       200,
	"POST dcim.device/sync-components":     200,
	"POST dcim.devicetype/sync-components": 200,

	"GET ipam.prefix/available-ips":       200,
	"POST ipam.prefix/available-ips":      201,
	"GET ipam.prefix/available-prefixes":  200,
	"POST ipam.prefix/available-prefixes": 201,
	"GET ipam.iprange/available-ips":      200,
	"POST ipam.iprange/available-ips":     201,
	"GET ipam.vlangroup/available-vlans":  200,
	"POST ipam.vlangroup/available-vlans": 400, // the body has no name
	"GET ipam.asnrange/available-asns":    200,
	"POST ipam.asnrange/available-asns":   201,
}

// parts are the lists that are not of records: everybody who may see webhooks, or for the feed changes, may read them.
var parts = []string{queues + "{$}", workers + "{$}", feedPath + "{$}"}

// listed reports whether the matrix says who may call a route.
func listed(r rest.Route, types []*record.Type) bool {
	if slices.Contains(parts, r.Pattern) || r.Pattern == snapshots+"{$}" || r.Pattern == preferences+"{$}" ||
		r.Type == nil && strings.HasPrefix(r.Pattern, "/api/extras/content-types/") {
		return true
	}
	if r.Actions != nil {
		return !slices.ContainsFunc(r.Methods, func(method string) bool { return done[r.Actions[method].Declared.Key()] == 0 })
	}
	if r.Type != nil {
		return r.Pattern == r.Type.Path()+"{$}" && !r.Detail || r.Pattern == r.Type.Path()+"{id}/{$}" && r.Detail
	}
	section := func(t *record.Type) bool { return r.Pattern == "/api/"+t.App+"/{$}" }
	return (matrix[r.Pattern] || slices.ContainsFunc(types, section)) && r.Open
}

// role is a kind of caller.
type role struct {
	name string
	who  actor
}

// expect is the whole rule of who gets which status. The record asked for is one that a constrained user may not
// touch, and a token of the administrator.
func expect(who string, r rest.Route, method string) int {
	switch {
	case method == "OPTIONS" && r.Type != nil && r.Actions == nil:
		return http.StatusOK
	case method == "OPTIONS":
		return http.StatusNoContent
	case method == "HEAD":
		return expect(who, r, "GET")
	case !slices.Contains(r.Methods, method):
		return http.StatusMethodNotAllowed
	case r.Pattern == provision+"{$}":
		return http.StatusBadRequest // without name and password, for every caller
	case r.Open:
		return http.StatusOK
	case r.Pattern == snapshots+"{$}" && who == "nobody": // it is of sites
		return http.StatusForbidden
	case r.Pattern == preferences+"{$}" && who == "reader" && method == http.MethodPatch: // their token is read-only
		return http.StatusForbidden
	case r.Type == nil && who == "anonymous":
		return http.StatusForbidden
	case r.Type == nil && strings.Contains(r.Pattern, "{id}"):
		return http.StatusNotFound
	case r.Type == nil: // everybody who is logged in
		return http.StatusOK
	case r.Actions != nil && (who == "anonymous" || who == "nobody"):
		return http.StatusForbidden
	case slices.Contains(parts, r.Pattern):
		return http.StatusOK
	case r.Actions != nil:
		return expectAction(who, r.Actions[method].Declared)
	case who == "superuser":
		return permitted(r, method)
	case who == "anonymous", who == "reader" && method != "GET":
		return http.StatusForbidden
	case who == "reader":
		return http.StatusOK
	case who == "nobody" && r.Type.Owner == "":
		return http.StatusForbidden
	}
	// Constrained, or without permissions but with own records: the list is open to them, but not this record.
	switch {
	case method == "GET" && !r.Detail:
		return http.StatusOK
	case method == "POST" && who == "nobody" && r.Type.Shared != "":
		return http.StatusCreated // a private one of their own
	case method == "POST" && who == "nobody":
		return http.StatusBadRequest // they may not see the user that it is for
	case method == "POST":
		return http.StatusForbidden
	case !r.Detail:
		return http.StatusBadRequest // not found, said by position
	}
	return http.StatusNotFound
}

// expectAction is the rule for declared actions. The reader's token is read-only.
func expectAction(who string, a *record.Action) int {
	switch {
	case who == "reader" && a.Writes():
		return http.StatusForbidden
	case who == "constrained" && !a.OnList:
		return http.StatusNotFound
	}
	return done[a.Key()]
}

// permitted is what the probes below return to a caller who may do everything.
func permitted(r rest.Route, method string) int {
	switch {
	case method == "POST":
		return http.StatusCreated
	case method == "DELETE" && r.Detail:
		return http.StatusPreconditionFailed // probed with another version
	case method == "DELETE":
		return http.StatusBadRequest // probed together with a record that does not exist
	}
	return http.StatusOK
}

func TestRouteRoleMatrix(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	s.CheckOnce = true
	admin, l := adminOf(s), newLeast(s)
	types := s.App.Registry.Types()
	all := []string{"view", "add", "change", "delete"}
	fixedRows(t, admin)
	victims := map[*record.Type]victim{}
	var names []string
	var constraints []apitest.Grant
	for _, typ := range types {
		names = append(names, typ.Key())
		var seen, mine obj
		if typ.ReadOnly {
			rows := admin.page(t, typ.Path()+"?ordering=id&limit=3").Results
			victims[typ], seen, mine = victim{id: rows[2]["id"]}, only(typ, rows[0]), only(typ, rows[1])
		} else {
			seen = obj{"id": l.firstOf(t, typ)} // made before the victim, so it is another record
			body, id := l.create(t, typ)
			victims[typ] = victim{body, id}
			_, id = l.create(t, typ)
			mine = obj{"id": id}
		}
		// The bodies refer to visible records, so that only the constraint can refuse.
		constraints = append(constraints, apitest.Grant{Types: []string{typ.Key()}, Actions: all, Constraints: mine},
			apitest.Grant{Types: []string{typ.Key()}, Actions: all[:1], Constraints: seen})
	}
	_, nobody := newActor(t, s, "nobody")
	_, constrained := newActor(t, s, "constrained", constraints...)
	newActor(t, s, "reader", apitest.Grant{Types: names, Actions: append(all, "grant")})
	roles := []role{{"anonymous", actor{s, ""}}, {"nobody", nobody}, {"reader", actor{s, s.TokenOf(t, "reader", true)}},
		{"constrained", constrained}, {"superuser", admin}}

	for _, r := range s.App.API.Routes() {
		if !listed(r, types) {
			t.Errorf("%s is not in the matrix: say who may call it", r.Pattern)
			continue
		}
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} {
			for _, role := range roles {
				t.Run(strings.Join([]string{method, r.Pattern, role.name}, " "), func(t *testing.T) {
					v := victims[r.Type]
					if r.Type != nil && r.Actions == nil && !r.Type.ReadOnly && method == http.MethodPost {
						v.body = l.body(t, r.Type)
					}
					got := s.Do(t, probe(r, method, role, v))
					if want := expect(role.name, r, method); got.Status != want {
						t.Errorf("got %d, want %d: %.300s", got.Status, want, got.Raw)
					}
					if allow := got.Header.Get("Allow"); got.Status == http.StatusMethodNotAllowed &&
						(allow == "" || slices.Contains(strings.Split(allow, ", "), method)) {
						t.Errorf("refused, but allowed are %q", allow)
					}
				})
			}
		}
	}
}

// fixedRows makes the machine write some rows of every type that only it writes: changes,
// and a delivery and a condition error for each.
func fixedRows(tb *testing.T, admin actor) {
	tb.Helper()
	admin.create(tb, webhooks, hook("fixed rows"))
	admin.create(tb, webhooks, hook("faulty", "conditions", broken))
	admin.create(tb, webhooks, hook("another"))
	exec(tb, admin.s, `WITH counted AS (INSERT INTO record_count (type, n) SELECT 'extras.webhookhealth', count(*) FROM extras_webhook)
		INSERT INTO extras_webhookhealth (version, webhook_id, state, since, reason, created, last_updated)
		SELECT 1, id, 'held', now(), 'why', now(), now() FROM extras_webhook`)
	for i := range 3 { // each in its own request
		admin.create(tb, sites, site(fmt.Sprint("fixed rows ", i)))
		admin.create(tb, tokens, obj{}) // the audit log has them
	}
}

// only returns the constraint that matches one row. An id that is no number can't be used, so those rows are matched
// by their request, which made no other.
func only(t *record.Type, row obj) obj {
	if t.TimedID {
		return obj{"request_id": row["request_id"]}
	}
	return obj{"id": row["id"]}
}

// victim is a record that the constrained user may not touch, and the body it was made with.
type victim struct {
	body obj
	id   any
}

// probe makes a request that changes nothing even where it is allowed, except a POST.
func probe(r rest.Route, method string, who role, v victim) apitest.Call {
	c := apitest.Call{Method: method, Path: strings.TrimSuffix(r.Pattern, "{$}"), Token: who.who.key, Header: map[string]string{}}
	c.Path = strings.Replace(c.Path, "{id}", textOf(plain(v.id)), 1)
	switch {
	case r.Pattern == snapshots+"{$}":
		c.Path += "?type=dcim.site"
	case r.Actions != nil && r.Pattern == deliveries+"retry/{$}" && method == http.MethodPost:
		c.Body = obj{"filter": obj{}, "dry_run": true}
	case r.Actions != nil && strings.HasSuffix(r.Pattern, "/sync-components/{$}") && method == http.MethodPost:
		c.Body = obj{"dry_run": true}
	case r.Actions != nil && strings.HasSuffix(r.Pattern, "/available-prefixes/{$}") && method == http.MethodPost:
		c.Body = obj{"prefix_length": 128}
	case r.Actions != nil:
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
	t.Parallel()
	s := apitest.New(t)
	id, owner := newActor(t, s, "owner")
	theirs := apitest.ID(adminOf(s).page(t, tokens+"?user=admin").Results[0])
	for _, row := range []struct {
		method, path string
		body         any
		own, others  int
	}{
		{"GET", "detail", nil, 200, 404}, {"PATCH", "detail", obj{"description": "x"}, 200, 404}, {"PUT", "detail", obj{"user": id}, 200, 404},
		{"PATCH", "list", obj{"description": "y"}, 200, 400}, {"PUT", "list", obj{"user": id}, 200, 400},
		{"DELETE", "list", obj{}, 204, 400}, {"DELETE", "detail", nil, 204, 404},
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

// serverMatrix has the addresses outside the API and the pages: they answer everybody alike. The last one does not exist for
// anybody but `terrier doctor`, which has the secret key.
var serverMatrix = map[string]int{"GET /healthz": http.StatusOK, "GET /readyz": http.StatusOK, "GET /healthz/hops": http.StatusNotFound}

func TestServerRoutes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	for _, pattern := range s.App.Server.Patterns() {
		status, known := serverMatrix[pattern]
		if !known {
			t.Errorf("%s is not in the matrix: say who may call it", pattern)
			continue
		}
		method, path, _ := strings.Cut(pattern, " ")
		t.Run(pattern, func(t *testing.T) {
			s.Do(t, apitest.Call{Method: method, Path: path}).Want(t, status)
			s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin}).Want(t, status)
			s.Do(t, apitest.Call{Method: "POST", Path: path}).Want(t, http.StatusNotFound)
		})
	}
	s.Do(t, apitest.Call{Method: "GET", Path: "/nothing"}).Want(t, http.StatusNotFound)
	s.Do(t, apitest.Call{Method: "GET", Path: "/debug/pprof/"}).Want(t, http.StatusNotFound)
}
