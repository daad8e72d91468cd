package rest

import (
	"io"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"terrier/internal/packed"
	"terrier/internal/record"
)

// documents has the API document in its two forms, each made on first use and kept compressed: with a hundred types
// it has megabytes, and is rarely read.
type documents struct{ full, stripped document }

type document struct {
	once sync.Once
	body packed.Body
}

// schema serves the document with whole paths.
func (a *API) schema(w http.ResponseWriter, r *http.Request) {
	a.sendDocument(w, r, &a.documents.full, "")
}

// docs serves the document to older clients, which expect paths without /api.
func (a *API) docs(w http.ResponseWriter, r *http.Request) {
	a.sendDocument(w, r, &a.documents.stripped, "/api")
}

func (a *API) sendDocument(w http.ResponseWriter, r *http.Request, d *document, strip string) {
	d.once.Do(func() { d.body = packed.Make(func(w io.Writer) { a.openAPI(strip).write(w) }) })
	if indent(r) > 0 {
		a.send(w, r, http.StatusOK, d.body.Unpack())
		return
	}
	a.headers(w)
	w.Header().Add("Vary", "Accept-Encoding")
	d.body.Serve(w, r)
}

// openAPI describes every address, derived from the registry. Parameters are inline, because clients look for their
// names there; what would repeat at every address (the error responses) is defined once and referenced.
func (a *API) openAPI(strip string) members {
	return func(yield func(string, any) bool) {
		_ = yield("openapi", "3.0.3") &&
			yield("info", object{"title": "Terrier REST API", "version": documentVersion(a.ProgramVersion), "description": about,
				"license": object{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}}) &&
			yield("servers", []object{{"url": a.Printer.Base + strip, "description": "This server."}}) &&
			yield("security", []object{{"token": []string{}}, {"cookie": []string{}}}) &&
			yield("tags", a.tags()) &&
			yield("paths", a.paths(strip)) &&
			yield("components", a.components())
	}
}

// about says what would otherwise repeat at every address.
const about = `A register of infrastructure.

Records are shown whole, or with ` + "`brief`" + ` only by id, url, display and natural keys; ` +
	"`fields`" + ` names the only fields to show, ` + "`omit`" + ` those to leave out, separated by commas.

` + "`limit`" + ` is the number of records on a page: 50 by default, 1000 at most; 0 means the most. ` +
	"`offset`" + ` skips records, ` + "`cursor`" + ` says where to go on, as ` +
	"`next` and `previous`" + ` have it. ` + "`ordering`" + ` names the fields to sort by, separated by commas; - for descending. ` +
	"`q`" + ` searches in the text fields. ` + "`count=capped`" + ` stops counting at 10001 records; ` +
	"`X-Count: capped`" + ` says that it did.

All other parameters of a list are filters. A name asks for a value, and two underscores and a lookup behind it compare in another way: ` +
	"`n` not equal, `ic` contains, `isw` begins with, `iew` ends with, `ie` equal but for case, `nic`, `nisw`, `niew`, `nie` not so; " +
	"`lt`, `lte`, `gt`, `gte`" +
	` less, at most, greater, at least; ` + "`empty`" + ` has no value. A filter given several times asks for any of its values, ` +
	"`tag`" + ` for all.`

func (a *API) tags() []object {
	apps := map[string]bool{"api": true}
	for _, t := range a.Registry.Types() {
		apps[t.App] = true
	}
	var tags []object
	for _, app := range slices.Sorted(maps.Keys(apps)) {
		tags = append(tags, object{"name": app, "description": "The " + app + " section."})
	}
	return tags
}

func (a *API) components() members {
	return func(yield func(string, any) bool) {
		_ = yield("securitySchemes", object{
			"token":  object{"type": "apiKey", "in": "header", "name": "Authorization", "description": "Token <key>"},
			"cookie": object{"type": "apiKey", "in": "cookie", "name": a.Cookie}}) &&
			yield("responses", sharedResponses()) &&
			yield("schemas", a.schemas())
	}
}

func (a *API) schemas() members {
	return func(yield func(string, any) bool) {
		ok := yield("Error", object{"type": "object", "required": []string{"detail"},
			"properties": object{"detail": object{"type": "string"}}}) &&
			yield("FieldErrors", object{"type": "object", "description": "Messages by field.", "additionalProperties": true}) &&
			yield("BulkErrors", object{"type": "array", "description": "Messages by field for each object, empty for the good ones.",
				"items": ref("FieldErrors")})
		for _, t := range a.Registry.Types() {
			ok = ok && yield(t.SchemaName(""), readSchema(t)) && yield(t.SchemaName("Brief"), briefSchema(t))
			if !t.ReadOnly {
				ok = ok && yield(t.SchemaName("Writable"), writeSchema(t, true)) && yield(t.SchemaName("Patched"), writeSchema(t, false))
			}
		}
	}
}

func (a *API) paths(strip string) members {
	return func(yield func(string, any) bool) {
		for _, r := range a.Routes() {
			path := strings.TrimSuffix(r.Pattern, "{$}")
			if path == "/api/status" {
				continue
			}
			item := object{}
			if r.Detail {
				item["parameters"] = []object{{"name": "id", "in": "path", "required": true, "description": "The record's id.",
					"schema": r.Type.IDSchema()}}
			}
			for _, method := range r.Methods {
				item[strings.ToLower(method)] = a.operation(r, method)
			}
			if r.Type != nil && r.Actions == nil {
				item["options"] = optionsOperation(r)
			}
			if !yield(strings.TrimPrefix(path, strip), item) {
				return
			}
		}
	}
}

// members are those of a JSON object. Members that are objects themselves are made and written one by one, so that
// the document is never in memory as a whole.
type members iter.Seq2[string, any]

// write writes the object. The writer must take everything.
func (m members) write(w io.Writer) {
	separator := []byte{'{'}
	for name, value := range m {
		head := append(record.AppendString(separator, name), ':')
		if inner, ok := value.(members); ok {
			_, _ = w.Write(head)
			inner.write(w)
		} else {
			_, _ = w.Write(append(head, mustEncode(value)...))
		}
		separator = []byte{','}
	}
	_, _ = w.Write([]byte{'}'})
}
