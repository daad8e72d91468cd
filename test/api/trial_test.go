package api_test

import (
	"net/http"
	"reflect"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestNestedBrief shows what a record shows inside another one: its references one level deep, its counts as far as the
// caller may see them, its computed fields.
func TestNestedBrief(t *testing.T) {
	s := apitest.NewWith(t, trial.Types())
	post := func(path string, body any) map[string]any {
		t.Helper()
		return s.Do(t, apitest.Call{Method: "POST", Path: path, Token: s.Admin, Body: body}).Want(t, http.StatusCreated).Object(t)
	}
	shelf := apitest.ID(post("/api/trial/shelves/", map[string]any{"name": "upper"}))
	first := apitest.ID(post("/api/trial/items/", map[string]any{"name": "first", "shelf": shelf}))
	second := post("/api/trial/items/", map[string]any{"name": "second", "shelf": shelf, "pair": first, "friends": []int64{first}})
	get := func(token string) map[string]any {
		t.Helper()
		return s.Do(t, apitest.Call{Method: "GET", Path: second["url"].(string)[len(s.URL):], Token: token}).Want(t, http.StatusOK).Object(t)
	}
	_, limited := s.User(t, "limited", apitest.Grant{Types: []string{"trial.item"}, Actions: []string{"view"},
		Constraints: map[string]any{"name": "second"}})

	for token, count := range map[string]any{s.Admin: 2.0, limited: 1.0} {
		item := get(token)
		for name, want := range map[string]any{"name": "upper", "display": "upper", "item_count": count, "shout": "upper!"} {
			if got := item["shelf"].(map[string]any)[name]; !reflect.DeepEqual(got, want) {
				t.Errorf("shelf.%s is %v, want %v", name, got, want)
			}
		}
		for _, nested := range []any{item["pair"], item["friends"].([]any)[0]} {
			pair := nested.(map[string]any)
			if pair["name"] != "first" || pair["display"] != "first" {
				t.Errorf("the item in an item is %v", pair)
			}
			delete(pair["shelf"].(map[string]any), "url")
			if want := map[string]any{"id": float64(shelf), "display": "upper", "name": "upper",
				"shout": "upper!"}; !reflect.DeepEqual(pair["shelf"], want) {
				t.Errorf("the shelf in an item in an item is %v, want %v", pair["shelf"], want)
			}
		}
	}
	// A writer is shown no more than a reader, and what was read can be written back although the pair is hidden.
	_, writer := s.User(t, "writer", apitest.Grant{Types: []string{"trial.item"}, Actions: []string{"view", "add", "change"},
		Constraints: map[string]any{"name": "second"}},
		apitest.Grant{Types: []string{"trial.shelf"}, Actions: []string{"view"}})
	path := second["url"].(string)[len(s.URL):]
	written := s.Do(t, apitest.Call{Method: "PATCH", Path: path, Token: writer,
		Body: map[string]any{"asset_tag": "1", "pair": get(writer)["pair"]}}).Want(t, http.StatusOK).Object(t)
	if n := written["shelf"].(map[string]any)["item_count"]; n != 1.0 || written["asset_tag"] != "1" {
		t.Errorf("a writer is shown %v items, want 1: %v", n, written)
	}
	lower := apitest.ID(post("/api/trial/shelves/", map[string]any{"name": "lower"}))
	post("/api/trial/items/", map[string]any{"name": "hidden", "shelf": lower})
	made := s.Do(t, apitest.Call{Method: "POST", Path: "/api/trial/items/", Token: writer,
		Body: map[string]any{"name": "second", "shelf": lower}}).Want(t, http.StatusCreated).Object(t)
	if n := made["shelf"].(map[string]any)["item_count"]; n != 1.0 {
		t.Errorf("a writer is shown %v items of a shelf, want 1", n)
	}
	s.Do(t, apitest.Call{Method: "DELETE", Path: made["url"].(string)[len(s.URL):], Token: s.Admin}).Want(t, http.StatusNoContent)
	few := s.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/shelves/?fields=shout&name=upper", Token: s.Admin}).
		Want(t, http.StatusOK).Object(t)
	if row := few["results"].([]any)[0].(map[string]any); row["shout"] != "upper!" {
		t.Errorf("alone the computed field is %v", row)
	}
	brief := s.Do(t, apitest.Call{Method: "GET", Path: "/api/trial/items/?brief=true&name=second", Token: s.Admin}).
		Want(t, http.StatusOK).Object(t)
	if row := brief["results"].([]any)[0].(map[string]any); row["shelf"].(map[string]any)["item_count"] != 2.0 || len(row) != 5 {
		t.Errorf("the brief form is %v", row)
	}
}

// TestUniqueButForNull lets any number of records have no asset tag, also in one request, and no two the same.
func TestUniqueButForNull(t *testing.T) {
	s := apitest.NewWith(t, trial.Types())
	post := func(path string, body any) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Call{Method: "POST", Path: path, Token: s.Admin, Body: body})
	}
	shelf := apitest.ID(post("/api/trial/shelves/", map[string]any{"name": "upper"}).Want(t, http.StatusCreated).Object(t))
	item := func(name string, tag any) map[string]any {
		return map[string]any{"name": name, "shelf": shelf, "asset_tag": tag}
	}
	post("/api/trial/items/", []any{item("a", nil), item("b", nil), item("c", "1")}).Want(t, http.StatusCreated)
	post("/api/trial/items/", item("d", nil)).Want(t, http.StatusCreated)
	for _, body := range []any{item("e", "1"), []any{item("e", "2"), item("f", "2")}, []any{item("e", nil), item("f", "1")}} {
		post("/api/trial/items/", body).Want(t, http.StatusBadRequest)
	}
}
