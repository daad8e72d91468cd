package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// accepting is a request whose client accepts gzip.
func accepting(c apitest.Call) apitest.Call {
	header := map[string]string{"Accept-Encoding": "gzip"}
	maps.Copy(header, c.Header)
	c.Header = header
	return c
}

// TestLongAnswersAreCompressed: lists, records, pages of the feed, HTML and exports are sent compressed to clients that accept it, and are
// the same answers. A compressed record has the ETag by which it can be changed.
func TestLongAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	s.Follow(t)
	admin := adminOf(s)
	many := make([]obj, 200)
	for i := range many {
		many[i] = obj{"name": fmt.Sprint("Site ", i), "slug": fmt.Sprint("site-", i), "comments": strings.Repeat("Lisbon ", 20)}
	}
	admin.do(t, "POST", sites, many).Want(t, http.StatusCreated)
	long := admin.create(t, sites, obj{"name": "Long", "slug": "long", "comments": strings.Repeat("Porto ", 2000)})
	cookie := map[string]string{"Cookie": s.Login(t, "admin"), "Accept": "text/html"}
	for _, c := range []apitest.Call{
		{Path: sites + "?limit=200", Token: s.Admin},
		{Path: at(sites, long), Token: s.Admin},
		{Path: "/api/extras/feed/?limit=100&wait=20", Token: s.Admin},
		{Path: "/dcim/sites/", Header: cookie},
		{Path: "/dcim/sites/export/?format=csv", Header: cookie},
		{Path: "/dcim/sites/export/?format=json", Header: cookie},
		{Path: "/api/schema/"},
	} {
		c.Method = http.MethodGet
		plain := s.Do(t, c).Want(t, http.StatusOK)
		got := s.Do(t, accepting(c))
		content := got.Content(t)
		if got.Want(t, http.StatusOK).Header.Get("Content-Encoding") != "gzip" || 3*len(got.Raw) > len(plain.Raw) {
			t.Errorf("%s: %d bytes of %d, %v", c.Path, len(got.Raw), len(plain.Raw), got.Header)
		}
		if len(content) != len(plain.Raw) { // the time of the server is in the pages
			t.Errorf("%s: %d bytes, %d without compression", c.Path, len(content), len(plain.Raw))
		}
		for _, a := range []apitest.Answer{plain, got} {
			if !slices.Contains(a.Header.Values("Vary"), "Accept-Encoding") {
				t.Errorf("%s: Vary %q", c.Path, a.Header.Values("Vary"))
			}
		}
		if plain.Header.Get("ETag") != got.Header.Get("ETag") {
			t.Errorf("%s: ETag %s, %s without compression", c.Path, got.Header.Get("ETag"), plain.Header.Get("ETag"))
		}
	}
	got := s.Do(t, accepting(apitest.Call{Method: "GET", Path: at(sites, long), Token: s.Admin}))
	change := apitest.Call{Method: "PATCH", Path: at(sites, long), Token: s.Admin, Body: obj{"facility": "B2"},
		Header: map[string]string{"If-Match": got.Header.Get("ETag")}}
	s.Do(t, change).Want(t, http.StatusOK)
	s.Do(t, change).Want(t, http.StatusPreconditionFailed)
	for _, path := range []string{at(sites, admin.create(t, sites, obj{"name": "Short", "slug": "short"})),
		"/api/extras/feed/snapshot/?type=dcim.site"} {
		if a := s.Do(t, accepting(apitest.Call{Method: "GET", Path: path, Token: s.Admin})); a.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s is compressed", path)
		}
	}
}

// TestAnswersWithSecretsArePlain: an answer that can have a secret is never compressed, so that its length does not say what the
// secret is. Which answers these are follows from the types with Secret fields; the addresses without a type are listed here.
func TestAnswersWithSecretsArePlain(t *testing.T) {
	t.Parallel()
	s := apitest.New(t)
	holding := []string{"extras.webhook", "ipam.fhrpgroup", "users.token", "users.user"}
	untyped := []string{"/api/users/tokens/provision/{$}", "/login/{$}", "/user/password/{$}"}
	check := func(pattern, key string, typed, holds bool) {
		if want := typed && slices.Contains(holding, key) || !typed && slices.Contains(untyped, pattern); holds != want {
			t.Errorf("%s %s can have a secret: %v, want %v", pattern, key, holds, want)
		}
	}
	for _, r := range s.App.API.Routes() {
		key := ""
		if r.Type != nil {
			key = r.Type.Key()
		}
		check(r.Pattern, key, r.Type != nil, r.HoldsSecrets())
	}
	for _, r := range s.App.Site.Routes() {
		key := ""
		if r.Type != nil {
			key = r.Type.Key()
		}
		check(r.Path, key, r.Type != nil, r.HoldsSecrets())
	}

	admin := adminOf(s)
	text := strings.Repeat("text of the caller ", 400)
	hooked := admin.create(t, webhooks, hook("w", "body_template", text, "additional_headers", "X-Key: c4n4ry"))
	cookie := map[string]string{"Cookie": s.Login(t, "admin"), "Accept": "text/html"}
	for _, c := range []apitest.Call{
		{Method: "GET", Path: at(webhooks, hooked), Token: s.Admin},
		{Method: "GET", Path: webhooks, Token: s.Admin},
		{Method: "GET", Path: fmt.Sprintf("/extras/webhooks/%d/edit/", hooked), Header: cookie},
		{Method: "GET", Path: "/extras/webhooks/add/", Header: cookie},
		{Method: "GET", Path: "/user/tokens/add/", Header: cookie},
		{Method: "GET", Path: "/login/?next=/" + text[:3000], Header: map[string]string{"Accept": "text/html"}},
		{Method: "GET", Path: "/users/users/add/", Header: cookie},
	} {
		c.Path = strings.ReplaceAll(c.Path, " ", "+")
		a := s.Do(t, accepting(c))
		if a.Want(t, http.StatusOK).Header.Get("Content-Encoding") != "" || len(a.Raw) < 4<<10 {
			t.Errorf("%s: %d bytes, %v", c.Path, len(a.Raw), a.Header)
		}
	}
}
