package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/app"
	"terrier/internal/inventory"
	"terrier/internal/record"
	"terrier/test/apitest"
	"terrier/test/bench/gauge"
)

// TestStatementsPerPage: a page needs the same number of statements for few records and for many.
func TestStatementsPerPage(t *testing.T) {
	t.Parallel()
	s, wire := countingServer(t)
	b := login(t, s, "admin")
	create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	create(t, s, "/api/extras/tags/", obj{"name": "core", "slug": "core"})
	create(t, s, "/api/extras/custom-fields/", obj{"name": "owner", "content_types": []string{"dcim.site"}})
	create(t, s, "/api/extras/webhooks/", obj{"name": "hook", "content_types": []string{"dcim.site"}, "type_create": true,
		"type_update": true, "payload_url": "http://localhost:9/"})
	for i := range 3 {
		create(t, s, "/api/extras/custom-links/", obj{"name": fmt.Sprint("Link ", i), "content_types": []string{"dcim.site"}, "link_text": "x",
			"link_url": "/x"})
	}
	sites := 0
	more := func(n int) {
		var rows []obj
		for range n {
			sites++
			rows = append(rows, obj{"name": fmt.Sprint("Site ", sites), "slug": fmt.Sprint("site-", sites), "region": 1, "tags": []int{1}})
		}
		s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/sites/", Token: s.Admin, Body: rows}).Want(t, http.StatusCreated)
	}
	searched := slices.DeleteFunc(slices.Clone(s.App.Registry.Types()), func(t *record.Type) bool { return len(t.SearchFields()) == 0 })
	indexed := slices.DeleteFunc(slices.Clone(searched), func(t *record.Type) bool { return !t.SearchIndexed() })
	// The first two are the session and the account; a list is its page and its count.
	pages := map[string]int64{
		"/": 2 + 1 + 5, // the preferences; the cards, one of which reads nothing
		// Each type in a transaction with a limit of time. Words that no record has are looked up once more, to suggest others.
		"/search/?q=Site+1":               2 + 3 + int64(len(searched)),
		"/search/?q=nothing+holds+this":   2 + 2*3 + int64(len(searched)+3*len(indexed)), // three words
		"/dcim/sites/":                    2 + 2 + 2,                                     // the preferences and the custom fields
		"/dcim/sites/1/":                  2 + 6,                                         // one reads the custom links
		"/dcim/sites/1/edit/":             2 + 2,
		"/dcim/sites/add/":                2 + 1,
		"/dcim/sites/1/changelog/":        2 + 5, // the numbers of the tabs, the custom links
		"/dcim/sites/1/journal/":          2 + 5,
		"/dcim/sites/choices/?typed=site": 2 + 2,
		"/system/tasks/":                  2 + 6,
		"/extras/webhooks/1/":             2 + 10,
		"/user/tokens/":                   2 + 1, // which are not counted
	}
	for _, n := range []int{1, 60} {
		more(n)
		for path, want := range pages {
			if got, _ := needs(t, b, path, wire); got != want {
				t.Errorf("%s with %d sites: %d statements, want %d", path, sites, got, want)
			}
		}
	}
	s.User(t, "limited", apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"view"}},
		apitest.Grant{Types: []string{"dcim.site"}, Actions: []string{"change", "delete"}, Constraints: obj{"name": "Site 1"}})
	for range 5 {
		create(t, s, "/api/extras/webhooks/", obj{"name": fmt.Sprint("hook of ", sites), "content_types": []string{"dcim.rack"},
			"type_create": true, "payload_url": "http://localhost:9/"})
		sites++
	}
	limited := login(t, s, "limited")
	for _, size := range []int{1, 50} {
		if got, _ := needs(t, limited, fmt.Sprintf("/dcim/sites/?limit=%d", size), wire); got != 2+2+2+2 { // which may be changed, which deleted
			t.Errorf("a list of %d sites of somebody with constraints: %d statements", size, got)
		}
		if got, _ := needs(t, b, fmt.Sprintf("/extras/webhooks/?limit=%d", size), wire); got != 2+4 {
			t.Errorf("a list of %d webhooks: %d statements", size, got)
		}
	}
}

// TestStatementsWithManyTypes: the home page, the menu and the page of a record that all types refer to need as many
// statements with twenty more types, for callers with and without constraints. A search has one for each type, and as
// many round trips.
func TestStatementsWithManyTypes(t *testing.T) {
	t.Parallel()
	more := make([]record.Type, 20)
	for i := range more {
		more[i] = cable
		more[i].Name, more[i].Plural = fmt.Sprintf("cable%02d", i), fmt.Sprintf("cable%02ds", i)
	}
	var all []string
	for _, typ := range append(inventory.Types(), more...) {
		if !typ.TimedID { // which are no numbers to compare
			all = append(all, typ.Key())
		}
	}
	counts := map[int]map[string]int64{}
	for _, n := range []int{0, len(more)} {
		s, wire := countingServer(t, func(c *app.Config) { c.Types = more[:n] })
		for _, typ := range more[:n] {
			if _, err := s.DB.Exec(t.Context(), strings.ReplaceAll(cableTable, "dcim_cable", typ.Table())); err != nil {
				t.Fatal(err)
			}
		}
		create(t, s, "/api/extras/tags/", obj{"name": "core", "slug": "core"})
		create(t, s, "/api/dcim/sites/", obj{"name": "Lisbon 1", "slug": "lis1", "tags": []int{1}})
		s.User(t, "limited", apitest.Grant{Types: all[:len(all)-len(more)+n], Actions: []string{"view", "add"},
			Constraints: []obj{{"id__lt": 1000}, {"id__gt": 2000}}})
		counts[n] = map[string]int64{}
		for _, user := range []string{"admin", "limited"} {
			b := login(t, s, user)
			for _, path := range []string{"/", "/user/", "/dcim/sites/", "/search/?q=Lisbon", "/extras/tags/1/"} {
				statements, trips := needs(t, b, path, wire)
				counts[n][user+" "+path] = statements
				if strings.HasPrefix(path, "/search/") {
					counts[n][user+" "+path] = trips
				}
			}
		}
	}
	for page, few := range counts[0] {
		if many := counts[len(more)][page]; many != few {
			t.Errorf("%s: %d statements or round trips, with %d more types %d", page, few, len(more), many)
		}
	}
}

// needs returns how many statements and round trips a page needs, which is when two visits agree. The first one prepares statements, and
// now and then one looks whether a worker is alive, or whether a connection that was idle still works.
func needs(t *testing.T, b browser, path string, wire *gauge.Wire) (statements, trips int64) {
	t.Helper()
	for range 6 {
		before := statements
		wire.Statements.Store(0)
		wire.Trips.Store(0)
		b.get(t, path).Want(t, http.StatusOK)
		if statements, trips = wire.Statements.Load(), wire.Trips.Load(); statements == before {
			break
		}
	}
	return statements, trips
}

// countingServer is a server whose statements are counted.
func countingServer(t *testing.T, change ...func(*app.Config)) (*apitest.Server, *gauge.Wire) {
	t.Helper()
	var wire *gauge.Wire
	s := apitest.New(t, append(change, func(c *app.Config) {
		u, err := url.Parse(c.DatabaseURL)
		if err != nil {
			t.Fatal(err)
		}
		if wire, err = gauge.NewWire(u.Host); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = wire.Close() }) // the server is closed by then
		u.Host = wire.Address()
		q := u.Query()
		q.Set("pool_max_conns", "1") // its statements are all prepared
		u.RawQuery = q.Encode()
		c.DatabaseURL = u.String()
	})...)
	// Pages remember for some seconds whether a worker is alive. With this clock they look once, however slow the
	// machine.
	at := time.Now()
	s.App.Site.Now = func() time.Time { return at }
	return s, wire
}
