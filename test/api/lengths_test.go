package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"terrier/test/apitest"
)

const (
	longestText = 64 << 10
	longestJSON = 1 << 20
)

// text is a text of so many bytes.
func text(n int) string { return strings.Repeat("x", n) }

// TestEveryTextHasAMaximum: a text without a declared maximum has at most 64 KiB, counted in bytes, JSON at most 1 MiB,
// and so have the custom fields of a record together.
func TestEveryTextHasAMaximum(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	for _, kind := range []string{"text", "longtext", "json", "url"} {
		admin.create(t, defs, obj{"name": "f_" + kind, "type": kind, "content_types": []string{"dcim.site"}})
	}
	for i := range 20 {
		admin.create(t, defs, obj{"name": fmt.Sprint("more_", i), "type": "longtext", "content_types": []string{"dcim.site"}})
	}
	id := admin.create(t, sites, site("A"))
	custom := func(name string, value any) obj { return obj{"custom_fields": obj{name: value}} }
	together := obj{}
	for i := range 17 {
		together[fmt.Sprint("more_", i)] = text(longestText - 100)
	}
	for _, row := range []struct {
		name   string
		body   obj
		status int
	}{
		{"comments", obj{"comments": text(longestText)}, http.StatusOK},
		{"longer comments", obj{"comments": text(longestText + 1)}, http.StatusBadRequest},
		{"as many characters as bytes are allowed", obj{"comments": strings.Repeat("ü", longestText/2+1)}, http.StatusBadRequest},
		{"custom text", custom("f_text", text(longestText)), http.StatusOK},
		{"longer custom text", custom("f_text", text(longestText+1)), http.StatusBadRequest},
		{"custom text whose JSON is longer", custom("f_longtext", strings.Repeat("\n", longestText)), http.StatusOK},
		{"longer custom long text", custom("f_longtext", text(longestText+1)), http.StatusBadRequest},
		{"custom URL", custom("f_url", "http://"+text(longestText)), http.StatusBadRequest},
		{"custom JSON", custom("f_json", []string{text(longestJSON / 2)}), http.StatusOK},
		{"custom values together", obj{"custom_fields": together}, http.StatusBadRequest},
	} {
		// In a list, because a single object has no more than 1 MiB.
		row.body["id"] = id
		a := admin.do(t, http.MethodPatch, sites, []obj{row.body})
		if a.Status != row.status {
			t.Errorf("%s: %d, want %d: %.200s", row.name, a.Status, row.status, a.Raw)
		}
		if a.Status == http.StatusBadRequest && !strings.Contains(string(a.Raw), "bytes") {
			t.Errorf("%s: the refusal does not say how long it may be: %.300s", row.name, a.Raw)
		}
	}
	long := obj{"name": "long", "type": "json", "content_types": []string{"dcim.site"}, "default": text(longestText)}
	admin.do(t, http.MethodPost, defs, long).Want(t, http.StatusBadRequest)
}

// TestLongerValuesBlockNothing: a value from before there was a maximum stays, also when it is sent back unchanged,
// and is refused only when it changes.
func TestLongerValuesBlockNothing(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	for _, name := range []string{"old", "older", "new"} {
		admin.create(t, defs, obj{"name": name, "type": "longtext", "content_types": []string{"dcim.site"}})
	}
	id := admin.create(t, sites, site("A"))
	if _, err := s.DB.Exec(t.Context(), `UPDATE dcim_site SET comments = repeat('y', 1000000),
		custom_fields = jsonb_build_object('old', repeat('y', 900000), 'older', repeat('y', 900000))`); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("y", 1000000)
	admin.patch(t, sites, id, obj{"description": "new"})
	admin.patch(t, sites, id, obj{"description": "newer", "comments": long})
	admin.patch(t, sites, id, obj{"custom_fields": obj{"new": "x"}})
	admin.patch(t, sites, id, obj{"custom_fields": obj{"new": "xx", "old": long[:900000]}})
	for name, body := range map[string]obj{"comments": {"comments": long + "y"}, "custom": {"custom_fields": obj{"old": long[:900001]}}} {
		if a := admin.do(t, http.MethodPatch, at(sites, id), body); a.Status != http.StatusBadRequest {
			t.Errorf("%s: a longer value that changes: %d", name, a.Status)
		}
	}
	got := admin.patch(t, sites, id, obj{"comments": "short", "custom_fields": obj{"old": nil}})
	if values := got["custom_fields"].(obj); got["comments"] != "short" || values["old"] != nil ||
		len(values["older"].(string)) != 900000 || values["new"] != "xx" {
		t.Errorf("shortened: %.200v", got)
	}
}

// TestMaximaAreDescribed: OPTIONS and the OpenAPI document say how many bytes a field may have.
func TestMaximaAreDescribed(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	fields := admin.do(t, http.MethodOptions, sites, nil).Want(t, http.StatusOK).Object(t)["actions"].(obj)["POST"].(obj)
	for name, most := range map[string]any{"comments": float64(longestText), "custom_fields": float64(longestJSON), "name": nil} {
		if got := fields[name].(obj)["max_bytes"]; got != most {
			t.Errorf("OPTIONS: max_bytes of %s is %v, want %v", name, got, most)
		}
	}
	schemas := admin.get(t, "/api/schema/?format=json").Want(t, http.StatusOK).Object(t)["components"].(obj)["schemas"].(obj)
	comments := schemas["WritableSite"].(obj)["properties"].(obj)["comments"].(obj)
	if comments["maxLength"] != nil || comments["description"] != "At most 65536 bytes." {
		t.Errorf("the document says of comments: %v", comments)
	}
}
