package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// trays is a server with trial types, and what creates their records.
type trays struct{ *apitest.Server }

func newTrays(t *testing.T) trays {
	t.Helper()
	return trays{apitest.NewWith(t, trial.Types())}
}

func (s trays) call(t *testing.T, method, path string, body any) apitest.Answer {
	t.Helper()
	return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body})
}

// make creates a record and returns it.
func (s trays) make(t *testing.T, list string, body map[string]any) map[string]any {
	t.Helper()
	return s.call(t, "POST", "/api/trial/"+list+"/", body).Want(t, http.StatusCreated).Object(t)
}

// short returns a value without the parts of nested objects that all have in common.
func short(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range x {
			if key != "id" && key != "url" && key != "display" {
				out[key] = short(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = short(x[i])
		}
		return out
	}
	return v
}

// same asks that a value has the parts wanted and no others.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if got = short(got); !reflect.DeepEqual(got, want) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestNestedForms checks the forms of references other than the brief one: as an id, with other fields, and as a text.
func TestNestedForms(t *testing.T) {
	t.Parallel()
	s := newTrays(t)
	tray := apitest.ID(s.make(t, "trays", map[string]any{"name": "t"}))
	bay := apitest.ID(s.make(t, "bays", map[string]any{"name": "b", "tray": tray}))
	card := s.make(t, "cards", map[string]any{"tray": tray, "bay": bay, "serial": "s", "note": "n"})
	same(t, "the bay of a card", card["bay"], map[string]any{"module": nil, "tray": map[string]any{"name": "t"}, "name": "b"})
	first := s.make(t, "pins", map[string]any{"name": "1"})
	pin := s.make(t, "pins", map[string]any{"name": "2", "card": card["id"], "next": first["id"], "keeper": 1})
	for _, v := range []map[string]any{pin, s.call(t, "GET", "/api/trial/pins/?name=2", nil).Page(t).Results[0]} {
		same(t, "the card", v["card"], map[string]any{"tray": float64(tray), "bay": map[string]any{"name": "b"}, "note": "n"})
		if nested := v["card"].(map[string]any); nested["display"] != "card s" || nested["id"] != card["id"] || nested["url"] != card["url"] {
			t.Errorf("the card is %v", nested)
		}
		if v["next"] != first["id"] {
			t.Errorf("the next one is %v, want its id", v["next"])
		}
		same(t, "the keeper", v["keeper"], map[string]any{"username": "admin"})
	}
	brief := map[string]any{"name": "2", "next": first["id"], "keeper": "admin"}
	same(t, "the brief form", s.call(t, "GET", "/api/trial/pins/?brief=1&name=2", nil).Page(t).Results[0], brief)
	twin := s.make(t, "pins", map[string]any{"name": "3", "twin": pin["id"], "card": map[string]any{"serial": "s", "note": "n"}})
	same(t, "the nested form", twin["twin"], brief)
	for _, name := range []string{"card", "next", "keeper", "twin"} { // what is read can be written
		for _, v := range []map[string]any{pin, twin} {
			answer := s.call(t, "PATCH", strings.TrimPrefix(v["url"].(string), s.URL), map[string]any{name: v[name]}).Want(t, http.StatusOK)
			if answer.Header.Get("ETag") != `"1"` {
				t.Errorf("writing %s back changed it", name)
			}
		}
	}
	_, token := s.User(t, "few", apitest.Grant{Types: []string{"trial.pin"}, Actions: []string{"view", "change"}})
	back := s.Do(t, apitest.Call{Method: "PATCH", Path: strings.TrimPrefix(pin["url"].(string), s.URL), Token: token,
		Body: map[string]any{"card": pin["card"]}}).Want(t, http.StatusOK)
	same(t, "the card for those who may not see it", back.Object(t)["card"], short(pin["card"]))
	change := s.call(t, "GET", fmt.Sprintf("/api/extras/object-changes/?changed_object_type=trial.pin&changed_object_id=%.0f", pin["id"]),
		nil).
		Page(t).Results[0]["postchange_data"].(map[string]any)
	for name, want := range map[string]any{"card": card["id"], "next": first["id"], "keeper": float64(1)} {
		if change[name] != want {
			t.Errorf("the change log has %s %v, want %v", name, change[name], want)
		}
	}
}
