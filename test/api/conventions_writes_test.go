package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestReferences: how a reference may be written.
func TestReferences(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	tag := admin.create(t, tags, obj{"name": "t", "slug": "t"})
	east := admin.create(t, regions, obj{"name": "East", "slug": "east", "tags": []int64{tag}})
	admin.create(t, regions, obj{"name": "Twin", "slug": "twin", "parent": east})
	admin.create(t, regions, obj{"name": "Twin", "slug": "twin"})
	id := admin.create(t, sites, site("A"))
	for _, row := range []struct {
		name   string
		region any
		ok     bool
	}{
		{"id", east, true}, {"id as text", fmt.Sprint(east), true}, {"object with id", obj{"id": east}, true},
		{"slug", obj{"slug": "east"}, true},
		{"two attributes", obj{"slug": "twin", "parent": nil}, true},
		{"attribute that is a reference", obj{"slug": "twin", "parent": east}, true},
		{"as it was read", obj{"id": east, "url": "x", "display": "East", "name": "East", "slug": "east", "_depth": 0}, true},
		{"null", nil, true}, {"by tag", obj{"tags": tag}, false},
		{"unknown id", 999, false}, {"unknown slug", obj{"slug": "west"}, false},
		{"attributes that disagree", obj{"id": east, "slug": "twin"}, false},
		{"several", obj{"slug": "twin"}, false}, {"empty object", obj{}, false}, {"unknown attribute", obj{"colour": "red"}, false},
		{"a lookup", obj{"slug__ic": "e"}, false}, {"text", "east", false}, {"list", []any{east}, false}, {"bool", true, false},
		{"empty list of values", obj{"slug": []any{}}, false}, {"object in an attribute", obj{"parent": obj{"slug": "east"}}, false},
		{"a zero byte", "\x00", false}, {"an escaped zero byte", `\u0000`, false}, {"a zero byte in an attribute", obj{"slug": "\x00"}, false},
		{"a text for a number", obj{"parent": "x"}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := admin.do(t, "PATCH", at(sites, id), obj{"region": row.region})
			if row.ok {
				a.Want(t, http.StatusOK)
			} else if errs := a.Want(t, http.StatusBadRequest).Object(t); errs["region"] == nil {
				t.Errorf("%v", errs)
			}
		})
	}
	t.Run("choices are written bare", func(t *testing.T) {
		admin.patch(t, sites, id, obj{"status": "planned"})
		for _, bad := range []any{obj{"value": "active", "label": "Active"}, "bogus", 1, []any{"active"}, nil, "", `\u0000`, "\x00"} {
			if errs := admin.do(t, "PATCH", at(sites, id), obj{"status": bad}).Want(t, http.StatusBadRequest).Object(t); errs["status"] == nil {
				t.Errorf("%v: %v", bad, errs)
			}
		}
	})
	t.Run("unknown fields are ignored", func(t *testing.T) {
		admin.patch(t, sites, id, obj{"no_such_field": 1, "prefix_count": 7, "id": 99, "url": "x", "display": "y"})
		admin.create(t, sites, site("B", "no_such_field", obj{"deep": []any{1}}))
	})
	t.Run("a backslash in JSON is no zero byte", func(t *testing.T) {
		got := admin.do(t, "POST", defs, obj{"name": "path", "content_types": []string{}})
		got.Want(t, http.StatusBadRequest) // no types
		admin.create(t, defs, obj{"name": "path", "content_types": []string{"tenancy.tenant"}, "default": `C:\u0000`})
	})
}

// TestBulk: all or none, and errors by position.
func TestBulk(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	made := admin.do(t, "POST", sites, []obj{site("A"), site("B"), site("C")}).Want(t, http.StatusCreated).List(t)
	if names(made, "name") != "A B C" {
		t.Fatalf("made %v", made)
	}
	a, b, c := apitest.ID(made[0]), apitest.ID(made[1]), apitest.ID(made[2])
	root := admin.create(t, regions, obj{"name": "R", "slug": "r"})
	leaf := admin.create(t, regions, obj{"name": "L", "slug": "l", "parent": root})
	for _, row := range []struct {
		name, method, path string
		body               any
		status             int
		bad                string // for each item its fields with errors, "-" for a good one
	}{
		{"post", "POST", sites, []obj{site("D"), site("A"), {"name": "E"}, site("D")}, 400, "- name,slug slug name,slug"},
		{"post, no objects", "POST", sites, []any{site("D"), 1}, 400, "- non_field_errors"},
		{"patch", "PATCH", sites, []obj{{"id": a, "facility": "x"}, {"id": b, "status": "?"}}, 400, "- status"},
		{"patch without id", "PATCH", sites, []obj{{"id": a, "facility": "x"}, {"facility": "y"}}, 400, "- id"},
		{"patch of an unknown id", "PATCH", sites, []obj{{"id": a, "facility": "x"}, {"id": 999}}, 400, "- id"},
		{"patch of one unknown id", "PATCH", sites, []obj{{"id": 999, "status": "?"}}, 400, "id,status"},
		{"put of one unknown id", "PUT", sites, []obj{site("D", "id", 999)}, 400, "id"},
		{"put", "PUT", sites, []obj{{"id": a, "name": "A", "slug": "a", "facility": "x"}, {"id": b, "name": "B"}}, 400, "- slug"},
		{"delete of an unknown id", "DELETE", sites, []obj{{"id": a}, {"id": 999}}, 400, "- id"},
		{"delete of one unknown id", "DELETE", sites, []obj{{"id": 999}}, 400, "id"},
		{"an unknown id in the address", "PATCH", at(sites, 999), obj{"status": "?"}, 404, ""},
		{"delete of an unknown id in the address", "DELETE", at(sites, 999), nil, 404, ""},
		{"the same object twice, then an error", "PATCH", sites,
			[]obj{{"id": a, "facility": "x"}, {"id": a, "comments": "x"}, {"id": b, "status": "?"}}, 400, "- - status"},
		{"a cycle behind one that stays", "PATCH", regions, []obj{{"id": leaf, "name": "L"}, {"id": root, "parent": leaf}}, 400, "- parent"},
		{"one object", "PATCH", sites, obj{"id": a}, 400, ""},
		{"delete without a list", "DELETE", sites, nil, 400, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			before := admin.page(t, changeLog).Count
			answer := admin.do(t, row.method, row.path, row.body).Want(t, row.status)
			if row.bad != "" {
				var got []string
				for _, errs := range answer.List(t) {
					if len(errs) == 0 {
						errs = obj{"-": nil}
					}
					got = append(got, strings.ReplaceAll(keys(errs), " ", ","))
				}
				if strings.Join(got, " ") != row.bad {
					t.Errorf("errors %s, want %s: %s", got, row.bad, answer.Raw)
				}
			}
			if n := admin.page(t, changeLog).Count; n != before {
				t.Errorf("%d change rows of a refused request", n-before)
			}
		})
	}
	t.Run("nothing of it happened", func(t *testing.T) {
		if got := admin.page(t, sites+"?facility=&comments="); names(got.Results, "name") != "A B C" {
			t.Errorf("%v", got.Results)
		}
	})
	t.Run("the same object twice is one change", func(t *testing.T) {
		got := admin.do(t, "PATCH", sites, []obj{{"id": a, "facility": "1"}, {"id": b, "facility": "b"},
			{"id": a, "comments": "2"}}).Want(t, http.StatusOK).List(t)
		if names(got, "name") != "A B A" || got[0]["comments"] != "2" || got[2]["facility"] != "1" {
			t.Errorf("%v", got)
		}
		rows := admin.changes(t, "dcim.site", a)
		if len(rows) != 2 || rows[1]["postchange_data"].(obj)["facility"] != "1" || rows[1]["postchange_data"].(obj)["comments"] != "2" {
			t.Errorf("%d change rows: %v", len(rows), rows)
		}
	})
	t.Run("what stays as it is makes no change", func(t *testing.T) {
		before := admin.page(t, changeLog).Count
		admin.do(t, "PATCH", sites, []obj{{"id": a, "facility": "1"}, {"id": b}}).Want(t, http.StatusOK)
		if n := admin.page(t, changeLog).Count; n != before {
			t.Errorf("%d change rows", n-before)
		}
	})
	t.Run("nothing at all", func(t *testing.T) {
		admin.do(t, "POST", sites, []any{}).Want(t, http.StatusCreated)
		admin.do(t, "PATCH", sites, []any{}).Want(t, http.StatusOK)
		admin.do(t, "DELETE", sites, []any{}).Want(t, http.StatusNoContent)
	})
	t.Run("delete", func(t *testing.T) {
		if raw := admin.do(t, "DELETE", sites, []obj{{"id": a}, {"id": b}, {"id": a}}).Want(t, http.StatusNoContent).Raw; len(raw) != 0 {
			t.Errorf("%s", raw)
		}
		if got := admin.page(t, sites).IDs(); !slices.Equal(got, []int64{c}) {
			t.Errorf("left are %v", got)
		}
	})
}

// TestDependants: what a delete does to the records that refer to the deleted one.
func TestDependants(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	version := func(path string, id int64) string { return admin.get(t, at(path, id)).Want(t, 200).Header.Get("ETag") }
	t.Run("held", func(t *testing.T) {
		tenant := admin.create(t, tenants, obj{"name": "Acme", "slug": "acme"})
		id := admin.create(t, sites, site("Held", "tenant", tenant))
		detail := admin.do(t, "DELETE", at(tenants, tenant), nil).Want(t, http.StatusConflict).Object(t)["detail"].(string)
		if !strings.Contains(detail, "Held (dcim.site") {
			t.Errorf("%s", detail)
		}
		admin.do(t, "DELETE", tenants, []obj{{"id": tenant}}).Want(t, http.StatusConflict)
		if n := len(admin.changes(t, "tenancy.tenant", tenant)); n != 1 {
			t.Errorf("%d change rows", n)
		}
		admin.do(t, "DELETE", at(sites, id), nil).Want(t, http.StatusNoContent)
		admin.do(t, "DELETE", at(tenants, tenant), nil).Want(t, http.StatusNoContent)
	})
	t.Run("emptied", func(t *testing.T) {
		region, tag := admin.create(t, regions, obj{"name": "R", "slug": "r"}), admin.create(t, tags, obj{"name": "x", "slug": "x"})
		id := admin.create(t, sites, site("Emptied", "region", region, "tags", []int64{tag}))
		for i, path := range []string{at(regions, region), at(tags, tag)} {
			gone := admin.do(t, "DELETE", path, nil).Want(t, http.StatusNoContent)
			rows := admin.changes(t, "dcim.site", id)
			if last := rows[len(rows)-1]; len(rows) != i+2 || last["action"].(obj)["value"] != "update" ||
				last["request_id"] != gone.Header.Get("X-Request-ID") {
				t.Errorf("after %s: %d change rows, the last %v", path, len(rows), last)
			}
			if got := version(sites, id); got != fmt.Sprintf("%q", fmt.Sprint(i+2)) {
				t.Errorf("version %s", got)
			}
		}
		if got := admin.get(t, at(sites, id)).Object(t); got["region"] != nil || len(got["tags"].([]any)) != 0 {
			t.Errorf("%v", got)
		}
		if rows := admin.changes(t, "dcim.region", region); len(rows) != 2 || rows[1]["postchange_data"] != nil ||
			rows[1]["changed_object"] != nil {
			t.Errorf("%v", rows)
		}
	})
	t.Run("cascade", func(t *testing.T) {
		place := admin.create(t, sites, site("Gone"))
		floor := admin.create(t, places, obj{"name": "Floor", "slug": "floor", "site": place})
		room := admin.create(t, places, obj{"name": "Room", "slug": "room", "site": place, "parent": floor})
		gone := admin.do(t, "DELETE", at(sites, place), nil).Want(t, http.StatusNoContent)
		for key, id := range map[string]int64{"dcim.site": place, fmt.Sprintf("dcim.location&id__n=%d", 0): floor, "dcim.location": room} {
			rows := admin.changes(t, key, id)
			if last := rows[len(rows)-1]; len(rows) != 2 || last["action"].(obj)["value"] != "delete" ||
				last["request_id"] != gone.Header.Get("X-Request-ID") || last["postchange_data"] != nil {
				t.Errorf("%s %d: %v", key, id, rows)
			}
		}
		if n := admin.page(t, places).Count; n != 0 {
			t.Errorf("%d locations left", n)
		}
	})
	t.Run("trees", func(t *testing.T) {
		top := admin.create(t, regions, obj{"name": "Top", "slug": "top"})
		mid := admin.create(t, regions, obj{"name": "Mid", "slug": "mid", "parent": top})
		low := admin.create(t, regions, obj{"name": "Low", "slug": "low", "parent": mid})
		inside := admin.create(t, sites, site("Deep", "region", low))
		for _, row := range [][2]int64{{top, top}, {top, mid}, {top, low}, {mid, low}} {
			errs := admin.do(t, "PATCH", at(regions, row[0]), obj{"parent": row[1]}).Want(t, http.StatusBadRequest).Object(t)
			if errs["parent"] == nil {
				t.Errorf("%v below %v: %v", row[0], row[1], errs)
			}
		}
		if got := admin.page(t, sites+"?region=top").IDs(); !slices.Equal(got, []int64{inside}) {
			t.Errorf("below top: %v", got)
		}
		admin.patch(t, regions, mid, obj{"parent": nil})
		if n, m := admin.page(t, sites+"?region=top").Count, admin.page(t, sites+"?region=mid").Count; n != 0 || m != 1 {
			t.Errorf("after the move: %d below top, %d below mid", n, m)
		}
		admin.do(t, "PATCH", regions, []obj{{"id": top, "parent": low}, {"id": mid, "parent": top}}).Want(t, http.StatusBadRequest)
		admin.do(t, "DELETE", at(regions, mid), nil).Want(t, http.StatusNoContent)
		if got := admin.get(t, at(sites, inside)).Object(t)["region"]; got != nil {
			t.Errorf("the site is still in %v", got)
		}
	})
	t.Run("a location stays with its site", func(t *testing.T) {
		one, two := admin.create(t, sites, site("One")), admin.create(t, sites, site("Two"))
		floor := admin.create(t, places, obj{"name": "Floor", "slug": "floor", "site": one})
		room := admin.create(t, places, obj{"name": "Room", "slug": "room", "site": one, "parent": floor})
		for _, body := range []obj{{"site": two}, {"parent": admin.create(t, places, obj{"name": "F2", "slug": "f2", "site": two})}} {
			if errs := admin.do(t, "PATCH", at(places, room), body).Want(t, http.StatusBadRequest).Object(t); errs["parent"] == nil {
				t.Errorf("%v: %v", body, errs)
			}
		}
		// The floor may move only if its rooms do not stay behind.
		admin.do(t, "PATCH", at(places, floor), obj{"site": two})
		f, r := admin.get(t, at(places, floor)).Object(t)["site"].(obj), admin.get(t, at(places, room)).Object(t)["site"].(obj)
		if f["id"] != r["id"] {
			t.Errorf("the floor is in %v, its room in %v", f["name"], r["name"])
		}
	})
}

// TestCustomFields: definitions, values and filters of each kind.
func TestCustomFields(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	define := func(name, kind string, more obj) {
		body := obj{"name": name, "type": kind, "content_types": []string{"dcim.site"}}
		for k, v := range more {
			body[k] = v
		}
		admin.create(t, defs, body)
	}
	define("note", "text", obj{"validation_regex": "[a-z]+"})
	define("floors", "integer", obj{"validation_minimum": 1, "validation_maximum": 99})
	define("area", "decimal", nil)
	define("owned", "boolean", nil)
	define("tier", "select", obj{"choices": []string{"gold", "silver"}, "default": "silver"})
	define("colours", "multiselect", obj{"choices": []string{"red", "green", "blue"}})
	define("opened", "date", nil)
	define("checked", "datetime", nil)
	define("home", "url", nil)
	define("extra", "json", nil)
	values := func(more ...any) obj { return obj{"custom_fields": site("", more...)}["custom_fields"].(obj) }
	with := func(name string, more ...any) obj {
		v := values(more...)
		delete(v, "name")
		delete(v, "slug")
		return site(name, "custom_fields", v)
	}
	admin.create(t, sites, with("A", "note", "abc", "floors", 3, "area", 1.5, "owned", true, "tier", "gold", "colours",
		[]string{"red", "green"}, "opened", "2020-01-31",
		"checked", "2020-01-31T10:00:00Z", "home", "https://a.example", "extra", obj{"k": []any{1, nil}}))
	b := admin.create(t, sites, with("B", "note", "xyz", "floors", 10, "area", 20, "owned", false, "colours", []string{"blue"},
		"opened", "2021-06-01", "checked", "2021-01-31T10:00:00Z"))
	admin.create(t, sites, site("C"))
	t.Run("every definition is shown, with its default", func(t *testing.T) {
		got := admin.page(t, sites+"?name=C").Results[0]["custom_fields"].(obj)
		if keys(got) != "area checked colours extra floors home note opened owned tier" || got["tier"] != "silver" || got["note"] != nil {
			t.Errorf("%v", got)
		}
	})
	for _, row := range []struct{ query, want string }{
		{"cf_note=abc", "A"}, {"cf_note=abc&cf_note=xyz", "A B"}, {"cf_note__n=abc", "B C"}, {"cf_note__ic=BC", "A"},
		{"cf_note__isw=x", "B"}, {"cf_note__empty=true", "C"},
		{"cf_floors=3", "A"}, {"cf_floors__gt=3", "B"}, {"cf_floors__lte=10", "A B"}, {"cf_floors__n=3", "B C"}, {"cf_floors__empty=true", "C"},
		{"cf_area=1.5", "A"}, {"cf_area__gte=2", "B"}, {"cf_owned=true", "A"}, {"cf_owned=false", "B"}, {"cf_owned__n=true", "B C"},
		{"cf_tier=gold", "A"}, {"cf_tier=silver", "B C"}, {"cf_tier__n=gold", "B C"},
		{"cf_colours=red", "A"}, {"cf_colours=red&cf_colours=blue", "A B"}, {"cf_colours__n=red", "B C"},
		{"cf_opened=2020-01-31", "A"}, {"cf_opened__gte=2020-12-01", "B"}, {"cf_opened__lt=2020-12-01", "A"},
		{"cf_checked=2020-01-31T10:00:00Z", "A"}, {"cf_checked__gt=2020-12-01T00:00:00Z", "B"}, {"cf_home=https://a.example", "A"},
	} {
		t.Run(row.query, func(t *testing.T) {
			if got := names(admin.page(t, sites+"?"+row.query).Results, "name"); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
	for _, query := range []string{"cf_nothing=1", "cf_floors=x", "cf_floors__ic=1", "cf_owned=maybe", "cf_note__", "cf_",
		"cf_note__gte=a", "cf_checked=soon"} {
		t.Run("refused "+query, func(t *testing.T) { admin.get(t, sites+"?"+query).Want(t, http.StatusBadRequest) })
	}
	for _, row := range []struct {
		field string
		value any
		ok    bool
	}{
		{"note", "UPPER", false}, {"note", 5, false}, {"note", nil, true}, {"floors", 0, false}, {"floors", 100, false},
		{"floors", "x", false}, {"floors", 1.5, false}, {"floors", 99, true},
		{"owned", "maybe", false}, {"owned", true, true}, {"tier", "bronze", false}, {"tier", "gold", true},
		{"colours", []string{"pink"}, false}, {"colours", "red", false},
		{"colours", []string{}, true}, {"opened", "31.01.2020", false}, {"opened", "2020-02-30", false},
		{"opened", "2020-01-31T00:00:00Z", false}, {"checked", "soon", false},
		{"home", "javascript:alert(1)", false}, {"unknown", 1, false}, {"note", "a\x00", false}, {"area", "1e999", false},
		{"extra", json.RawMessage("1e131071"), false}, // PostgreSQL would keep, and show, 131,072 digits
	} {
		t.Run(fmt.Sprintf("%s=%v", row.field, row.value), func(t *testing.T) {
			a := admin.do(t, "PATCH", at(sites, b), obj{"custom_fields": obj{row.field: row.value}})
			if row.ok {
				a.Want(t, http.StatusOK)
			} else if errs := a.Want(t, http.StatusBadRequest).Object(t); errs["custom_fields"] == nil {
				t.Errorf("%v", errs)
			}
		})
	}
	t.Run("a patch of one keeps the others", func(t *testing.T) {
		got := admin.patch(t, sites, b, obj{"custom_fields": obj{"note": "new"}})["custom_fields"].(obj)
		if got["note"] != "new" || got["floors"] != 99.0 {
			t.Errorf("%v", got)
		}
	})
	for _, bad := range []obj{{"type": "select"}, {"type": "text", "choices": []string{"x"}}, {"type": "integer", "default": "x"},
		{"required": true, "default": ""}, {"type": "text", "validation_regex": "("}, {"name": "no space"}, {"name": "two__parts"},
		{"content_types": []string{"dcim.nothing"}}, {"type": "nothing"}} {
		t.Run(fmt.Sprintf("definition %v", bad), func(t *testing.T) {
			body := obj{"name": "bad", "content_types": []string{"dcim.site"}}
			for k, v := range bad {
				body[k] = v
			}
			admin.do(t, "POST", defs, body).Want(t, http.StatusBadRequest)
		})
	}
	t.Run("required", func(t *testing.T) {
		define("must", "text", obj{"required": true})
		for _, body := range []obj{site("D"), with("D", "must", nil), with("D", "must", ""), with("D", "must", " ")} {
			if errs := admin.do(t, "POST", sites, body).Want(t, http.StatusBadRequest).Object(t); errs["custom_fields"] == nil {
				t.Errorf("%v", errs)
			}
		}
		admin.create(t, sites, with("D", "must", "x"))
		admin.patch(t, sites, b, obj{"facility": "a record from before can still be changed"})
	})
}
