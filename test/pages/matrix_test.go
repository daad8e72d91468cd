package pages_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"terrier/internal/web"
	"terrier/test/apitest"
	"terrier/test/trial"
)

// role is a kind of caller.
type role struct {
	name string
	browser
}

// own reports whether an address needs no permission: it belongs to whoever is logged in.
func own(r web.Route) bool { return r.Type == nil && !r.Open || r.Type != nil && r.Type.Owner != "" }

// refused is the whole rule of who is refused which page.
func refused(who string, r web.Route) bool {
	switch {
	case r.Open, who == "superuser":
		return false
	case who == "anonymous":
		return true
	case r.Superuser:
		return true
	case own(r):
		return false
	case who == "reader" && r.Action == "view" && strings.HasSuffix(r.Path, "/sync-components/{$}"):
		return false // what else it needs is decided with the record
	case who == "reader" && strings.HasSuffix(r.Path, "/saved/{$}"):
		return false // a private filter needs no permission
	case who == "reader" && strings.HasSuffix(r.Path, "/columns/{$}"):
		return false // which columns they see is kept with them
	case who == "reader":
		return r.Action != "view" || r.Method != http.MethodGet
	}
	return true
}

// TestPageRoleMatrix asks for every page as every role. A refused caller gets 403, or is asked to log in; everybody
// else gets an answer, even if it is that there is no such record.
func TestPageRoleMatrix(t *testing.T) {
	t.Parallel()
	s := apitest.NewWith(t, trial.Types())
	for _, who := range rolesOf(t, s) {
		for _, r := range s.App.Site.Routes() {
			if strings.HasPrefix(r.Path, "/logout/") {
				continue // it would end the session that this test needs
			}
			path := strings.NewReplacer("{$}", "", "{id}", sampleID(r)).Replace(r.Path)
			a := who.send(t, r.Method, path, formFor(r))
			away := turnedAway(a) || strings.HasPrefix(a.Header.Get("Location"), "/login/?next=")
			if away != refused(who.name, r) {
				t.Errorf("%s: %s %s: %d %s", who.name, r.Method, path, a.Status, a.Header.Get("Location"))
			}
			if a.Status >= http.StatusInternalServerError {
				t.Errorf("%s: %s %s: %d", who.name, r.Method, path, a.Status)
			}
		}
	}
}

// turnedAway distinguishes the error page from a form that is shown again because a password was wrong.
func turnedAway(a apitest.Answer) bool {
	return a.Status == http.StatusForbidden && strings.Contains(string(a.Raw), "You may not do this")
}

// sampleID is an id that no record has.
func sampleID(r web.Route) string {
	if r.Type != nil && r.Type.TimedID {
		return "01a1ddad-0aed-7000-8000-0000000fffff"
	}
	return "999999"
}

func formFor(r web.Route) url.Values {
	if r.Method == http.MethodPost {
		return url.Values{}
	}
	return nil
}

func rolesOf(t *testing.T, s *apitest.Server) []role {
	t.Helper()
	var all []string
	for _, typ := range s.App.Registry.Types() {
		all = append(all, typ.Key())
	}
	s.User(t, "nobody")
	s.User(t, "reader", apitest.Grant{Types: all, Actions: []string{"view"}})
	return []role{{"anonymous", browser{s: s}}, {"nobody", login(t, s, "nobody")}, {"reader", login(t, s, "reader")},
		{"superuser", login(t, s, "admin")}}
}

var (
	linkPattern = regexp.MustCompile(`(?:href|hx-get)="(/[^"]*)"`)
	formPattern = regexp.MustCompile(`(?:formaction|hx-post|action)="(/[^"]*)"`)
	postPattern = regexp.MustCompile(`<form[^>]*method="post"[^>]*>`)
)

// TestNoButtonThatIsRefused follows every link and presses every button that people with few
// permissions are shown: none of it may be refused.
func TestNoButtonThatIsRefused(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	roles := rolesOf(t, s)
	region := create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	hook := create(t, s, "/api/extras/webhooks/", obj{"name": "hook", "content_types": []string{"dcim.site"}, "type_create": true,
		"type_update": true, "payload_url": "http://localhost:9/", "secret": "x"})
	for i := range 3 {
		create(t, s, "/api/dcim/sites/", obj{"name": fmt.Sprintf("Site %d", i), "slug": fmt.Sprintf("site-%d", i), "region": region})
	}
	create(t, s, "/api/tenancy/tenants/", obj{"name": "Acme", "slug": "acme"})
	s.User(t, "mixed", apitest.Grant{Types: []string{"dcim.site", "dcim.region", "extras.objectchange"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"change", "delete"}, Constraints: obj{"name": "Site 1"}},
		apitest.Grant{Types: []string{"extras.webhook", "extras.delivery"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"extras.webhook"}, Actions: []string{"change"}, Constraints: obj{"id": hook + 1}})
	for _, who := range append(roles[1:3], role{"mixed", login(t, s, "mixed")}) {
		t.Run(who.name, func(t *testing.T) {
			n := who.crawl(t)
			t.Logf("%d pages", n)
			if who.name != "nobody" && n < 20 {
				t.Errorf("only %d pages were found: the crawler is blind", n)
			}
		})
	}
}

// crawl follows links from the home page and returns how many pages there were.
func (b browser) crawl(t *testing.T) int {
	t.Helper()
	seen, pressed := map[string]bool{"/logout/": true, "/theme/": true}, map[string]bool{"/logout/": true, "/theme/": true}
	queue, from := []string{"/"}, map[string]string{}
	var buttons [][2]string
	pages := 0
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		a := b.get(t, at)
		if a.Status == http.StatusSeeOther {
			continue
		}
		if a.Status == http.StatusNotFound && (from[at] == "/" || strings.HasPrefix(from[at], "/extras/object-changes/")) {
			continue // the log links to past records, and to some that only some may see
		}
		if a.Status != http.StatusOK {
			t.Errorf("%s leads to %s, which answers %d", from[at], at, a.Status)
			continue
		}
		pages++
		text := string(a.Raw)
		for _, m := range linkPattern.FindAllStringSubmatch(text, -1) {
			link := html.UnescapeString(m[1])
			path, _, _ := strings.Cut(link, "?")
			path, _, _ = strings.Cut(path, "#")
			if seen[path] || path == "" || strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/api/") {
				continue
			}
			seen[path] = true
			queue, from[link] = append(queue, link), at
		}
		path, _, _ := strings.Cut(at, "?")
		for _, action := range actionsOf(text, path) {
			if !pressed[action] {
				pressed[action] = true
				buttons = append(buttons, [2]string{at, action})
			}
		}
	}
	for _, button := range buttons { // at the end: some of them delete
		if a := b.post(t, button[1], url.Values{}); turnedAway(a) {
			t.Errorf("%s has a button for %s, which is refused", button[0], button[1])
		}
	}
	return pages
}

// actionsOf are the addresses that the forms of a page post to.
func actionsOf(text, path string) []string {
	var actions []string
	for _, m := range formPattern.FindAllStringSubmatch(text, -1) {
		actions = append(actions, html.UnescapeString(m[1]))
	}
	for _, form := range postPattern.FindAllString(text, -1) {
		if !strings.Contains(form, "action=") && !strings.Contains(form, "records") {
			actions = append(actions, path)
		}
	}
	// The search posts nothing.
	out := actions[:0]
	for _, action := range actions {
		if !strings.HasPrefix(action, "/search/") {
			out = append(out, action)
		}
	}
	return out
}
