package webhooks_test

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"terrier/internal/webhook"
	"terrier/test/install"
)

// defaultBody is what is sent without a template.
type defaultBody struct {
	Event     string
	Timestamp string
	Model     string
	Username  string
	RequestID string `json:"request_id"`
	Data      json.RawMessage
	Snapshots struct{ Prechange, Postchange json.RawMessage }
}

// keysOf lists the keys of a JSON object in their order.
func keysOf(t *testing.T, text string) (keys []string) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		keys = append(keys, fmt.Sprint(key))
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	return keys
}

// TestEveryEventIsSentAsTheContractSays creates, updates and deletes a site and reads what the receiver got.
func TestEveryEventIsSentAsTheContractSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Work()
	hook := w.hook("/all", object{"secret": "a secret"})

	s := w.site(object{"name": "Zürich 1", "description": "<first> & \u2028", "latitude": 47.376887})
	created := s.last
	s.update(object{"description": "second", "status": "planned"})
	updated := s.last
	s.delete()

	cases := []struct {
		event, answer, request string
		pre, post              bool
	}{
		{"created", created.Body, requestID(created), false, true},
		{"updated", updated.Body, requestID(updated), true, true},
		{"deleted", updated.Body, requestID(s.last), true, false}, // as it was when it was deleted
	}
	got := w.receiver.await("/all", len(cases))
	slices.SortFunc(got, func(a, b receipt) int {
		return strings.Compare(a.header.Get("X-Hook-Sequence"), b.header.Get("X-Hook-Sequence"))
	})
	deliveries := w.ended(hook, len(cases))
	for i, c := range cases {
		w.run(c.event, func(t *testing.T) {
			r, d := got[i], deliveries[i]
			if keys := keysOf(t, r.body); !slices.Equal(keys,
				[]string{"event", "timestamp", "model", "username", "request_id", "data", "snapshots"}) {
				t.Errorf("the body has the keys %v", keys)
			}
			var body defaultBody
			install.Answer{Body: r.body}.Read(t, &body)
			if body.Event != c.event || body.Model != "site" || body.Username != "admin" {
				t.Errorf("event %q, model %q, username %q", body.Event, body.Model, body.Username)
			}
			if body.RequestID == "" || body.RequestID != c.request {
				t.Errorf("request_id %q, and the answer's X-Request-ID was %q", body.RequestID, c.request)
			}
			if at, err := time.Parse(time.RFC3339, body.Timestamp); err != nil || time.Since(at).Abs() > time.Minute || at.Location() != time.UTC {
				t.Errorf("timestamp %q: %v", body.Timestamp, err)
			}
			if !sameJSON(t, string(body.Data), c.answer) {
				t.Errorf("data is not what the API showed:\n%s\n%s", body.Data, c.answer)
			}
			w.checkSnapshots(t, body, c.pre, c.post)

			header := r.header
			if want := strconv.Itoa(i + 1); header.Get("X-Hook-Sequence") != want {
				t.Errorf("X-Hook-Sequence %q, want %s", header.Get("X-Hook-Sequence"), want)
			}
			if seconds, err := strconv.ParseInt(header.Get("X-Hook-Timestamp"), 10, 64); err != nil ||
				time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
				t.Errorf("X-Hook-Timestamp %q", header.Get("X-Hook-Timestamp"))
			}
			if r.method != http.MethodPost || header.Get("Content-Type") != "application/json" ||
				!strings.HasPrefix(header.Get("User-Agent"), "Terrier/") {
				t.Errorf("%s with %v", r.method, header)
			}
			d.want(t, "successful", "")
			if d.ID != r.delivery() || d.Event.Value != c.event || d.Request != c.request || d.Sequence != int64(i+1) || d.Object != s.id ||
				d.Count != 1 || *d.Status != http.StatusOK {
				t.Errorf("delivery %+v of the request %v", d, header)
			}
			if a := w.delivery(d.ID).Attempts; len(a) != 1 || a[0].Request.Body != r.body || a[0].Request.Target != w.receiver.URL+"/all" ||
				a[0].Response.Status != http.StatusOK {
				t.Errorf("attempts %+v", a)
			}
		})
	}
}

// checkSnapshots compares them with the change log.
func (w *world) checkSnapshots(t *testing.T, body defaultBody, pre, post bool) {
	t.Helper()
	var log struct {
		Results []struct {
			Pre  json.RawMessage `json:"prechange_data"`
			Post json.RawMessage `json:"postchange_data"`
		}
	}
	w.do(http.MethodGet, "/api/extras/object-changes/?request_id="+body.RequestID, nil).Read(t, &log)
	if len(log.Results) != 1 {
		t.Fatalf("%d changes in the log of one request", len(log.Results))
	}
	for name, c := range map[string]struct {
		sent, logged json.RawMessage
		want         bool
	}{"prechange": {body.Snapshots.Prechange, log.Results[0].Pre, pre}, "postchange": {body.Snapshots.Postchange, log.Results[0].Post, post}} {
		if (string(c.sent) != "null") != c.want || !sameJSON(t, string(c.sent), string(c.logged)) {
			t.Errorf("%s: %s, and the change log has %s", name, c.sent, c.logged)
		}
	}
}

// TestRequestsAreMadeAsTheWebhookSays makes one change that webhooks of every kind are notified of.
func TestRequestsAreMadeAsTheWebhookSays(t *testing.T) {
	t.Parallel()
	const secret, former = "whsec_bG9uZyBlbm91Z2ggZm9yIGEgc2lnbmluZyBrZXk=", "former secret"
	type headers map[string]string // "" where there must be none
	cases := []struct {
		name   string
		fields object
		method string  // POST where empty
		header headers // as far as it matters
		body   string  // the default body where empty
	}{
		{name: "GET", fields: object{"http_method": "GET"}, method: "GET"},
		{name: "POST", fields: object{"http_method": "POST"}},
		{name: "PUT", fields: object{"http_method": "PUT"}, method: "PUT"},
		{name: "PATCH", fields: object{"http_method": "PATCH"}, method: "PATCH"},
		{name: "DELETE", fields: object{"http_method": "DELETE"}, method: "DELETE"},
		{name: "plain", header: headers{"Content-Type": "application/json", "X-Hook-Signature": "", "X-Hook-Signature-Previous": "",
			"Webhook-Id": "", "Webhook-Timestamp": "", "Webhook-Signature": "", "Accept-Encoding": "", "Authorization": ""}},
		{name: "another content type", fields: object{"http_content_type": "text/plain; charset=utf-8"},
			header: headers{"Content-Type": "text/plain; charset=utf-8"}},
		{name: "an empty content type", fields: object{"http_content_type": ""}, header: headers{"Content-Type": "application/json"}},
		{name: "a template",
			fields: object{"body_template": "{{ event }}/{{ model }}/{{ data.name }}/{{ data['slug'] }}/{{ username }}/{{ data.status.value }}" +
				"{% if snapshots.prechange is none %}/new{% endif %}{% for t in data.tags %}/{{ t.slug }}{% endfor %}/{{ " +
				"snapshots.postchange.name|upper }}"},
			body: "created/site/Zürich/zurich/admin/active/new/ZÜRICH"},
		{name: "a template that is not JSON", fields: object{"body_template": "name={{ data.name|urlencode }}",
			"http_content_type": "application/x-www-form-urlencoded"},
			header: headers{"Content-Type": "application/x-www-form-urlencoded"}, body: "name=Z%C3%BCrich"},
		{name: "a signed template", fields: object{"body_template": "{{ data.slug }}\n\t\u2028{{ data.name }}", "secret": secret},
			body: "zurich\n\t\u2028Zürich"},
		{name: "a template as it is written", fields: object{"body_template": "\n\n {{ event }} \r\n\n"}, body: "\n\n created \n"},
		{name: "a template of blanks", fields: object{"body_template": " \n\t"}},
		{name: "headers",
			fields: object{"additional_headers": "X-Slug: {{ data.slug }}\r\nAuthorization: Bearer abc:def\n\nX-Event: {{ event }} of {{ " +
				"model }} by {{ username }}"},
			header: headers{"X-Slug": "zurich", "Authorization": "Bearer abc:def", "X-Event": "created of site by admin"}},
		{name: "an agent of its own", fields: object{"additional_headers": "User-Agent: mine"}, header: headers{"User-Agent": "mine"}},
		{name: "a secret", fields: object{"secret": secret}, header: headers{"X-Hook-Signature-Previous": "", "Webhook-Signature": ""}},
		{name: "two secrets", fields: object{"secret": secret, "previous_secret": former}},
		{name: "only a former secret", fields: object{"previous_secret": former},
			header: headers{"X-Hook-Signature": "", "X-Hook-Signature-Previous": ""}},
		{name: "Standard Webhooks", fields: object{"secret": secret, "standard_headers": true}},
		{name: "Standard Webhooks with two secrets", fields: object{"secret": secret, "previous_secret": former, "standard_headers": true}},
		{name: "an address with a query"},
		{name: "an address with what must be encoded"},
	}
	w := newWorld(t)
	w.Work()
	path := func(i int) string {
		switch cases[i].name {
		case "an address with a query":
			return fmt.Sprintf("/%d?a=b&c=%%20d", i)
		case "an address with what must be encoded":
			return fmt.Sprintf("/%d/%%C3%%BC%%2Fb%%7Bx%%7D?q=%%C3%%B6%%22", i)
		}
		return fmt.Sprintf("/%d", i)
	}
	hooks := make([]int64, len(cases))
	for i, c := range cases {
		fields := object{}
		maps.Copy(fields, c.fields)
		if c.name == "an address with what must be encoded" {
			fields["payload_url"] = fmt.Sprintf(`%s/%d/ü%%2Fb{x}?q=ö"`, w.receiver.URL, i)
		}
		hooks[i] = w.hook(path(i), fields)
	}
	w.site(object{"name": "Zürich", "slug": "zurich"})
	standard := w.receiver.await("/5", 1)[0].body
	for i, c := range cases {
		w.run(c.name, func(t *testing.T) {
			r := w.receiver.await(path(i), 1)[0]
			if d := w.only(hooks[i]).want(t, "successful", ""); d.Attempts[0].Request.Target != w.receiver.URL+r.path {
				t.Errorf("sent to %s, and kept is %s", r.path, d.Attempts[0].Request.Target)
			}
			if want := cmp.Or(c.method, http.MethodPost); r.method != want {
				t.Errorf("method %s, want %s", r.method, want)
			}
			if want := cmp.Or(c.body, standard); r.body != want {
				t.Errorf("body %q, want %q", r.body, want)
			}
			if r.header.Get("Content-Length") != strconv.Itoa(len(r.body)) {
				t.Errorf("Content-Length %q of %d bytes", r.header.Get("Content-Length"), len(r.body))
			}
			for name, want := range c.header {
				if got := r.header.Values(name); want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			previous := ""
			if c.fields["secret"] != nil && c.fields["previous_secret"] != nil {
				previous = webhook.Signature(former, []byte(r.body))
			}
			if got := r.header.Get("X-Hook-Signature-Previous"); got != previous {
				t.Errorf("X-Hook-Signature-Previous is %q, want %q", got, previous)
			}
			if c.fields["standard_headers"] != nil {
				checkStandard(t, r, c.fields)
			}
		})
	}
	if signature := w.receiver.at("/10")[0].header.Get("X-Hook-Signature"); !regexp.MustCompile(`^[0-9a-f]{128}$`).MatchString(signature) {
		t.Errorf("the signature is not 128 hexadecimal digits: %q", signature)
	}
	refused := w.server.Do(http.MethodPatch, fmt.Sprintf("%s%d/", webhooksPath, hooks[0]), w.admin,
		object{"body_template": "\n\n\n{{ data. }}"}).Want(t, http.StatusBadRequest)
	if !strings.Contains(refused.Body, "line 4") {
		t.Errorf("the error behind three blank lines is elsewhere: %s", refused.Body)
	}
}

// checkStandard verifies the headers of standardwebhooks.com.
func checkStandard(t *testing.T, r receipt, fields object) {
	t.Helper()
	id, stamp := r.header.Get("Webhook-Id"), r.header.Get("Webhook-Timestamp")
	if id != r.delivery() || stamp != r.header.Get("X-Hook-Timestamp") {
		t.Errorf("webhook-id %q and webhook-timestamp %q in %v", id, stamp, r.header)
	}
	var want []string
	for _, field := range []string{"secret", "previous_secret"} {
		secret, _ := fields[field].(string)
		if secret == "" {
			continue
		}
		key := []byte(secret)
		if text, ok := strings.CutPrefix(secret, "whsec_"); ok {
			key, _ = base64.StdEncoding.DecodeString(text) // written so above
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + stamp + "." + r.body))
		want = append(want, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	if got := r.header.Get("Webhook-Signature"); got != strings.Join(want, " ") {
		t.Errorf("webhook-signature %q, want %q", got, want)
	}
}

// TestNotifiedWebhooks makes a few changes, with server and worker in one process, and checks which webhooks were
// notified.
func TestNotifiedWebhooks(t *testing.T) {
	t.Parallel()
	leaf := func(attr string, value any, more ...any) object {
		o := object{"attr": attr, "value": value}
		for i := 0; i < len(more); i += 2 {
			o[more[i].(string)] = more[i+1]
		}
		return o
	}
	conditions := func(c any) object { return object{"conditions": c} }
	// The site is created active, made planned, described, and deleted. It moves, and gets a tag, with each update.
	const created, planned, described, deleted = "created", "updated 2", "updated 3", "deleted"
	everything := []string{created, planned, described, deleted}
	cases := []struct {
		name   string
		fields object
		want   []string
	}{
		{"everything", nil, everything},
		{"creations", object{"type_update": false, "type_delete": false}, []string{created}},
		{"updates", object{"type_create": false, "type_delete": false}, []string{planned, described}},
		{"deletions", object{"type_create": false, "type_update": false}, []string{deleted}},
		{"another type", object{"content_types": []string{"dcim.region"}}, nil},
		{"several types", object{"content_types": []string{"dcim.region", "dcim.site"}}, everything},
		{"disabled", object{"enabled": false}, nil},
		{"no conditions, as existing clients write it", conditions(object{}), everything},
		{"a condition that holds", conditions(leaf("slug", "condition")), everything},
		{"a condition that does not hold", conditions(leaf("slug", "other")), nil},
		{"a condition that holds for some", conditions(leaf("status", "active")), []string{created}},
		{"the value of a choice", conditions(leaf("status.value", "planned")), []string{planned, described, deleted}},
		{"negate", conditions(leaf("status", "planned", "negate", true)), []string{created}},
		{"in", conditions(leaf("status", []string{"retired", "planned"}, "op", "in")), []string{planned, described, deleted}},
		{"contains", conditions(leaf("description", "word", "op", "contains")), []string{described, deleted}},
		{"gt", conditions(leaf("latitude", 20, "op", "gt")), []string{described, deleted}},
		{"gte", conditions(leaf("latitude", 20, "op", "gte")), []string{planned, described, deleted}},
		{"lt", conditions(leaf("latitude", 20, "op", "lt")), []string{created}},
		{"lte", conditions(leaf("latitude", 20, "op", "lte")), []string{created, planned}},
		{"gt of texts", conditions(leaf("description", "a", "op", "gt")), []string{described, deleted}},
		{"a path over a list", conditions(leaf("tags.slug", "edge", "op", "contains")), []string{planned, described, deleted}},
		{"a path over a longer list", conditions(leaf("tags.slug", "core", "op", "contains")), []string{described, deleted}},
		{"a path over a list, as a whole", conditions(leaf("tags.slug", []string{"edge"})), []string{planned}},
		{"a path over a list, negated", conditions(leaf("tags.slug", "edge", "op", "contains", "negate", true)), []string{created}},
		{"regex", conditions(leaf("name", "^Con.*on$", "op", "regex")), everything},
		{"and", conditions(object{"and": []object{leaf("slug", "condition"), leaf("status", "active")}}), []string{created}},
		{"or", conditions(object{"or": []object{leaf("slug", "other"), leaf("description", "a word")}}), []string{described, deleted}},
		{"changed", conditions(object{"attr": "status", "op": "changed"}), []string{created, planned, deleted}},
		{"snapshots", conditions(leaf("snapshots.prechange.status", "active")), []string{planned}},
		{"a condition that can't be evaluated", conditions(leaf("name.first", "Con")), nil},
	}
	w := newWorld(t)
	w.server.Stop()
	w.server = w.Serve("--worker")
	hooks := make([]int64, len(cases))
	for i, c := range cases {
		hooks[i] = w.hook(fmt.Sprintf("/%d", i), c.fields)
	}
	for _, slug := range []string{"edge", "core"} {
		w.do(http.MethodPost, "/api/extras/tags/", object{"name": slug, "slug": slug})
	}
	s := w.site(object{"name": "Condition", "slug": "condition", "latitude": 10})
	s.update(object{"status": "planned", "latitude": 20, "tags": []object{{"slug": "edge"}}})
	s.update(object{"description": "a word", "latitude": 30, "tags": []object{{"slug": "edge"}, {"slug": "core"}}})
	s.update(object{"description": "a word", "status": "planned"}) // unchanged: no webhook is notified
	w.do(http.MethodPatch, sitesPath, []object{{"id": s.id, "name": "Condition"}})
	s.delete()
	for i, c := range cases {
		w.run(c.name, func(t *testing.T) {
			var notified []string
			for _, d := range w.ended(hooks[i], len(c.want)) {
				d.want(t, "successful", "")
				if event := d.Event.Value; event == "updated" {
					notified = append(notified, fmt.Sprint(event, " ", d.Sequence))
				} else {
					notified = append(notified, event)
				}
			}
			if !slices.Equal(notified, c.want) {
				t.Errorf("notified of %v, want %v", notified, c.want)
			}
			w.receiver.await(fmt.Sprintf("/%d", i), len(c.want))
		})
	}
	var conditionErrors struct {
		Count   int
		Results []struct {
			Webhook struct{ ID int64 }
			Reason  string
		}
	}
	w.do(http.MethodGet, "/api/extras/condition-errors/", nil).Read(t, &conditionErrors)
	if conditionErrors.Count != 4 || conditionErrors.Results[0].Webhook.ID != hooks[len(hooks)-1] || conditionErrors.Results[0].Reason == "" {
		t.Errorf("what could not be evaluated is not listed: %+v", conditionErrors)
	}
}

// TestOneRequestIsOneEvent touches one object three times in one request, and many objects in another.
func TestOneRequestIsOneEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Work()
	s := w.site(object{"name": "before", "slug": "one"})
	other := w.site(nil)
	hook := w.hook("/", nil)

	a := w.do(http.MethodPatch, sitesPath, []object{{"id": s.id, "name": "between"}, {"id": s.id, "description": "kept"},
		{"id": s.id, "name": "after"}})
	var body struct {
		Data      struct{ Name, Description string }
		Snapshots struct {
			Prechange, Postchange struct{ Name, Description string }
		}
	}
	install.Answer{Body: w.receiver.await("/", 1)[0].body}.Read(t, &body)
	if body.Snapshots.Prechange.Name != "before" || body.Snapshots.Postchange.Name != "after" ||
		body.Snapshots.Postchange.Description != "kept" || body.Data.Name != "after" {
		t.Errorf("notified %+v", body)
	}
	if d := w.only(hook); d.Request != requestID(a) || d.Sequence != 2 {
		t.Errorf("delivery %+v", d)
	}
	// Several objects of one request share its id.
	a = w.do(http.MethodPatch, sitesPath, []object{{"id": s.id, "facility": "x"}, {"id": other.id, "facility": "x"}})
	w.receiver.await("/", 3)
	for _, d := range w.ended(hook, 3)[1:] {
		if d.Request != requestID(a) {
			t.Errorf("request %s, want %s", d.Request, requestID(a))
		}
	}
	// No webhook is notified of a refused request: all or none.
	refused := w.server.Do(http.MethodPatch, sitesPath, w.admin,
		[]object{{"id": s.id, "facility": "y"}, {"id": other.id, "status": "nonsense"}})
	refused.Want(t, http.StatusBadRequest)
	s.update(object{"facility": "z"})
	w.receiver.await("/", 4)
	w.ended(hook, 4)
}
