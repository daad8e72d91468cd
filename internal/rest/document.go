package rest

import (
	"io"
	"iter"
	"net/http"
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

// about is the introduction to the document. It explains the lookups once: said with each filter, they would be a quarter of the document.
var about = `A register of infrastructure: records, the changes made to them, and the webhooks that are notified.

A list has pages: follow ` + "`next`" + ` until it is null. All other parameters of a list are filters. A filter is the name of a ` +
	`field, or a name, two underscores and a lookup: ` + "`name__ic=lis`" + ` finds names that contain "lis". Several values of one filter ` +
	`find records with any of them; several filters must all match. An unknown filter is refused.

The lookups: ` + lookupList() + `.`

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
			yield("BulkErrors", object{"type": "array", "description": "Messages by field for each object; empty for objects without errors.",
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
				item["parameters"] = []object{idParameter(r.Type)}
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
