package webhook_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"terrier/internal/webhook"
)

func TestCompile(t *testing.T) {
	for _, c := range []struct {
		name  string
		hook  webhook.Hook
		field string // "" where the hook is good
		want  string
	}{
		{"the least", webhook.Hook{}, "", ""},
		{"every field", webhook.Hook{Method: "DELETE", URL: "http://[::1]:9000/a?b=c", ContentType: "text/plain; charset=utf-8",
			BodyTemplate:      "{{ data.name }}",
			AdditionalHeaders: "X-A: 1\r\n\r\n  X-B : {{ data['name'] }}: x\nUser-Agent: us", Secret: "s", PreviousSecret: "p",
			StandardHeaders: true}, "", ""},
		{"a stray semicolon", webhook.Hook{ContentType: "application/json;"}, "", ""},
		{"a method", webhook.Hook{Method: "TRACE"}, "http_method", `"TRACE" is not one of GET, POST, PUT, PATCH, DELETE.`},

		{"a template", webhook.Hook{URL: "http://h/{{ data.canary }}"}, "payload_url", "Templates are not supported in the URL"},

		{"no slash", webhook.Hook{ContentType: "json"}, "http_content_type", `"json" is not a content type.`},
		{"two slashes", webhook.Hook{ContentType: "a/b/c"}, "http_content_type", "is not a content type"},
		{"half a parameter", webhook.Hook{ContentType: "a/b; c"}, "http_content_type", "is not a content type"},
		{"a line break", webhook.Hook{ContentType: "a/b\r\nX: 1"}, "http_content_type", "without control characters"},
		{"an accent", webhook.Hook{ContentType: "a/é"}, "http_content_type", "ASCII"},

		{"a template that does not end", webhook.Hook{BodyTemplate: "a\nb {% if data %}"}, "body_template", "line 2"},
		{"an unknown filter", webhook.Hook{BodyTemplate: "\n\n{{ data|nonsense }}"}, "body_template", "line 3"},

		{"no colon", webhook.Hook{AdditionalHeaders: "X-A: 1\nX-B canary"}, "additional_headers", "Line 2: there is no colon; write Name: Value"},
		{"a template over lines", webhook.Hook{AdditionalHeaders: "{% if data.x %}\nX-A: 1\n{% endif %}"}, "additional_headers",
			"a template must begin and end on its line"},
		{"no name", webhook.Hook{AdditionalHeaders: ": canary"}, "additional_headers", `Line 1: "" is not a header name`},
		{"a space in a name", webhook.Hook{AdditionalHeaders: "X A: canary"}, "additional_headers", `Line 1: "X A" is not a header name`},
		{"a letter beyond ASCII", webhook.Hook{AdditionalHeaders: "X-É: canary"}, "additional_headers", `is not a header name`},
		{"a template in a name", webhook.Hook{AdditionalHeaders: "\n\nX-{{ data.name }}: canary"}, "additional_headers",
			`Line 3: "X-{{ data.name }}" is not a header name; use templates in the value only`},
		{"a return in a value", webhook.Hook{AdditionalHeaders: "X-A: can\rary"}, "additional_headers",
			"Line 1: X-A holds a control character, such as a tab; use spaces."},
		{"a return in a name", webhook.Hook{AdditionalHeaders: "X-A\rX-B: 1"}, "additional_headers", "is not a header name"},
		{"a tab", webhook.Hook{AdditionalHeaders: "X-A: a\tb"}, "additional_headers", "control character"},
		{"a zero byte", webhook.Hook{AdditionalHeaders: "X-A: a\x00b"}, "additional_headers", "control character"},
		{"twice", webhook.Hook{AdditionalHeaders: "X-A: 1\nx-a: 2"}, "additional_headers", "Line 2: X-A is on line 1 already."},
		{"a broken value", webhook.Hook{AdditionalHeaders: "X-A: 1\nX-B: {{ data."}, "additional_headers", "Line 2: X-B: "},
		{"content type", webhook.Hook{AdditionalHeaders: "content-type: canary"}, "additional_headers",
			"Line 1: Content-Type has a field of its own, the HTTP content type."},
		{"too many", webhook.Hook{AdditionalHeaders: lines(31)}, "additional_headers", "There may be 30 headers at most, not 31."},
		{"many", webhook.Hook{AdditionalHeaders: lines(30)}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.field != "payload_url" && c.hook.URL == "" {
				c.hook.URL = "https://example.org"
			}
			r, faults := webhook.Compile(c.hook)
			if (r == nil) != (c.field != "") || (len(faults) == 0) != (c.field == "") {
				t.Fatalf("made %v, %v", r, faults)
			}
			if c.field != "" && (len(faults) != 1 || !strings.Contains(faults[c.field][0], c.want)) {
				t.Errorf("says %v, want %s: %s", faults, c.field, c.want)
			}
			if c.field == "additional_headers" && strings.Contains(faults.String(), "line 1:") {
				t.Errorf("a fault has two lines: %v", faults)
			}
			if strings.Contains(faults.String(), "canary") {
				t.Errorf("a fault repeats what may be secret: %v", faults)
			}
		})
	}
}

func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "X-%d: 1\n", i)
	}
	return b.String()
}

func TestReservedHeaders(t *testing.T) {
	for _, name := range []string{"Host", "hOST", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Trailer",
		"Upgrade", "Expect",
		"Proxy-Connection", "Proxy-Authorization", "X-Hook-Signature", "x-hook-anything", "webhook-id", "Webhook-Signature"} {
		_, faults := webhook.Compile(webhook.Hook{URL: "http://h", AdditionalHeaders: name + ": 1"})
		if len(faults) != 1 || !strings.Contains(faults.String(), "is set by Terrier and can't be given here") {
			t.Errorf("%s: %v", name, faults)
		}
	}
}

// TestEveryFault: a form gets all faults at once.
func TestEveryFault(t *testing.T) {
	_, faults := webhook.Compile(webhook.Hook{Method: "X", URL: "http://{{ x }}", ContentType: "x", AdditionalHeaders: "x\nHost: 1",
		BodyTemplate: "{{"})
	if len(faults) != 5 || len(faults["additional_headers"]) != 2 {
		t.Errorf("says %v", faults)
	}
}

func TestHidden(t *testing.T) {
	h := webhook.Hook{Method: "POST", Secret: "canary", PreviousSecret: "canary", AdditionalHeaders: "X: canary",
		BodyTemplate: "canary", URL: "http://h/?key=canary"}
	r, faults := webhook.Compile(h)
	if faults != nil {
		t.Fatal(faults)
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("", "hook", h, "renderer", r)
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		fmt.Fprintf(&log, format, h)
		fmt.Fprintf(&log, format, &h)
		fmt.Fprintf(&log, format, []webhook.Hook{h})
		fmt.Fprintf(&log, format, r)
	}
	if strings.Contains(log.String(), "canary") {
		t.Errorf("a secret is shown: %s", log.String())
	}
}
