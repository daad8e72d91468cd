package pages_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"terrier/internal/app"
	"terrier/test/apitest"
	"terrier/test/bench/gauge"
)

// TestStatementsPerPage counts what a page asks the database: the same for few records and for
// many.
func TestStatementsPerPage(t *testing.T) {
	var wire *gauge.Wire
	s := apitest.New(t, func(c *app.Config) {
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
	})
	// Pages remember for some seconds whether a worker is alive. They look once, however slow the machine.
	at := time.Now()
	s.App.Site.Now = func() time.Time { return at }
	b := login(t, s, "admin")
	create(t, s, "/api/dcim/regions/", obj{"name": "Europe", "slug": "europe"})
	create(t, s, "/api/extras/tags/", obj{"name": "core", "slug": "core"})
	create(t, s, "/api/extras/custom-fields/", obj{"name": "owner", "content_types": []string{"dcim.site"}})
	create(t, s, "/api/extras/webhooks/", obj{"name": "hook", "content_types": []string{"dcim.site"}, "type_create": true, "type_update": true, "payload_url": "http://localhost:9/"})
	sites := 0
	more := func(n int) {
		var rows []obj
		for range n {
			sites++
			rows = append(rows, obj{"name": fmt.Sprint("Site ", sites), "slug": fmt.Sprint("site-", sites), "region": 1, "tags": []int{1}})
		}
		s.Do(t, apitest.Call{Method: "POST", Path: "/api/dcim/sites/", Token: s.Admin, Body: rows}).Want(t, http.StatusCreated)
	}
	// The first two are the session and the account; a list is its page and its count.
	pages := map[string]int64{
		"/":                               2 + 1 + 17, // the change log; a count for each type, in one round trip
		"/dcim/sites/":                    2 + 2,
		"/dcim/sites/1/":                  2 + 5,
		"/dcim/sites/1/edit/":             2 + 2,
		"/dcim/sites/add/":                2 + 1,
		"/dcim/sites/1/changelog/":        2 + 3,
		"/dcim/sites/choices/?typed=site": 2 + 1,
		"/system/tasks/":                  2 + 6,
		"/extras/webhooks/1/":             2 + 9,
		"/user/tokens/":                   2 + 2,
	}
	for _, n := range []int{1, 60} {
		more(n)
		for path, want := range pages {
			for range 2 { // the first prepares, and looks whether a worker is alive
				wire.Statements.Store(0)
				b.get(t, path).Want(t, http.StatusOK)
			}
			if got := wire.Statements.Load(); got != want {
				t.Errorf("%s with %d sites: %d statements, want %d", path, sites, got, want)
			}
		}
	}
}
