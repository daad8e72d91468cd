package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// TestDepth checks that records of a tree show how many are above them, also nested, that ?brief shows counts besides, and
// that counts include what is below.
func TestDepth(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	do := func(method, path string, body any) apitest.Answer {
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body})
	}
	var above any
	var ids []int64
	for depth := range 4 {
		region := do("POST", "/api/dcim/regions/", map[string]any{"name": fmt.Sprint("r", depth), "slug": fmt.Sprint("r", depth),
			"parent": above, "_depth": 9}).Want(t, http.StatusCreated).Object(t)
		if region["_depth"] != float64(depth) {
			t.Errorf("the depth is %v, want %d", region["_depth"], depth)
		}
		if parent, ok := region["parent"].(map[string]any); ok && parent["_depth"] != float64(depth-1) {
			t.Errorf("the depth above is %v, want %d", parent["_depth"], depth-1)
		}
		above, ids = region["id"], append(ids, apitest.ID(region))
	}
	site := do("POST", "/api/dcim/sites/", map[string]any{"name": "a", "slug": "a", "region": above}).Want(t, http.StatusCreated).Object(t)
	if region := site["region"].(map[string]any); region["_depth"] != 3.0 || region["site_count"] != nil {
		t.Errorf("the region of a site is %v", region)
	}
	brief := do("GET", "/api/dcim/regions/?brief=true&name=r3", nil).Page(t).Results[0]
	same(t, "the brief form", brief, map[string]any{"name": "r3", "slug": "r3", "_depth": 3.0, "site_count": 1.0})
	for i, id := range ids {
		region := do("GET", fmt.Sprintf("/api/dcim/regions/%d/", id), nil).Object(t)
		sites := do("GET", fmt.Sprintf("/api/dcim/sites/?region_id=%d", id), nil).Page(t)
		if region["site_count"] != 1.0 || sites.Count != 1 {
			t.Errorf("region r%d counts %v sites, and its list %d: the site is in it or below it", i, region["site_count"], sites.Count)
		}
	}
	do("PATCH", fmt.Sprintf("/api/dcim/regions/%d/", ids[2]), map[string]any{"parent": nil}).Want(t, http.StatusOK)
	if region := do("GET", fmt.Sprintf("/api/dcim/regions/%d/", ids[3]), nil).Object(t); region["_depth"] != 1.0 {
		t.Errorf("the depth after a move is %v, want 1", region["_depth"])
	}
	do("GET", "/api/dcim/regions/?_depth=1", nil).Want(t, http.StatusBadRequest)
}

// TestTreesAreNotTooDeep: at most 100 records can be above another, whether one is created there or a whole branch is moved there.
func TestTreesAreNotTooDeep(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	do := func(method, path string, body any) apitest.Answer {
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body})
	}
	create := func(name string, above any) apitest.Answer {
		return do("POST", "/api/dcim/regions/", map[string]any{"name": name, "slug": name, "parent": above})
	}
	top := create("top", nil).Want(t, http.StatusCreated).Object(t)
	var above, first any
	for depth := range 101 {
		region := create(fmt.Sprint("r", depth), above).Want(t, http.StatusCreated).Object(t)
		if above = region["id"]; first == nil {
			first = above
		}
	}
	refused := "At most 100 regions can be above another."
	if got := create("deeper", above).Want(t, http.StatusBadRequest).Object(t)["parent"]; fmt.Sprint(got) != "["+refused+"]" {
		t.Errorf("one below is refused with %v", got)
	}
	path := fmt.Sprintf("/api/dcim/regions/%v/", first)
	move := map[string]any{"parent": top["id"]}
	if got := do("PATCH", path, move).Want(t, http.StatusBadRequest).Object(t)["parent"]; fmt.Sprint(got) != "["+refused+"]" {
		t.Errorf("a move is refused with %v", got)
	}
	do("PATCH", fmt.Sprintf("/api/dcim/regions/%v/", above), move).Want(t, http.StatusOK)
	do("PATCH", path, move).Want(t, http.StatusOK)
}
