package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestFactsThatClientsRelyOn checks what existing clients expect of every list: the document, redirects, choices, pages, and the status
// of a list that a caller may not see.
func TestFactsThatClientsRelyOn(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	_, nobody := s.User(t, "nobody")
	get := func(token, path string, status int) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Call{Method: "GET", Path: path, Token: token}).Want(t, status)
	}
	if version := get(nobody, "/api/status/", http.StatusOK).Object(t)["netbox-version"]; version != "3.5.9" {
		t.Errorf("netbox-version is %v", version)
	}
	document := get(nobody, "/api/schema/", http.StatusOK).Object(t)
	if version := document["info"].(obj)["version"].(string); strings.HasPrefix(version, "3.5") {
		t.Errorf("the version of the document is %s, which the inventory keeps for ever", version)
	}
	paths := document["paths"].(obj)
	if paths["/api/dcim/devices/"] == nil {
		t.Error("the document lacks devices for callers who may not see them")
	}
	for path, item := range paths {
		read, _ := item.(obj)["get"].(obj)
		list, _ := read["parameters"].([]any)
		for _, parameter := range list {
			p := parameter.(obj)
			schema, _ := p["schema"].(obj)
			if p["name"] == nil || p["in"] == nil || schema == nil || p["$ref"] != nil || schema["$ref"] != nil {
				t.Errorf("%s: the parameter %v is not inline", path, p)
			}
			if strings.HasSuffix(p["name"].(string), "__empty") && schema["type"] != "boolean" {
				t.Errorf("%s: %s is %v", path, p["name"], schema)
			}
		}
	}
	for _, typ := range s.App.Registry.Types() {
		if typ.Owner == "" {
			get(nobody, typ.Path(), http.StatusForbidden)
		}
		without := s.Do(t, apitest.Call{Method: "GET", Path: strings.TrimSuffix(typ.Path(), "/") + "?limit=0&q=a%2Fb", Token: s.Admin})
		if to := without.Header.Get("Location"); without.Status/100 != 3 || !strings.HasSuffix(to, typ.Path()+"?limit=0&q=a%2Fb") {
			t.Errorf("%s without the slash: %d to %s", typ.Path(), without.Status, to)
		}
		if typ.ReadOnly {
			continue
		}
		described := s.Do(t, apitest.Call{Method: "OPTIONS", Path: typ.Path(), Token: s.Admin}).Object(t)["actions"].(obj)["POST"].(obj)
		for _, in := range typ.Infos() {
			field, _ := described[in.Name].(obj) // nil for hidden fields
			shown, _ := field["choices"].([]any)
			for i, choice := range in.Choices {
				if i >= len(shown) || shown[i].(obj)["display_name"] != choice.Label || fmt.Sprint(shown[i].(obj)["value"]) != choice.Value {
					t.Errorf("%s: choice %d of %s is not %v", typ.Key(), i, in.Name, choice)
					break
				}
			}
		}
	}
	var ids strings.Builder
	for ids.Len() < 8000 {
		fmt.Fprintf(&ids, "&id=%d", 1_000_000+ids.Len())
	}
	get(s.Admin, "/api/dcim/devices/?limit=0"+ids.String(), http.StatusOK)
	for _, latitude := range []float64{10, 10.5} {
		name := fmt.Sprint("s", int(latitude*10))
		site := s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/sites/", Token: s.Admin,
			Body: obj{"name": name, "slug": name, "latitude": latitude, "nosuch": 1, "display": "x"}}).Want(t, http.StatusCreated).Object(t)
		if site["latitude"] != latitude {
			t.Errorf("the latitude %v is shown as %v", latitude, site["latitude"])
		}
	}
}

// TestOptionsOfReaders: OPTIONS says what can be written to those who may write, and only to them.
func TestOptionsOfReaders(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	grant := func(name string, actions ...string) string {
		_, token := s.User(t, name, apitest.Grant{Types: []string{"dcim.device"}, Actions: actions})
		return token
	}
	for token, want := range map[string]bool{s.Admin: true, s.TokenOf(t, "admin", true): false, grant("reader", "view"): false,
		grant("adder", "view", "add"): true, grant("changer", "view", "change"): true} {
		body := s.Do(t, apitest.Call{Method: "OPTIONS", Path: "/api/dcim/devices/", Token: token}).Want(t, http.StatusOK).Object(t)
		if _, got := body["actions"]; got != want {
			t.Errorf("token %s: actions are there: %v, want %v", token, got, want)
		}
	}
}
