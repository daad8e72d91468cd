// Package web owns the pages: what people see and fill in, derived from the registry.
//
// There is one list, one record page, one form and one change log for all types. A page works like an API request: find the type, parse
// what was typed, ask the ledger, show. The server has identified the caller before. The ledger knows what the caller may do, and a page
// offers nothing else. This package has the pages that every type gets, and the frame around them. Rooms add to it: hookpages has the
// pages of webhooks and deliveries, accountpages has login, profile and tokens.
//
// Pages work without JavaScript. htmx refreshes live parts. No script or style is inline, so that the content security policy can forbid
// it.
package web

import (
	"context"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/intake"
	"terrier/internal/ledger"
	"terrier/internal/packed"
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
	MapsURL  string // the address of a map, with {place}; "" for none
	Version  string
	Now      func() time.Time
	Rooms    []Room
	// Templates are the templates of this package and its rooms, from ParseTemplates.
	Templates *template.Template
	// Warn has for the key of a type what returns a warning about a record that was saved, "" for none.
	Warn map[string]func(context.Context, record.Values) string
	// Plain answers failures of clients that do not ask for a page.
	Plain func(http.ResponseWriter, *http.Request, error)

	assets *assets.Set
	types  map[*record.Type]*TypePages
}

// Route is one address of the pages.
type Route struct {
	Method string
	Path   string       // as the mux writes it: /dcim/sites/{id}/{$}
	Type   *record.Type // nil for pages that belong to no type
	Action string       // what the caller must be allowed to do with some record of the type
	Open   bool         // shown to everybody, logged in or not
	Secret bool         // the page can have a secret, without a Type that says so
	Large  bool         // the body may be as long as that of a bulk request
	Handle func(*Visit) error

	Superuser bool // shown to superusers alone
}

// Pattern returns the route as the mux takes it.
func (r Route) Pattern() string { return r.Method + " " + r.Path }

// HoldsSecrets reports whether the page can have a secret. Such a page is not compressed.
func (r Route) HoldsSecrets() bool { return r.Secret || r.Type.HoldsSecrets() }

// Routes returns every page. Tests go through the list, so that every page has a test.
func (s *Site) Routes() []Route {
	routes := []Route{
		{Method: "GET", Path: "/{$}", Handle: s.home},
		{Method: "POST", Path: "/arrange/{$}", Handle: s.arrangeCards},
		{Method: "GET", Path: "/search/{$}", Handle: s.search},
		{Method: "POST", Path: "/theme/{$}", Open: true, Handle: s.setTheme},
		{Method: "GET", Path: filePath, Open: true, Handle: s.file}, // the ledger decides who may see it
	}
	for _, t := range s.Registry.Types() {
		routes = append(routes, s.recordRoutes(t)...)
	}
	for _, room := range s.Rooms {
		routes = append(routes, room.Routes()...)
	}
	return routes
}

// recordRoutes returns the pages that every type has.
func (s *Site) recordRoutes(t *record.Type) []Route {
	p := s.Pages(t)
	at := func(method, rest, action string, handle func(*Visit) error) Route {
		return Route{Method: method, Path: p.Path + rest + "{$}", Type: t, Action: action, Handle: handle}
	}
	routes := []Route{
		at("GET", "", access.View, p.list),
		at("GET", "export/", access.View, p.export),
		at("GET", "choices/", access.View, p.choices),
		at("POST", "columns/", access.View, p.chooseColumns),
		at("GET", "columns/", access.View, p.toList),
		at("GET", "{id}/", access.View, p.detail),
	}
	routes = append(routes, p.savedRoutes()...)
	routes = append(routes, p.panelRoutes()...)
	routes = append(routes, p.actionRoutes()...)
	if t.ReadOnly {
		return routes
	}
	imports, add, edit := at("POST", "import/", access.Add, p.importRows), at("POST", "add/", access.Add, p.add),
		at("POST", "{id}/edit/", access.Change, p.edit)
	imports.Large, add.Large, edit.Large = true, len(t.Uploads()) > 0, len(t.Uploads()) > 0
	return append(routes, imports, add, edit,
		at("GET", "import/", access.Add, p.importPage),
		at("GET", "{id}/changelog/", access.View, p.changelog),
		at("GET", "add/", access.Add, p.addPage),
		at("GET", "{id}/edit/", access.Change, p.editPage),
		at("GET", "{id}/restore/", access.Change, p.restorePage),
		at("POST", "{id}/restore/", access.Change, p.restore),
		at("GET", "{id}/delete/", access.Delete, p.deletePage),
		at("POST", "{id}/delete/", access.Delete, p.delete),
		// The bulk forms are sent to these addresses with POST, as the chosen columns are. A GET leads to the list.
		at("GET", "edit/", access.View, p.toList),
		at("GET", "delete/", access.View, p.toList),
		at("POST", "edit/", access.Change, p.bulkEdit),
		at("POST", "delete/", access.Delete, p.bulkDelete),
	)
}

// Mount adds every page to a mux. It answers all other addresses with an error page. The mux itself adds a missing slash.
func (s *Site) Mount(mux *http.ServeMux) {
	addresses := map[string]address{}
	for _, r := range s.Routes() {
		if addresses[r.Path] == nil {
			addresses[r.Path] = address{}
		}
		addresses[r.Path][r.Method] = packed.Answers(s.admit(r), r.HoldsSecrets())
	}
	for path, methods := range addresses {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if page := methods.page(r.Method); page != nil {
				page.ServeHTTP(w, r)
				return
			}
			s.Fail(w, r, fault.New(fault.NotAllowed, "Method %q not allowed.", r.Method))
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.Fail(w, r, fault.ErrNotFound) })
}

// address is what one address serves, by method.
type address map[string]http.Handler

func (a address) page(method string) http.Handler {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return a[method]
}

// Static serves the files that pages load, to everybody.
func (s *Site) Static() http.Handler { return s.assets }

// Build prepares everything that does not depend on a request. It is called once, before anything is served.
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

// checkRoutes refuses two pages with one address, which a panel could cause, and an action that lacks its page.
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

// The longest bodies: of a form, and of an import.
const (
	maxForm   = 1 << 20
	maxImport = intake.Largest
)

// admit returns the handler of a route for callers who may see it. Others are refused, or redirected to the login if they are not logged
// in.
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

// bodyLimit returns how long a body may be. Large bodies need a right that was given to the caller. The right to write one's own records,
// such as tokens, is not enough, because everybody has it.
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
	case route.Superuser && !c.Superuser:
		return fault.ErrDenied
	}
	return nil
}
