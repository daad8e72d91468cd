package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/test/apitest"
)

// browser is what Firefox and Chromium accept, more or less.
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

// webPage is a page of the API.
type webPage struct {
	status int
	header http.Header
	body   string
}

// surf sends a request as a browser does, without apitest, which accepts only answers that the document describes.
func surf(t *testing.T, s *apitest.Server, c *http.Cookie, method, path string, form url.Values, header ...string) webPage {
	t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := httptest.NewRequest(method, s.URL+path, body)
	r.Header.Set("Accept", browser)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if c != nil {
		r.AddCookie(c)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.App.Handler.ServeHTTP(w, r)
	return webPage{w.Code, w.Header(), w.Body.String()}
}

var (
	jsonPane = regexp.MustCompile(`(?s)<pre class="code json"[^>]*>(.*?)</pre>`)
	element  = regexp.MustCompile(`<[^>]*>`)
	textarea = regexp.MustCompile(`(?s)<textarea[^>]* id="([a-z]+)"[^>]*>(.*?)</textarea>`)
	button   = regexp.MustCompile(`<button [^>]*name="_method" value="([A-Z]+)"`)
	anchor   = regexp.MustCompile(`<a href="([^"]*)">([^<]*)</a>`)
)

// json returns the answer that the page shows.
func (p webPage) json(t *testing.T) string {
	t.Helper()
	found := jsonPane.FindStringSubmatch(p.body)
	if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") || found == nil {
		t.Fatalf("%d %s: no page with JSON: %.3000s", p.status, p.header.Get("Content-Type"), p.body)
	}
	return html.UnescapeString(element.ReplaceAllString(found[1], ""))
}

// input returns the content of a form of the page.
func (p webPage) input(id string) string {
	for _, m := range textarea.FindAllStringSubmatch(p.body, -1) {
		if m[1] == id {
			return html.UnescapeString(m[2])
		}
	}
	return ""
}

// buttons returns the methods that the page offers.
func (p webPage) buttons() string {
	var all []string
	for _, m := range button.FindAllStringSubmatch(p.body, -1) {
		all = append(all, m[1])
	}
	return strings.Join(all, " ")
}

func (p webPage) want(t *testing.T, status int) webPage {
	t.Helper()
	if p.status != status {
		t.Fatalf("got %d, want %d: %.3000s", p.status, status, p.body)
	}
	return p
}

func compact(t *testing.T, raw string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(raw)); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return b.String()
}

func TestBrowseNegotiation(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	id := adminOf(s).create(t, sites, site("One"))
	plain := s.Do(t, apitest.Call{Method: "GET", Path: at(sites, id), Token: s.Admin}).Want(t, http.StatusOK)
	c, _ := login(t, s, "admin", apitest.Password, nil)
	for _, row := range []struct {
		accept, query string
		page          bool
	}{
		{"", "", false}, {"*/*", "", false}, {"application/json", "", false}, {"text/*", "", false}, {"application/*", "", false},
		{"application/json; indent=4", "?format=json", false}, {"application/json, text/plain, */*", "", false},
		{"text/html, application/json", "", false}, {"application/json, text/html", "", false},
		{"application/json;q=0.9, text/html;q=0.8", "", false},
		{"text/html;q=0", "", false}, {"text/html;q=0, */*", "", false}, {"text/html;q=0.5, */*", "", false},
		{"text/html;q=x", "", false}, {"text/htmlx", "", false},
		{"application/xhtml+xml", "", false}, {browser, "?format=json", false}, {browser, "?format=api", false},
		{browser, "", true}, {"text/html", "", true}, {"text/html, */*;q=0.1", "", true}, {"text/html, application/json;q=0.9", "", true},
		{"text/html;q=0.5, application/json;q=0.4", "", true}, {"text/html; charset=utf-8, */*;q=0.8", "", true}, {browser, "?brief=true", true},
	} {
		got := surf(t, s, c, "GET", at(sites, id)+row.query, nil, "Accept", row.accept).want(t, http.StatusOK)
		if isPage := got.header.Get("Content-Type") == "text/html; charset=utf-8"; isPage != row.page {
			t.Errorf("%q %s: page %v", row.accept, row.query, isPage)
		}
		if !row.page && row.accept != "application/json; indent=4" && got.body != string(plain.Raw) {
			t.Errorf("%q %s: %s", row.accept, row.query, got.body)
		}
		if got.header.Get("Vary") != "Accept, Authorization, Cookie" {
			t.Errorf("%q: Vary %q", row.accept, got.header.Get("Vary"))
		}
	}
	t.Run("a token is a program's", func(t *testing.T) {
		got := surf(t, s, c, "GET", at(sites, id), nil, "Authorization", "Token "+s.Admin)
		if got.body != string(plain.Raw) || got.header.Get("Content-Type") != "application/json" ||
			got.header.Get("ETag") != plain.Header.Get("ETag") {
			t.Errorf("%v %s", got.header, got.body)
		}
	})
	t.Run("writes with JSON answer with JSON", func(t *testing.T) {
		r := with(t, s, c, "POST", sites, site("Two"), "Accept", browser).Want(t, http.StatusCreated)
		if r.Header.Get("Content-Type") != "application/json" {
			t.Error(r.Header)
		}
	})
	t.Run("HEAD", func(t *testing.T) {
		got := surf(t, s, c, "HEAD", at(sites, id), nil).want(t, http.StatusOK)
		if got.body != "" || got.header.Get("Content-Type") != "text/html; charset=utf-8" || got.header.Get("Content-Length") == "0" {
			t.Errorf("%v %q", got.header, got.body)
		}
	})
	t.Run("the headers of a page", func(t *testing.T) {
		got := surf(t, s, c, "GET", at(sites, id), nil)
		if csp := got.header.Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self'") || strings.Contains(csp, "unsafe") {
			t.Error(csp)
		}
		for _, text := range []string{"GET, PUT, PATCH, DELETE, HEAD, OPTIONS", ">3.5<", "200 OK",
			html.EscapeString(got.header.Get("ETag")), got.header.Get("X-Request-ID"), `href="/api/dcim/sites/"`, "format=json"} {
			if !strings.Contains(got.body, text) {
				t.Errorf("%s is not on the page", text)
			}
		}
	})
}

// TestBrowseEverything: every address shows what it answers.
func TestBrowseEverything(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	admin.create(t, sites, site("One", "tags", []int64{admin.create(t, tags, obj{"name": "core", "slug": "core"})}))
	admin.create(t, webhooks, hook("Told"))
	newActor(t, s, "alice", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view", "change"}, Constraints: obj{"name": "One"}})
	visitors := map[string]*http.Cookie{"nobody": nil}
	for _, name := range []string{"admin", "alice"} {
		visitors[name], _ = login(t, s, name, apitest.Password, nil)
	}
	for _, r := range s.App.API.Routes() {
		path := strings.NewReplacer("{$}", "", "{id}", "1").Replace(r.Pattern)
		for name, c := range visitors {
			got := surf(t, s, c, "GET", path, nil)
			if strings.HasPrefix(path, "/api/docs/") {
				continue
			}
			plain := surf(t, s, c, "GET", path, nil, "Accept", "application/json")
			if got.status != plain.status || got.status >= 500 {
				t.Errorf("%s %s: %d, as JSON %d", name, path, got.status, plain.status)
			}
			want := compact(t, plain.body)
			if have := got.json(t); strings.Contains(got.body, "api-cut") {
				if have = strings.ReplaceAll(strings.ReplaceAll(have, "\n", ""), " ", ""); !strings.HasPrefix(strings.ReplaceAll(want, " ", ""), have) {
					t.Errorf("%s %s is cut, and does not begin as the answer", name, path)
				}
			} else if compact(t, have) != want {
				t.Errorf("%s %s shows\n%s\nwant\n%s", name, path, have, plain.body)
			}
			if name == "nobody" {
				if got.buttons() != "" || got.status == http.StatusForbidden && !strings.Contains(got.body, "/login/?next="+url.QueryEscape(path)) {
					t.Errorf("%s: nobody is offered %q", path, got.buttons())
				}
			}
			if r.Type != nil && r.Actions == nil && name == "admin" {
				want := strings.TrimPrefix(strings.Join(r.Methods, " ")+" OPTIONS", "GET ")
				if got.status == http.StatusNotFound {
					want = "OPTIONS"
				}
				if !sameWords(got.buttons(), want) {
					t.Errorf("%s offers %q, want %q", path, got.buttons(), want)
				}
			}
			if r.Type != nil && name == "alice" {
				want := "OPTIONS"
				switch {
				case r.Type.Key() == "dcim.site":
					want = "OPTIONS PUT PATCH"
				case r.Type.Owner != "" && !r.Detail: // everybody has their own
					want = "OPTIONS POST PUT PATCH DELETE"
				}
				if !sameWords(got.buttons(), want) {
					t.Errorf("%s offers alice %q, want %q", path, got.buttons(), want)
				}
			}
		}
	}
	for _, path := range []string{"/api/nothing/", "/api/dcim/sites/999/", "/api/dcim/sites/x/"} {
		if got := surf(t, s, visitors["admin"], "GET", path, nil).want(t, http.StatusNotFound); compact(t,
			got.json(t)) != `{"detail":"Not found."}` || strings.Contains(got.buttons(), "DELETE") {
			t.Errorf("%s: %s", path, got.buttons())
		}
	}
	other := admin.create(t, sites, site("Two"))
	newActor(t, s, "bob", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"change", "delete"}, Constraints: obj{"name": "One"}})
	bob, _ := login(t, s, "bob", apitest.Password, nil)
	if got := surf(t, s, bob, "GET", at(sites, other), nil).want(t, http.StatusOK); got.buttons() != "OPTIONS" {
		t.Errorf("bob is offered %q for a record that he may not change", got.buttons())
	}
}

func sameWords(a, b string) bool {
	return slices.Equal(slices.Sorted(slices.Values(strings.Fields(a))), slices.Sorted(slices.Values(strings.Fields(b))))
}

func TestBrowseHostileValues(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	payloads := []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</pre></textarea><script>alert(1)</script>`,
		"`${1}`\u2028\\u003cscript\\u003e",
		`javascript:alert(1)`, `https://evil.test/`, `//evil.test/api/`, s.URL + `.evil.test/api/`, s.URL + `@evil.test/api/`,
		`x ` + s.URL + `/api/x/`, s.URL + `/dcim/`,
		s.URL + `/api/" onmouseover="alert(1)`, s.URL + `/api/../../x`, s.URL + "/api/\n<b>"}
	var id int64
	for i, p := range payloads {
		id = admin.create(t, sites, site(fmt.Sprintf("Site %d", i), "description", p, "comments", p))
	}
	c, _ := login(t, s, "admin", apitest.Password, nil)
	want := admin.get(t, sites+"?limit=0")
	got := surf(t, s, c, "GET", sites+"?limit=0", nil).want(t, http.StatusOK)
	if compact(t, got.json(t)) != string(want.Raw) {
		t.Errorf("shown: %s", got.json(t))
	}
	for _, bad := range []string{"<script>alert", "<img src=x", ` onmouseover="`, "<b>\"", "evil.test/api/\">", `href="javascript:`,
		`href="https://evil`, `href="//`} {
		if strings.Contains(got.body, bad) {
			t.Errorf("%s is on the page", bad)
		}
	}
	links := 0
	for _, m := range anchor.FindAllStringSubmatch(jsonPane.FindString(got.body), -1) {
		if links++; !strings.HasPrefix(m[1], "/api/") || !strings.HasPrefix(html.UnescapeString(m[2]), s.URL+"/api/") {
			t.Errorf("a link from %s to %s", m[2], m[1])
		}
	}
	if want := len(payloads) + 2*3; links != want { // each record's own, and the last payloads, which are in two fields
		t.Errorf("%d links, want %d", links, want)
	}
	if got := surf(t, s, c, "GET", at(sites, id), nil).input("content"); !strings.Contains(got, `\n<b>`) {
		t.Errorf("the form holds %s", got)
	}
	query := `/api/dcim/sites/?name=` + url.QueryEscape(`"><script>alert(1)</script>`) + "&q=%00"
	if got := surf(t, s, c, "GET", query, nil); strings.Contains(got.body, "<script>alert") {
		t.Error("the query is on the page")
	}
}

func TestBrowseLargeList(t *testing.T) {
	s := apitest.New(t)
	admin := adminOf(s)
	many := make([]obj, 1000)
	for i := range many {
		many[i] = site(fmt.Sprintf("Site %d", i), "comments", strings.Repeat("long ", 100))
	}
	admin.do(t, "POST", sites, many).Want(t, http.StatusCreated)
	c, _ := login(t, s, "admin", apitest.Password, nil)
	began := time.Now()
	got := surf(t, s, c, "GET", sites+"?limit=1000", nil).want(t, http.StatusOK)
	t.Logf("%v for %d bytes", time.Since(began), len(got.body))
	if !strings.Contains(got.body, `href="/api/dcim/sites/?format=json&amp;limit=1000">The whole response`) || len(got.body) > 4<<20 {
		t.Errorf("%d bytes", len(got.body))
	}
	got = surf(t, s, c, "GET", sites+"?limit=10&offset=20", nil)
	for _, rel := range []string{"prev", "next"} {
		if !regexp.MustCompile(`rel="` + rel + `" href="/api/dcim/sites/\?`).MatchString(got.body) {
			t.Errorf("no link to the %s page", rel)
		}
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	document := s.Do(t, apitest.Call{Method: "GET", Path: "/api/docs/?format=openapi"}).Want(t, http.StatusOK)
	for _, accept := range []string{"", "*/*", "application/json", browser} {
		if got := surf(t, s, nil, "GET", "/api/docs/?format=openapi", nil, "Accept", accept); got.body != string(document.Raw) {
			t.Errorf("%q: %.100s", accept, got.body)
		}
	}
	if got := surf(t, s, nil, "GET", "/api/docs/", nil, "Accept", "*/*"); got.body != string(document.Raw) {
		t.Errorf("%.100s", got.body)
	}
	got := surf(t, s, nil, "GET", "/api/docs/", nil).want(t, http.StatusOK)
	if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || !strings.Contains(got.body, "/api/schema/") ||
		strings.Contains(got.body, "http://") || strings.Contains(got.body, "https://") {
		t.Errorf("%.2000s", got.body)
	}
	if csp := got.header.Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self';") {
		t.Error(csp)
	}
}

// TestBrowsingIsBounded: the content of an address or a record is not multiplied on its page.
func TestBrowsingIsBounded(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := adminOf(s)
	c, _ := login(t, s, "admin", apitest.Password, nil)
	many := sites + "?" + strings.Repeat("tag=a&", 3000)
	if p := surf(t, s, nil, "GET", many, nil); len(p.body) > 1<<20 {
		t.Errorf("an anonymous caller gets %d bytes for an address of %d", len(p.body), len(many))
	}
	if p := surf(t, s, c, "GET", many, nil); len(p.body) > 2<<20 {
		t.Errorf("a known caller gets %d bytes for an address of %d", len(p.body), len(many))
	}
	admin.create(t, "/api/extras/custom-fields/", obj{"name": "deep", "type": "json", "content_types": []string{"dcim.site"}})
	deep := json.RawMessage(strings.Repeat("[", 55) + strings.TrimSuffix(strings.Repeat("0,", 40_000), ",") + strings.Repeat("]", 55))
	id := admin.create(t, sites, obj{"name": "Deep", "slug": "deep", "custom_fields": obj{"deep": deep}})
	if p := surf(t, s, c, "GET", at(sites, id), nil).want(t, http.StatusOK); len(p.body) > 2<<20 {
		t.Errorf("a record of 80 kB makes a page of %d bytes", len(p.body))
	}
	long := admin.get(t, sites+"?q="+strings.Repeat("x", 501)).Want(t, http.StatusBadRequest)
	if !strings.Contains(string(long.Raw), "shorter") || long.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %v", long.Raw, long.Header)
	}
}
