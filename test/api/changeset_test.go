package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

// TestChangeSetOfThreeTypes sends requests that each touch records of three types: every record is one change of the request, its
// versions have no gap, and the webhook is notified of each change once.
func TestChangeSetOfThreeTypes(t *testing.T) {
	s := apitest.NewWith(t, trial.Types())
	send := func(method, path string, body any, want int) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body}).Want(t, want)
	}
	post := func(path string, body any) int64 {
		t.Helper()
		return apitest.ID(send("POST", path, body, http.StatusCreated).Object(t))
	}
	var sites []int64
	for _, name := range []string{"a", "b"} {
		sites = append(sites, post("/api/dcim/sites/", map[string]any{"name": name, "slug": name}))
	}
	shelf := post("/api/trial/shelves/", map[string]any{"name": "upper", "site": sites[0]})
	kit := post("/api/trial/kits/", map[string]any{"name": "kit"})
	for n := range 3 {
		slot := post("/api/trial/slot-templates/", map[string]any{"kit": kit, "name": fmt.Sprintf("{crate}/%d", n)})
		post("/api/trial/lid-templates/", map[string]any{"kit": kit, "name": fmt.Sprint(n), "slot": slot})
	}
	post("/api/extras/webhooks/", map[string]any{"name": "all",
		"content_types": []string{"trial.shelf", "trial.crate", "trial.slot", "trial.lid", "trial.item"},
		"type_create":   true, "type_update": true, "type_delete": true, "payload_url": "http://127.0.0.1:9"})
	// check looks at the changes and deliveries of a request.
	check := func(a apitest.Answer, action string, want map[string]int) {
		t.Helper()
		request := a.Header.Get("X-Request-ID")
		got, total := map[string]int{}, 0
		changes := send("GET", "/api/extras/object-changes/?limit=1000&request_id="+request, nil, http.StatusOK).Object(t)["results"].([]any)
		for _, row := range changes {
			change := row.(map[string]any)
			got[change["changed_object_type"].(string)]++
			if change["action"].(map[string]any)["value"] != action {
				t.Errorf("%v is one of the changes, want %s alone", change["action"], action)
			}
		}
		for key, n := range want {
			if got[key] != n {
				t.Errorf("%d changes of %s, want %d", got[key], key, n)
			}
			total += n
		}
		var deliveries, objects int
		const counted = "SELECT count(*), count(DISTINCT (object_type, object_id)) FROM extras_delivery WHERE request_id = $1"
		if err := s.DB.QueryRow(t.Context(), counted, request).Scan(&deliveries, &objects); err != nil {
			t.Fatal(err)
		}
		if len(changes) != total || deliveries != total || objects != total {
			t.Errorf("%d changes and %d deliveries of %d records, want %d of each", len(changes), deliveries, objects, total)
		}
	}
	made := send("POST", "/api/trial/crates/", []any{
		map[string]any{"name": "x", "kit": kit, "shelf": shelf},
		map[string]any{"name": "y", "kit": kit, "shelf": shelf},
	}, http.StatusCreated)
	check(made, "create", map[string]int{"trial.crate": 2, "trial.slot": 6, "trial.lid": 6})
	post("/api/trial/items/", map[string]any{"name": "box", "shelf": shelf})
	check(send("PATCH", fmt.Sprintf("/api/trial/shelves/%d/", shelf), map[string]any{"site": sites[1]}, http.StatusOK), "update",
		map[string]int{"trial.shelf": 1, "trial.crate": 2})
	first := apitest.ID(made.List(t)[0])
	check(send("DELETE", fmt.Sprintf("/api/trial/crates/%d/", first), nil, http.StatusNoContent), "delete",
		map[string]int{"trial.crate": 1, "trial.slot": 3, "trial.lid": 3})
	var gaps int
	if err := s.DB.QueryRow(t.Context(), `
		SELECT count(*) FROM (
			SELECT version - lag(version, 1, 0::bigint) OVER (PARTITION BY object_type, object_id ORDER BY version) AS step
			FROM extras_objectchange WHERE object_type LIKE 'trial.%') x
		WHERE step <> 1`).Scan(&gaps); err != nil || gaps != 0 {
		t.Errorf("%d gaps between versions (%v)", gaps, err)
	}
}
