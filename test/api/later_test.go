package api_test

import (
	"net/http"
	"reflect"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestLater checks that fields about types that come later are shown empty, also nested, and can't be written or asked for.
func TestLater(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	do := func(method, path string, body any) apitest.Answer {
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body})
	}
	later := map[string]any{"cable": nil, "cable_end": "", "link_peers": []any{}, "cable_count": float64(0), "_occupied": false}
	given := map[string]any{"name": "a", "cable": 7, "cable_end": "A", "link_peers": []int{1}, "cable_count": 3, "_occupied": true}
	answer := do("POST", "/api/trial/plugs/", given).Want(t, http.StatusCreated)
	if unknown := answer.Header.Get("X-Unknown-Fields"); unknown != "" {
		t.Errorf("unknown are %s", unknown)
	}
	first := answer.Object(t)
	second := do("POST", "/api/trial/plugs/", map[string]any{"name": "b", "mate": map[string]any{"name": "a", "cable": nil,
		"_occupied": false}}).
		Want(t, http.StatusCreated).Object(t)
	for _, shown := range []map[string]any{first, second} {
		for name, want := range later {
			if got, ok := shown[name]; !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
	}
	if mate, _ := second["mate"].(map[string]any); len(mate) != 6 || mate["cable"] != nil || mate["_occupied"] != false {
		t.Errorf("nested: %v", second["mate"])
	}
	described := do("OPTIONS", "/api/trial/plugs/", nil).Object(t)["actions"].(map[string]any)["POST"].(map[string]any)
	for name, word := range map[string]string{"cable": "field", "cable_end": "string", "link_peers": "field", "cable_count": "integer",
		"_occupied": "boolean"} {
		if f := described[name].(map[string]any); f["type"] != word || f["read_only"] != true {
			t.Errorf("OPTIONS has %s: %v", name, f)
		}
		do("GET", "/api/trial/plugs/?"+name+"=1", nil).Want(t, http.StatusBadRequest)
	}
	changes := do("GET", "/api/extras/object-changes/?changed_object_type=trial.plug&limit=1", nil).Page(t).Results
	for name := range changes[0]["postchange_data"].(map[string]any) {
		if _, is := later[name]; is {
			t.Errorf("the change log has %s", name)
		}
	}
}
