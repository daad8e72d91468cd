package customlink

import (
	"strings"
	"testing"
	"time"
)

func renderer(t *testing.T, object string) *Renderer {
	t.Helper()
	at := time.Now()
	return For([]byte(object), func() time.Time { return at })
}

// TestButton: a button has what the two templates render to; without a text there is none, and an error is kept.
func TestButton(t *testing.T) {
	t.Parallel()
	r := renderer(t, `{"name": "Lisbon 1", "status": {"value": "active", "label": "Active"}, "tags": []}`)
	for _, c := range []struct{ text, url, want, href string }{
		{"Wiki of {{ object.name }}", "https://wiki.example/{{ object.name }}", "Wiki of Lisbon 1", "https://wiki.example/Lisbon%201"},
		{"{% if object.status.value == 'active' %}Live{% endif %}", "/x", "Live", "/x"},
		{"{% if object.tags %}Tagged{% endif %}", "/x", "", ""},
		{" \n{{ object.missing }} ", "/x", "", ""},
		{"<script>alert(1)</script>", "\n/x\n", "<script>alert(1)</script>", "/x"},
		{"Hostile", "javascript:alert(1)", "Hostile", ""},
	} {
		got := r.Button(Link{Name: "link", Text: c.text, URL: c.url})
		if got.Text != c.want || got.Href != c.href || got.Err != nil || got.Shown() != (c.want != "") {
			t.Errorf("%q to %q is %+v, want %q to %q", c.text, c.url, got, c.want, c.href)
		}
	}
	for _, broken := range []Link{
		{Name: "link", Text: "{{ object.name", URL: "/x"},
		{Name: "link", Text: "x", URL: "{{ 1 // 0 }}"},
		{Name: "link", Text: strings.Repeat("x", maxText+1), URL: "/x"},
		{Name: "link", Text: "x", URL: strings.Repeat("x", maxURL+1)},
		{Name: "link", Text: "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}", URL: "/x"},
	} {
		if got := r.Button(broken); got.Err == nil || got.Text != "link" || got.Href != "" || !got.Shown() {
			t.Errorf("%+v is %+v, want an error and the name", broken, got)
		}
	}
}

// TestPageEnds: when the links of a page have taken their time, the others are not rendered.
func TestPageEnds(t *testing.T) {
	t.Parallel()
	at := time.Now()
	r := For([]byte(`{}`), func() time.Time { return at })
	if got := r.Button(Link{Text: "a", URL: "/x"}); got.Err != nil {
		t.Fatal(got.Err)
	}
	if got := For([]byte(`{"no JSON`), func() time.Time { return at }).Button(Link{Name: "a", Text: "a", URL: "/x"}); got.Err == nil {
		t.Errorf("%+v for a record that is no JSON, want an error", got)
	}
	at = at.Add(maxTime + 1)
	if got := r.Button(Link{Name: "late", Text: "a", URL: "/x"}); got.Err == nil || got.Text != "late" {
		t.Errorf("%+v, want an error", got)
	}
}

// TestAddress: an address is quoted as in NetBox, and leads nowhere if its scheme is not allowed.
func TestAddress(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://a.example/b?c=d&e=%20#f": "https://a.example/b?c=d&e=%20#f",
		"HTTPS://a.example/":              "HTTPS://a.example/",
		"https://[2001:db8::1]:8443/":     "https://[2001:db8::1]:8443/",
		"/dcim/sites/?q=a:b":              "/dcim/sites/?q=a:b",
		"?q=a:b":                          "?q=a:b",
		"ssh://admin@router":              "ssh://admin@router",
		"tel:+351,1;2":                    "tel:+351,1;2",
		"https://a.example/é <\"'>":       "https://a.example/%C3%A9%20%3C%22%27%3E",
		"javascript:alert(1)":             "",
		"JaVaScRiPt:alert(1)":             "",
		"data:text/html,x":                "",
		"vbscript:x":                      "",
		"a b:c":                           "",
		// What is before the first colon is no scheme that is allowed, however a browser reads it.
		"java\nscript:alert(1)":   "",
		"\x01javascript:alert(1)": "",
		"java\tscript:alert(1)":   "",
		"&#106;avascript:x":       "&#106;avascript:x",
		"./javascript:alert(1)":   "./javascript:alert%281%29",
		`https:\\evil.example`:    "https:%5C%5Cevil.example",
		"":                        "",
	} {
		if got := Address(url); got != want {
			t.Errorf("Address(%q) = %q, want %q", url, got, want)
		}
	}
}

// TestElsewhere: an address on another host, of another scheme or without a known host leads to another site.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	const base = "https://terrier.example"
	for address, want := range map[string]string{
		"/dcim/sites/": "", "?q=x": "", base + "/dcim/sites/": "", "https://wiki.example/x": "wiki.example", "//wiki.example/x": "wiki.example",
		"http://terrier.example/": "terrier.example", base + ":8443/": "terrier.example:8443", base + "@wiki.example/": "wiki.example",
		"ssh://lis1": "lis1", "mailto:noc@example.com": "mailto", "http://[": "another site", "///wiki.example/x": "wiki.example",
		"https:///wiki.example/x": "wiki.example",
	} {
		if got := Elsewhere(Address(address), base); got != want {
			t.Errorf("%s leads to %q, want %q", address, got, want)
		}
	}
}
