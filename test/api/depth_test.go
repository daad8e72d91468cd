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
	refused := "A region can be below at most 100 others."
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

// TestWritesCountWhatReadsCount: who may not see all of a tree gets the same counts from a write as from a read. What is below a hidden
// record is in neither.
func TestWritesCountWhatReadsCount(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	do := func(token, method, path string, body any) apitest.Answer {
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: token, Body: body})
	}
	create := func(path string, body map[string]any) int64 {
		body["slug"] = body["name"]
		return apitest.ID(do(s.Admin, "POST", path, body).Want(t, http.StatusCreated).Object(t))
	}
	shown := create("/api/dcim/regions/", map[string]any{"name": "shown"})
	hidden := create("/api/dcim/regions/", map[string]any{"name": "hidden", "parent": shown})
	below := create("/api/dcim/regions/", map[string]any{"name": "shown-below", "parent": shown})
	for i, region := range []int64{shown, hidden, hidden, below} {
		create("/api/dcim/sites/", map[string]any{"name": fmt.Sprint("s", i), "region": region})
	}
	_, some := s.User(t, "some", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.region"}, Actions: []string{"view", "add", "change"},
			Constraints: map[string]any{"name__isw": "shown"}})
	path := fmt.Sprintf("/api/dcim/regions/%d/", shown)
	read := do(some, "GET", path, nil).Want(t, http.StatusOK).Object(t)["site_count"]
	if read != 2.0 {
		t.Errorf("a read counts %v sites", read)
	}
	for what, a := range map[string]apitest.Answer{
		"PATCH": do(some, "PATCH", path, map[string]any{"description": "a"}),
		"PUT":   do(some, "PUT", path, map[string]any{"name": "shown", "slug": "b"}),
	} {
		if wrote := a.Want(t, http.StatusOK).Object(t)["site_count"]; wrote != read {
			t.Errorf("%s counts %v sites, a read %v", what, wrote, read)
		}
	}
	bulk := do(some, "PATCH", "/api/dcim/regions/", []any{map[string]any{"id": shown, "description": "c"}}).Want(t, http.StatusOK).List(t)
	if wrote := bulk[0]["site_count"]; wrote != read {
		t.Errorf("a bulk change counts %v sites, a read %v", wrote, read)
	}
	made := do(some, "POST", "/api/dcim/regions/", map[string]any{"name": "shown-new", "slug": "new"}).Want(t, http.StatusCreated).Object(t)
	if made["site_count"] != 0.0 {
		t.Errorf("a new region counts %v sites", made["site_count"])
	}
}
