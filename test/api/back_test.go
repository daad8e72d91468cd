package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// TestBack checks that a record shows the one that refers to it, or the one that this belongs to, also to those who may not see it.
func TestBack(t *testing.T) {
	t.Parallel()
	s := newTrays(t)
	outer := apitest.ID(s.make(t, "trays", map[string]any{"name": "outer"}))
	inner := apitest.ID(s.make(t, "trays", map[string]any{"name": "inner", "parent_tray": outer}))
	bay := s.make(t, "bays", map[string]any{"name": "b", "tray": outer})
	path := strings.TrimPrefix(bay["url"].(string), s.URL)
	same(t, "an empty bay", []any{bay["guest"], bay["installed_card"]}, []any{nil, nil})
	card := s.make(t, "cards", map[string]any{"tray": outer, "bay": bay["id"], "serial": "s", "note": "n"})
	s.call(t, "PATCH", path, map[string]any{"guest": inner}).Want(t, http.StatusOK)
	_, few := s.User(t, "few", apitest.Grant{Types: []string{"trial.tray"}, Actions: []string{"view"}})
	for _, token := range []string{s.Admin, few} {
		for _, query := range []string{fmt.Sprintf("%d/", inner), "?name=inner", fmt.Sprintf("%d/?fields=parent_tray", inner)} {
			answer := s.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/trays/" + query, Token: token}).Want(t, http.StatusOK).Object(t)
			if rows, ok := answer["results"].([]any); ok {
				answer = rows[0].(map[string]any)
			}
			same(t, "the tray above", answer["parent_tray"], map[string]any{"name": "outer",
				"bay": map[string]any{"module": nil, "name": "b", "tray": map[string]any{"name": "outer"}}})
			if above := answer["parent_tray"].(map[string]any); apitest.ID(above) != outer || above["bay"].(map[string]any)["id"] != bay["id"] {
				t.Errorf("the tray above is %v", above)
			}
		}
	}
	installed := s.call(t, "GET", path, nil).Object(t)["installed_card"]
	same(t, "the card", installed, map[string]any{"note": "n"})
	if nested := installed.(map[string]any); nested["id"] != card["id"] || nested["display"] != "card s" || nested["url"] != card["url"] {
		t.Errorf("the card is %v", nested)
	}
	if above := s.call(t, "GET", fmt.Sprintf("/api/trial/trays/%d/", outer), nil).Object(t)["parent_tray"]; above != nil {
		t.Errorf("the outer tray is in %v", above)
	}
}

// TestAlias checks that a reference has two names in answers and bodies, and one everywhere else.
func TestAlias(t *testing.T) {
	t.Parallel()
	s := newTrays(t)
	user, _ := s.User(t, "someone")
	pin := s.make(t, "pins", map[string]any{"name": "a", "owner": user})
	path := strings.TrimPrefix(pin["url"].(string), s.URL)
	for _, body := range []map[string]any{
		{}, {"keeper": user}, {"owner": fmt.Sprint(user)}, {"keeper": pin["keeper"], "owner": user},
		{"keeper": map[string]any{"username": "someone"}, "owner": map[string]any{"username": "someone"}},
	} {
		got := s.call(t, "PATCH", path, body).Want(t, http.StatusOK).Object(t)
		same(t, "both names", []any{got["keeper"], got["owner"]}, []any{map[string]any{"username": "someone"},
			map[string]any{"username": "someone"}})
	}
	for _, body := range []map[string]any{{"keeper": 1, "owner": user}, {"keeper": nil, "owner": user},
		{"keeper": pin["keeper"], "owner": 1}} {
		if errs := s.call(t, "PATCH", path, body).Want(t, http.StatusBadRequest).Object(t); len(errs) != 1 || errs["owner"] == nil {
			t.Errorf("two values: %v", errs)
		}
	}
	same(t, "one field", s.call(t, "GET", path+"?fields=owner", nil).Object(t), map[string]any{"owner": map[string]any{"username": "someone"}})
	same(t, "emptied by the alias", s.call(t, "PATCH", path, map[string]any{"owner": nil}).Object(t)["keeper"], nil)
	described := s.call(t, "OPTIONS", "/api/trial/pins/", nil).Object(t)["actions"].(map[string]any)["POST"].(map[string]any)
	change := s.call(t, "GET", "/api/extras/object-changes/?changed_object_type=trial.pin&limit=1", nil).Page(t).Results[0]
	for what, names := range map[string]map[string]any{"OPTIONS": described, "the change log": change["postchange_data"].(map[string]any)} {
		_, first := names["keeper"]
		if _, second := names["owner"]; second || !first {
			t.Errorf("%s has %v", what, names)
		}
	}
}

// TestExclude checks that ?exclude= leaves out the fields that say so, on lists and records, and refuses other words.
func TestExclude(t *testing.T) {
	t.Parallel()
	s := newTrays(t)
	id := apitest.ID(s.make(t, "trays", map[string]any{"name": "a"}))
	for _, path := range []string{"/api/trial/trays/", fmt.Sprintf("/api/trial/trays/%d/", id)} {
		for query, want := range map[string]bool{"": true, "?exclude=context": false} {
			answer := s.call(t, "GET", path+query, nil).Want(t, http.StatusOK).Object(t)
			if rows, ok := answer["results"].([]any); ok {
				answer = rows[0].(map[string]any)
			}
			if _, shown := answer["context"]; shown != want || answer["name"] != "a" {
				t.Errorf("%s%s shows %v", path, query, answer)
			}
		}
		for _, word := range []string{"name", "contxt", "context,name"} {
			if errs := s.call(t, "GET", path+"?exclude="+word, nil).Want(t, http.StatusBadRequest).Object(t); errs["exclude"] == nil {
				t.Errorf("exclude=%s: %v", word, errs)
			}
		}
	}
	s.call(t, "GET", "/api/trial/pins/?exclude=context", nil).Want(t, http.StatusOK) // clients send it to every list
}
