package rest

import (
	"net/http"

	"terrier/internal/ledger"
)

// preferencesPath is where callers read and change what they have chosen about the pages.
const preferencesPath = "/api/users/config/"

// preferencesRoute is its address.
func (a *API) preferencesRoute() Route {
	whole := object{"type": "object", "additionalProperties": true}
	return Route{Pattern: preferencesPath + "{$}", Methods: []string{http.MethodGet, http.MethodPatch},
		Actions: map[string]action{
			http.MethodGet: {summary: "Read your preferences", status: http.StatusOK, answer: whole},
			http.MethodPatch: {summary: "Merge an object into your preferences, key by key at every depth", status: http.StatusOK, answer: whole,
				body: whole},
		},
		handle: map[string]http.HandlerFunc{http.MethodGet: loggedIn(a, a.preferences), http.MethodPatch: loggedIn(a, a.setPreferences)}}
}

func (a *API) preferences(w http.ResponseWriter, r *http.Request) {
	set, err := a.Ledger.Preferences(r.Context(), ledger.CallerFrom(r.Context()))
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	a.sendValue(w, r, http.StatusOK, set)
}

func (a *API) setPreferences(w http.ResponseWriter, r *http.Request) {
	in, err := decode(w, r, false)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	set, err := a.Ledger.SetPreferences(r.Context(), ledger.CallerFrom(r.Context()), in.items[0])
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	a.sendValue(w, r, http.StatusOK, set)
}
