package rest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// contentTypesPath is the list of the record types that there are. Clients look up the id of a type in it.
const contentTypesPath = "/api/extras/content-types/"

// contentTypeFilters are the filters of the list.
var contentTypeFilters = []string{"id", "app_label", "model", "q"}

// contentTypeRoutes lists the addresses of the types. Everybody who is logged in may read them.
func (a *API) contentTypeRoutes() []Route {
	get := func(pattern string, describe action, h http.HandlerFunc) Route {
		describe.status = http.StatusOK
		return Route{Pattern: pattern, Methods: []string{"GET"}, Actions: map[string]action{"GET": describe},
			handle: map[string]http.HandlerFunc{"GET": loggedIn(a, h)}}
	}
	return []Route{
		get(contentTypesPath+"{$}", action{summary: "List the record types", answer: pageOf(contentTypeSchema),
			parameters: append(partParameters(contentTypeFilters...), parameters("brief")...)}, a.listContentTypes),
		get(contentTypesPath+"{id}/{$}", action{summary: "Get one record type", answer: contentTypeSchema, parameters: []object{{"name": "id",
			"in": "path", "required": true, "description": "The id of the type.", "schema": object{"type": "integer", "format": "int64"}}}},
			a.getContentType),
	}
}

// loggedIn refuses callers that are not authenticated.
func loggedIn(a *API, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if c := ledger.CallerFrom(r.Context()); c.Anonymous() {
			a.Fail(w, r, fault.ErrDenied)
			return
		}
		h(w, r)
	}
}

func (a *API) listContentTypes(w http.ResponseWriter, r *http.Request) {
	params, err := a.partParams(r, contentTypeFilters...)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	matches := func(name string, of ...string) bool {
		return !params.Has(name) || slices.ContainsFunc(of, func(value string) bool { return slices.Contains(params[name], value) })
	}
	word := strings.ToLower(params.Get("q"))
	found := slices.DeleteFunc(slices.Clone(a.Registry.Types()), func(t *record.Type) bool {
		return !matches("id", strconv.FormatInt(t.ContentTypeID(), 10)) || !matches("app_label", t.App) || !matches("model", t.Name) ||
			!strings.Contains(t.App, word) && !strings.Contains(t.Name, word)
	})
	slices.SortFunc(found, func(x, y *record.Type) int { return cmp.Or(cmp.Compare(x.App, y.App), cmp.Compare(x.Name, y.Name)) })
	page, next, previous := ledger.Part(params, found)
	shown := make([]object, len(page))
	for i, t := range page {
		shown[i] = a.contentType(t)
	}
	a.sendPart(w, r, part{contentTypesPath, len(found), next, previous, shown})
}

func (a *API) getContentType(w http.ResponseWriter, r *http.Request) {
	for _, t := range a.Registry.Types() {
		if strconv.FormatInt(t.ContentTypeID(), 10) == r.PathValue("id") {
			a.sendValue(w, r, http.StatusOK, a.contentType(t))
			return
		}
	}
	a.Fail(w, r, fault.ErrNotFound)
}

func (a *API) contentType(t *record.Type) object {
	id := strconv.FormatInt(t.ContentTypeID(), 10)
	return object{"id": t.ContentTypeID(), "url": a.Printer.Base + contentTypesPath + id + "/", "display": t.App + " | " + t.Title(),
		"app_label": t.App, "model": t.Name}
}

var contentTypeSchema = object{"type": "object", "required": []string{"id", "url", "display", "app_label", "model"}, "properties": object{
	"id": object{"type": "integer", "format": "int64"}, "url": object{"type": "string", "format": "uri"}, "display": object{"type": "string"},
	"app_label": object{"type": "string"}, "model": object{"type": "string"}}}
