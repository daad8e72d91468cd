package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"terrier/internal/app"
	"terrier/test/apitest"
)

// TestNobodyIsLedElsewhere: no page redirects a browser to another site.
func TestNobodyIsLedElsewhere(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	elsewhere := func(a apitest.Answer) {
		t.Helper()
		to, err := url.Parse(a.Header.Get("Location"))
		if err != nil || to.Host != "" || to.Scheme != "" || strings.HasPrefix(a.Header.Get("Location"), "//") {
			t.Errorf("%s %s leads to %q", a.Call.Method, a.Call.Path, a.Header.Get("Location"))
		}
	}
	// The mux reads an escaped slash as part of a name; a handler that reads the path does not.
	for _, path := range []string{"/%2fevil.test%2f..%2fdcim%2fsites", "/%2Fevil.test/..%2Fdcim/sites", "/%2fevil.test%2f..%2fapi",
		"/%5cevil.test%5c..%2fdcim%2fsites",
		"//evil.test/dcim/sites", "/%2f%2fevil.test%2f..%2fuser", "/.%2f%2fevil.test%2f..%2f..%2fuser"} {
		for _, who := range []browser{admin, {s: s}} {
			a := who.get(t, path)
			elsewhere(a)
			if a.Status < http.StatusMultipleChoices {
				t.Errorf("%s: %d", path, a.Status)
			}
		}
	}
	for _, next := range []string{"//evil.test", "/\\evil.test", "\\\\evil.test", "https://evil.test", "https:evil.test",
		"javascript:alert(1)", "/\t/evil.test", "/\n/evil.test", "/\v/evil.test",
		"/\x00/evil.test", "/\x7f/evil.test", "/\u0085/evil.test", "/.//evil.test", "/..//evil.test", "///evil.test", "evil.test",
		" //evil.test", ""} {
		q := url.Values{"next": {next}, "theme": {"dark"}, "username": {"admin"}, "password": {apitest.Password}}
		elsewhere(admin.get(t, "/login/?"+q.Encode()).Want(t, http.StatusSeeOther))
		elsewhere(admin.post(t, "/theme/", q).Want(t, http.StatusSeeOther))
		elsewhere(browser{s: s}.post(t, "/login/", q).Want(t, http.StatusSeeOther))
	}
}

// TestSecureSite: under https, browsers keep to https, and no other host can plant the note that a page leaves for the next. Under http
// neither works.
func TestSecureSite(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]struct{ strict, cookie string }{
		"https://terrier.test": {"max-age=31536000", "__Host-terrier_note"}, "http://terrier.test": {"", "terrier_note"},
	} {
		s := apitest.New(t, func(c *app.Config) { c.BaseURL = base })
		admin := login(t, s, "admin")
		for _, path := range []string{"/", "/dcim/sites/", "/healthz"} {
			if got := admin.get(t, path).Want(t, http.StatusOK).Header.Get("Strict-Transport-Security"); got != want.strict {
				t.Errorf("%s%s: Strict-Transport-Security is %q", base, path, got)
			}
		}
		saved := admin.post(t, "/dcim/regions/add/", url.Values{"name": {"North"}, "slug": {"north"}}).Want(t, http.StatusSeeOther)
		cookies := (&http.Response{Header: saved.Header}).Cookies()
		if len(cookies) != 1 || cookies[0].Name != want.cookie || cookies[0].Path != "/" || cookies[0].Domain != "" {
			t.Fatalf("%s: cookies %v", base, cookies)
		}
		shows(t, admin.get(t, "/dcim/regions/", "Cookie", admin.cookie+"; "+want.cookie+"="+cookies[0].Value), "Created region North")
	}
}

// TestPartsTellTheLogNothing asks with every template name for pages that contain secrets. A template for other data
// fails, and its error would print its data.
func TestPartsTellTheLogNothing(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	hook := create(t, s, "/api/extras/webhooks/", obj{"name": "hook", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url":        "http://localhost:9/",
		"additional_headers": "Authorization: Bearer canary-of-a-header"})
	path := fmt.Sprintf("/extras/webhooks/%d/", hook)
	secret := regexp.MustCompile(`\b([0-9a-f]{64}|[0-9a-f]{40})\b`)
	for _, part := range []string{"layout", "content", "changes", "problems", "_choices", "cell", "field", "refusals", "differences",
		"effects", "webhook-problems", "fields", "form-fields"} {
		header := []string{"Hx-Request", "true", "Hx-Target", part}
		admin.get(t, path+"edit/", header...).Want(t, http.StatusOK)
		for made, form := range map[string]url.Values{"/user/tokens/add/": {"lifetime": {"never"}}, path + "rotate/": {"generate": {"true"}}} {
			a := admin.post(t, made, form, header...)
			a.Want(t, http.StatusOK)
			for _, key := range secret.FindAllString(string(a.Raw), -1) {
				if strings.Contains(s.Log.String(), key) {
					t.Errorf("%s: what %s made is in the log", part, made)
				}
			}
		}
		if a := admin.get(t, "/dcim/sites/999999/", header...); a.Status != http.StatusNotFound {
			t.Errorf("%s: an error is answered by %d", part, a.Status)
		}
	}
	if log := s.Log.String(); strings.Contains(log, "canary-of-a-header") || strings.Contains(log, "level=ERROR") {
		t.Errorf("the log: %s", log[max(0, len(log)-2000):])
	}
}

// TestUnreadableForms: a malformed request is answered as such, and not logged as our error.
func TestUnreadableForms(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Porto", "slug": "porto"})
	many := strings.Repeat("&a=1", 20_000)
	for _, r := range s.App.Site.Routes() {
		if r.Method != http.MethodPost || strings.HasPrefix(r.Path, "/logout/") {
			continue
		}
		path := strings.NewReplacer("{$}", "", "{id}", sampleID(r)).Replace(r.Path)
		for _, body := range []string{"secret=%zz-canary", many} {
			a := s.Do(t, apitest.Call{Method: "POST", Path: path, Body: body,
				Header: map[string]string{"Accept": "text/html", "Cookie": admin.cookie,
					"Content-Type": "application/x-www-form-urlencoded"}})
			if a.Status >= http.StatusInternalServerError {
				t.Errorf("%s: %d", path, a.Status)
			}
		}
	}
	// The version that must be there still is not overlooked.
	s.Do(t, apitest.Call{Method: "POST", Path: fmt.Sprintf("/dcim/sites/%d/delete/", site), Body: "version=%zz",
		Header: map[string]string{"Accept": "text/html", "Cookie": admin.cookie,
			"Content-Type": "application/x-www-form-urlencoded"}}).Want(t, http.StatusBadRequest)
	admin.get(t, fmt.Sprintf("/dcim/sites/%d/", site)).Want(t, http.StatusOK)
	if strings.Contains(s.Log.String(), "level=ERROR") {
		t.Errorf("the log: %s", s.Log)
	}
}

// TestLinksChangeNoReceiver: a link may prefill a new webhook, but not the address of an existing one, which has
// credentials.
func TestLinksChangeNoReceiver(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	hook := create(t, s, "/api/extras/webhooks/", obj{"name": "hook", "content_types": []string{"dcim.site"}, "type_create": true,
		"payload_url":        "http://localhost:9/",
		"additional_headers": "Authorization: Bearer x"})
	for _, query := range []string{"template=slack&payload_url=https://evil.test/", "payload_url=https://evil.test/",
		"template=json&payload_url=https://evil.test/&ssl_verification="} {
		a := admin.get(t, fmt.Sprintf("/extras/webhooks/%d/edit/?%s", hook, query)).Want(t, http.StatusOK)
		hides(t, a, "evil.test")
		shows(t, a, "http://localhost:9/")
	}
	shows(t, admin.get(t, "/extras/webhooks/add/?template=slack&payload_url=https://begun.test/"), "https://begun.test/")
	hides(t, admin.get(t, "/users/tokens/add/?key=canary&user=admin"), "canary")
	hides(t, admin.get(t, "/users/users/add/?password=canary"), "canary")
}

// TestDeepJSONInForms: forms have the limits of the API: deeply nested JSON is printed with as many blanks in each
// line.
func TestDeepJSONInForms(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	create(t, s, "/api/extras/custom-fields/", obj{"name": "plan", "type": "json", "content_types": []string{"dcim.site"}})
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	add := func(name, value string) apitest.Answer {
		return admin.post(t, "/dcim/sites/add/", url.Values{"name": {name}, "slug": {name}, "status": {"active"}, "cf_plan": {value}})
	}
	add("fits", nested(64)).Want(t, http.StatusSeeOther)
	shows(t, add("deep", nested(65)).Want(t, http.StatusBadRequest), "levels deep")
	shows(t, add("deeper", nested(9000)).Want(t, http.StatusBadRequest), "levels deep")
	shows(t, add("many", "["+strings.Repeat("1,", 200_000)+"1]").Want(t, http.StatusBadRequest), "levels deep")
}

// TestLongTextsInTheChangeLog: tens of thousands of lines in a text are not drawn for every reader of the record.
func TestLongTextsInTheChangeLog(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	site := create(t, s, "/api/dcim/sites/", obj{"name": "Porto", "slug": "porto", "comments": strings.Repeat("a\n", 30_000)})
	path := fmt.Sprintf("/dcim/sites/%d/", site)
	for _, comments := range []string{strings.Repeat("b\n", 30_000), strings.Repeat("c", 60_000),
		strings.Repeat("b\n", 15_000) + "the middle\n" + strings.Repeat("b\n", 15_000),
		strings.Repeat("b\n", 15_000) + "another middle\n" + strings.Repeat("b\n", 15_000)} {
		s.Do(t, apitest.Call{Method: "PATCH", Path: "/api" + path, Token: s.Admin, Body: obj{"comments": comments}}).Want(t, http.StatusOK)
	}
	a := admin.get(t, path+"changelog/").Want(t, http.StatusOK)
	shows(t, a, "- the middle", "&#43; another middle", "lines left out")
	if len(a.Raw) > 100_000 {
		t.Errorf("the change log has %d bytes", len(a.Raw))
	}
}

// TestDeletionCountsNoHiddenRecords: dependants that the person may not see are mentioned, as in the API, but not
// counted.
func TestDeletionCountsNoHiddenRecords(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.User(t, "planner", apitest.Grant{Types: []string{"dcim.region"}, Actions: []string{"view", "delete"}})
	planner := login(t, s, "planner")
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	clock := regexp.MustCompile(`data-now="\d+"`)
	page := func() string {
		one := planner.get(t, fmt.Sprintf("/dcim/regions/%d/delete/", region)).Want(t, http.StatusOK)
		many := planner.post(t, "/dcim/regions/delete/", url.Values{"id": {fmt.Sprint(region)}}).Want(t, http.StatusOK)
		return clock.ReplaceAllString(string(one.Raw)+string(many.Raw), "")
	}
	create(t, s, "/api/dcim/sites/", obj{"name": "Hidden 1", "slug": "hidden-1", "region": region})
	first := page()
	if strings.Count(first, "Records that you may not see depend on it") != 2 {
		t.Error("that others depend on it is not said")
	}
	for i := range 3 {
		create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprint("More ", i), "slug": fmt.Sprint("more-", i), "region": region})
	}
	if page() != first {
		t.Error("the page tells how many hidden records there are")
	}
}

// TestHeadersOfEveryPage asks for every page that can be read: none can be framed, sniffed or
// kept by a browser.
func TestHeadersOfEveryPage(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	for _, r := range s.App.Site.Routes() {
		if r.Method != http.MethodGet {
			continue
		}
		a := admin.get(t, strings.NewReplacer("{$}", "", "{id}", sampleID(r)).Replace(r.Path))
		for name, want := range map[string]string{"Content-Security-Policy": "frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin"} {
			if !strings.Contains(a.Header.Get(name), want) {
				t.Errorf("%s: %s is %q", a.Call.Path, name, a.Header.Get(name))
			}
		}
		if policy := a.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") ||
			!strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: the policy is %q", a.Call.Path, policy)
		}
		if a.Status != http.StatusSeeOther && a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d may be kept: %q", a.Call.Path, a.Status, a.Header.Get("Cache-Control"))
		}
	}
}

// TestRecordsOneMayOnlySee asks for every page that changes or deletes a record, as a person who may do that with
// others of its type: permission for the type alone opens no page.
func TestRecordsOneMayOnlySee(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	ids := map[string]int64{
		"extras.webhook": create(t, s, "/api/extras/webhooks/",
			obj{"name": "hook", "content_types": []string{"dcim.site"}, "type_create": true, "payload_url": "http://localhost:9/",
				"additional_headers": "Authorization: Bearer canary-of-a-header", "secret": "canary-of-a-secret"}),
		"dcim.site": create(t, s, "/api/dcim/sites/", obj{"name": "Porto", "slug": "porto"}),
	}
	types := []string{"extras.webhook", "dcim.site"}
	s.User(t, "neighbour", apitest.Grant{Types: append(types, "extras.delivery", "extras.objectchange"), Actions: []string{"view"}},
		apitest.Grant{Types: types, Actions: []string{"change", "delete"}, Constraints: obj{"name": "another"}})
	neighbour := login(t, s, "neighbour")
	before := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/object-changes/", Token: s.Admin}).Page(t).Count
	asked := 0
	for _, r := range s.App.Site.Routes() {
		if r.Type == nil || ids[r.Type.Key()] == 0 || !strings.Contains(r.Path, "{id}") || strings.Contains(r.Path, "/deliveries/") {
			continue
		}
		a := neighbour.send(t, r.Method, strings.NewReplacer("{$}", "", "{id}", fmt.Sprint(ids[r.Type.Key()])).Replace(r.Path), formFor(r))
		hides(t, a, "canary")
		if r.Action != "view" {
			if asked++; a.Status != http.StatusForbidden && a.Status != http.StatusNotFound {
				t.Errorf("%s: %d", r.Pattern(), a.Status)
			}
		}
	}
	if asked < 15 {
		t.Errorf("only %d addresses were asked for", asked)
	}
	if n := s.Do(t, apitest.Call{Method: "GET", Path: "/api/extras/object-changes/", Token: s.Admin}).Page(t).Count; n != before {
		t.Errorf("%d changes were made", n-before)
	}
}

// TestLongSearch: the length of a search text, which is compared with every record of every type, is limited.
func TestLongSearch(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	admin := login(t, s, "admin")
	admin.get(t, "/search/?q="+strings.Repeat("a", 500)).Want(t, http.StatusOK)
	shows(t, admin.get(t, "/search/?q="+strings.Repeat("a", 501)).Want(t, http.StatusBadRequest), "at most 500 characters")
}
