package webhook_test

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/webhook"
)

var sending = webhook.Sending{DeliveryID: "0190a2b4-0000-7000-8000-00000000000d", Sequence: 42, Now: time.Unix(1700000000, 999)}

func render(t *testing.T, h webhook.Hook, e *webhook.Event) (webhook.Request, error) {
	t.Helper()
	if h.URL == "" {
		h.URL = "https://example.org/hook"
	}
	r, faults := webhook.Compile(h)
	if faults != nil {
		t.Fatal(faults)
	}
	return r.Render(e, sending)
}

func TestRenderDefaults(t *testing.T) {
	e := site()
	got, err := render(t, webhook.Hook{}, e)
	if err != nil {
		t.Fatal(err)
	}
	want := webhook.Request{Method: "POST", URL: "https://example.org/hook", Body: e.Body(), Header: http.Header{
		"Content-Type": {"application/json"}, "X-Hook-Delivery": {sending.DeliveryID}, "X-Hook-Sequence": {"42"},
		"X-Hook-Timestamp": {"1700000000"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("made %v, want %v", got, want)
	}
}

func TestRender(t *testing.T) {
	e := site()
	got, err := render(t, webhook.Hook{Method: "GET", ContentType: "text/plain", Secret: "new", PreviousSecret: "old", StandardHeaders: true,
		BodyTemplate: "{{ event }} {{ model }} {{ username }} {{ data.name }} {{ data['slug'] }} {{ snapshots.prechange.status }}→{{ " +
			"data.status.value }} {{ timestamp }} {{ request_id }}",
		AdditionalHeaders: "Authorization: Bearer canary\r\nX-Name:  {{ '  ' ~ data.name ~ ' ' }} \nX-Empty:\nUser-Agent: ours/1"}, e)
	if err != nil {
		t.Fatal(err)
	}
	body := "updated site al\"ice Lisbon lis planned→active 2026-03-01T12:04:05.120000Z 0190a2b4-0000-7000-8000-000000000001"
	if string(got.Body) != body || got.Method != http.MethodGet {
		t.Errorf("%s with body\n%s\nwant\n%s", got.Method, got.Body, body)
	}
	want := http.Header{"Authorization": {"Bearer canary"}, "X-Name": {"Lisbon"}, "X-Empty": {""}, "User-Agent": {"ours/1"},
		"Content-Type":    {"text/plain"},
		"X-Hook-Delivery": {sending.DeliveryID}, "X-Hook-Sequence": {"42"}, "X-Hook-Timestamp": {"1700000000"},
		"X-Hook-Signature": {webhook.Signature("new", got.Body)}, "X-Hook-Signature-Previous": {webhook.Signature("old", got.Body)}}
	maps.Copy(want, webhook.StandardHeaders(sending.DeliveryID, sending.Now, got.Body, "new", "old"))
	if !reflect.DeepEqual(got.Header, want) {
		t.Errorf("headers\n%v\nwant\n%v", got.Header, want)
	}
	if !slices.Equal(got.Private, []string{"Authorization", "X-Name", "X-Empty", "User-Agent"}) {
		t.Errorf("private are %v", got.Private)
	}
	logged := got.Redacted()
	if logged.Get("Authorization") != webhook.Hidden || logged.Get("X-Name") != webhook.Hidden ||
		logged.Get("X-Hook-Signature") != got.Header.Get("X-Hook-Signature") ||
		logged.Get("Content-Type") != "text/plain" || len(logged) != len(got.Header) || got.Header.Get("Authorization") != "Bearer canary" {
		t.Errorf("logged are %v", logged)
	}
}

// TestRenderAgain: a resend differs only in its time.
func TestRenderAgain(t *testing.T) {
	r, faults := webhook.Compile(webhook.Hook{URL: "http://h", Secret: "s", StandardHeaders: true,
		BodyTemplate: "{% for t in data.tags %}{{ t.slug }},{% endfor %}", AdditionalHeaders: "X-N: {{ data.name }}"})
	if faults != nil {
		t.Fatal(faults)
	}
	first, err := r.Render(site(), sending)
	if err != nil {
		t.Fatal(err)
	}
	later := sending
	later.Now = later.Now.Add(time.Hour)
	second, err := r.Render(site(), later)
	if err != nil {
		t.Fatal(err)
	}
	if string(first.Body) != "prod,eu," || string(second.Body) != string(first.Body) {
		t.Errorf("bodies %s and %s", first.Body, second.Body)
	}
	for name := range first.Header {
		moves := slices.Contains([]string{"X-Hook-Timestamp", "Webhook-Timestamp", "Webhook-Signature"}, name)
		if same := first.Header.Get(name) == second.Header.Get(name); same == moves {
			t.Errorf("%s: %s, then %s", name, first.Header.Get(name), second.Header.Get(name))
		}
	}
}

func TestNoSignature(t *testing.T) {
	got, err := render(t, webhook.Hook{PreviousSecret: "old", StandardHeaders: true}, site())
	if err != nil {
		t.Fatal(err)
	}
	for name := range got.Header {
		if strings.Contains(name, "Signature") {
			t.Errorf("%s is sent without a secret", name)
		}
	}
}

// TestHeaderInjection: no value of a record adds a header or a request.
func TestHeaderInjection(t *testing.T) {
	for _, c := range []struct{ name, value string }{
		{"CR LF", `a\r\nX-Evil: 1`}, {"LF", `a\nX-Evil: 1`}, {"CR", `a\rX-Evil: 1`}, {"NUL", `a\u0000b`}, {"tab", `a\tb`},
		{"escape", `a\u001b[2J`}, {"DEL", `a\u007f`},
		{"next line", `a\u0085X-Evil: 1`}, {"only a line break", `\n`}, {"at the end", `a\r\n`}, {"at the beginning", `\r\na`},
		{"a whole request", `a\r\nContent-Length: 0\r\n\r\nGET / HTTP/1.1\r\nHost: x`},
	} {
		e := &webhook.Event{Kind: "created", Model: "site", Data: []byte(`{"name":"` + c.value + `"}`)}
		got, err := render(t, webhook.Hook{AdditionalHeaders: "X-Name: {{ data.name }}"}, e)
		if err == nil || err.Error() != "additional_headers: X-Name would hold a control character, such as a line break" ||
			got.Header != nil || got.URL != "" {
			t.Errorf("%s: made %v, %v", c.name, got.Header, err)
		}
		if _, err := render(t, webhook.Hook{AdditionalHeaders: "X-Other: x", BodyTemplate: "{{ data.name }}"}, e); err != nil {
			t.Errorf("%s in a body: %v", c.name, err)
		}
	}
	e := &webhook.Event{Data: []byte(`{"name":"{{ 1+1 }}: Grüße, 世界"}`)} // a value is not a template
	got, err := render(t, webhook.Hook{AdditionalHeaders: "X-Name: {{ data.name }}"}, e)
	if err != nil || got.Header.Get("X-Name") != "{{ 1+1 }}: Grüße, 世界" {
		t.Errorf("made %v, %v", got.Header, err)
	}
}

// TestRenderFails: a template that fails gives a reason, never a request.
func TestRenderFails(t *testing.T) {
	for _, c := range []struct {
		name string
		hook webhook.Hook
		e    *webhook.Event
		want string
	}{
		{"body", webhook.Hook{BodyTemplate: "a\n{{ 1 // 0 }}"}, site(), "body_template: line 2: "},
		{"header", webhook.Hook{AdditionalHeaders: "X-A: {{ 1 // 0 }}"}, site(), "additional_headers: X-A: "},
		{"bomb", webhook.Hook{BodyTemplate: "{% for a in range(99999) %}{% for b in range(99999) %}x{% endfor %}{% endfor %}"}, site(),
			"body_template: line 1: "},
		{"data", webhook.Hook{BodyTemplate: "{{ data }}"}, &webhook.Event{Data: []byte("{")}, "the change can't be read: "},
	} {
		got, err := render(t, c.hook, c.e)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || got.Header != nil || got.Body != nil {
			t.Errorf("%s: made %v, %v", c.name, got.Header, err)
		}
	}
}
