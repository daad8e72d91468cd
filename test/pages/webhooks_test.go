package pages_test

import (
	"context"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/app"
	"terrier/internal/delivery"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/webhook"
	"terrier/internal/webhook/gallery"
	"terrier/test/apitest"
)

const (
	hooks   = "/extras/webhooks/"
	trouble = `<script>alert(1)</script>"'&`
)

// live is how htmx asks for a part of a page.
func live(id string) []string { return []string{"Hx-Request", "true", "Hx-Target", id} }

// hookForm is what a browser sends of the form.
func hookForm(more ...string) url.Values {
	form := url.Values{"name": {"hook"}, "content_types": {"dcim.site"}, "type_create": {"true"}, "type_update": {"true"},
		"enabled": {"true"}, "payload_url": {"http://receiver.example.org/in"},
		"http_method": {"POST"}, "http_content_type": {"application/json"}, "additional_headers": {""}, "body_template": {""},
		"secret": {""}, "previous_secret": {""},
		"max_retries": {"0"}, "concurrency": {"10"}, "rate_limit": {""}, "conditions": {""}, "ssl_verification": {"true"}, "ca_file_path": {""},
		"client_certificate": {""}, "client_key": {""}}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

// saved is the webhook of hookForm, as the API takes it.
func saved(more obj) obj {
	body := obj{"name": "hook", "content_types": []string{"dcim.site"}, "type_create": true, "type_update": true,
		"payload_url": "http://receiver.example.org/in"}
	maps.Copy(body, more)
	return body
}

// number asks the database.
func number(t *testing.T, s *apitest.Server, query string, args ...any) (n int64) {
	t.Helper()
	if err := s.DB.QueryRow(context.Background(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// lastChange is the id of the newest change to a site.
func lastChange(t *testing.T, s *apitest.Server) string {
	t.Helper()
	return fmt.Sprint(number(t, s, "SELECT max(id) FROM extras_objectchange WHERE object_type = 'dcim.site'"))
}

// text returns a page as a person reads it.
func text(a apitest.Answer) string { return html.UnescapeString(string(a.Raw)) }

func newSite(t *testing.T, s *apitest.Server, name, status string) int64 {
	t.Helper()
	return create(t, s, "/api/dcim/sites/", obj{"name": name,
		"slug": fmt.Sprintf("s%d", number(t, s, "SELECT count(*) FROM dcim_site")), "status": status})
}

// TestWebhookPreviewPage compares the panel with the ledger's preview, and checks that nothing is saved.
func TestWebhookPreviewPage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	site := newSite(t, s, "Lisbon 1", "active")
	const secret, unsaved = "whsec_czNjcmV0LWNhbmFyeSwgbG9uZyBlbm91Z2g=", "whsec_dHlwZWQtY2FuYXJ5LCBsb25nIGVub3VnaA=="
	id := create(t, s, "/api/extras/webhooks/", saved(obj{"secret": secret,
		"additional_headers": "Authorization: Bearer abc\nX-Model: {{ model }}", "standard_headers": true}))
	path := fmt.Sprintf("%s%d/", hooks, id)
	newSite(t, s, "Lisbon 2", "planned")
	change := lastChange(t, s)
	state := func() []int64 {
		return []int64{number(t, s, "SELECT count(*) FROM extras_webhook"), number(t, s, "SELECT sum(version) FROM extras_webhook"),
			number(t, s, "SELECT count(*) FROM extras_objectchange"), number(t, s, "SELECT count(*) FROM extras_delivery")}
	}
	before := state()
	typed := func(more ...string) url.Values {
		return hookForm(append([]string{"additional_headers", "Authorization: Bearer abc\r\nX-Model: {{ model }}", "standard_headers",
			"true", "sample", change}, more...)...)
	}

	t.Run("what is sent", func(t *testing.T) {
		a := b.post(t, path+"preview/", typed(), live("webhook-preview")...).Want(t, http.StatusOK)
		var sample app.Sample
		if _, err := fmt.Sscan(change, &sample.Change); err != nil {
			t.Fatal(err)
		}
		p, err := s.App.PreviewWebhook(context.Background(), id, sample)
		if err != nil {
			t.Fatal(err)
		}
		shown := text(a)
		for name, values := range p.Request.Header {
			if name == "X-Hook-Timestamp" || name == "Webhook-Timestamp" {
				values = []string{""} // it may be another second
			}
			if !strings.Contains(shown, name+"</th><td>"+values[0]) {
				t.Errorf("%s: %s is not shown", name, values[0])
			}
		}
		if !strings.Contains(shown, ">"+p.Body+"</pre>") || p.Body == "" {
			t.Errorf("the body is not shown as it is: %s", shown)
		}
		shows(t, a, "Would be sent", "POST</strong> http://receiver.example.org/in", `href="/extras/deliveries/`+p.Delivery+`/"`,
			"X-Hook-Signature</th><td>(made when it is sent)", "Webhook-Signature</th><td>(made when it is sent)",
			"Authorization</th><td>Bearer abc")
		hides(t, a, "<html", secret, "wrong-line", webhook.Signature(secret, p.Request.Body))
	})
	t.Run("without a script", func(t *testing.T) {
		a := b.post(t, path+"preview/", typed("secret", unsaved, "name", "renamed", "version", "7")).Want(t, http.StatusOK)
		shows(t, a, "<html", `value="renamed"`, "Would be sent", "type it again before you save", `name="version" value="7"`,
			`action="`+path+`edit/"`)
		hides(t, a, unsaved, secret)
	})
	t.Run("an unsaved secret", func(t *testing.T) {
		a := b.post(t, path+"preview/", typed("secret", unsaved, "body_template", "{{ data.name }}"), live("webhook-preview")...).
			Want(t, http.StatusOK)
		shows(t, a, "X-Hook-Signature</th><td>(made when it is sent)", ">Lisbon 2</pre>")
		hides(t, a, webhook.Signature(secret, []byte("Lisbon 2")), webhook.Signature(unsaved, []byte("Lisbon 2")))
	})
	t.Run("a new webhook and a record", func(t *testing.T) {
		form := hookForm("name", "new", "body_template", "{{ event }} {{ data.name }}", "sample_type", "dcim.site", "sample_record",
			"Lisbon 1", "sample", change)
		shows(t, b.post(t, hooks+"preview/", form, live("webhook-preview")...).Want(t, http.StatusOK), ">updated Lisbon 1</pre>",
			"made when it is sent")
		form.Set("sample_record", fmt.Sprintf("Lisbon 1 #%d", site))
		shows(t, b.post(t, hooks+"preview/", form).Want(t, http.StatusOK), ">updated Lisbon 1</pre>", `action="`+hooks+`add/"`)
		form.Set("sample_record", "Atlantis")
		shows(t, b.post(t, hooks+"preview/", form, live("webhook-preview")...).Want(t, http.StatusOK), "There is no site")
		form.Set("sample_record", "x #999999")
		shows(t, b.post(t, hooks+"preview/", form, live("webhook-preview")...).Want(t, http.StatusOK), "There is no site &#34;x #999999&#34;")
	})
	t.Run("what is wrong", func(t *testing.T) {
		for name, row := range map[string]struct {
			typed []string
			want  []string
		}{
			"template": {[]string{"body_template", "one\r\n{% if %}\r\nthree"},
				[]string{"line 2", `<li value="2" class="wrong-line">`, "<code>{% if %}</code>", `<li value="3">`}},
			"rendering": {[]string{"body_template", "{{ data.name }}\r\n{{ 1 / 0 }}"},
				[]string{"line 2", `<li value="2" class="wrong-line">`}},
			"header":          {[]string{"additional_headers", "X-A: 1\r\nX-B: {{ 1 +"}, []string{"Line 2", `<li value="2" class="wrong-line">`}},
			"header's value":  {[]string{"additional_headers", "X-A: 1\r\nX-B: {{ 1 / 0 }}"}, []string{"X-B", `<li value="2" class="wrong-line">`}},
			"address":         {[]string{"payload_url", "ftp://x"}, []string{"URL:"}},
			"secret":          {[]string{"secret", "plain"}, []string{"Secret:", "must be whsec_"}},
			"no conditions":   {[]string{"conditions", "{"}, []string{"This is not JSON"}},
			"no sample":       {[]string{"sample", ""}, []string{"Choose a record or a past change."}},
			"does not fire":   {[]string{"conditions", `{"attr": "status", "value": "active"}`}, []string{"Would not be sent", "planned"}},
			"disabled":        {[]string{"enabled", ""}, []string{"Would not be sent", "The webhook is disabled."}},
			"events":          {[]string{"type_create", ""}, []string{"Would not be sent", "type_create is not selected"}},
			"broken":          {[]string{"conditions", `{"attr": "name", "op": "gt", "value": 5}`}, []string{"Would not be sent", "can't compare"}},
			"payload as text": {[]string{"body_template", trouble}, []string{html.EscapeString(trouble)}},
		} {
			t.Run(name, func(t *testing.T) {
				a := b.post(t, path+"preview/", typed(row.typed...), live("webhook-preview")...).Want(t, http.StatusOK)
				for _, want := range row.want {
					if !strings.Contains(string(a.Raw), want) && !strings.Contains(text(a), want) {
						t.Errorf("%q is not shown: %s", want, a.Raw)
					}
				}
				hides(t, a, trouble)
			})
		}
	})
	if after := state(); !slices.Equal(before, after) {
		t.Errorf("something was saved: %v, then %v", before, after)
	}
	for _, private := range []string{secret, unsaved, "Bearer abc"} {
		if strings.Contains(s.Log.String(), private) {
			t.Errorf("the log holds %q", private)
		}
	}
}

// TestWebhookTrialPage: the page shows the counts that a person would get.
func TestWebhookTrialPage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	for i := range 7 {
		newSite(t, s, fmt.Sprintf("Site %d", i), []string{"active", "planned"}[i%2])
	}
	newSite(t, s, trouble, "planned")
	form := hookForm("conditions", `{"attr": "status", "value": "active"}`)
	a := b.post(t, hooks+"trial/", form, live("webhook-trial")...).Want(t, http.StatusOK)
	shows(t, a, "would have fired for 4 of 8", "Site 0", html.EscapeString(trouble))
	hides(t, a, "<html", trouble)
	if n := strings.Count(text(a), `status is "planned", not "active"`); n != 4 {
		t.Errorf("%d reasons, want 4: %s", n, text(a))
	}
	form.Set("trial_show", "fired")
	a = b.post(t, hooks+"trial/", form).Want(t, http.StatusOK)
	_, panel, _ := strings.Cut(text(a), `id="webhook-trial"`)
	if !strings.Contains(panel, "4 of 8") || strings.Count(panel, "Type, event and conditions match.") != 4 ||
		strings.Contains(panel, "Site 1") {
		t.Errorf("not only those that fire: %s", panel)
	}
	form.Set("trial_show", "quiet")
	panel = text(b.post(t, hooks+"trial/", form, live("webhook-trial")...))
	if strings.Contains(panel, "Site 0") || !strings.Contains(panel, "Site 1") {
		t.Errorf("not only those that don't: %s", panel)
	}
	form.Set("conditions", `{"attr": "name", "op": "gt", "value": 5}`)
	shows(t, b.post(t, hooks+"trial/", form, live("webhook-trial")...), "0 of 8", "condition error")
	form.Set("conditions", `{"op": "x"}`)
	shows(t, b.post(t, hooks+"trial/", form, live("webhook-trial")...).Want(t, http.StatusOK), "Conditions:")
	id := create(t, s, "/api/extras/webhooks/", saved(nil))
	shows(t, b.post(t, fmt.Sprintf("%s%d/trial/", hooks, id), hookForm("type_create", ""), live("webhook-trial")...).
		Want(t, http.StatusOK), "0 of 8", "type_create is not selected")
}

// TestWebhookGallery fills the form with each template, and leaves the rest as it is.
func TestWebhookGallery(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	id := create(t, s, "/api/extras/webhooks/", saved(obj{"http_method": "PUT", "body_template": "mine",
		"conditions": obj{"attr": "status", "value": "active"}}))
	edit := fmt.Sprintf("%s%d/edit/", hooks, id)
	body := regexp.MustCompile(`(?s)<textarea[^>]* name="body_template"[^>]*>.*?</textarea>`)
	bodyOf := func(a apitest.Answer) string {
		_, inner, _ := strings.Cut(body.FindString(string(a.Raw)), ">\n") // a line break at the beginning is not shown
		return html.UnescapeString(strings.TrimSuffix(inner, "</textarea>"))
	}
	for _, path := range []string{hooks + "add/", edit} {
		plain := b.get(t, path).Want(t, http.StatusOK)
		shows(t, plain, "For trusted people only")
		for _, g := range gallery.All() {
			link := path + "?template=" + g.Key
			shows(t, plain, `href="`+link+`"`)
			a := b.get(t, link).Want(t, http.StatusOK)
			if bodyOf(a) != g.Body {
				t.Errorf("%s: the body is not the template's", link)
			}
			shows(t, a, `<option value="`+g.Method+`" selected>`, html.EscapeString(g.Headers), html.EscapeString(g.URL),
				`id="id_enabled" value="true" checked`, `id="id_ssl_verification" value="true" checked`)
			if path == edit {
				shows(t, a, `value="hook"`, `value="dcim.site" checked`, "active", `name="version" value="1"`)
			}
		}
	}
	// The address of the form stays when it is refused; then the typed values count.
	a := b.post(t, hooks+"add/?template=slack", hookForm("name", "", "body_template", "typed")).Want(t, http.StatusBadRequest)
	if got := bodyOf(a); got != "typed" {
		t.Errorf("what was typed is lost: %s", got)
	}
}

// opens opens the secrets of webhooks, as a worker does.
type opens struct{ ledger.Sealer }

func (o opens) Open(place, sealed string) ([]byte, error) {
	plain, err := o.Sealer.Open(place, record.Sealed(sealed))
	return []byte(plain), err
}

// TestWebhookRotatePage replaces a secret without ever showing the old one.
func TestWebhookRotatePage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	id := create(t, s, "/api/extras/webhooks/", saved(obj{"secret": "first-canary"}))
	newSite(t, s, "Lisbon", "active")
	path := fmt.Sprintf("%s%d/", hooks, id)
	signatures := func() (current, previous string, body []byte) {
		t.Helper()
		due, err := s.App.Store.LoadDue(t.Context(), []int64{number(t, s, "SELECT id FROM extras_delivery WHERE webhook_id = $1", id)})
		if err != nil {
			t.Fatal(err)
		}
		hook, err := s.App.Store.Webhook(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		p, problem := delivery.Preview(hook, opens{s.App.Ledger.Sealer}, due[0], time.Now())
		if problem != "" {
			t.Fatal(problem)
		}
		return p.Header.Get("X-Hook-Signature"), p.Header.Get("X-Hook-Signature-Previous"), p.Body
	}
	want := func(secret, former string) {
		t.Helper()
		current, previous, body := signatures()
		if !webhook.Verify(secret, body, current) || former == "" && previous != "" || former != "" && !webhook.Verify(former, body, previous) {
			t.Errorf("signed with %q and %q, not by %s and %s", current, previous, secret, former)
		}
	}
	hides(t, b.get(t, path+"rotate/").Want(t, http.StatusOK), "The receiver knows the new one", "first-canary")
	shows(t, b.post(t, path+"rotate/", url.Values{"secret": {""}}).Want(t, http.StatusBadRequest), "Type the new secret")
	shows(t, b.post(t, path+"rotate/", url.Values{"secret": {"first-canary"}}).Want(t, http.StatusBadRequest), "This is the current secret")
	want("first-canary", "")

	b.post(t, path+"rotate/", url.Values{"secret": {"second-canary"}}).Want(t, http.StatusSeeOther)
	want("second-canary", "first-canary")
	a := b.get(t, path+"rotate/")
	shows(t, a, "The receiver knows the new one")
	hides(t, a, "first-canary", "second-canary")
	shows(t, b.get(t, path), "Secret being replaced")

	b.post(t, path+"rotate/end/", url.Values{}).Want(t, http.StatusSeeOther)
	want("second-canary", "")

	a = b.post(t, path+"rotate/", url.Values{"generate": {"true"}, "secret": {""}}).Want(t, http.StatusOK)
	made := regexp.MustCompile(`<code id="made">(whsec_[A-Za-z0-9+/]{43}=)</code>`).FindStringSubmatch(html.UnescapeString(string(a.Raw)))
	if made == nil {
		t.Fatalf("no secret was made: %s", a.Raw)
	}
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Error("the secret may be kept by a cache")
	}
	want(made[1], "second-canary")
	for _, page := range []string{"", "edit/", "rotate/", "changelog/"} {
		hides(t, b.get(t, path+page).Want(t, http.StatusOK), "first-canary", "second-canary", made[1])
	}
	if log := s.Log.String(); strings.Contains(log, "-canary") || strings.Contains(log, made[1]) {
		t.Error("the log holds a secret")
	}
}

// TestWebhookPage: the page shows the state of a webhook, and its actions to those who may use them.
func TestWebhookPage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	id := create(t, s, "/api/extras/webhooks/", saved(obj{"secret": "canary", "additional_headers": "Authorization: Bearer abc",
		"body_template": "{# " + trouble + " #}"}))
	broken := create(t, s, "/api/extras/webhooks/", saved(obj{"name": trouble, "conditions": obj{"attr": "name", "op": "gt", "value": 5}}))
	path := fmt.Sprintf("%s%d/", hooks, id)
	shows(t, b.get(t, path).Want(t, http.StatusOK), "Nothing was sent yet", "Nothing was sent in this time")
	for i := range 3 {
		newSite(t, s, fmt.Sprintf("%s %d", trouble, i), "active")
	}
	if _, err := s.DB.Exec(t.Context(),
		"UPDATE extras_delivery SET state = 'failed', reason = $1, finished_at = now(), status_code = 500 WHERE object_id < 3 "+
			"AND webhook_id = $2", trouble, id); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DB.Exec(t.Context(),
		"INSERT INTO extras_tally (webhook_id, minute, successful, failed, milliseconds, durations) VALUES "+
			"($1, date_trunc('minute', now()), 3, 1, 200, '{0,0,0,0,0,4}'), ($1, date_trunc('minute', now() - interval '3 days'), 5, 0, 100, '{}')",
		id); err != nil {
		t.Fatal(err)
	}
	buttons := []string{"Send a test", "Rotate secret", path + "replay/", path + "pause/", "Retry all 2 failed", path + "edit/"}
	a := b.get(t, path).Want(t, http.StatusOK)
	shows(t, a, append(buttons, "HTTP request", "Bearer abc", "75.0 %", "Half of them took at most 7 ms", "<svg",
		`aria-label="Requests per half hour: 3 successful, 1 failed."`, "Set; kept encrypted", "Queued</dt><dd>1<", "/extras/deliveries/")...)
	hides(t, a, trouble, "canary")
	faulty := b.get(t, fmt.Sprintf("%s%d/", hooks, broken)).Want(t, http.StatusOK)
	shows(t, faulty, "can&#39;t compare", "All condition errors")
	hides(t, faulty, trouble)

	s.User(t, "viewer", apitest.Grant{Types: []string{"extras.webhook", "extras.delivery", "extras.objectchange"}, Actions: []string{"view"}})
	viewer := login(t, s, "viewer")
	a = viewer.get(t, path).Want(t, http.StatusOK)
	shows(t, a, "75.0 %", "Recent deliveries", "not shown")
	hides(t, a, append(buttons, "Bearer abc", "Recent condition errors")...)
	s.User(t, "narrow", apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"view"}})
	hides(t, login(t, s, "narrow").get(t, path).Want(t, http.StatusOK), "Recent deliveries", "/extras/deliveries/")
	for _, r := range s.App.Site.Routes() {
		if r.Type == nil || r.Type.Key() != "extras.webhook" || r.Action == "view" {
			continue
		}
		at := strings.NewReplacer("{id}", fmt.Sprint(id), "{$}", "").Replace(r.Path)
		var form url.Values
		if r.Method == http.MethodPost {
			form = hookForm("sample", lastChange(t, s))
		}
		refused := viewer.send(t, r.Method, at, form).Want(t, http.StatusForbidden)
		hides(t, refused, "Bearer abc", "X-Hook-Signature")
	}

	b.post(t, path+"pause/", url.Values{}).Want(t, http.StatusSeeOther)
	shows(t, b.get(t, path), "Paused</span> since", path+"resume/")
	shows(t, b.post(t, path+"test/", url.Values{"newest": {"true"}}).Want(t, http.StatusBadRequest), "The webhook is paused")
	b.post(t, path+"resume/", url.Values{}).Want(t, http.StatusSeeOther)
	hides(t, b.get(t, path), "Paused</span>")
	b.post(t, path+"retry/", url.Values{}).Want(t, http.StatusSeeOther)
	if n := number(t, s, "SELECT count(*) FROM extras_delivery WHERE webhook_id = $1 AND state = 'queued'", id); n != 3 {
		t.Errorf("%d are queued, want 3", n)
	}
	hides(t, b.get(t, path), "Retry all")

	page := b.get(t, path+"test/").Want(t, http.StatusOK)
	shows(t, page, "created site "+html.EscapeString(trouble)+" 2 by admin")
	hides(t, page, trouble)
	sent := b.post(t, path+"test/", url.Values{"sample": {lastChange(t, s)}}).Want(t, http.StatusSeeOther)
	b.get(t, sent.Header.Get("Location")).Want(t, http.StatusOK)
	if !strings.HasPrefix(sent.Header.Get("Location"), "/extras/deliveries/") ||
		number(t, s, "SELECT count(*) FROM extras_delivery WHERE webhook_id = $1", id) != 4 {
		t.Errorf("no test was queued: %s", sent.Header.Get("Location"))
	}
	shows(t, b.post(t, path+"test/", url.Values{"sample_type": {"dcim.site"}, "sample_record": {"Atlantis"}}).
		Want(t, http.StatusBadRequest), "There is no site")
}

// TestWebhookReplayPage counts first, and then does what it counted.
func TestWebhookReplayPage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	b := login(t, s, "admin")
	newSite(t, s, "before", "active")
	id := create(t, s, "/api/extras/webhooks/", saved(nil))
	path := fmt.Sprintf("%s%d/", hooks, id)
	newSite(t, s, "after", "active")
	if _, err := s.DB.Exec(t.Context(), "UPDATE extras_delivery SET state = 'failed', finished_at = now(), reason = 'x'"); err != nil {
		t.Fatal(err)
	}
	hides(t, b.get(t, path+"replay/").Want(t, http.StatusOK), "changes match")
	shows(t, b.get(t, path+"replay/?count=true&since=&until=&type=&action=").Want(t, http.StatusOK),
		"2 changes match: 1 requeued, 1 new", "Send 2")
	shows(t, b.get(t, path+"replay/?count=true&action=update"), "No change matches")
	shows(t, b.get(t, path+"replay/?count=true&since=2999-01-01T00:00"), "No change matches", `value="2999-01-01T00:00:00"`)
	shows(t, b.get(t, path+"replay/?count=true&since=yesterday").Want(t, http.StatusBadRequest), "is not a date and a time")
	shows(t, b.get(t, path+"replay/?count=true&type=dcim.rack").Want(t, http.StatusBadRequest), "not notified of changes to dcim.rack")
	shows(t, b.get(t, path+"replay/?count=true&action=x").Want(t, http.StatusBadRequest), "x")
	b.post(t, path+"replay/", url.Values{"type": {"dcim.site"}, "action": {"create"}}).Want(t, http.StatusSeeOther)
	if n := number(t, s, "SELECT count(*) FROM extras_delivery WHERE state = 'queued'"); n != 2 {
		t.Errorf("%d are queued, want 2", n)
	}

	// More than a person can wait for is left to the command line.
	if _, err := s.DB.Exec(t.Context(), `INSERT INTO extras_objectchange (changed_at, user_id, user_name, request_id, action,
		object_type, object_id, object_repr, version, prechange, postchange, data)
		SELECT changed_at, user_id, user_name, request_id, action, object_type, object_id, object_repr, version, NULL, '{}', '{}'
		FROM extras_objectchange, generate_series(1, 100000) WHERE object_repr = 'after'`); err != nil {
		t.Fatal(err)
	}
	a := b.get(t, path+"replay/?count=true&action=create&since=2020-01-01T00:00").Want(t, http.StatusOK)
	shows(t, a, "100002 changes match", fmt.Sprintf("terrier webhook replay %d --since 2020-01-01T00:00:00Z --action create", id))
	hides(t, a, "Send 1")
	shows(t, b.post(t, path+"replay/", url.Values{}).Want(t, http.StatusBadRequest), "terrier webhook replay")
}
