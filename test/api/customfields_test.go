package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"terrier/test/apitest"
)

// customOf is one custom field of a site.
func customOf(t *testing.T, a actor, id int64, name string) any {
	t.Helper()
	return a.get(t, at(sites, id)).Object(t)["custom_fields"].(obj)[name]
}

// TestCustomValuesStay: a value that is not shown survives every write, and is shown again with its definition.
func TestCustomValuesStay(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	owner := obj{"name": "owner", "content_types": []string{"dcim.site"}}
	id := admin.create(t, defs, owner)
	admin.create(t, defs, obj{"name": "floor", "type": "integer", "content_types": []string{"dcim.site"}})
	ways := []struct {
		name       string
		hide, show func(t *testing.T)
	}{
		{"the definition leaves the type", func(t *testing.T) {
			admin.patch(t, defs, id, obj{"content_types": []string{"dcim.region"}})
		}, func(t *testing.T) {
			admin.patch(t, defs, id, obj{"content_types": []string{"dcim.site"}})
		}},
		{"the definition is deleted and made again", func(t *testing.T) {
			admin.do(t, "DELETE", at(defs, id), nil).Want(t, http.StatusNoContent)
		}, func(t *testing.T) {
			id = admin.create(t, defs, owner)
		}},
	}
	writes := []struct {
		name  string
		write func(t *testing.T, a, b, region int64)
	}{
		{"a patch", func(t *testing.T, a, b, _ int64) {
			admin.patch(t, sites, a, obj{"description": "new"})
			admin.patch(t, sites, b, obj{"custom_fields": obj{"floor": 2}})
		}},
		{"a bulk patch", func(t *testing.T, a, b, _ int64) {
			admin.do(t, "PATCH", sites, []obj{{"id": a, "description": "new"}, {"id": b, "custom_fields": obj{"floor": 2}}}).Want(t, http.StatusOK)
		}},
		{"a record sent back as it was read", func(t *testing.T, a, b, _ int64) {
			for _, id := range []int64{a, b} {
				read := admin.get(t, at(sites, id)).Object(t)
				admin.do(t, "PUT", at(sites, id), obj{"name": read["name"], "slug": read["slug"], "facility": "new",
					"custom_fields": read["custom_fields"]}).Want(t, http.StatusOK)
			}
		}},
		{"a delete that empties a reference", func(t *testing.T, _, _, region int64) {
			admin.do(t, "DELETE", at(regions, region), nil).Want(t, http.StatusNoContent)
		}},
	}
	n := 0
	for _, way := range ways {
		for _, w := range writes {
			t.Run(way.name+", "+w.name, func(t *testing.T) {
				n++
				region := admin.create(t, regions, obj{"name": fmt.Sprint("r", n), "slug": fmt.Sprint("r", n)})
				a := admin.create(t, sites, site(fmt.Sprint("a", n), "region", region, "custom_fields", obj{"owner": "x", "floor": 1}))
				b := admin.create(t, sites, site(fmt.Sprint("b", n), "region", region, "custom_fields", obj{"owner": "y"}))
				way.hide(t)
				if got := admin.get(t, at(sites, a)).Object(t)["custom_fields"]; !reflect.DeepEqual(got, obj{"floor": 1.0}) {
					t.Errorf("without the definition it shows %v", got)
				}
				w.write(t, a, b, region)
				way.show(t)
				for id, want := range map[int64]string{a: "x", b: "y"} {
					rows := admin.changes(t, "dcim.site", id)
					if got := customOf(t, admin, id, "owner"); len(rows) != 2 || got != want {
						t.Errorf("after %d changes the owner is %v, want %s", len(rows), got, want)
					}
					// The log has what was shown.
					if got := rows[1]["postchange_data"].(obj)["custom_fields"].(obj); keys(got) != "floor" {
						t.Errorf("the log shows %v", got)
					}
				}
			})
		}
	}
	t.Run("the name of a definition", func(t *testing.T) {
		if errs := admin.do(t, "PATCH", at(defs, id), obj{"name": "holder"}).Want(t, http.StatusBadRequest).Object(t); keys(errs) != "name" {
			t.Errorf("%v", errs)
		}
		if got := admin.do(t, "PUT", at(defs, id), obj{"name": "owner", "content_types": []string{"dcim.site"},
			"label": "Holder"}).Want(t, http.StatusOK).Object(t); got["label"] != "Holder" {
			t.Errorf("%v", got)
		}
	})
}

// TestCustomDefaultsAreNotFrozen: a record without a value shows the current default, whatever else was written to
// it; one with a value keeps it, also null.
func TestCustomDefaultsAreNotFrozen(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	rows := []struct {
		name        string
		write       func(id int64)
		first, then any // what is shown after it, and when the default has changed
	}{
		{"untouched", func(int64) {}, "silver", "bronze"},
		{"patched", func(id int64) {
			admin.patch(t, sites, id, obj{"description": "new", "custom_fields": obj{"note": "n"}})
		}, "silver", "bronze"},
		{"patched in bulk", func(id int64) {
			other := admin.create(t, sites, site("other"))
			admin.do(t, "PATCH", sites, []obj{{"id": id, "description": "new"}, {"id": other, "description": "new"}}).Want(t, http.StatusOK)
		}, "silver", "bronze"},
		{"sent back as read", func(id int64) {
			read := admin.get(t, at(sites, id)).Object(t)
			admin.do(t, "PUT", at(sites, id), obj{"name": read["name"], "slug": read["slug"], "facility": "new",
				"custom_fields": read["custom_fields"]}).Want(t, http.StatusOK)
		}, "silver", "bronze"},
		{"given the default", func(id int64) { admin.patch(t, sites, id, obj{"custom_fields": obj{"tier": "silver"}}) }, "silver", "bronze"},
		{"given null", func(id int64) { admin.patch(t, sites, id, obj{"custom_fields": obj{"tier": nil}}) }, nil, nil},
		{"given another", func(id int64) { admin.patch(t, sites, id, obj{"custom_fields": obj{"tier": "gold"}}) }, "gold", "gold"},
		{"given another and then the default", func(id int64) {
			admin.patch(t, sites, id, obj{"custom_fields": obj{"tier": "gold"}})
			admin.patch(t, sites, id, obj{"custom_fields": obj{"tier": "silver"}})
		}, "silver", "silver"},
	}
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = admin.create(t, sites, site(row.name))
	}
	tier := admin.create(t, defs, obj{"name": "tier", "content_types": []string{"dcim.site"}, "default": "silver"})
	admin.create(t, defs, obj{"name": "note", "content_types": []string{"dcim.site"}})
	later := admin.create(t, sites, site("made later"))
	for i, row := range rows {
		row.write(ids[i])
		if got := customOf(t, admin, ids[i], "tier"); got != row.first {
			t.Errorf("%s: at first %v, want %v", row.name, got, row.first)
		}
	}
	admin.patch(t, defs, tier, obj{"default": "bronze"})
	for i, row := range rows {
		if got := customOf(t, admin, ids[i], "tier"); got != row.then {
			t.Errorf("%s: then %v, want %v", row.name, got, row.then)
		}
	}
	if got := customOf(t, admin, later, "tier"); got != "silver" {
		t.Errorf("a record keeps the default it was made with, not %v", got)
	}
}

// TestCustomDefaultIsAValue: a default is stored in the same form as a value.
func TestCustomDefaultIsAValue(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	id := admin.create(t, sites, site("A"))
	for _, row := range []struct {
		kind          string
		given, wanted any
	}{
		{"integer", "5", 5.0}, {"decimal", "1.50004", 1.5}, {"boolean", "yes", true}, {"text", 7, "7"}, {"text", " padded ", "padded"},
		{"date", "2020-01-31", "2020-01-31"}, {"datetime", "2020-01-31T11:00:00+01:00", "2020-01-31T10:00:00.000000Z"}, {"json", "5", "5"},
	} {
		t.Run(fmt.Sprintf("%s=%v", row.kind, row.given), func(t *testing.T) {
			def := admin.do(t, "POST", defs, obj{"name": "n", "type": row.kind, "content_types": []string{"dcim.site"},
				"default": row.given}).Want(t, http.StatusCreated).Object(t)
			defer admin.do(t, "DELETE", at(defs, apitest.ID(def)), nil)
			if got := customOf(t, admin, id, "n"); def["default"] != row.wanted || got != row.wanted {
				t.Errorf("the default is %#v and is shown as %#v, want %#v", def["default"], got, row.wanted)
			}
			if row.kind != "json" {
				if n := admin.page(t, fmt.Sprintf("%s?cf_n=%v", sites, row.wanted)).Count; n != 1 {
					t.Errorf("it is not found")
				}
			}
			if a := admin.do(t, "PATCH", at(defs, apitest.ID(def)), obj{"default": row.given}); a.Header.Get("ETag") != `"1"` {
				t.Errorf("the same default again is a change: %s", a.Raw)
			}
		})
	}
	t.Run("the kind changes", func(t *testing.T) {
		def := admin.create(t, defs, obj{"name": "n", "content_types": []string{"dcim.site"}, "default": "5"})
		admin.patch(t, defs, def, obj{"type": "integer"})
		if got := customOf(t, admin, id, "n"); got != 5.0 {
			t.Errorf("%#v", got)
		}
	})
}

// TestStoredCustomValuesBlockNothing: a value that its definition would refuse now may be sent back as it was read,
// together with other changes. Only a different value is checked.
func TestStoredCustomValuesBlockNothing(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	admin.create(t, defs, obj{"name": "note", "content_types": []string{"dcim.site"}})
	for _, row := range []struct {
		name          string
		before, after obj // of the definition
		stored, other any
	}{
		{"a regex", obj{}, obj{"validation_regex": "[0-9]+"}, "x", "y"},
		{"a minimum", obj{"type": "integer"}, obj{"validation_minimum": 5}, 1, 2},
		{"a maximum", obj{"type": "decimal"}, obj{"validation_maximum": 1}, 2.5, 2.6},
		{"a choice", obj{"type": "select", "choices": []string{"a", "b"}}, obj{"choices": []string{"b"}}, "a", "c"},
		{"choices", obj{"type": "multiselect", "choices": []string{"a", "b"}}, obj{"choices": []string{"b"}}, []any{"b", "a"}, []any{"a"}},
		{"another type", obj{}, obj{"type": "url"}, "x", "y"},
		{"required", obj{}, obj{"required": true}, nil, " "},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.before["name"], row.before["content_types"] = "f", []string{"dcim.site"}
			def := admin.create(t, defs, row.before)
			defer admin.do(t, "DELETE", at(defs, def), nil)
			id := admin.create(t, sites, site(row.name, "custom_fields", obj{"f": row.stored}))
			admin.patch(t, defs, def, row.after)
			read := admin.get(t, at(sites, id)).Object(t)["custom_fields"].(obj)
			was := read["f"]
			read["note"] = "new"
			admin.patch(t, sites, id, obj{"custom_fields": read})
			if customOf(t, admin, id, "note") != "new" || !reflect.DeepEqual(customOf(t, admin, id, "f"), was) {
				t.Errorf("stored are %v", admin.get(t, at(sites, id)).Object(t)["custom_fields"])
			}
			wantRefused(t, "another value", admin.do(t, "PATCH", at(sites, id), obj{"custom_fields": obj{"f": row.other}}), `custom field \"f\"`)
		})
	}
}

// TestLargeCustomNumbers: 2⁵³ and 2⁵³+1 are the same float, but different numbers.
func TestLargeCustomNumbers(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	admin.create(t, defs, obj{"name": "n", "type": "integer", "content_types": []string{"dcim.site"}})
	for _, n := range []string{"9007199254740992", "9007199254740993", "-9223372036854775808"} {
		admin.create(t, sites, site("s"+n, "custom_fields", obj{"n": json.RawMessage(n)}))
	}
	for query, want := range map[string]string{
		"cf_n=9007199254740992": "s9007199254740992", "cf_n=9007199254740993": "s9007199254740993",
		"cf_n__gt=9007199254740992":                          "s9007199254740993",
		"cf_n__lte=9007199254740992":                         "s-9223372036854775808 s9007199254740992",
		"cf_n__n=9007199254740993":                           "s-9223372036854775808 s9007199254740992",
		"cf_n=-9223372036854775808&cf_n=9223372036854775807": "s-9223372036854775808",
		"cf_n__empty=false&ordering=id&limit=1":              "s9007199254740992",
	} {
		if got := names(admin.page(t, sites+"?"+query).Results, "name"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
