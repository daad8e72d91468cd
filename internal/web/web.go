// Package web owns the pages: what people see and fill in, derived from the registry.
//
// There is one list, one record page, one form and one change log for all types. A page goes
// the way of an API request: find the type, read what was typed, ask the ledger, show. Who the
// caller is, the server has found out before; what they may do, the ledger knows, and a page
// offers nothing else. This package knows what every type inherits, and the frame around it. Rooms add to it: hookpages
// the pages of webhooks and deliveries, accountpages login, profile and tokens.
//
// Pages work without JavaScript; htmx refreshes what is live. Nothing stands inline, so that the
// content security policy can forbid it.
package web

import (
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/intake"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/web/assets"
)

// Site serves the pages of a ledger.
type Site struct {
	Ledger   *ledger.Ledger
	Registry *record.Registry
	Log      *slog.Logger
	Intake   *intake.Gate // shared with the API
	BaseURL  string
	Version  string
	Now      func() time.Time
	Rooms    []Room
	// Templates are those of this package and its rooms, from ParseTemplates.
	Templates *template.Template
	// Plain answers failures to callers that do not ask for a page.
	Plain func(http.ResponseWriter, *http.Request, error)

	assets *assets.Set
	types  map[*record.Type]*TypePages
}

// Route is one address of the pages.
type Route struct {
	Method string
	Path   string       // as the mux writes it: /dcim/sites/{id}/{$}
	Type   *record.Type // nil for the pages around the records
	Action string       // what the caller must be allowed to do with some record of the type
	Open   bool         // shown to everybody, logged in or not
	Large  bool         // a body may be as long as a bulk request's
	Handle func(*Visit) error
}

// Pattern is the route as the mux takes it.
func (r Route) Pattern() string { return r.Method + " " + r.Path }

// Routes lists every page. Tests walk it, so that none is without one.
func (s *Site) Routes() []Route {
	routes := []Route{
		{Method: "GET", Path: "/{$}", Handle: s.home},
		{Method: "GET", Path: "/search/{$}", Handle: s.search},
		{Method: "POST", Path: "/theme/{$}", Open: true, Handle: s.setTheme},
	}
	for _, t := range s.Registry.Types() {
		routes = append(routes, s.recordRoutes(t)...)
	}
	for _, room := range s.Rooms {
		routes = append(routes, room.Routes()...)
	}
	return routes
}

// recordRoutes are the pages that every type has.
func (s *Site) recordRoutes(t *record.Type) []Route {
	p := s.Pages(t)
	at := func(method, rest, action string, handle func(*Visit) error) Route {
		return Route{Method: method, Path: p.Path + rest + "{$}", Type: t, Action: action, Handle: handle}
	}
	routes := []Route{
		at("GET", "", access.View, p.list),
		at("GET", "export/", access.View, p.export),
		at("GET", "choices/", access.View, p.choices),
		at("GET", "{id}/", access.View, p.detail),
	}
	routes = append(routes, p.panelRoutes()...)
	routes = append(routes, p.actionRoutes()...)
	if t.ReadOnly {
		return routes
	}
	imports := at("POST", "import/", access.Add, p.importRows)
	imports.Large = true
	return append(routes, imports,
		at("GET", "import/", access.Add, p.importPage),
		at("GET", "{id}/changelog/", access.View, p.changelog),
		at("GET", "add/", access.Add, p.addPage),
		at("POST", "add/", access.Add, p.add),
		at("GET", "{id}/edit/", access.Change, p.editPage),
		at("POST", "{id}/edit/", access.Change, p.edit),
		at("GET", "{id}/delete/", access.Delete, p.deletePage),
		at("POST", "{id}/delete/", access.Delete, p.delete),
		// Somebody who comes back to where several were edited finds the list.
		at("GET", "edit/", access.View, p.toList),
		at("GET", "delete/", access.View, p.toList),
		at("POST", "edit/", access.Change, p.bulkEdit),
		at("POST", "delete/", access.Delete, p.bulkDelete),
	)
}

// Mount puts every page on a mux, and answers the rest in the pages' own way.
func (s *Site) Mount(mux *http.ServeMux) {
	for _, r := range s.Routes() {
		mux.Handle(r.Pattern(), s.admit(r))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.elsewhere(mux, w, r) })
}

// elsewhere answers for an address that no page has: it may want another method. The mux itself
// adds a slash that is missing.
func (s *Site) elsewhere(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	known := func(method, path string) bool {
		other := &http.Request{Method: method, Host: r.Host, URL: &url.URL{Path: path}}
		_, pattern := mux.Handler(other)
		return pattern != "/"
	}
	if path := r.URL.Path; known(http.MethodGet, path) || known(http.MethodPost, path) {
		s.Fail(w, r, fault.New(fault.NotAllowed, "Method %q not allowed.", r.Method))
		return
	}
	s.Fail(w, r, fault.ErrNotFound)
}

// Static serves what the pages load. It asks nobody who they are.
func (s *Site) Static() http.Handler { return s.assets }

// Build works out what can be known before anybody asks. It is called once, before anything is served.
func (s *Site) Build() error {
	s.assets = assets.New()
	s.types = map[*record.Type]*TypePages{}
	own := s.ownPages()
	for _, t := range s.Registry.Types() {
		s.types[t] = newTypePages(s, t, own[t.Key()])
	}
	var err error
	for _, p := range s.types {
		if err = p.checkPanels(); err != nil {
			return err
		}
		if p.nav, err = s.newNavLinks(p.Title, p.Path); err != nil {
			return err
		}
		if p.home, err = s.newHomeLine(p.Title, p.Path); err != nil {
			return err
		}
	}
	if err = s.checkRoutes(); err != nil {
		return err
	}
	for _, room := range s.Rooms {
		for i, nav := range room.Nav {
			if room.Nav[i].links, err = s.newNavLinks(nav.Label, nav.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkRoutes refuses two pages with one address, as a panel could make them, and an action that lacks its page.
func (s *Site) checkRoutes() error {
	seen := map[string]bool{}
	for _, r := range s.Routes() {
		if seen[r.Pattern()] {
			return fmt.Errorf("two pages have the address %s: rename the panel or the action", r.Pattern())
		}
		seen[r.Pattern()] = true
	}
	return s.checkActions(seen)
}

func (s *Site) Pages(t *record.Type) *TypePages { return s.types[t] }

// What a body may hold: a form, or the rows of an import.
const (
	maxForm   = 1 << 20
	maxImport = intake.Largest
)

// admit lets those in who may see a page at all. Whoever is not logged in is asked to.
func (s *Site) admit(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &Visit{Site: s, W: w, R: r, Ctx: r.Context(), Caller: ledger.CallerFrom(r.Context())}
		err := s.allow(v.Caller, route)
		if err == nil {
			defer s.Intake.Admit(w, r, route.bodyLimit(v.Caller), v.Caller.UserID)()
			err = route.Handle(v)
		}
		if err != nil {
			s.Fail(w, r, err)
		}
	})
}

// bodyLimit is how long a body may be. Large ones are for those who were given the right to write: not for what
// everybody may write, such as their own tokens.
func (r Route) bodyLimit(c ledger.Caller) int64 {
	switch {
	case r.Open:
		return intake.Credentials
	case r.Type == nil || r.Type.Owner != "" && !c.Granted(r.Type, r.Action):
		return intake.Small
	case r.Large:
		return maxImport
	}
	return maxForm
}

func (s *Site) allow(c ledger.Caller, route Route) error {
	switch {
	case route.Open:
		return nil
	case route.Type != nil:
		return s.Ledger.Allow(c, route.Type, route.Action)
	case c.Anonymous():
		return fault.ErrNoCreds
	}
	return nil
}
