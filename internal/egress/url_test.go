package egress

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// requestLines serves HTTP and returns the target of each request as it was in the request line.
func requestLines(t *testing.T) (base string, targets <-chan string) {
	seen := make(chan string, 1)
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { seen <- r.RequestURI })
	return server.URL, seen
}

// TestURLIsSentAsWritten: what is allowed in a URL arrives byte for byte, and the rest percent-encoded.
func TestURLIsSentAsWritten(t *testing.T) {
	t.Parallel()
	base, targets := requestLines(t)
	c := newClient(t)
	for _, tc := range []struct{ given, want string }{
		{"", "/"},
		{"?", "/?"},
		{"/a%2Fb", "/a%2Fb"},
		{"/a%2fb%C3%bc", "/a%2fb%C3%bc"},
		{"/ü%2Fb", "/%C3%BC%2Fb"},
		{"/{x}%2Fy", "/%7Bx%7D%2Fy"},
		{"/a|b%2Fc", "/a%7Cb%2Fc"},
		{`/a"b%2Fc`, "/a%22b%2Fc"},
		{"/a%7Eb~/%41", "/a%7Eb~/%41"},
		{"/a//b/../c/./", "/a//b/../c/./"},
		{"//a", "//a"},
		{"/-._~!$&'()*+,;=:@[]", "/-._~!$&'()*+,;=:@[]"},
		{"/a?b=ö&c=\"&d=%C3%B6+%22&e={f}|g", "/a?b=%C3%B6&c=%22&d=%C3%B6+%22&e=%7Bf%7D%7Cg"},
		{"/?id[]=1&to=http://x/?y", "/?id[]=1&to=http://x/?y"},
		{"?ü", "/?%C3%BC"},
		{"/?a=100%&b=%zz&c=%2", "/?a=100%25&b=%25zz&c=%252"},
		{"/\xff\\^`<>", "/%FF%5C%5E%60%3C%3E"},
	} {
		mustSend(t, c, post(base+tc.given))
		if got := <-targets; got != tc.want {
			t.Errorf("%q arrives as %q, want %q", tc.given, got, tc.want)
		}
	}
}

// TestURLMeansWhatWasWritten: whatever is written, the receiver reads it when it decodes once, and
// what was encoded does not become a separator.
func TestURLMeansWhatWasWritten(t *testing.T) {
	t.Parallel()
	base, targets := requestLines(t)
	c := newClient(t)
	piece := rapid.SampledFrom(strings.Split("a Z 9 / / ? & = ; + : @ % %2F %2f %3F %26 %25 %C3%BC %41 ü € 😀 { } | \" ^ ` < > "+
		"\\ [ ] ~ \xff \x80 . ..", " "))
	rapid.Check(t, func(t *rapid.T) {
		given := "/" + strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		raw := base + given
		if CheckURL(raw) != nil {
			return // a stray % in the path
		}
		if _, err := c.Send(t.Context(), post(raw)); err != nil {
			t.Fatalf("%q: %v", given, err)
		}
		got := <-targets
		if EncodeURL(raw) != base+got || EncodeURL(base+got) != base+got {
			t.Fatalf("%q arrives as %q, was announced as %q, and would be changed to %q", given, got, EncodeURL(raw), EncodeURL(base+got))
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"<>\\^`{|}", r) }) {
			t.Fatalf("%q arrives with bytes that are not allowed: %q", given, got)
		}
		path, query, _ := strings.Cut(given, "?")
		gotPath, gotQuery, _ := strings.Cut(got, "?")
		sameParts(t, path, gotPath, "/")
		sameParts(t, query, gotQuery, "&=;+/?:@")
	})
}

// sameParts splits both texts at the separators and compares the parts, decoded.
func sameParts(t *rapid.T, given, got, separators string) {
	isSeparator := func(r rune) bool { return strings.ContainsRune(separators, r) }
	want, have := strings.FieldsFunc(given, isSeparator), strings.FieldsFunc(got, isSeparator)
	if len(want) != len(have) {
		t.Fatalf("%q arrives as %q", given, got)
	}
	for i := range want {
		decoded, err := url.PathUnescape(have[i])
		if err != nil || decoded != decodeLeniently(want[i]) {
			t.Fatalf("%q arrives as %q: %v", want[i], have[i], err)
		}
	}
}

// decodeLeniently leaves a % that encodes nothing.
func decodeLeniently(s string) string {
	var b strings.Builder
	for s != "" {
		n := min(len(s), 3)
		if decoded, err := url.PathUnescape(s[:n]); s[0] == '%' && err == nil {
			b.WriteString(decoded)
			s = s[n:]
			continue
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}
