package database_test

import (
	"net/http"
	"strings"
	"testing"

	"terrier/test/install"
)

// request is one of the ways into the program that need the database.
type request struct {
	method, path string
	header       http.Header
	body         any
}

// ways are the ways into the program: by token, by session, by login, as pages and as JSON.
func (w *world) ways(site string) []request {
	w.t.Helper()
	page := func(cookie string) http.Header {
		h := http.Header{"Accept": {"text/html"}}
		if cookie != "" {
			h.Set("Cookie", cookie)
		}
		return h
	}
	form := func() http.Header {
		h := page("")
		h.Set("Content-Type", "application/x-www-form-urlencoded")
		return h
	}
	token := http.Header{"Authorization": {"Token " + w.admin}}
	logIn := w.server.Do(http.MethodPost, "/login/", "", object{"username": "admin", "password": "right password"}).Want(w.t,
		http.StatusNoContent)
	session, _, _ := strings.Cut(logIn.Header.Get("Set-Cookie"), ";")
	return []request{
		{http.MethodGet, "/api/dcim/sites/", token, nil},
		{http.MethodGet, site, token, nil},
		{http.MethodPatch, site, token, object{"description": "x"}},
		{http.MethodPost, "/api/dcim/sites/", token, object{"name": "y", "slug": "y"}},
		{http.MethodPost, "/api/extras/deliveries/retry/", token, object{}},
		{http.MethodGet, "/api/dcim/sites/", http.Header{"Authorization": {"Token " + install.RandomHex(20)}}, nil},
		{http.MethodPost, "/api/users/tokens/provision/", http.Header{}, object{"username": "admin", "password": "right password"}},
		{http.MethodGet, "/", page(session), nil},
		{http.MethodGet, "/dcim/sites/", page(session), nil},
		{http.MethodPost, "/login/", form(), "username=admin&password=right+password"},
		{http.MethodPost, "/logout/", page(session), ""},
		{http.MethodGet, "/readyz", http.Header{}, nil},
	}
}

// wantUnavailable: every request is answered with 503 and says when to try again; pages are readable.
func (w *world) wantUnavailable(ways []request) {
	w.t.Helper()
	w.wantNotReady() // its answer is shared for a second
	for _, r := range ways {
		a := w.server.Send(r.method, r.path, r.header, r.body)
		if a.Status != http.StatusServiceUnavailable || !strings.Contains(a.Body, "database") || a.Header.Get("Retry-After") == "" &&
			r.path != "/readyz" {
			w.t.Errorf("%s %s: %d, Retry-After %q: %.300s", r.method, r.path, a.Status, a.Header.Get("Retry-After"), a.Body)
		}
		if r.header.Get("Accept") == "text/html" && !strings.Contains(a.Body, "The database is not available") {
			w.t.Errorf("%s %s: the page does not say what is wrong: %.300s", r.method, r.path, a.Body)
		}
	}
}

// wantNotReady waits until the server says that it is not ready.
func (w *world) wantNotReady() {
	w.t.Helper()
	install.Eventually(w.t, "the server is not ready", func() bool {
		return w.server.Get("/readyz", "").Status == http.StatusServiceUnavailable
	})
}

// recovers waits until the server is ready and a write succeeds.
func (w *world) recovers(site int64, text string) {
	w.t.Helper()
	install.Eventually(w.t, "the server is ready", func() bool { return w.server.Get("/readyz", "").Status == http.StatusOK })
	install.Eventually(w.t, "writes succeed", func() bool { return w.change(site, text).Status == http.StatusOK })
}

// TestDatabaseAway: while the database is stopped every request is answered with 503 and Retry-After. When it is back, so is the
// server, without a restart, and the worker delivers.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	w := newWorld(t, n.url)
	site := w.site("a")
	w.change(site, "before")
	ways := w.ways(path(site))
	for _, mode := range []string{"fast", "immediate"} {
		n.stop(mode)
		w.wantUnavailable(ways)
		n.start()
		w.recovers(site, "after "+mode)
	}
	w.wantOnly(http.StatusOK, http.StatusServiceUnavailable)
	w.audit(install.Connect(t, n.url))
}

// TestReadOnlyDatabase: while the database takes no writes, writes are answered with 503 and Retry-After, reads with 200, and /readyz
// says why it is not ready. The server recovers without a restart.
func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	n := newNode(t)
	w := newWorld(t, n.url)
	site := w.site("a")
	n.set("ALTER SYSTEM SET default_transaction_read_only = on")
	install.Eventually(t, "the server is not ready", func() bool {
		a := w.server.Get("/readyz", "")
		return a.Status == http.StatusServiceUnavailable && strings.Contains(a.Body, "read-only")
	})
	for range 5 {
		a := w.change(site, "x").Want(t, http.StatusServiceUnavailable)
		if a.Header.Get("Retry-After") == "" || !strings.Contains(a.Body, "read-only") {
			t.Errorf("Retry-After %q: %v", a.Header.Get("Retry-After"), a)
		}
		w.server.Get(path(site), w.admin).Want(t, http.StatusOK)
	}
	n.set("ALTER SYSTEM RESET default_transaction_read_only")
	w.recovers(site, "after")
	w.audit(install.Connect(t, n.url))
}
