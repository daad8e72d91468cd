package webhook_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/webhook"
)

// sent is a request whose author wrote these headers.
func sent(headers map[string]string) webhook.Request {
	r := webhook.Request{Header: http.Header{"X-Hook-Delivery": {"delivery-1"}, "Content-Type": {"application/json"}}}
	for name, value := range headers {
		r.Header.Set(name, value)
		r.Private = append(r.Private, name)
	}
	return r
}

// TestConceal: what is kept of an answer that repeats the request.
func TestConceal(t *testing.T) {
	t.Parallel()
	token := map[string]string{"Authorization": "Bearer s3cr3t/tökën+=="}
	for _, c := range []struct {
		name       string
		headers    map[string]string
		cut        bool
		body, want string
	}{
		{"nothing private", nil, true, "Bearer s3cr3t delivery-1", "Bearer s3cr3t delivery-1"},
		{"nothing repeated", token, false, `{"ok": true, "type": "Bearer"}`, `{"ok": true, "type": "Bearer"}`},
		{"our own headers stay", token, false, "delivery-1 application/json", "delivery-1 application/json"},
		{"the whole value", token, false, "got Authorization: Bearer s3cr3t/tökën+==.", "got Authorization: •••."},
		{"the credentials alone", token, false, "token s3cr3t/tökën+== is unknown, s3cr3t/tökën+==!", "token ••• is unknown, •••!"},
		{"more spaces", map[string]string{"Authorization": "Bearer   s3cr3t"}, false, "Bearer s3cr3t", "Bearer •••"},
		{"nothing else", token, false, "s3cr3t/tökën+==", "•••"},
		{"JSON", token, false, `{"a":"Bearer s3cr3t/tökën+==","b":["\"s3cr3t/tökën+==\""]}`, `{"a":"•••","b":["\"•••\""]}`},
		{"JSON in ASCII", token, false, `{"a":"Bearer s3cr3t/t\u00f6k\u00EBn+==","b":1}`, `{"a":"•••","b":1}`},
		{"JSON for HTML", token, false, `{"a":"\u0042earer s3cr3t\/tökën\u002b==","b":"\u00fc"}`, `{"a":"•••","b":"\u00fc"}`},
		{"quotes and backslashes", map[string]string{"X-Key": `a"b\c"d\e`}, false, `plain a"b\c"d\e, JSON "a\"b\\c\"d\\e"`,
			`plain •••, JSON "•••"`},
		{"what only looks like an escape", map[string]string{"X-Key": `C:\new\u00zz`}, false, `"C:\new\u00zz" \u \uzzzz \`, `"•••" \u \uzzzz \`},
		{"several", map[string]string{"X-A": "secret-one", "X-B": "secret-one-two", "X-C": "word secret-three"}, false,
			"secret-one-two secret-one secret-three word", "••• ••• ••• word"},
		{"one after the other", map[string]string{"X-A": "secret-one"}, false, "secret-onesecret-onesecret-on", "••••••secret-on"},
		{"short values are words", map[string]string{"X-Stage": "prod", "X-Five": "Basic äöüab"}, false, "prod Basic äöüab äöüab",
			"prod ••• äöüab"},
		{"what is accepted", map[string]string{"Accept": "application/json", "Accept-Language": "portuguese"}, false,
			"application/json; portuguese", "application/json; portuguese"},
		{"not cut", token, false, "Bearer s3cr", "Bearer s3cr"},
		{"cut", token, true, "I got Bearer s3cr", "I got •••"},
		{"cut in the credentials", token, true, "Bearer, s3cr3t/t\xc3", "Bearer, •••"},
		{"cut behind a whole one", token, true, "Bearer s3cr3t/tökën+==", "•••"},
		{"cut in an escape", token, true, `"Bearer s3cr3t/t\u00`, `"•••`},
		{"cut before an escape", token, true, `"s3cr3t/t\`, `"•••`},
		{"cut elsewhere", token, true, "Bearer s3cr3t/tökën+== and so o", "••• and so o"},
		{"cut where several begin", map[string]string{"X-A": "cdefghijkl", "X-B": "abcdefgh"}, true, "xabc", "x•••"},
		{"no body", token, true, "", ""},
		{"not a text", token, false, "\xff\xfes3cr3t/tökën+==\x00", "\xff\xfe•••\x00"},
	} {
		r := sent(c.headers)
		header, body := r.Conceal(http.Header{"X-Echo": {c.body, "x"}}, []byte(c.body), c.cut)
		if string(body) != c.want {
			t.Errorf("%s: %q is kept as %q, want %q", c.name, c.body, body, c.want)
		}
		if got := header["X-Echo"]; !c.cut && (len(got) != 2 || got[0] != c.want || got[1] != "x") {
			t.Errorf("%s: the header is kept as %q", c.name, got)
		}
	}
}

// TestConcealedNeverStays: a value in answers of several kinds is never kept.
func TestConcealedNeverStays(t *testing.T) {
	t.Parallel()
	inJSON := func(s string) string {
		quoted, _ := json.Marshal(s) // a text
		return string(quoted[1 : len(quoted)-1])
	}
	kinds := []func(string) string{
		func(s string) string { return s },
		inJSON,
		func(s string) string { return strings.ReplaceAll(inJSON(s), "/", `\/`) },
		func(s string) string { return strings.Trim(strconv.QuoteToASCII(s), `"`) },
		escapeAll,
	}
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]rune(`abcXYZ0189/+=-_.\<>&'ü€ `))
		secret := strings.TrimSpace("x" + rapid.StringOfN(letters, 6, 40, -1).Draw(t, "secret") + "x")
		r := sent(map[string]string{"Authorization": "Bearer " + secret})
		around := rapid.StringOfN(letters, 0, 10, -1)
		before, after := around.Draw(t, "before"), around.Draw(t, "after")
		for _, write := range kinds {
			body := write(before+" ") + write(secret) + write(" "+after)
			if _, kept := r.Conceal(nil, []byte(body), false); string(kept) != write(before+" ")+webhook.Hidden+write(" "+after) {
				t.Errorf("%q is kept as %q", body, kept)
			}
			end := len(write(before+" ")) + rapid.IntRange(len(write("x")), len(write(secret))).Draw(t, "cut")
			if _, kept := r.Conceal(nil, []byte(body[:end]), true); string(kept) != write(before+" ")+webhook.Hidden {
				t.Errorf("%q, cut, is kept as %q", body[:end], kept)
			}
		}
	})
}

func escapeAll(s string) string {
	var b strings.Builder
	for _, c := range s {
		fmt.Fprintf(&b, `\u%04X`, c)
	}
	return b.String()
}
