package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"terrier/internal/intake"
	"terrier/test/apitest"
)

// TestRoutesAndHeaders: the bullets of clients.md that are about addresses and headers.
func TestRoutesAndHeaders(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, sites, site("A"))
	call := func(method, path string, body any, header ...string) apitest.Answer {
		h := map[string]string{}
		for i := 0; i+1 < len(header); i += 2 {
			h[header[i]] = header[i+1]
		}
		return s.Do(t, apitest.Call{Method: method, Path: path, Token: s.Admin, Body: body, Header: h})
	}
	t.Run("GET without the slash redirects", func(t *testing.T) {
		for path, want := range map[string]string{"/api/dcim/sites": "/api/dcim/sites/", "/api/dcim/sites?name=A": "/api/dcim/sites/?name=A",
			fmt.Sprintf("/api/dcim/sites/%d", id): at(sites, id), "/api": "/api/"} {
			a := call("GET", path, nil)
			if to := a.Header.Get("Location"); a.Status != http.StatusMovedPermanently && a.Status != http.StatusTemporaryRedirect || to != want {
				t.Errorf("%s: %d to %q", path, a.Status, to)
			}
		}
		// A POST is never answered with a redirect that loses its body.
		call("POST", "/api/dcim/sites", site("B")).Want(t, http.StatusTemporaryRedirect)
	})
	t.Run("status", func(t *testing.T) {
		for _, path := range []string{"/api/status", "/api/status/"} {
			body := actor{s, ""}.get(t, path).Want(t, http.StatusOK).Object(t)
			if body["netbox-version"] != "3.5.9" || body["terrier-version"] != "test" {
				t.Errorf("%s: %v", path, body)
			}
		}
	})
	t.Run("the root tells the version to anybody", func(t *testing.T) {
		a := actor{s, ""}.get(t, "/api/").Want(t, http.StatusOK)
		if v := a.Header.Get("API-Version"); v != "3.5" {
			t.Errorf("API-Version is %q", v)
		}
		if body := a.Object(t); body["dcim"] != s.URL+"/api/dcim/" || body["status"] != s.URL+"/api/status/" {
			t.Errorf("%v", body)
		}
	})
	t.Run("the document at both addresses", func(t *testing.T) {
		for path, prefix := range map[string]string{"/api/schema/": "/api/dcim/", "/api/docs/?format=openapi": "/dcim/"} {
			doc := actor{s, ""}.get(t, path).Want(t, http.StatusOK).Object(t)
			if version := doc["info"].(obj)["version"]; version != "test" {
				t.Errorf("%s is of version %q, want the program's", path, version)
			}
			for _, key := range []string{prefix + "sites/", prefix + "sites/{id}/"} {
				if doc["paths"].(obj)[key] == nil {
					t.Errorf("%s has no %s", path, key)
				}
			}
			for key := range doc["paths"].(obj) {
				if strings.HasPrefix(key, "/api/") != (prefix == "/api/dcim/") && key != "/api/" {
					t.Errorf("%s has %s", path, key)
				}
			}
		}
	})
	t.Run("indent", func(t *testing.T) {
		for accept, want := range map[string]bool{"application/json": false, "application/json; indent=4": true,
			"application/json;indent=4": true, "application/json; indent=x": false, "application/json; indent=-1": false} {
			raw := string(call("GET", at(sites, id), nil, "Accept", accept).Want(t, http.StatusOK).Raw)
			if got := strings.Contains(raw, "\n    \"id\""); got != want {
				t.Errorf("%s: %.40q", accept, raw)
			}
		}
	})
	t.Run("no indentation that would multiply the answer", func(t *testing.T) {
		admin.create(t, defs, obj{"name": "deep", "type": "json", "content_types": []string{"dcim.site"}})
		value := strings.Repeat("[", 60) + strings.TrimSuffix(strings.Repeat("0,", 20_000), ",") + strings.Repeat("]", 60)
		deep := admin.create(t, sites, site("Deep", "custom_fields", obj{"deep": json.RawMessage(value)}))
		for _, path := range []string{at(sites, deep), sites} {
			plain := call("GET", path, nil).Want(t, http.StatusOK).Raw
			indented := call("GET", path, nil, "Accept", "application/json; indent=8").Want(t, http.StatusOK).Raw
			if len(indented) > 4*len(plain)+1<<20 || !strings.Contains(string(indented), value) {
				t.Errorf("%s has %d bytes, indented %d", path, len(plain), len(indented))
			}
		}
		if raw := call("GET", "/api/schema/", nil, "Accept", "application/json; indent=4").
			Want(t, http.StatusOK).Raw; !strings.HasPrefix(string(raw), "{\"openapi\"") {
			t.Errorf("the document, which is kept packed, is sent in another form: %.40q", raw)
		}
	})
	t.Run("bodies of unannounced length", func(t *testing.T) {
		for _, row := range []struct {
			path   string
			length int
			status int
		}{{sites, 100, 201}, {sites, intake.Small, 201}, {sites, intake.Small + 1, 201}, {sites, 1 << 20, 201}, {sites, 2 << 20, 413},
			{provision, intake.Credentials, 400}, {provision, intake.Credentials + 1, 413}} {
			body := fmt.Sprintf(`{"name":"Length %d","slug":"length-%d","ignored":"`, row.length, row.length)
			end := fmt.Sprintf(`","comments":"the end of %d"}`, row.length)
			padding := strings.Repeat("c", max(0, row.length-len(body)-len(end)))
			r := httptest.NewRequestWithContext(t.Context(), "POST", s.URL+row.path,
				io.MultiReader(strings.NewReader(body), strings.NewReader(padding+end)))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Token "+s.Admin)
			w := httptest.NewRecorder()
			s.App.Handler.ServeHTTP(w, r)
			if got := w.Body.String(); w.Code != row.status || r.ContentLength >= 0 || w.Code == 201 && !strings.Contains(got, `"the end of`) {
				t.Errorf("%d bytes to %s: %d %.200s", row.length, row.path, w.Code, got)
			}
		}
	})
	t.Run("stray semicolons", func(t *testing.T) {
		call("GET", sites, nil, "Accept", "application/json;").Want(t, http.StatusOK)
		call("PATCH", at(sites, id), obj{"facility": "1"}, "Content-Type", "application/json;").Want(t, http.StatusOK)
		call("PATCH", at(sites, id), obj{"facility": "2"}, "Content-Type", "application/json; charset=utf-8").Want(t, http.StatusOK)
	})
	t.Run("the Host header is never used", func(t *testing.T) {
		a := call("GET", sites+"?limit=1", nil, "Host", "evil.test", "X-Forwarded-Host", "evil.test")
		if strings.Contains(string(a.Raw), "evil") {
			t.Errorf("%s", a.Raw)
		}
	})
	t.Run("Location, X-Request-ID, ETag", func(t *testing.T) {
		a := call("POST", sites, site("Located")).Want(t, http.StatusCreated)
		if a.Header.Get("Location") != a.Object(t)["url"] || a.Header.Get("ETag") != `"1"` {
			t.Errorf("Location %q, ETag %q", a.Header.Get("Location"), a.Header.Get("ETag"))
		}
		if b := call("POST", sites, []obj{site("Bulk")}).Want(t, http.StatusCreated); b.Header.Get("Location") != "" {
			t.Errorf("a bulk create has a Location")
		}
		change := admin.changes(t, "dcim.site", apitest.ID(a.Object(t)))[0]
		if change["request_id"] != a.Header.Get("X-Request-ID") {
			t.Errorf("X-Request-ID %q, the change row says %v", a.Header.Get("X-Request-ID"), change["request_id"])
		}
	})
	t.Run("If-Match", func(t *testing.T) {
		tag := call("GET", at(sites, id), nil).Header.Get("ETag")
		for _, row := range []struct {
			method, match string
			status        int
		}{
			{"PATCH", `"999"`, 412}, {"PUT", `"999"`, 412}, {"DELETE", `"999"`, 412}, {"PATCH", "nonsense", 412}, {"PATCH", `"-1"`, 412},
			{"PATCH", `"0"`, 412}, {"PATCH", tag, 200}, {"PATCH", tag, 412}, {"PATCH", "*", 200},
		} {
			body := site("A", "facility", row.method+row.match+tag)
			if row.match == tag && row.status == 412 {
				body["facility"] = "later"
			}
			call(row.method, at(sites, id), body, "If-Match", row.match).Want(t, row.status)
		}
	})
	// A list matches if one of its tags is the version's. Weak tags never match, as RFC 9110 says of If-Match.
	t.Run("If-Match with a list", func(t *testing.T) {
		for i, row := range []struct {
			match  string // V for the version
			status int
		}{
			{`"998", "999"`, 412}, {`"999", "V"`, 200}, {`"V", "999"`, 200}, {`"998","V","999"`, 200}, {`"999", V`, 200}, {`, "V",`, 200},
			{`W/"V"`, 412}, {`W/"V", "999"`, 412}, {`W/"999", "V"`, 200}, {`"999,V"`, 412}, {`"999, V, 998"`, 412}, {`"999", "a,V"`, 412},
			{`"a", "V"`, 200},
			{`"999", *`, 412}, {`,`, 412}, {`"V`, 412},
		} {
			version := strings.Trim(call("GET", at(sites, id), nil).Header.Get("ETag"), `"`)
			match := strings.ReplaceAll(row.match, "V", version)
			if a := call("PATCH", at(sites, id), obj{"facility": fmt.Sprint("list ", i)}, "If-Match", match); a.Status != row.status {
				t.Errorf("If-Match: %s of version %s: %d, want %d", match, version, a.Status, row.status)
			}
		}
	})
	for _, row := range []struct {
		name, method, path string
		body               any
		contentType        string
		status             int
		want               string // the detail, or a field with errors
	}{
		{"field errors", "POST", sites, obj{"status": "?"}, "", 400, "name slug status"},
		{"broken JSON", "POST", sites, "{", "", 400, "detail"},
		{"two values", "POST", sites, "{}{}", "", 400, "detail"},
		{"no object", "POST", sites, "1", "", 400, "non_field_errors"},
		{"unknown id", "GET", sites + "999/", nil, "", 404, notFound},
		{"no number", "GET", sites + "abc/", nil, "", 404, notFound},
		{"a number too large", "GET", sites + "99999999999999999999/", nil, "", 404, notFound},
		{"unknown type", "GET", "/api/dcim/nothing/", nil, "", 404, notFound},
		{"method of a detail", "POST", at(sites, id), obj{}, "", 405, `Method "POST" not allowed.`},
		{"method of a fixed type", "POST", changeLog, obj{}, "", 405, `Method "POST" not allowed.`},
		{"delete of a change", "DELETE", at(changeLog, 1), nil, "", 405, `Method "DELETE" not allowed.`},
		{"not JSON", "POST", sites, "name=x", "application/x-www-form-urlencoded", 415,
			`Unsupported media type "application/x-www-form-urlencoded" in request.`},
		{"text", "PATCH", at(sites, id), "x", "text/plain", 415, `Unsupported media type "text/plain" in request.`},
		{"too deep", "POST", sites, strings.Repeat("[", 100), "", 400, "detail"},
		{"too large", "POST", sites, `{"name":"` + strings.Repeat("x", 1<<20) + `"}`, "", 413, "The request body is larger than 1048576 bytes."},
	} {
		t.Run(row.name, func(t *testing.T) {
			var header []string
			if row.contentType != "" {
				header = []string{"Content-Type", row.contentType}
			}
			got := call(row.method, row.path, row.body, header...).Want(t, row.status).Object(t)
			if row.status != 400 {
				if got["detail"] != row.want {
					t.Errorf("detail %v, want %q", got["detail"], row.want)
				}
				return
			}
			for _, field := range strings.Fields(row.want) {
				if got[field] == nil {
					t.Errorf("no errors of %s in %v", field, got)
				}
			}
		})
	}
	t.Run("OPTIONS", func(t *testing.T) {
		body := call("OPTIONS", sites, nil).Want(t, http.StatusOK).Object(t)
		fields := body["actions"].(obj)["POST"].(obj)
		name, status := fields["name"].(obj), fields["status"].(obj)
		if body["name"] != "Site" || body["description"] == "" ||
			fmt.Sprint(body["renders"], body["parses"]) != "[application/json] [application/json]" {
			t.Errorf("%v", body)
		}
		if name["type"] != "string" || name["required"] != true || name["read_only"] != false || name["label"] != "Name" ||
			name["max_length"] != 100.0 {
			t.Errorf("name: %v", name)
		}
		if first := status["choices"].([]any)[0].(obj); status["type"] != "choice" || first["value"] != "planned" ||
			first["display_name"] != "Planned" {
			t.Errorf("status: %v", status)
		}
		if fields["id"].(obj)["read_only"] != true {
			t.Errorf("id: %v", fields["id"])
		}
	})
}
