package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
	"terrier/test/trial"
)

func TestBrowseForms(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	c, _ := login(t, s, "admin", apitest.Password, nil)
	send := func(path, method, content string, more ...string) webPage {
		t.Helper()
		form := url.Values{"_method": {method}, "_content": {content}}
		for i := 0; i+1 < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return surf(t, s, c, "POST", path, form)
	}
	object := func(text string) obj {
		t.Helper()
		var o obj
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return o
	}
	fresh := object(surf(t, s, c, "GET", sites, nil).input("content"))
	if fresh["status"] != "active" || fresh["name"] != "" || fresh["region"] != nil || fresh["id"] != nil || fresh["created"] != nil {
		t.Fatalf("a new site begins as %v", fresh)
	}
	invalid := send(sites, "POST", `{"name": "Lisbon", "slug": "no good", "oops":`+"\r\n"+`1}`).want(t, http.StatusBadRequest)
	if o := object(invalid.json(t)); o["slug"] == nil {
		t.Errorf("%v", o)
	}
	if typed := invalid.input("content"); !strings.Contains(typed, `"slug": "no good"`) {
		t.Errorf("what was typed is lost: %s", typed)
	}
	send(sites, "POST", `{"name":`).want(t, http.StatusBadRequest)
	fresh["name"], fresh["slug"] = "Lisbon", "lisbon"
	raw, _ := json.Marshal(fresh)
	made := send(sites, "POST", string(raw)).want(t, http.StatusCreated)
	id := apitest.ID(object(made.json(t)))
	if !strings.Contains(made.body, "201 Created") || !strings.Contains(made.body, fmt.Sprintf(`href="%s"`, at(sites, id))) {
		t.Errorf("%.2000s", made.body)
	}
	if change := admin.changes(t, "dcim.site", id)[0]; change["user_name"] != "admin" ||
		change["request_id"] != made.header.Get("X-Request-ID") {
		t.Errorf("%v", change)
	}
	region := admin.create(t, regions, obj{"name": "Portugal", "slug": "portugal"})
	tag := admin.create(t, tags, obj{"name": "core", "slug": "core"})
	body, _ := json.Marshal(obj{"region": region, "tags": []int64{tag}})
	changed := send(at(sites, id), "PATCH", string(body), "_match", `"1"`).want(t, http.StatusOK)
	now := object(changed.input("content"))
	if now["region"] != float64(region) || fmt.Sprint(now["tags"]) != fmt.Sprint([]int64{tag}) || now["status"] != "active" {
		t.Errorf("the form holds %v", now)
	}
	t.Run("what a form holds can be sent", func(t *testing.T) {
		again := send(at(sites, id), "PUT", changed.input("content"), "_match", changed.header.Get("ETag")).want(t, http.StatusOK)
		if again.header.Get("ETag") != changed.header.Get("ETag") {
			t.Error("it changed the record")
		}
	})
	t.Run("somebody was faster", func(t *testing.T) {
		got := send(at(sites, id), "PATCH", `{"name": "Late"}`, "_match", `"1"`).want(t, http.StatusPreconditionFailed)
		if got.input("content") != `{"name": "Late"}` || !strings.Contains(got.body, `name="_match" value="&#34;1&#34;"`) {
			t.Errorf("the form holds %s", got.input("content"))
		}
	})
	t.Run("several", func(t *testing.T) {
		got := send(sites, "PATCH", fmt.Sprintf(`[{"id": %d, "name": "Porto"}]`, id)).want(t, http.StatusOK)
		if !strings.Contains(got.json(t), "Porto") {
			t.Error(got.json(t))
		}
		if got := send(sites, "PATCH", `[{"id": 0}]`); got.status != http.StatusBadRequest && got.status != http.StatusNotFound ||
			got.input("bulk") != `[{"id": 0}]` {
			t.Errorf("%d %s", got.status, got.input("bulk"))
		}
	})
	t.Run("OPTIONS", func(t *testing.T) {
		if got := send(sites, "OPTIONS", "").want(t, http.StatusOK); !strings.Contains(got.json(t), `"read_only"`) {
			t.Error(got.json(t))
		}
		send("/api/status/", "OPTIONS", "").want(t, http.StatusOK)
	})
	t.Run("other methods", func(t *testing.T) {
		send("/api/status/", "POST", "{}").want(t, http.StatusMethodNotAllowed)
		if got := send(at(sites, id), "POST", "{}").want(t, http.StatusMethodNotAllowed); !strings.HasPrefix(got.header.Get("Allow"),
			"GET, PUT, PATCH, DELETE") {
			t.Error(got.header)
		}
	})
	t.Run("DELETE", func(t *testing.T) {
		got := send(at(sites, id), "DELETE", "").want(t, http.StatusOK)
		if !strings.Contains(got.body, "Deleted.") || !strings.Contains(got.body, "204 No Content") || got.buttons() != "OPTIONS" {
			t.Errorf("%s %.3000s", got.buttons(), got.body)
		}
		admin.get(t, at(sites, id)).Want(t, http.StatusNotFound)
	})
	t.Run("a filter is added", func(t *testing.T) {
		got := surf(t, s, c, "GET", sites+"?status=active&offset=50&cursor=x&_name=status&_value=planned", nil).want(t, http.StatusSeeOther)
		if got.header.Get("Location") != sites+"?status=active&status=planned" {
			t.Error(got.header.Get("Location"))
		}
	})
	t.Run("too large", func(t *testing.T) {
		send(sites, "POST", strings.Repeat(" ", 2<<20)).want(t, http.StatusRequestEntityTooLarge)
	})
	// The form and the body that it encodes are read one after the other, and do not wait for each other.
	t.Run("large", func(t *testing.T) {
		got := send(tokens, "POST", `{"nam": "`+strings.Repeat("x", 100_000)+`"}`).want(t, http.StatusCreated)
		if got.header.Get(unknownFields) != "nam" || !strings.Contains(got.body, unknownFields) {
			t.Errorf("the page does not show the unknown field: %v", got.header)
		}
	})
}

// demands are the rules between fields that an empty form breaks.
var demands = []any{
	"Set either a device type or a module type.",
	"A service belongs to a device or to a virtual machine: set one of them.",
	"Set the cluster of the virtual machine, or its site.",
	"Select at least one event: type_create, type_update or type_delete.",
}

// TestBrowseFormsOfEveryType: the form of a new record lacks only the required fields, and what rules between fields demand.
func TestBrowseFormsOfEveryType(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	c, _ := login(t, s, "admin", apitest.Password, nil)
	for _, rt := range s.App.Registry.Types() {
		if rt.ReadOnly {
			continue
		}
		input := surf(t, s, c, "GET", rt.Path(), nil).want(t, http.StatusOK).input("content")
		got := surf(t, s, c, "POST", rt.Path(), url.Values{"_method": {"POST"}, "_content": {input}})
		if got.status == http.StatusCreated {
			continue // a token needs nothing
		}
		errs := map[string]any{}
		if err := json.Unmarshal([]byte(got.want(t, http.StatusBadRequest).json(t)), &errs); err != nil {
			t.Fatal(err)
		}
		for name, messages := range errs {
			demanded := func(message any) bool { return slices.Contains(demands, message) }
			if f := rt.Field(name); (f == nil || !f.Info().Required) && !slices.ContainsFunc(messages.([]any), demanded) {
				t.Errorf("%s: %s: %v", rt.Key(), name, messages)
			}
		}
	}
}

// TestBrowseOverride: only a form of our own pages can replace the method.
func TestBrowseOverride(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, sites, site("Kept"))
	c, _ := login(t, s, "admin", apitest.Password, nil)
	form := url.Values{"_method": {"DELETE"}}
	for _, row := range []struct {
		name   string
		cookie *http.Cookie
		form   url.Values
		header []string
		status int
		says   string
	}{
		{"another site", c, form, []string{"Sec-Fetch-Site", "cross-site"}, 403, "CSRF Failed: "},
		{"a neighbour", c, form, []string{"Sec-Fetch-Site", "same-site"}, 403, "CSRF Failed: "},
		{"another origin", c, form, []string{"Sec-Fetch-Site", "", "Origin", "https://evil.test"}, 403, "CSRF Failed: "},
		{"a token", nil, form, []string{"Authorization", "Token " + s.Admin}, 405, "not allowed"},
		{"a token and a cookie", c, form, []string{"Authorization", "Token " + s.Admin}, 405, "not allowed"},
		{"another scheme", c, form, []string{"Authorization", "Basic x"}, 405, "not allowed"},
		{"a program", c, form, []string{"Accept", "application/json"}, 405, "not allowed"},
		{"nobody", nil, form, nil, 405, "not allowed"},
		{"a stale cookie", &http.Cookie{Name: c.Name, Value: "x"}, form, nil, 405, "not allowed"},
		{"no form", c, form, []string{"Content-Type", "text/plain"}, 405, "not allowed"},
		{"many parts", c, form, []string{"Content-Type", "multipart/form-data; boundary=x"}, 405, "not allowed"},
		{"no method", c, url.Values{"_content": {"{}"}}, nil, 405, "not allowed"},
		{"a strange method", c, url.Values{"_method": {"TRACE"}}, nil, 405, "not allowed"},
		{"a method in small letters", c, url.Values{"_method": {"delete"}}, nil, 405, "not allowed"},
	} {
		got := surf(t, s, row.cookie, "POST", at(sites, id), row.form, row.header...)
		if got.status != row.status || !strings.Contains(got.body, row.says) || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %.300s", row.name, got.status, got.body)
		}
	}
	t.Run("not in the address, and not by PUT", func(t *testing.T) {
		surf(t, s, c, "POST", at(sites, id)+"?_method=DELETE", url.Values{}).want(t, http.StatusMethodNotAllowed)
		surf(t, s, c, "PUT", at(sites, id), form).want(t, http.StatusUnsupportedMediaType)
		surf(t, s, c, "GET", at(sites, id)+"?_method=DELETE", nil).want(t, http.StatusOK)
	})
	admin.get(t, at(sites, id)).Want(t, http.StatusOK)
	t.Run("it gives no permission", func(t *testing.T) {
		newActor(t, s, "reader", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}})
		reader, _ := login(t, s, "reader", apitest.Password, nil)
		got := surf(t, s, reader, "POST", at(sites, id), form).want(t, http.StatusForbidden)
		if !strings.Contains(got.json(t), denied) || got.buttons() != "OPTIONS" {
			t.Errorf("%s %s", got.buttons(), got.json(t))
		}
	})
	for _, r := range s.App.API.Routes() {
		path := strings.NewReplacer("{$}", "", "{id}", "1").Replace(r.Pattern)
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			got := surf(t, s, c, "POST", path, url.Values{"_method": {method}, "_content": {"{}"}}, "Sec-Fetch-Site", "cross-site").
				want(t, http.StatusForbidden)
			if !strings.Contains(got.body, "CSRF Failed: ") {
				t.Errorf("%s %s: %s", method, path, got.body)
			}
		}
	}
	admin.get(t, at(sites, id)).Want(t, http.StatusOK)
}

// TestBrowseSecrets: a form that is sent back keeps the secrets that it does not show.
func TestBrowseSecrets(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, webhooks, hook("Told", "secret", "canary-secret", "additional_headers", "X-Key: canary-header"))
	newActor(t, s, "reader", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view"}})
	c, _ := login(t, s, "admin", apitest.Password, nil)
	reader, _ := login(t, s, "reader", apitest.Password, nil)
	own := surf(t, s, c, "GET", at(webhooks, id), nil).want(t, http.StatusOK)
	if strings.Contains(own.body, "canary-secret") || !strings.Contains(own.input("content"), "canary-header") ||
		strings.Contains(own.input("content"), `"secret"`) {
		t.Errorf("the form holds %s", own.input("content"))
	}
	if got := surf(t, s, reader, "GET", at(webhooks, id), nil).want(t, http.StatusOK); strings.Contains(got.body, "canary") {
		t.Error("a reader sees a secret")
	}
	sealed := func() string {
		var text string
		if err := s.DB.QueryRow(t.Context(), "SELECT secret_sealed FROM extras_webhook WHERE id = $1", id).Scan(&text); err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := sealed()
	surf(t, s, c, "POST", at(webhooks, id), url.Values{"_method": {"PUT"}, "_content": {own.input("content")}}).want(t, http.StatusOK)
	if before == "" || sealed() != before {
		t.Error("the secret is lost")
	}
}
