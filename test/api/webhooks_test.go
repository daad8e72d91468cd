package api_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// webhookFields are the fields that clients.md names, and then our own: the default, what is sent, and how that is
// shown to a superuser.
var webhookFields = []struct {
	field                 string
	byDefault, sent, read any
}{
	{"content_types", []any{"dcim.site"}, []any{"dcim.region", "dcim.site"}, []any{"dcim.region", "dcim.site"}},
	{"name", "least", "most", "most"},
	{"type_create", true, false, false},
	{"type_update", false, true, true},
	{"type_delete", false, true, true},
	{"payload_url", "https://receiver.example/", "http://[2001:db8::1]:9000/in?a=b", "http://[2001:db8::1]:9000/in?a=b"},
	{"enabled", true, false, false},
	{"http_method", obj{"value": "POST", "label": "POST"}, "PATCH", obj{"value": "PATCH", "label": "PATCH"}},
	{"http_content_type", "application/json", "text/plain; charset=utf-8", "text/plain; charset=utf-8"},
	{"additional_headers", "", "X-Event: {{ event }}\nX-Name: {{ data['name'] }}", "X-Event: {{ event }}\nX-Name: {{ data['name'] }}"},
	{"body_template", "", "{% for t in data.tags %}{{ t.slug }}{% endfor %}", "{% for t in data.tags %}{{ t.slug }}{% endfor %}"},
	{"secret", nil, "whsec_bG9uZyBlbm91Z2ggZm9yIGEgc2lnbmluZyBrZXk=", nil}, // null, not missing: clients that compare stop at a missing field
	{"conditions", nil, obj{"and": []any{obj{"attr": "status", "value": "active"}}},
		obj{"and": []any{obj{"attr": "status", "value": "active"}}}},
	{"ssl_verification", true, false, false},
	{"ca_file_path", nil, nil, nil},

	{"has_secret", false, false, true}, // read-only: what is sent has no effect
	{"previous_secret", nil, "0ld", nil},
	{"client_certificate", "", "", ""}, // TestClientCertificates sends one
	{"client_key", nil, nil, nil},
	{"standard_headers", false, true, true},
	{"max_retries", 0.0, 20, 20.0},
	{"concurrency", 10.0, 200, 200.0},
	{"rate_limit", nil, 1000, 1000.0},
	{"hold_on_failure", false, true, true},
	{"paused_at", nil, "2001-01-01T00:00:00Z", nil},
	{"failing_since", nil, "2001-01-01T00:00:00Z", nil},
	{"held_since", nil, "2001-01-01T00:00:00Z", nil},
}

func TestWebhookFields(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	made := admin.do(t, "POST", webhooks, obj{"name": "least", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url": "https://receiver.example/"}).Want(t, http.StatusCreated).Object(t)
	id := apitest.ID(made)
	look := func(when string, got obj, field string, want any) {
		t.Helper()
		v, given := got[field]
		if !given || !reflect.DeepEqual(v, want) {
			t.Errorf("%s: %s is %v (given: %t), want %v", when, field, v, given, want)
		}
	}
	for _, row := range webhookFields {
		look("default", made, row.field, row.byDefault)
	}
	if len(made) != len(webhookFields)+len([]string{"id", "url", "display", "created", "last_updated"}) {
		t.Errorf("there are fields that the table does not name: %s", keys(made))
	}
	all := obj{}
	for _, row := range webhookFields {
		all[row.field] = row.sent
	}
	changed := admin.patch(t, webhooks, id, all)
	for _, row := range webhookFields {
		look("sent", changed, row.field, row.read)
		look("read", admin.get(t, at(webhooks, id)).Object(t), row.field, row.read)
		look("listed", admin.page(t, webhooks).Results[0], row.field, row.read)
	}
	post := admin.do(t, "OPTIONS", webhooks, nil).Want(t, http.StatusOK).Object(t)["actions"].(obj)["POST"].(obj)
	for _, row := range webhookFields {
		if post[row.field] == nil {
			t.Errorf("OPTIONS does not name %s", row.field)
		}
	}
	if got := len(post["http_method"].(obj)["choices"].([]any)); got != 5 {
		t.Errorf("OPTIONS has %d methods", got)
	}
}

// standardSecret is a secret as standardwebhooks.com describes it, of n bytes.
func standardSecret(n int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", n)))
}

// TestStandardSecrets: the stored secret is checked too when the headers are switched on, and it must stay verifiable
// until they are switched off.
func TestStandardSecrets(t *testing.T) {
	t.Parallel()
	admin := adminOf(apitest.New(t))
	id := admin.create(t, webhooks, hook("plain", "secret", "plain"))
	for _, step := range []struct {
		name   string
		body   obj
		status int
	}{
		{"on, with the plain secret it has", obj{"standard_headers": true}, 400},
		{"something else", obj{"max_retries": 1}, 200},
		{"on, with a good secret and the former one", obj{"standard_headers": true, "secret": standardSecret(24),
			"previous_secret": "plain"}, 200},
		{"something else, with the secret it has", obj{"max_retries": 2}, 200},
		{"the longest secret", obj{"secret": standardSecret(64)}, 200},
		{"null keeps it", obj{"secret": nil}, 200},
		{"a plain secret", obj{"secret": "plain"}, 400},
		{"no secret", obj{"secret": ""}, 400},
		{"no former secret", obj{"previous_secret": ""}, 200},
		{"off, with a plain secret", obj{"standard_headers": false, "secret": "plain"}, 200},
		{"on again", obj{"standard_headers": true}, 400},
		{"with a good secret first", obj{"secret": standardSecret(32)}, 200},
		{"and now on", obj{"standard_headers": true}, 200},
	} {
		t.Run(step.name, func(t *testing.T) {
			if errs := admin.do(t, "PATCH", at(webhooks, id), step.body).Want(t, step.status).Object(t); step.status == 400 &&
				(len(errs) != 1 || errs["secret"] == nil) {
				t.Errorf("%v", errs)
			}
		})
	}
}

// TestWebhookRefusals: what is wrong with a webhook is reported when it is saved, under its field, and nothing is
// written. The same is true for a change to a valid one.
func TestWebhookRefusals(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	id := admin.create(t, webhooks, hook("good"))
	admin.create(t, webhooks, hook("taken"))
	const canary = "c4n4ry-credential"
	none := obj{"type_create": false, "type_update": false, "type_delete": false}
	rows := []struct {
		name    string
		body    obj
		field   string
		message string // a part of it
	}{
		{"no event", none, "type_create", "at least one event"},
		{"no type", obj{"content_types": []any{}}, "content_types", "may not be empty"},
		{"null types", obj{"content_types": nil}, "content_types", "may not be null"},
		{"unknown type", obj{"content_types": []any{"dcim.site", "no.such"}}, "content_types", "no.such"},
		{"name taken", obj{"name": "taken"}, "name", "already exists"},
		{"blank name", obj{"name": ""}, "name", "blank"},
		{"long name", obj{"name": strings.Repeat("x", 151)}, "name", "150"},
		{"blank address", obj{"payload_url": ""}, "payload_url", "blank"},
		{"address without a scheme", obj{"payload_url": "receiver.example/hook"}, "payload_url", "http"},
		{"address without a scheme and with a port", obj{"payload_url": "receiver.example:80/hook"}, "payload_url", "http"},
		{"relative address", obj{"payload_url": "/hook"}, "payload_url", "http"},
		{"address of any scheme", obj{"payload_url": "//receiver.example/"}, "payload_url", "http"},
		{"another scheme", obj{"payload_url": "ftp://receiver.example/"}, "payload_url", "http"},
		{"a script", obj{"payload_url": "javascript:alert(1)"}, "payload_url", "http"},
		{"no host", obj{"payload_url": "https:///hook"}, "payload_url", "host"},
		{"a password in the address", obj{"payload_url": "https://u:" + canary + "@receiver.example/"}, "payload_url", "header"},
		{"a fragment", obj{"payload_url": "https://receiver.example/#x"}, "payload_url", "fragment"},
		{"a port too large", obj{"payload_url": "https://receiver.example:65536/"}, "payload_url", "port"},
		{"an address with a zone", obj{"payload_url": "http://[fe80::1%25eth0]/"}, "payload_url", "zone"},
		{"a template as address", obj{"payload_url": "https://{{ data.name }}.example/"}, "payload_url", ""},
		{"an unknown method", obj{"http_method": "HEAD"}, "http_method", "HEAD"},
		{"no content type", obj{"http_content_type": "json"}, "http_content_type", "content type"},
		{"a line break in the content type", obj{"http_content_type": "text/plain\r\nX: y"}, "http_content_type", ""},
		{"a header line without a colon", obj{"additional_headers": "X-A: 1\n" + canary}, "additional_headers", "Line 2: there is no colon"},
		{"a header without a name", obj{"additional_headers": ": " + canary}, "additional_headers", "Line 1"},
		{"a template as a name", obj{"additional_headers": "{{ data.name }}: x"}, "additional_headers", "Line 1"},
		{"a header twice", obj{"additional_headers": "X-A: 1\nx-a: 2"}, "additional_headers", "Line 2"},
		{"a reserved header", obj{"additional_headers": "Host: receiver"}, "additional_headers", "Host"},
		{"a reserved signature", obj{"additional_headers": "x-hook-signature: 0"}, "additional_headers", "X-Hook-Signature"},
		{"the content type as a header", obj{"additional_headers": "Content-Type: text/plain"}, "additional_headers", "Content-Type"},
		{"a broken template in a header", obj{"additional_headers": "Authorization: " + canary + " {{ data.name"}, "additional_headers",
			"Authorization"},
		{"a broken template", obj{"body_template": "{\n\"a\": 1,\n{% if %}"}, "body_template", "line 3"},
		{"a template that includes", obj{"body_template": "{% include '/etc/passwd' %}"}, "body_template", "line 1"},
		{"conditions: a list", obj{"conditions": []any{}}, "conditions", "condition"},
		{"conditions: a text", obj{"conditions": "status"}, "conditions", "condition"},
		{"conditions: nothing among others", obj{"conditions": obj{"and": []any{obj{}}}}, "conditions", "empty"},
		{"conditions: no operator", obj{"conditions": obj{"and": []any{obj{"attr": "a", "value": 1},
			obj{"attr": "a", "op": "like", "value": 1}}}}, "conditions", "and[1].op: "},
		{"conditions: no value", obj{"conditions": obj{"or": []any{obj{"and": []any{obj{"attr": "a"}}}}}}, "conditions", "or[0].and[0].value: "},
		{"conditions: two things at once", obj{"conditions": obj{"attr": "a", "value": 1, "and": []any{}}}, "conditions", "only key"},
		{"conditions: a bad expression", obj{"conditions": obj{"attr": "a", "op": "regex", "value": "("}}, "conditions", "value: "},
		{"a CA path without a directory", obj{"ca_file_path": "/etc/ssl/ca.pem"}, "ca_file_path", "TERRIER_WEBHOOK_CA_DIR"},
		{"too many retries", obj{"max_retries": 21}, "max_retries", "20"},
		{"fewer retries than none", obj{"max_retries": -1}, "max_retries", "0"},
		{"no concurrency", obj{"concurrency": 0}, "concurrency", "1"},
		{"too much concurrency", obj{"concurrency": 201}, "concurrency", "200"},
		{"no requests", obj{"rate_limit": 0}, "rate_limit", "1"},
		{"too many requests", obj{"rate_limit": 1001}, "rate_limit", "1000"},
		{"a secret that is no text", obj{"secret": obj{}}, "secret", ""},
		{"Standard Webhooks without a secret", obj{"standard_headers": true}, "secret", "need a secret: whsec_"},
		{"Standard Webhooks with an empty secret", obj{"standard_headers": true, "secret": ""}, "secret", "need a secret: whsec_"},
		{"Standard Webhooks with only a former secret", obj{"standard_headers": true, "previous_secret": standardSecret(32)}, "secret",
			"need a secret: whsec_"},
		{"Standard Webhooks with a plain secret", obj{"standard_headers": true, "secret": canary}, "secret", "must be whsec_"},
		{"Standard Webhooks with a secret that is not base64", obj{"standard_headers": true, "secret": "whsec_!!"}, "secret", "must be whsec_"},
		{"Standard Webhooks with a secret without its mark", obj{"standard_headers": true, "secret": standardSecret(32)[6:]}, "secret",
			"must be whsec_"},
		{"Standard Webhooks with a short secret", obj{"standard_headers": true, "secret": standardSecret(23)}, "secret", "24 to 64 bytes"},
		{"Standard Webhooks with a long secret", obj{"standard_headers": true, "secret": standardSecret(65)}, "secret", "24 to 64 bytes"},
		{"Standard Webhooks with a secret in two lines",
			obj{"standard_headers": true, "secret": standardSecret(32)[:20] + "\n" + standardSecret(32)[20:]}, "secret", "must be whsec_"},
	}
	for _, typ := range s.App.Registry.Types() { // accounts, webhooks and what only the machine writes, except their health
		if strings.HasPrefix(typ.Key(), "users.") || typ.ReadOnly && typ.Name != "webhookhealth" || typ.Key() == "extras.webhook" {
			rows = append(rows, struct {
				name    string
				body    obj
				field   string
				message string
			}{"type " + typ.Key(), obj{"content_types": []any{"dcim.site", typ.Key()}}, "content_types", typ.Key()})
		}
	}
	before := admin.get(t, at(webhooks, id)).Raw
	changes := admin.page(t, changeLog).Count
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			body := hook("new")
			for k, v := range row.body {
				body[k] = v
			}
			for name, a := range map[string]apitest.Answer{
				"POST": admin.do(t, "POST", webhooks, body), "PATCH": admin.do(t, "PATCH", at(webhooks, id), row.body),
			} {
				errs := a.Want(t, http.StatusBadRequest).Object(t)
				if messages := fmt.Sprint(errs[row.field]); len(errs) != 1 || errs[row.field] == nil || !strings.Contains(messages, row.message) {
					t.Errorf("%s: %s, want %s: %q", name, a.Raw, row.field, row.message)
				}
				if strings.Contains(string(a.Raw), canary) {
					t.Errorf("%s: the answer repeats a credential: %s", name, a.Raw)
				}
			}
		})
	}
	if after := admin.get(t, at(webhooks, id)).Raw; string(after) != string(before) {
		t.Errorf("before %s\nafter  %s", before, after)
	}
	if n := admin.page(t, changeLog).Count; n != changes {
		t.Errorf("%d change rows of refused requests", n-changes)
	}
	if n := admin.page(t, webhooks).Count; n != 2 {
		t.Errorf("%d webhooks", n)
	}
	if strings.Contains(s.Log.String(), canary) {
		t.Error("the log holds a credential")
	}
}

// TestWebhookRights: who may manage webhooks, and who sees the headers. Mine and Other have
// the same ones.
func TestWebhookRights(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	const headers = "Authorization: Bearer h34ders"
	mine, other := admin.create(t, webhooks, hook("mine", "additional_headers", headers)),
		admin.create(t, webhooks, hook("other", "additional_headers", headers))
	grant := func(constraints any, actions ...string) apitest.Grant {
		return apitest.Grant{Types: []string{"extras.webhook"}, Actions: actions, Constraints: constraints}
	}
	_, nobody := newActor(t, s, "nobody")
	_, viewer := newActor(t, s, "viewer", grant(nil, "view"))
	_, changer := newActor(t, s, "changer", grant(nil, "view", "change"))
	_, adder := newActor(t, s, "adder", grant(nil, "view", "add"))
	_, partly := newActor(t, s, "partly", grant(nil, "view"), grant(obj{"name": "mine"}, "change"))
	_, deleter := newActor(t, s, "deleter", grant(nil, "view", "delete"))
	for _, row := range []struct {
		name        string
		who         actor
		mine, other any
	}{
		{"superuser", admin, headers, headers},
		{"may change all", changer, headers, headers},
		{"may change one", partly, headers, nil},
		{"may add", adder, nil, nil},
		{"may delete", deleter, nil, nil},
		{"may look", viewer, nil, nil},
		{"superuser with a read-only token", actor{s, s.TokenOf(t, "admin", true)}, nil, nil},
		{"may change all, with a read-only token", actor{s, s.TokenOf(t, "changer", true)}, nil, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			listed := row.who.page(t, webhooks+"?ordering=id").Results
			for i, want := range []any{row.mine, row.other} {
				one := row.who.get(t, at(webhooks, []int64{mine, other}[i])).Want(t, http.StatusOK).Object(t)
				for where, got := range map[string]obj{"record": one, "list": listed[i]} {
					if v, given := got["additional_headers"]; !given || v != want {
						t.Errorf("%s of %v: additional_headers is %v (given: %t)", where, got["name"], v, given)
					}
				}
			}
			if got := row.who.page(t,
				webhooks+"?ordering=-id&limit=1&fields=additional_headers").Results[0]["additional_headers"]; got != row.other {
				t.Errorf("alone: %v", got)
			}
		})
	}
	t.Run("nobody may by default", func(t *testing.T) {
		for _, call := range []struct {
			method, path string
			body         any
		}{{"GET", webhooks, nil}, {"GET", at(webhooks, mine), nil}, {"POST", webhooks, hook("x")},
			{"PATCH", at(webhooks, mine), obj{"enabled": false}}, {"DELETE", at(webhooks, mine), nil},
			{"GET", deliveries, nil}, {"GET", conditionErrors, nil}, {"GET", queues, nil}, {"GET", workers, nil}} {
			wantDetail(t, nobody.do(t, call.method, call.path, call.body), http.StatusForbidden, denied)
		}
	})
	t.Run("the answer to a writer", func(t *testing.T) {
		for name, row := range map[string]struct {
			a    apitest.Answer
			want any
		}{
			"may add":        {adder.do(t, "POST", webhooks, hook("added", "additional_headers", headers)), nil},
			"may change one": {partly.do(t, "PATCH", at(webhooks, mine), obj{"max_retries": 1}), headers},
			"may change all": {changer.do(t, "PATCH", at(webhooks, mine), obj{"max_retries": 2}), headers},
		} {
			if got := row.a.Object(t)["additional_headers"]; got != row.want {
				t.Errorf("%s: %v", name, got)
			}
		}
		partly.do(t, "PATCH", at(webhooks, other), obj{"additional_headers": ""}).Want(t, http.StatusNotFound)
		partly.do(t, "PATCH", at(webhooks, mine), obj{"name": "elsewhere"}).Want(t, http.StatusForbidden)
	})
	t.Run("the same secrets again are no change", func(t *testing.T) {
		admin.patch(t, webhooks, mine, obj{"secret": "s", "previous_secret": "p"})
		before := admin.get(t, at(webhooks, mine))
		body := before.Object(t)
		body["http_method"], body["secret"], body["previous_secret"] = "POST", "s", "p"
		w := writtenBy(t, s, func() {
			if a := admin.do(t, "PUT", at(webhooks, mine), body).Want(t, http.StatusOK); a.Header.Get("ETag") != before.Header.Get("ETag") {
				t.Errorf("the version went from %s to %s", before.Header.Get("ETag"), a.Header.Get("ETag"))
			}
		})
		if w != (written{}) {
			t.Errorf("wrote %+v", w)
		}
	})
	t.Run("what is read can be sent back", func(t *testing.T) { // null keeps the headers: it is what a viewer has read
		for _, who := range []actor{viewer, admin} {
			read := who.get(t, at(webhooks, other)).Object(t)
			for _, method := range []string{"PUT", "PATCH"} {
				read["http_method"] = "PUT"
				if got := admin.do(t, method, at(webhooks, other), read).Want(t, http.StatusOK).Object(t)["additional_headers"]; got != headers {
					t.Errorf("%s: %v", method, got)
				}
			}
		}
	})
}
