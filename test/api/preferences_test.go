package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/internal/store"
	"terrier/test/apitest"
)

// preferences is the address of the caller's own preferences.
const preferences = "/api/users/config/"

// TestPreferences: everybody has their own, empty at first. An object is merged into them key by key at every depth; they are limited, no
// change, and gone with the user.
func TestPreferences(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id, alice := newActor(t, s, "alice")
	_, bob := newActor(t, s, "bob")
	is := func(who actor, want obj) {
		t.Helper()
		if got := who.get(t, preferences).Want(t, http.StatusOK).Object(t); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the preferences are %v, want %v", got, want)
		}
	}
	changes := func() int64 { return admin.page(t, "/api/extras/object-changes/?limit=1").Count }
	before := changes()
	is(alice, obj{})
	for _, row := range []struct{ patch, want obj }{
		{obj{"a": obj{"x": 1, "y": []int{1, 2}}, "b": "text"}, obj{"a": obj{"x": 1, "y": []int{1, 2}}, "b": "text"}},
		{obj{"a": obj{"y": []int{3}, "z": obj{}}}, obj{"a": obj{"x": 1, "y": []int{3}, "z": obj{}}, "b": "text"}},
		{obj{"a": obj{}, "b": nil}, obj{"a": obj{}, "b": nil}},
	} {
		got := alice.do(t, http.MethodPatch, preferences, row.patch).Want(t, http.StatusOK).Object(t)
		if fmt.Sprint(got) != fmt.Sprint(row.want) {
			t.Errorf("after %v: %v, want %v", row.patch, got, row.want)
		}
		is(alice, row.want)
	}
	is(bob, obj{})
	if after := changes(); after != before {
		t.Errorf("%d changes were recorded", after-before)
	}

	half := strings.Repeat("x", store.MaxPreferences/2)
	alice.do(t, http.MethodPatch, preferences, obj{"c": half}).Want(t, http.StatusOK)
	for name, body := range map[string]any{
		"too long": obj{"d": strings.Repeat("x", store.MaxPreferences/2)}, // with what is there
		"a list":   []obj{{"a": 1}},
		"a zero":   obj{"c": "\x00"},
	} {
		if a := alice.do(t, http.MethodPatch, preferences, body); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, a.Status, a.Raw)
		}
	}
	is(alice, obj{"a": obj{}, "b": nil, "c": half})
	whole := obj{"a": nil, "b": nil, "c": strings.Repeat("x", store.MaxPreferences-len(`{"a":null,"b":null,"c":""}`))}
	alice.do(t, http.MethodPatch, preferences, whole).Want(t, http.StatusOK)

	admin.do(t, http.MethodDelete, at("/api/users/users/", id), nil).Want(t, http.StatusNoContent)
	var left int
	if err := s.DB.QueryRow(t.Context(), "SELECT count(*) FROM users_preference").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d are left, %v", left, err)
	}
}
