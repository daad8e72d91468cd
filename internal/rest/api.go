// Package rest owns the REST API: its addresses, bodies, status codes and the document that describes them, all
// derived from the registry.
//
// Every request is handled the same way: find the type, decode the body, ask the ledger, encode. The server has found
// out who the caller is; the ledger decides what they may do.
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"terrier/internal/account"
	"terrier/internal/fault"
	"terrier/internal/feed"
	"terrier/internal/intake"
	"terrier/internal/ledger"
	"terrier/internal/packed"
	"terrier/internal/record"
	"terrier/internal/webhookadmin"
)

// Version is the dialect served: what clients compare with the versions they know.
const Version = "3.5"

// releaseVersion is the release of the dialect: clients have lists of those that they were tested with.
const releaseVersion = Version + ".9"

// API serves the records of a ledger.
type API struct {
	Ledger   *ledger.Ledger
	Webhooks *webhookadmin.Admin
	Feed     *feed.Feed
	Registry *record.Registry
	Printer  *record.Printer
	Login    *account.Login
	Proxies  account.Proxies
	Log      *slog.Logger
	Intake   *intake.Gate // shared with the pages

	// StrictBodies refuses writes with a key that their type does not have, whatever the request prefers.
	StrictBodies bool

	ProgramVersion string
	Cookie         string // the session cookie's name

	// Warn has for the key of a type what returns a warning about a record that was saved, "" for none.
	Warn map[string]func(context.Context, record.Values) string

	// Again finds out again who the caller of a request is whose answer lasts.
	Again func(*http.Request) (ledger.Caller, error)

	// Page shows an answer to a person with a browser, Docs the document.
	Page func(http.ResponseWriter, *http.Request, Answer)
	Docs http.HandlerFunc

	documents documents
}

// Route is one address of the API.
type Route struct {
	Pattern string
	Summary string            // what it does, if it has no type
	Type    *record.Type      // nil for addresses that are not of records
	Detail  bool              // one record, not the list
	Methods []string          // besides OPTIONS
	Open    bool              // answers anonymous callers
	Secret  bool              // the answer can have a secret, without a Type that says so
	Proves  []string          // methods whose read or transaction proves a claim; for others the caller is looked up
	Actions map[string]action // by method: what it does, if that is neither reading nor writing records
	handle  map[string]http.HandlerFunc
	page    http.HandlerFunc // what a browser gets instead of the answer
}

// Routes lists every address, so that tests can check each.
func (a *API) Routes() []Route {
	get := func(pattern, summary string, h http.HandlerFunc) Route {
		return Route{Pattern: pattern, Summary: summary, Open: true, Methods: []string{"GET"}, handle: map[string]http.HandlerFunc{"GET": h}}
	}
	routes := []Route{
		get("/api/{$}", "List the sections of the API", a.root),
		get("/api/status/{$}", "Show the versions of the server", a.status),
		get("/api/status", "", a.status), // existing clients call it without the slash
		get("/api/schema/{$}", "Get this document", a.schema),
		{Pattern: "/api/docs/{$}", Summary: "Get this document with paths that do not begin with /api", Open: true, Methods: []string{"GET"},
			handle: map[string]http.HandlerFunc{"GET": a.docs}, page: a.Docs},
		{Pattern: "/api/users/tokens/provision/{$}", Summary: "Exchange a user name and a password for a token", Open: true, Secret: true,
			Methods: []string{"POST"}, handle: map[string]http.HandlerFunc{"POST": a.provision}},
	}
	parts := a.partRoutes()
	apps := map[string]bool{}
	for _, t := range a.Registry.Types() {
		if !apps[t.App] {
			apps[t.App] = true
			routes = append(routes, get("/api/"+t.App+"/{$}", "List the record types of "+t.App, a.app(t.App, parts)))
		}
		routes = append(routes, a.listRoute(t), a.detailRoute(t))
	}
	return slices.Concat(routes, a.actionRoutes(), parts, a.contentTypeRoutes(), []Route{a.snapshotRoute(), a.preferencesRoute()})
}

func (a *API) listRoute(t *record.Type) Route {
	r := Route{Pattern: t.Path() + "{$}", Type: t, Methods: []string{"GET"}, handle: map[string]http.HandlerFunc{
		"GET": a.list(t), "OPTIONS": a.options(t)}}
	if !t.ReadOnly {
		r.Methods = append(r.Methods, "POST", "PUT", "PATCH", "DELETE")
		r.handle["POST"] = a.create(t)
		r.handle["PUT"] = a.bulkUpdate(t, true)
		r.handle["PATCH"] = a.bulkUpdate(t, false)
		r.handle["DELETE"] = a.bulkDelete(t)
	}
	r.Proves = proving(t, r.Methods)
	return r
}

func (a *API) detailRoute(t *record.Type) Route {
	r := Route{Pattern: t.Path() + "{id}/{$}", Type: t, Detail: true, Methods: []string{"GET"}, handle: map[string]http.HandlerFunc{
		"GET": a.get(t), "OPTIONS": a.options(t)}}
	if !t.ReadOnly {
		r.Methods = append(r.Methods, "PUT", "PATCH", "DELETE")
		r.handle["PUT"] = a.update(t, true)
		r.handle["PATCH"] = a.update(t, false)
		r.handle["DELETE"] = a.delete(t)
	}
	r.Proves = proving(t, r.Methods)
	return r
}

// proving returns the methods of a type's addresses that prove a claim: all that read or change its records. A change
// of accounts makes every claim stale, also the caller's own, so the caller is looked up at once.
func proving(t *record.Type, methods []string) []string {
	if t.App == "users" {
		return []string{http.MethodGet}
	}
	return methods
}

// Mount puts every route on a mux, and answers the rest of /api/ in the API's own way.
func (a *API) Mount(mux *http.ServeMux) {
	for _, r := range a.Routes() {
		mux.Handle(r.Pattern, handler{packed.Answers(a.browse(r, a.dispatch(r)), r.HoldsSecrets()), r})
	}
	missing := a.browse(Route{}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.Fail(w, r, fault.ErrNotFound) }))
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/") && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			u := *r.URL
			u.Path += "/"
			http.Redirect(w, r, u.RequestURI(), http.StatusMovedPermanently)
			return
		}
		missing.ServeHTTP(w, r)
	})
}

// handler serves a route. The server asks it for Route.ProvesClaim.
type handler struct {
	http.Handler
	Route
}

// ProvesClaim reports whether a method's own read or transaction proves that the rights of a recently known caller
// have not changed. Otherwise the caller must be looked up first.
func (r Route) ProvesClaim(method string) bool {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return slices.Contains(r.Proves, method)
}

// HoldsSecrets reports whether answers of the route can have a secret. They are not compressed.
func (r Route) HoldsSecrets() bool { return r.Secret || r.Type.HoldsSecrets() }

// allowed returns the Allow header of an address.
func allowed(r Route) string {
	methods := slices.Clone(r.Methods)
	if slices.Contains(methods, http.MethodGet) {
		methods = append(methods, http.MethodHead)
	}
	return strings.Join(append(methods, http.MethodOptions), ", ")
}

// dispatch picks the method's handler.
func (a *API) dispatch(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("API-Version", Version)
		method := r.Method
		if method == "HEAD" {
			method = "GET"
		}
		if h, ok := route.handle[method]; ok {
			leave, err := a.admit(w, route, method, r)
			if err != nil {
				a.Fail(w, r, err)
				return
			}
			defer leave()
			h(w, r)
			return
		}
		w.Header().Set("Allow", allowed(route))
		if method == "OPTIONS" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		a.Fail(w, r, fault.New(fault.NotAllowed, "Method %q not allowed.", r.Method))
	})
}
