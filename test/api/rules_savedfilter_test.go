package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"terrier/test/apitest"
)

const savedFilters = "/api/extras/saved-filters/"

// savedBody is a saved filter for lists of sites.
func savedBody(name string, parameters obj, more ...any) obj {
	body := obj{"name": name, "slug": name, "content_types": []string{"dcim.site"}, "parameters": parameters}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

func savedFilterRules() map[int]ruleTest {
	return map[int]ruleTest{
		1: func(t *testing.T, h *hardware) {
			for _, bad := range []any{[]any{}, "status=active", 1, nil} {
				h.refused(t, "parameters", "savedfilter", "parameters", bad)
			}
			h.make(t, "savedfilter", "parameters", obj{})
		},
		2: savedOnEveryList,
		3: func(t *testing.T, h *hardware) {
			owner, _ := h.s.User(t, "owner")
			made := h.made(t, "savedfilter", "user", owner)
			if made["user"] != float64(owner) {
				t.Errorf("user is %v, want %d", made["user"], owner)
			}
			if bare := h.made(t, "savedfilter"); bare["user"] != nil {
				t.Errorf("the server set the user %v", bare["user"])
			}
		},
		4: func(t *testing.T, h *hardware) {
			owner, _ := h.s.User(t, "somebody")
			h.create(t, sites, site("ignored"))
			h.make(t, "savedfilter", "slug", "odd", "enabled", false, "shared", false, "user", owner, "content_types", []string{"dcim.rack"},
				"parameters", obj{"name": "ignored"})
			if n := h.page(t, sites+"?filter=odd").Count; n != 1 {
				t.Errorf("it found %d sites", n)
			}
		},
		5: func(t *testing.T, h *hardware) {
			made := h.made(t, "savedfilter")
			for _, name := range []string{"tags", "custom_fields"} {
				if _, has := made[name]; has {
					t.Errorf("it has %s", name)
				}
			}
		},
	}
}

// savedOnEveryList: every list takes both parameters, says so in the document, and adds what the filters say to the request.
func savedOnEveryList(t *testing.T, h *hardware) {
	var made []int64
	for _, name := range []string{"one", "two", "three"} {
		made = append(made, h.create(t, sites, site(name)))
	}
	one := h.make(t, "savedfilter", "slug", "one", "parameters", obj{"name": "one"})
	h.make(t, "savedfilter", "slug", "two", "parameters", obj{"name": []string{"two"}, "status": []string{"active", "planned"}})
	h.make(t, "savedfilter", "slug", "empty", "parameters", obj{})
	for query, want := range map[string][]int64{
		"filter=one":                             made[:1],
		fmt.Sprint("filter_id=", one):            made[:1],
		"filter=one&filter=two":                  made[:2],
		fmt.Sprint("filter=two&filter_id=", one): made[:2],
		"filter=one&name=three":                  {made[0], made[2]},
		"filter=two&status=retired&name=two":     made[1:2],
		"filter=two&name__n=two":                 nil,
		"filter=empty":                           made,
	} {
		got := h.page(t, sites+"?ordering=id&"+query).IDs()
		if !slices.Equal(got, want) {
			t.Errorf("%s found %v, want %v", query, got, want)
		}
	}
	paths := h.get(t, "/api/schema/").Want(t, http.StatusOK).Object(t)["paths"].(obj)
	for _, typ := range h.s.App.Registry.Types() {
		h.get(t, typ.Path()+"?limit=1&filter=empty").Want(t, http.StatusOK)
		wantField(t, h.get(t, typ.Path()+"?filter=nosuch"), "filter")
		described := fmt.Sprint(paths[typ.Path()].(obj)["get"].(obj)["parameters"])
		for _, name := range []string{"name:filter ", "name:filter_id "} {
			if !containsText(described, name) {
				t.Errorf("%s does not describe %s", typ.Path(), name)
			}
		}
	}
}

// wantField fails the test unless an answer refuses a field.
func wantField(t *testing.T, a apitest.Answer, field string) {
	t.Helper()
	if a.Status != http.StatusBadRequest || a.Object(t)[field] == nil {
		t.Errorf("%s: %d %.200s, want an error on %s", a.Call.Path, a.Status, a.Raw, field)
	}
}
