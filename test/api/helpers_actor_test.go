package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// obj is a JSON object.
type obj = map[string]any

// actor is somebody who calls a server with a token.
type actor struct {
	s   *apitest.Server
	key string
}

func adminOf(s *apitest.Server) actor { return actor{s, s.Admin} }

// newActor makes a user with permissions; the id comes first.
func newActor(tb testing.TB, s *apitest.Server, name string, grants ...apitest.Grant) (int64, actor) {
	tb.Helper()
	id, key := s.User(tb, name, grants...)
	return id, actor{s, key}
}

func (a actor) do(tb testing.TB, method, path string, body any) apitest.Answer {
	tb.Helper()
	return a.s.Do(tb, apitest.Call{Method: method, Path: path, Token: a.key, Body: body})
}

func (a actor) get(tb testing.TB, path string) apitest.Answer {
	tb.Helper()
	return a.do(tb, http.MethodGet, path, nil)
}

func (a actor) page(tb testing.TB, path string) apitest.Page {
	tb.Helper()
	return a.get(tb, path).Page(tb)
}

// create makes one record and returns its id.
func (a actor) create(tb testing.TB, path string, body any) int64 {
	tb.Helper()
	return apitest.ID(a.do(tb, http.MethodPost, path, body).Want(tb, http.StatusCreated).Object(tb))
}

// patch changes one record.
func (a actor) patch(tb testing.TB, path string, id int64, body any) obj {
	tb.Helper()
	return a.do(tb, http.MethodPatch, at(path, id), body).Want(tb, http.StatusOK).Object(tb)
}

// changes returns the rows of the change log about one record, the oldest first.
func (a actor) changes(tb testing.TB, objectType string, id int64) []obj {
	tb.Helper()
	return a.page(tb, fmt.Sprintf("/api/extras/object-changes/?changed_object_type=%s&changed_object_id=%d&ordering=id&limit=0",
		objectType, id)).Results
}

// at returns the address of a record.
func at(list string, id int64) string { return fmt.Sprintf("%s%d/", list, id) }

// local turns an address from an answer into a path.
func local(tb testing.TB, s *apitest.Server, link *string) string {
	tb.Helper()
	path, ok := strings.CutPrefix(*link, s.URL)
	if !ok {
		tb.Fatalf("%s does not begin with %s", *link, s.URL)
	}
	return path
}

// wantDetail fails the test unless the answer has this status and detail.
func wantDetail(tb testing.TB, a apitest.Answer, status int, detail string) {
	tb.Helper()
	if got := a.Want(tb, status).Object(tb)["detail"]; got != detail {
		tb.Errorf("%s %s: detail %q, want %q", a.Call.Method, a.Call.Path, got, detail)
	}
}

// names lists one text field of some records.
func names(rows []obj, field string) string {
	var out []string
	for _, r := range rows {
		out = append(out, fmt.Sprint(r[field]))
	}
	return strings.Join(out, " ")
}

const (
	sites     = "/api/dcim/sites/"
	regions   = "/api/dcim/regions/"
	places    = "/api/dcim/locations/"
	tenants   = "/api/tenancy/tenants/"
	tags      = "/api/extras/tags/"
	tokens    = "/api/users/tokens/"
	users     = "/api/users/users/"
	grants    = "/api/users/permissions/"
	defs      = "/api/extras/custom-fields/"
	changeLog = "/api/extras/object-changes/"

	webhooks        = "/api/extras/webhooks/"
	deliveries      = "/api/extras/deliveries/"
	conditionErrors = "/api/extras/condition-errors/"
	queues          = "/api/extras/queues/"
	workers         = "/api/extras/workers/"

	noCreds  = "Authentication credentials were not provided."
	denied   = "You do not have permission to perform this action."
	notFound = "Not found."
)

// site is the body of a site.
func site(name string, more ...any) obj {
	return merge(obj{"name": name, "slug": strings.ToLower(strings.ReplaceAll(name, " ", "-"))}, more)
}

// hook is the body of a webhook that is notified of all changes to sites.
func hook(name string, more ...any) obj {
	return merge(obj{"name": name, "payload_url": "https://receiver.example/", "content_types": []string{"dcim.site"},
		"type_create": true, "type_update": true, "type_delete": true}, more)
}

// broken conditions can be saved, but not evaluated: a site's name is not a number.
var broken = obj{"attr": "name", "op": "gt", "value": 5}

// merge adds names and values to an object.
func merge(o obj, more []any) obj {
	for i := 0; i+1 < len(more); i += 2 {
		o[more[i].(string)] = more[i+1]
	}
	return o
}
