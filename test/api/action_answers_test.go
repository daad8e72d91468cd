package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestPagedAction: an action may answer page by page, with records in their brief form, or with a picture.
func TestPagedAction(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	do := func(method, path string, body any) apitest.Answer {
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body})
	}
	shelf := apitest.ID(do("POST", "/api/trial/shelves/", map[string]any{"name": "upper", "places": 3}).Want(t, http.StatusCreated).Object(t))
	do("POST", "/api/trial/items/", map[string]any{"name": "<lamp>", "shelf": shelf, "place": 2}).Want(t, http.StatusCreated)
	path := fmt.Sprintf("/api/trial/shelves/%d/places/", shelf)

	page := do("GET", path+"?limit=2&offset=2", nil).Want(t, http.StatusOK).Page(t)
	if page.Count != 6 || len(page.Results) != 2 || page.Next == nil || page.Previous == nil ||
		!strings.HasSuffix(*page.Next, path+"?limit=2&offset=4") ||
		!strings.HasSuffix(*page.Previous, path+"?limit=2") {
		t.Errorf("the page is %+v", page)
	}
	item, _ := page.Results[0]["item"].(map[string]any)
	if page.Results[0]["id"] != 2.0 || item["name"] != "<lamp>" || item["place"] != nil ||
		!strings.HasSuffix(fmt.Sprint(item["url"]), "/api/trial/items/1/") {
		t.Errorf("the place is %v, want an item in its brief form at 2", page.Results[0])
	}
	do("GET", path+"?limits=2", nil).Want(t, http.StatusBadRequest)
	do("GET", path+"?draw=perhaps", nil).Want(t, http.StatusBadRequest)

	for name, header := range map[string]map[string]string{"program": nil,
		"browser": {"Accept": "text/html,*/*;q=0.8", "Cookie": s.Login(t, "admin"), "Authorization": ""}} {
		call := apitest.Call{Method: "GET", Path: path + "?draw=true&highlight=x&highlight=%3Clamp%3E", Header: header}
		if name == "program" {
			call.Token = s.Admin
		}
		drawn := s.Do(t, call).Want(t, http.StatusOK)
		if got := drawn.Header.Get("Content-Type"); got != "image/svg+xml" {
			t.Errorf("%s gets %s", name, got)
		}
		if got := drawn.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") {
			t.Errorf("the policy is %q", got)
		}
		for _, want := range []string{"<svg xmlns=", "&lt;lamp&gt;</text>", s.URL + "/trial/items/1/", `stroke="#d63384"`} {
			if !strings.Contains(string(drawn.Raw), want) {
				t.Errorf("%s: the picture has no %s: %s", name, want, drawn.Raw)
			}
		}
	}
}
