package api_test

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// overwrite stores what the API would refuse, as another version of the program may have done.
func overwrite(tb testing.TB, s *apitest.Server, statement string, args ...any) {
	tb.Helper()
	if tag, err := s.DB.Exec(tb.Context(), statement, args...); err != nil || tag.RowsAffected() == 0 {
		tb.Fatalf("%s: %v, %v", statement, tag, err)
	}
}

// wantRefusal fails the test unless a field was refused with a message.
func wantRefusal(tb testing.TB, a apitest.Answer, field, message string) {
	tb.Helper()
	if got := a.Want(tb, http.StatusBadRequest).Object(tb)[field]; !reflect.DeepEqual(got, []any{message}) {
		tb.Errorf("%s %s: %s is refused with %q, want %q", a.Call.Method, a.Call.Path, field, got, message)
	}
}

// stay is a field that accepts only known words, in a record that has an unknown one.
type stay struct {
	list, table, field string
	body               obj    // of a new record, with known words
	stored             string // as SQL writes it
	shown              any    // as the API does
	other              obj    // a change of another field
	without            any    // the value without the unknown word
	wrong              any    // a value that was never stored
	message            string
}

var stays = map[string]stay{
	"webhook": {webhooks, "extras_webhook", "content_types",
		obj{"name": "n", "content_types": []string{"dcim.site"}, "type_create": true, "payload_url": "https://r.example/"},
		`'{dcim.site,dcim.gone}'`, []any{"dcim.site", "dcim.gone"}, obj{"enabled": false}, []any{"dcim.site"}, []any{"dcim.stie"},
		`Unknown type "dcim.stie". Did you mean "dcim.site"?`},
	"permission": {grants, "users_permission", "object_types",
		obj{"name": "n", "object_types": []string{"dcim.site"}, "actions": []string{"view"}, "constraints": obj{"status": "active"}},
		`'{dcim.gone,dcim.site}'`, []any{"dcim.gone", "dcim.site"}, obj{"enabled": false}, []any{"dcim.site"}, []any{"dcim.regoin"},
		`Unknown type "dcim.regoin". Did you mean "dcim.region"?`},
	"custom field": {defs, "extras_customfield", "content_types", obj{"name": "n", "content_types": []string{"dcim.site"}},
		`'{dcim.gone}'`, []any{"dcim.gone"}, obj{"description": "d"}, []any{"dcim.region"}, []any{"zzzzzz"}, `Unknown type "zzzzzz".`},
	"action": {grants, "users_permission", "actions", obj{"name": "n", "object_types": []string{"dcim.site"}, "actions": []string{"view"}},
		`'{view,napalm_read}'`, []any{"view", "napalm_read"}, obj{"description": "d"}, []any{"view", "grant"}, []any{"chnage"},
		`Unknown action "chnage". Did you mean "change"?`},
	"time zone": {sites, "dcim_site", "time_zone", obj{"name": "n", "slug": "n", "time_zone": "UTC"},
		`'Lisbon'`, "Lisbon", obj{"description": "d"}, "Europe/Kiev", "Europe/Lisbonn",
		`Unknown time zone "Europe/Lisbonn". Did you mean "Europe/Lisbon"?`},
}

// TestUnknownWordsMayStay: a word that the program does not know, or no longer, is shown, kept and removed, blocks no
// other change, and is never added.
func TestUnknownWordsMayStay(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	for name, c := range stays {
		t.Run(name, func(t *testing.T) {
			c.body = maps.Clone(c.body)
			c.body["name"], c.body["slug"] = strings.ReplaceAll("of_"+name, " ", "_"), "slug"
			id := admin.create(t, c.list, c.body)
			overwrite(t, s, "UPDATE "+c.table+" SET "+c.field+" = "+c.stored+" WHERE id = $1", id)
			kind := strings.Replace(c.table, "_", ".", 1)
			read := func() obj { return admin.get(t, at(c.list, id)).Want(t, http.StatusOK).Object(t) }
			shows := func(want any) {
				t.Helper()
				if got := read()[c.field]; !reflect.DeepEqual(got, want) {
					t.Errorf("shows %v, want %v", got, want)
				}
			}
			shows(c.shown)
			admin.patch(t, c.list, id, c.other)
			rows := len(admin.changes(t, kind, id))
			admin.patch(t, c.list, id, obj{c.field: c.shown})
			whole := maps.Clone(c.body)
			maps.Copy(whole, c.other)
			whole[c.field] = c.shown
			admin.do(t, "PUT", at(c.list, id), whole).Want(t, http.StatusOK)
			if got := len(admin.changes(t, kind, id)); got != rows {
				t.Errorf("writing back what is stored made %d change rows", got-rows)
			}
			wantRefusal(t, admin.do(t, "PATCH", at(c.list, id), obj{c.field: c.wrong}), c.field, c.message)
			errs := admin.do(t, "PATCH", c.list, []any{obj{"id": id, c.field: c.shown}, obj{"id": id, c.field: c.wrong}}).
				Want(t, http.StatusBadRequest).List(t)
			if len(errs) != 2 || len(errs[0]) != 0 || !reflect.DeepEqual(errs[1][c.field], []any{c.message}) {
				t.Errorf("a bulk change is refused with %v", errs)
			}
			shows(c.shown)
			admin.patch(t, c.list, id, obj{c.field: c.without})
			shows(c.without)
			if a := admin.do(t, "PATCH", at(c.list, id), obj{c.field: c.shown}).
				Want(t, http.StatusBadRequest); !strings.Contains(string(a.Raw), "Unknown ") {
				t.Errorf("what was removed can be added again: %s", a.Raw)
			}
			c.body["name"], c.body[c.field] = "another", c.wrong
			wantRefusal(t, admin.do(t, "POST", c.list, c.body), c.field, c.message)
		})
	}
}

// TestPermissionOfUnknownTypes: a permission that names a type or an action that is gone still grants the others, and
// stored constraints are checked only when they or the types are written.
func TestPermissionOfUnknownTypes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	_, bob := newActor(t, s, "bob", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"},
		Constraints: obj{"status": "active"}})
	admin.create(t, sites, obj{"name": "s", "slug": "s"})
	id := apitest.ID(admin.page(t, grants).Results[0])
	overwrite(t, s, `UPDATE users_permission SET object_types = '{dcim.gone,dcim.site}', actions = '{napalm_read,view}' WHERE id = $1`, id)
	if got := bob.page(t, sites).Count; got != 1 {
		t.Errorf("bob sees %d sites", got)
	}
	overwrite(t, s, `UPDATE users_permission SET constraints = '{"colour": "red"}' WHERE id = $1`, id)
	admin.patch(t, grants, id, obj{"description": "d"})
	bob.get(t, sites).Want(t, http.StatusForbidden)
	admin.patch(t, grants, id, obj{"object_types": []string{"dcim.site"}})
	admin.patch(t, grants, id, obj{"enabled": false})
	admin.do(t, "PATCH", at(grants, id), obj{"constraints": obj{"color": "red"}}).Want(t, http.StatusBadRequest)
	admin.do(t, "PATCH", at(grants, id), obj{"object_types": []string{"dcim.site", "dcim.region"}}).Want(t, http.StatusBadRequest)
}

// TestWebhookOfUnknownTypes: a webhook that names a type that is gone is notified of the others, and changes and
// deliveries of such a type are shown.
func TestWebhookOfUnknownTypes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, webhooks, stays["webhook"].body)
	admin.create(t, sites, obj{"name": "old", "slug": "old"})
	for _, table := range []string{"extras_objectchange", "extras_delivery"} {
		overwrite(t, s, "UPDATE "+table+" SET object_type = 'dcim.gone' WHERE object_type = 'dcim.site'")
	}
	overwrite(t, s, `UPDATE extras_webhook SET content_types = '{dcim.gone}' WHERE id = $1`, id)
	gone := admin.page(t, changeLog+"?changed_object_type=dcim.gone").Results
	if len(gone) != 1 || gone[0]["changed_object"] != nil {
		t.Errorf("the change of a type that is gone is %v", gone)
	}
	if got := admin.page(t, deliveries+"?object_type=dcim.gone").Count; got != 1 {
		t.Errorf("there are %d deliveries of a type that is gone", got)
	}
	overwrite(t, s, `UPDATE extras_webhook SET content_types = '{dcim.gone,dcim.site}' WHERE id = $1`, id)
	admin.create(t, sites, obj{"name": "new", "slug": "new"})
	if got := admin.page(t, deliveries+"?object_type=dcim.site").Count; got != 1 {
		t.Errorf("%d deliveries of the type that is left", got)
	}
	for _, filter := range []string{"content_types=dcim.gone", "content_type=dcim.gone"} {
		if got := admin.page(t, webhooks+"?"+filter).Count; got != 1 {
			t.Errorf("?%s finds %d", filter, got)
		}
	}
}

// TestActionsAreDescribed: OPTIONS and the OpenAPI document list the actions.
func TestActionsAreDescribed(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	var offered []any
	for _, c := range admin.do(t, "OPTIONS", grants, nil).Want(t, http.StatusOK).
		Object(t)["actions"].(obj)["POST"].(obj)["actions"].(obj)["choices"].([]any) {
		offered = append(offered, c.(obj)["value"])
	}
	schemas := admin.get(t, "/api/schema/").Object(t)["components"].(obj)["schemas"].(obj)
	for _, name := range []string{"WritablePermission", "PatchedPermission"} {
		enum := schemas[name].(obj)["properties"].(obj)["actions"].(obj)["items"].(obj)["enum"].([]any)
		if want := []any{"view", "add", "change", "delete", "grant"}; !slices.Equal(enum, want) || !slices.Equal(offered, want) {
			t.Errorf("%s lists %v, OPTIONS %v; want %v", name, enum, offered, want)
		}
	}
}

// TestTimeZones: a site accepts the names of the IANA database, links too, and nothing that depends on the machine.
func TestTimeZones(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, sites, obj{"name": "s", "slug": "s"})
	for _, zone := range []any{"UTC", "Etc/UTC", "Europe/Lisbon", "Europe/Kiev", "America/Argentina/Buenos_Aires", " Asia/Tokyo ", nil, ""} {
		admin.patch(t, sites, id, obj{"time_zone": zone})
	}
	for zone, near := range map[string]string{"Local": "", "europe/lisbon": "Europe/Lisbon", "Europe/Lisbonn": "Europe/Lisbon",
		"../etc/passwd": "", "UTC+1": "UTC"} {
		a := admin.do(t, "PATCH", at(sites, id), obj{"time_zone": zone}).Want(t, http.StatusBadRequest)
		if !strings.Contains(string(a.Raw), "Unknown time zone") || near != "" && !strings.Contains(string(a.Raw), `Did you mean \"`+near) {
			t.Errorf("%s is refused with %s", zone, a.Raw)
		}
	}
}
