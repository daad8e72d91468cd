package assets

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestBundledFilesStandAlone checks that the files of others need nothing that the pages' policy or an air-gapped network forbids.
func TestBundledFilesStandAlone(t *testing.T) {
	s := bundled(t)
	outside := regexp.MustCompile(`(?i)url\(\s*["']?(?:https?:)?//|@import`)
	for url := range s.files {
		content := string(unpack(t, s.files[url].gzipped))
		if strings.Contains(content, "sourceMappingURL=") {
			t.Errorf("%s names a source map, which is not served", url)
		}
		if strings.HasSuffix(url, ".css") && outside.MatchString(content) {
			t.Errorf("%s loads from elsewhere: %s", url, outside.FindString(content))
		}
	}
	licences := string(unpack(t, s.files[s.URL("LICENSES.txt")].gzipped))
	for _, want := range []string{"bootstrap 5.", "The Bootstrap Authors", "bootstrap-icons 1.", "htmx.org 2.",
		"Permission to use, copy, modify", "swagger-ui-dist 5.", "Apache License", "SmartBear"} {
		if !strings.Contains(licences, want) {
			t.Errorf("LICENSES.txt does not hold %q", want)
		}
	}
}

// bundled returns a Set with the files of others. Without them it skips the test, or fails it in CI.
func bundled(t *testing.T) *Set {
	t.Helper()
	s := New()
	if !s.Bundled() {
		const why = "the files of others are not built in: run `make assets`"
		if os.Getenv("CI") != "" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	return s
}

func TestOwnFilesAreThereWithoutTheBundle(t *testing.T) {
	s := New()
	for _, name := range []string{"terrier.css", "terrier.js", "theme.js", "times.js", "icon.svg"} {
		if !s.Has(name) || !regexp.MustCompile(`^/static/[0-9a-f]{16}/`+regexp.QuoteMeta(name)+`$`).MatchString(s.URL(name)) {
			t.Errorf("%s: has %v, URL %q", name, s.Has(name), s.URL(name))
		}
	}
	for _, name := range []string{"", "nothing.css", ".gitkeep", "terrier.css.gz"} {
		if s.Has(name) || s.URL(name) != "" {
			t.Errorf("%q: has %v, URL %q; want none", name, s.Has(name), s.URL(name))
		}
	}
	for url, f := range s.files {
		if f.contentType == "" {
			t.Errorf("%s has no content type", url)
		}
	}
}

// TestOwnScriptsObeyThePolicy looks for what the pages' Content-Security-Policy would refuse at run time.
func TestOwnScriptsObeyThePolicy(t *testing.T) {
	forbidden := regexp.MustCompile(`\beval\(|\bFunction\(|innerHTML|outerHTML|insertAdjacentHTML|` +
		`document\.write|\.style\b|['"]style['"]|cssText|https?://`)
	for name, content := range read("own") {
		if strings.HasSuffix(name, ".js") {
			if found := forbidden.Find(content); found != nil {
				t.Errorf("%s holds %s", name, found)
			}
		}
	}
}

func TestServe(t *testing.T) {
	s := New()
	css, js := s.URL("terrier.css"), s.URL("terrier.js")
	swapped := Prefix + strings.Split(js, "/")[2] + "/terrier.css"
	cases := []struct {
		name, method, path, accept string
		status                     int
		encoding                   string
	}{
		{"compressed", "GET", css, "br, gzip", 200, "gzip"},
		{"compressed, weighted", "GET", css, "br;q=1.0, GZIP ; q=0.5", 200, "gzip"},
		{"refused", "GET", css, "gzip;q=0, identity", 200, ""},
		{"refused at length", "GET", css, "gzip;q=0.000", 200, ""},
		{"a similar name", "GET", css, "xgzip", 200, ""},
		{"not asked for", "GET", css, "", 200, ""},
		{"head", "HEAD", css, "gzip", 200, "gzip"},
		{"another file's hash", "GET", swapped, "gzip", 404, ""},
		{"another hash", "GET", Prefix + "0000000000000000/terrier.css", "gzip", 404, ""},
		{"no hash", "GET", Prefix + "terrier.css", "gzip", 404, ""},
		{"the folder", "GET", Prefix, "gzip", 404, ""},
		{"another method", "POST", css, "gzip", 405, ""},
	}
	want := read("own")["terrier.css"]
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(c.method, c.path, nil)
			if c.accept != "" {
				r.Header.Set("Accept-Encoding", c.accept)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			h := w.Header()
			if w.Code != c.status || h.Get("Content-Encoding") != c.encoding {
				t.Fatalf("status %d, encoding %q; want %d, %q", w.Code, h.Get("Content-Encoding"), c.status, c.encoding)
			}
			if c.status != 200 {
				if strings.Contains(h.Get("Cache-Control"), "immutable") {
					t.Error("a refusal is kept for a year")
				}
				return
			}
			for name, value := range map[string]string{"Content-Type": "text/css; charset=utf-8", "Vary": "Accept-Encoding",
				"Cache-Control": "public, max-age=31536000, immutable"} {
				if h.Get(name) != value {
					t.Errorf("%s: %q, want %q", name, h.Get(name), value)
				}
			}
			body := w.Body.Bytes()
			if c.method == http.MethodHead {
				if len(body) > 0 || h.Get("Content-Length") == "" {
					t.Errorf("%d bytes, Content-Length %q", len(body), h.Get("Content-Length"))
				}
				return
			}
			if c.encoding == "gzip" {
				body = unpack(t, body)
			}
			if !bytes.Equal(body, want) {
				t.Error("the body is not the file")
			}
		})
	}
}

// TestServeOverTheWire checks the headers with a client and a server of net/http.
func TestServeOverTheWire(t *testing.T) {
	s := New()
	server := httptest.NewServer(s)
	defer server.Close()
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		for _, accept := range []string{"gzip", "identity"} {
			r, err := http.NewRequest(method, server.URL+s.URL("icon.svg"), nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", accept)
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			_ = answer.Body.Close()
			if err != nil || answer.StatusCode != http.StatusOK || (len(body) == 0) != (method == http.MethodHead) {
				t.Errorf("%s %s: status %d, %d bytes, %v", method, accept, answer.StatusCode, len(body), err)
			}
		}
	}
}

func unpack(t *testing.T, packed []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
