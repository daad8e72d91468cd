package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestConstraintsThatMatchNothing: a constraint that leads to a value which no record has is saved, with a warning on the page and in the
// header of the API. Values of the constrained record itself may come later.
func TestConstraintsThatMatchNothing(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	create(t, s, "/api/dcim/regions/", obj{"name": "Lisbon", "slug": "lisbon"})
	for name, c := range map[string]struct {
		constraints any
		says        string
	}{
		"misspelt": {obj{"region__slug": "lisbn"}, `The constraint for dcim.site matches nothing: no region has the Slug "lisbn".`},
		"one of":   {[]obj{{"status": "active", "region__slug__in": []string{"lisbon", "lisbn"}}}, `"lisbn"`},
		"known":    {obj{"region__slug": "lisbon"}, ""},
		"own":      {obj{"name": "not yet"}, ""},
	} {
		body := obj{"name": name, "object_types": []string{"dcim.site"}, "actions": []string{"view"}, "constraints": c.constraints}
		a := s.Do(t, apitest.Call{Method: "POST", Path: "/api/users/permissions/", Token: s.Admin, Body: body}).Want(t, http.StatusCreated)
		got := strings.ReplaceAll(a.Header.Get("Warning"), `\"`, `"`)
		if !strings.Contains(got, c.says) || (got == "") != (c.says == "") {
			t.Errorf("%s: the API warns of %q", name, got)
		}
		at := fmt.Sprintf("/users/permissions/%d/edit/", apitest.ID(a.Object(t)))
		raw, err := json.Marshal(c.constraints)
		if err != nil {
			t.Fatal(err)
		}
		constraints := string(raw)
		saved := b.post(t, at, url.Values{"name": {name}, "object_types": {"dcim.site"}, "actions": {"view"}, "description": {"x"},
			"constraints": {constraints}, "enabled": {"true"}}).Want(t, http.StatusSeeOther)
		if said := note(t, b, saved); !strings.Contains(said, c.says) || strings.Contains(said, "matches nothing") != (c.says != "") {
			t.Errorf("%s: the page says %q", name, said)
		}
	}
}
