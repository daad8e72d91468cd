package webhook_test

import (
	"strings"
	"testing"

	"terrier/internal/webhook"
)

// TestBadBody: a body is held to its content type if that is JSON, and the message says where it is wrong.
func TestBadBody(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ media, body, says string }{
		{"application/json", `{"a": Braga 1 }`, "application/json: see line 1, character 7."},
		{"application/json; charset=utf-8", "{\n  \"ü\": 1,\n}", "line 3, character 1."},
		{"application/vnd.api+json", `{"a": 1`, "line 1, character 7."},
		{"application/json", `{} {}`, "line 1, character 4."},
		{"application/json", ` {"a": "Braga 1"} `, ""},
		{"application/json", " \n", ""},
		{"text/plain", `{"a": Braga 1 }`, ""},
		{"application/jsonlines", `{}{}`, ""},
		{"no media type", `{`, ""},
	} {
		got := webhook.BadBody(c.media, []byte(c.body))
		if !strings.Contains(got, c.says) || (got == "") != (c.says == "") {
			t.Errorf("%s %q: %q, want %q", c.media, c.body, got, c.says)
		}
	}
}
