// Package web owns the pages: what people see and fill in, derived from the registry.
//
// There is one list, one record page, one form and one change log for all types. A page goes
// the way of an API request: find the type, read what was typed, ask the ledger, show. Who the
// caller is, the server has found out before; what they may do, the ledger knows, and a page
// offers nothing else. Webhooks, deliveries and tokens have pages of their own besides.
//
// Pages work without JavaScript; htmx refreshes what is live. Nothing stands inline, so that the
// content security policy can forbid it.
package web

import (
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/fault"
	"terrier/internal/intake"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/web/assets"
	"terrier/internal/webhookadmin"
)

// Site serves the pages of a ledger.
type Site struct {
	Ledger   *ledger.Ledger
	Webhooks *webhookadmin.Admin
	Registry *record.Registry
	Login    *account.Login
	Sessions *account.Sessions
	Proxies  account.Proxies
	Log      *slog.Logger
	Intake   *intake.Gate // shared with the API
	BaseURL  string
	Version  string
	Now      func() time.Time
	// Plain answers failures to callers that do not ask for a page.
	Plain func(http.ResponseWriter, *http.Request, error)

	assets    *assets.Set
	templates *template.Template
	types     map[*record.Type]*typePages
	workers   workersSeen
	tasksNav  navLinks
}

// Route is one address of the pages.
type Route struct {
	Method string
	Path   string       // as the mux writes it: /dcim/sites/{id}/{$}
	Type   *record.Type // nil for the pages around the records
	Action string       // what the caller must be allowed to do with some record of the type
	Open   bool         // shown to everybody, logged in or not
	Large  bool         // a body may be as long as a bulk request's
	handle func(*visit) error
}

// Pattern is the route as the mux takes it.
func (r Route) Pattern() string { return r.Method + " " + r.Path }

// Routes lists every page. Tests walk it, so that none is without one.
func (s *Site) Routes() []Route {
	routes := []Route{
		{Method: "GET", Path: "/{$}", handle: s.home},
		{Method: "GET", Path: "/search/{$}", handle: s.search},
		{Method: "GET", Path: "/login/{$}", Open: true, handle: s.loginPage},
		{Method: "POST", Path: "/login/{$}", Open: true, handle: s.login},
		{Method: "POST", Path: "/logout/{$}", Open: true, handle: s.logout},
		{Method: "POST", Path: "/theme/{$}", Open: true, handle: s.setTheme},
	}
	for _, t := range s.Registry.Types() {
		routes = append(routes, s.recordRoutes(t)...)
	}
	return slices.Concat(routes, s.userRoutes(), s.webhookRoutes(), s.taskRoutes())
}

// recordRoutes are the pages that every type has.
func (s *Site) recordRoutes(t *record.Type) []Route {
	p := s.pages(t)
	at := func(method, rest, action string, handle func(*visit) error) Route {
		return Route{Method: method, Path: p.path + rest + "{$}", Type: t, Action: action, handle: handle}
	}
	routes := []Route{
		at("GET", "", access.View, p.list),
		at("GET", "export/", access.View, p.export),
		at("GET", "choices/", access.View, p.choices),
		at("GET", "{id}/", access.View, p.detail),
	}
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

// Build reads the templates and assets. It is called once, before anything is served.
func (s *Site) Build() error {
	s.assets = assets.New()
	s.types = map[*record.Type]*typePages{}
	own := s.ownPages()
	for _, t := range s.Registry.Types() {
		s.types[t] = newTypePages(s, t, own[t.Key()])
	}
	var err error
	if s.templates, err = parsed(); err != nil {
		return err
	}
	for _, p := range s.types {
		if p.nav, err = s.newNavLinks(p.title, p.path); err != nil {
			return err
		}
		if p.home, err = s.newHomeLine(p.title, p.path); err != nil {
			return err
		}
	}
	s.tasksNav, err = s.newNavLinks("Background tasks", tasksPath)
	return err
}

func (s *Site) pages(t *record.Type) *typePages { return s.types[t] }

// What a body may hold: a form, or the rows of an import.
const (
	maxForm   = 1 << 20
	maxImport = intake.Largest
)

// admit lets those in who may see a page at all. Whoever is not logged in is asked to.
func (s *Site) admit(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{site: s, w: w, r: r, ctx: r.Context(), caller: ledger.CallerFrom(r.Context())}
		err := s.allow(v.caller, route)
		if err == nil {
			defer s.Intake.Admit(w, r, route.bodyLimit(v.caller), v.caller.UserID)()
			err = route.handle(v)
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
