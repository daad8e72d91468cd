package api_test

import (
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestImmutableReference checks that a reference which can't change is set on creation, and that only the same record is taken later.
func TestImmutableReference(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	do := func(method, path string, body any) apitest.Answer {
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body})
	}
	upper := apitest.ID(do("POST", "/api/trial/shelves/", map[string]any{"name": "upper"}).Object(t))
	lower := apitest.ID(do("POST", "/api/trial/shelves/", map[string]any{"name": "lower"}).Object(t))
	id := apitest.ID(do("POST", "/api/trial/plugs/", map[string]any{"name": "a", "shelf": upper}).Want(t, http.StatusCreated).Object(t))
	path := fmt.Sprintf("/api/trial/plugs/%d/", id)
	for _, same := range []any{upper, fmt.Sprint(upper), map[string]any{"name": "upper"}, map[string]any{"id": upper, "name": "upper"}} {
		do("PUT", path, map[string]any{"name": "a", "shelf": same}).Want(t, http.StatusOK)
	}
	stays := []any{"A plug stays on its shelf: delete it, and create another one."}
	for _, other := range []any{lower, map[string]any{"name": "lower"}, nil} {
		errs := do("PATCH", path, map[string]any{"shelf": other}).Want(t, http.StatusBadRequest).Object(t)
		if len(errs) != 1 || !reflect.DeepEqual(errs["shelf"], stays) {
			t.Errorf("%v: %v", other, errs)
		}
	}
	do("DELETE", fmt.Sprintf("/api/trial/shelves/%d/", upper), nil).Want(t, http.StatusNoContent)
	if shelf := do("GET", path, nil).Object(t)["shelf"]; shelf != nil {
		t.Errorf("it is on the deleted shelf %v", shelf)
	}
}
