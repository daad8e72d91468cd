package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
)

// siteContentType is the id of sites. Clients keep it, so it never changes.
const siteContentType = 1517596607

// TestContentTypes checks the list of types: its filters, pages and addresses, and that the ids never change.
func TestContentTypes(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	const list = "/api/extras/content-types/"
	_, token := s.User(t, "nobody")
	page := func(query string) apitest.Page {
		return s.Do(t, apitest.Call{Method: "GET", Path: list + query, Token: token}).Want(t, http.StatusOK).Page(t)
	}
	if all := page("?limit=2"); all.Count != int64(len(s.App.Registry.Types())) || len(all.Results) != 2 || all.Next == nil {
		t.Errorf("the first page is %v", all)
	}
	site := page("?app_label=dcim&model=site").Results
	want := map[string]any{"id": float64(siteContentType), "url": fmt.Sprintf("%s%s%d/", s.URL, list, siteContentType),
		"display": "dcim | site", "app_label": "dcim", "model": "site"}
	if len(site) != 1 || fmt.Sprint(site[0]) != fmt.Sprint(want) {
		t.Errorf("sites are %v, want %v", site, want)
	}
	for query, count := range map[string]int64{fmt.Sprintf("?id=%d", siteContentType): 1, "?q=SITEGR": 1, "?model=nosuch": 0,
		"?brief=1&model=tag":    1,
		"?model=tag&model=site": 2} {
		if got := page(query).Count; got != count {
			t.Errorf("%s finds %d, want %d", query, got, count)
		}
	}
	one := s.Do(t, apitest.Call{Method: "GET", Path: fmt.Sprintf("%s%d/", list, siteContentType), Token: token}).Want(t,
		http.StatusOK).Object(t)
	if fmt.Sprint(one) != fmt.Sprint(want) {
		t.Errorf("one is %v", one)
	}
	s.Do(t, apitest.Call{Method: "GET", Path: list + "?nosuch=1", Token: token}).Want(t, http.StatusBadRequest)
	s.Do(t, apitest.Call{Method: "GET", Path: list + "0/", Token: token}).Want(t, http.StatusNotFound)
	s.Do(t, apitest.Call{Method: "POST", Path: list, Token: s.Admin, Body: obj{}}).Want(t, http.StatusMethodNotAllowed)
	s.Do(t, apitest.Call{Method: "GET", Path: list}).Want(t, http.StatusForbidden)
	if address := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/"}).Object(t)["content-types"]; address != s.URL+list {
		t.Errorf("the section has the address %v", address)
	}
}
