package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// orderedSite is a site of TestOrderByCustomFields: its name says where it comes in an ascending list.
type orderedSite struct {
	name  string
	value any // json.RawMessage that the database has whatever the definition says; nil for no value
}

// TestOrderByCustomFields: lists are ordered by the values of a custom field as its kind compares them, those without a value last in
// both directions, and paged by offset and by cursor, forwards and backwards.
func TestOrderByCustomFields(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		kind  string
		def   obj
		sites []orderedSite
	}{
		{"integer", obj{}, []orderedSite{{"a", -5}, {"b", 9}, {"c", 10}, {"d", 10}, {"e", json.RawMessage("9007199254740992")},
			{"f", json.RawMessage("9007199254740993")}, {"y", "text"}, {"z", nil}}},
		{"decimal", obj{}, []orderedSite{{"a", -0.5}, {"b", 0.25}, {"c", 1.5}, {"d", 12}, {"z", nil}}},
		{"boolean", obj{}, []orderedSite{{"a", false}, {"b", false}, {"c", true}, {"y", 1}, {"z", nil}}},
		{"text", obj{}, []orderedSite{{"a", "item 2"}, {"b", "item 10"}, {"c", "Item 10"}, {"d", "über"}, {"e", "zeta"},
			{"w", ""}, {"x", 3}, {"y", []string{"a"}}, {"z", nil}}},
		{"longtext", obj{}, []orderedSite{{"a", "one\ntwo"}, {"b", strings.Repeat("x", 20_000)}, {"c", strings.Repeat("x", 20_000) + "y"}}},
		{"url", obj{}, []orderedSite{{"a", "https://a.example/"}, {"b", "https://b.example/"}, {"z", nil}}},
		{"date", obj{}, []orderedSite{{"a", "1999-12-31"}, {"b", "2026-01-31"}, {"c", "2026-11-01"}, {"z", nil}}},
		{"datetime", obj{}, []orderedSite{{"a", "2026-01-31T10:00:00.000000Z"}, {"b", "2026-01-31T10:00:00.000001Z"}, {"z", nil}}},
		{"select", obj{"choices": []string{"low", "high"}}, []orderedSite{{"a", "high"}, {"b", "low"}, {"z", nil}}},
		{"text", obj{"default": "m"}, []orderedSite{{"a", "a"}, {"b", nil}, {"c", "n"}, {"z", json.RawMessage("null")}}},
	} {
		t.Run(row.kind, func(t *testing.T) {
			t.Parallel()
			s := apitest.New(t)
			admin := adminOf(s)
			row.def["name"], row.def["type"], row.def["content_types"] = "x", row.kind, []string{"dcim.site"}
			admin.create(t, defs, row.def)
			want := make([]string, len(row.sites))
			for i := range row.sites { // the last first, so that ids are no help
				one := row.sites[len(row.sites)-1-i]
				want[len(want)-1-i] = one.name
				id := admin.create(t, sites, site(one.name))
				stored := obj{}
				if one.value != nil {
					stored["x"] = one.value
				}
				raw, err := json.Marshal(stored)
				if err == nil {
					_, err = s.DB.Exec(t.Context(), "UPDATE dcim_site SET custom_fields = $1 WHERE id = $2", string(raw), id)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			orderedBy(t, admin, "cf_x,name", want)
			orderedBy(t, admin, "-cf_x,name", descending(row.sites, want))
		})
	}
}

// descending returns the names in descending order: equal values keep the order of their names, and what has no value stays last.
func descending(sites []orderedSite, names []string) []string {
	var with, without []string
	for i := len(names) - 1; i >= 0; i-- {
		if names[i] >= "w" {
			without = append([]string{names[i]}, without...)
			continue
		}
		at := len(with)
		if at > 0 && fmt.Sprint(sites[i].value) == fmt.Sprint(sites[i+1].value) {
			at--
		}
		with = slices.Insert(with, at, names[i])
	}
	return append(with, without...)
}

// orderedBy fails the test unless a list has these names in this order, as a whole and page by page.
func orderedBy(t *testing.T, a actor, ordering string, want []string) {
	t.Helper()
	list := sites + "?ordering=" + url.QueryEscape(ordering)
	got := func(p apitest.Page) (all []string) {
		for _, one := range p.Results {
			all = append(all, one["name"].(string))
		}
		return all
	}
	if whole := got(a.page(t, list)); !slices.Equal(whole, want) {
		t.Errorf("%s: %v, want %v", ordering, whole, want)
	}
	var byOffset, byCursor, back []string
	for i := range want {
		byOffset = append(byOffset, got(a.page(t, fmt.Sprintf("%s&limit=1&offset=%d", list, i)))...)
	}
	page := a.page(t, list+"&limit=1")
	for byCursor = got(page); page.Next != nil && len(byCursor) <= len(want); byCursor = append(byCursor, got(page)...) {
		page = a.page(t, local(t, a.s, page.Next))
	}
	for back = got(page); page.Previous != nil && len(back) <= len(want); back = append(got(page), back...) {
		page = a.page(t, local(t, a.s, page.Previous))
	}
	for way, all := range map[string][]string{"by offset": byOffset, "by cursor": byCursor, "backwards": back} {
		if !slices.Equal(all, want) {
			t.Errorf("%s %s: %v, want %v", ordering, way, all, want)
		}
	}
}

// TestOrderByUnknownCustomFields: what is not a custom field of the type, or has no order, is refused, and so is a cursor that is not one
// of the list. The name never becomes a part of the statement.
func TestOrderByUnknownCustomFields(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	for name, kind := range map[string]string{"n": "integer", "s": "text", "b": "boolean", "any": "json", "many": "multiselect"} {
		def := obj{"name": name, "type": kind, "content_types": []string{"dcim.site"}}
		if kind == "multiselect" {
			def["choices"] = []string{"a"}
		}
		admin.create(t, defs, def)
	}
	admin.create(t, defs, obj{"name": "elsewhere", "content_types": []string{"dcim.region"}})
	admin.create(t, sites, site("A", "custom_fields", obj{"n": 1, "s": "x", "b": true}))
	for _, name := range []string{"cf_", "cf_none", "cf_elsewhere", "cf_any", "cf_many", "cf_N", "cf_n__gt", "cf_n'", `cf_n"`, "cf_s') --",
		"cf_s;DROP TABLE dcim_site", "cf_$1", "cf_\x00", "custom_fields"} {
		for _, sign := range []string{"", "-"} {
			a := admin.do(t, "GET", sites+"?ordering="+url.QueryEscape(sign+name), nil).Want(t, http.StatusBadRequest)
			if !strings.Contains(string(a.Raw), "is not a field to order by") {
				t.Errorf("%q: %s", name, a.Raw)
			}
		}
	}
	for ordering, values := range map[string][]string{
		"cf_n": {`["x",1]`, `[true,1]`, `["1",1]`, `[1e9999999,1]`, `[{},1]`, `[[1],1]`, `["NaN",1]`, `[1]`},
		"cf_s": {`[1,1]`, `["\u0000",1]`, `["",1]`, `[{},1]`, `[["a"],1]`},
		"cf_b": {`["true",1]`, `[1,1]`},
	} {
		for _, one := range values {
			for _, direction := range []string{"n", "p"} {
				cursor := direction + base64.RawURLEncoding.EncodeToString([]byte(one))
				a := admin.do(t, "GET", sites+"?ordering="+ordering+"&cursor="+cursor, nil)
				if a.Want(t, http.StatusBadRequest); !strings.Contains(string(a.Raw), "not a cursor of this list") {
					t.Errorf("%s %s: %s", ordering, one, a.Raw)
				}
			}
		}
	}
	admin.do(t, "GET", sites+"?ordering=cf_n,-cf_n,cf_s,cf_n", nil).Want(t, http.StatusOK)
}
