package rest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"terrier/internal/record"
)

// documents holds the API document in its two forms, made when first asked for.
type documents struct {
	once           sync.Once
	full, stripped []byte
}

func (a *API) document() *documents {
	d := &a.documents
	d.once.Do(func() {
		d.full = mustEncode(a.openAPI(""))
		d.stripped = mustEncode(a.openAPI("/api"))
	})
	return d
}

func mustEncode(v any) []byte {
	raw, err := record.EncodeJSON(v)
	if err != nil {
		panic(err) // made of plain values
	}
	return raw
}

// schema serves the document with whole paths.
func (a *API) schema(w http.ResponseWriter, r *http.Request) {
	a.send(w, r, http.StatusOK, a.document().full)
}

// docs serves the document to older clients, which expect paths without /api.
func (a *API) docs(w http.ResponseWriter, r *http.Request) {
	a.send(w, r, http.StatusOK, a.document().stripped)
}

type object = map[string]any

// openAPI describes every address, derived from the registry.
func (a *API) openAPI(strip string) object {
	schemas := object{"Error": object{"type": "object", "required": []string{"detail"}, "properties": object{"detail": object{"type": "string"}}},
		"FieldErrors": object{"type": "object", "description": "Messages by field.", "additionalProperties": true},
		"BulkErrors": object{"type": "array", "description": "Messages by field for each object, empty for the good ones.",
			"items": object{"$ref": "#/components/schemas/FieldErrors"}}}
	paths := object{}
	var tags []object
	for _, t := range a.Registry.Types() {
		schemas[t.SchemaName("")] = readSchema(t)
		schemas[t.SchemaName("Brief")] = briefSchema(t)
		if !t.Fixed {
			schemas[t.SchemaName("Writable")] = writeSchema(t, true)
			schemas[t.SchemaName("Patched")] = writeSchema(t, false)
		}
	}
	for _, r := range a.Routes() {
		path := strings.TrimSuffix(r.Pattern, "{$}")
		if path == "/api/status" {
			continue
		}
		item := object{}
		if r.Detail {
			item["parameters"] = []object{{"name": "id", "in": "path", "required": true, "description": "The record's id.", "schema": r.Type.IDSchema()}}
		}
		for _, method := range r.Methods {
			item[strings.ToLower(method)] = a.operation(r, method)
		}
		if r.Type != nil && r.Action == nil {
			item["options"] = optionsOperation(r)
		}
		paths[strings.TrimPrefix(path, strip)] = item
	}
	apps := map[string]bool{}
	for _, t := range a.Registry.Types() {
		apps[t.App] = true
	}
	apps["api"] = true
	for _, app := range slices.Sorted(maps.Keys(apps)) {
		tags = append(tags, object{"name": app, "description": "The " + app + " section."})
	}
	return object{
		"openapi": "3.0.3",
		"info": object{"title": "Terrier REST API", "version": documentVersion(a.ProgramVersion), "description": "A register of infrastructure.",
			"license": object{"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"}},
		"servers":  []object{{"url": a.Printer.Base + strip, "description": "This server."}},
		"security": []object{{"token": []string{}}, {"cookie": []string{}}},
		"tags":     tags,
		"paths":    paths,
		"components": object{"schemas": schemas, "securitySchemes": object{
			"token":  object{"type": "apiKey", "in": "header", "name": "Authorization", "description": "Token <key>"},
			"cookie": object{"type": "apiKey", "in": "cookie", "name": a.Cookie},
		}},
	}
}

// documentVersion is the program's version, marked where it could be taken for the dialect's: the inventory of Ansible keeps a
// document of that version for ever.
func documentVersion(program string) string {
	if program = strings.TrimSpace(program); program == "" || strings.HasPrefix(program, Version) {
		return "terrier-" + program
	}
	return program
}

func readSchema(t *record.Type) record.Schema {
	props := record.Schema{"id": t.IDSchema(), "url": object{"type": "string", "format": "uri"}, "display": object{"type": "string"}}
	for i, f := range t.All() {
		if in := t.Infos()[i]; !in.Hidden {
			props[in.Name] = described(f.Schema(), in)
		}
	}
	return record.Schema{"type": "object", "description": t.Doc, "properties": props, "additionalProperties": false}
}

// described adds a field's help, where the schema is not a bare reference.
func described(s record.Schema, in record.Info) record.Schema {
	if _, ref := s["$ref"]; ref || in.Help == "" {
		return s
	}
	out := maps.Clone(s)
	out["description"] = in.Help
	return out
}

func briefSchema(t *record.Type) record.Schema {
	full := readSchema(t)["properties"].(record.Schema)
	props := record.Schema{"id": full["id"], "url": full["url"], "display": full["display"]}
	required := []string{"id", "url", "display"}
	for _, name := range t.Brief {
		props[name] = full[name]
		required = append(required, name)
	}
	return record.Schema{"type": "object", "description": "A " + t.Title() + " as it stands inside other records.", "properties": props, "required": required, "additionalProperties": false}
}

func writeSchema(t *record.Type, whole bool) record.Schema {
	props := record.Schema{}
	var required []string
	for i, f := range t.All() {
		in := t.Infos()[i]
		if in.ReadOnly {
			continue
		}
		props[in.Name] = described(f.InputSchema(), in)
		if in.Required && in.Name != t.Owner {
			required = append(required, in.Name)
		}
	}
	s := record.Schema{"type": "object", "properties": props, "additionalProperties": true}
	if whole && len(required) > 0 {
		s["required"] = required
	}
	return s
}

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func content(schema any) object {
	return object{"application/json": object{"schema": schema}}
}

func response(text string, schema any) object {
	return object{"description": text, "content": content(schema)}
}

// failures are the answers that any operation may give.
func failures(bulk bool) object {
	invalid := any(ref("FieldErrors"))
	if bulk {
		invalid = object{"anyOf": []object{ref("FieldErrors"), ref("BulkErrors")}}
	}
	out := object{"400": response("The input breaks a rule.", invalid)}
	for code, text := range map[string]string{"403": "Not authenticated, or not permitted.", "404": "No such record.", "409": "Held by dependants.",
		"412": "Changed in the meantime.", "413": "Too large.", "414": "The address is too long.", "415": "Not JSON.", "429": "Too many attempts.", "500": "A fault of the server.", "503": "It took too long, others were busy with the same, or the database is not available."} {
		out[code] = response(text, ref("Error"))
	}
	return out
}

func (a *API) operation(r Route, method string) object {
	op := object{"operationId": operationID(r, method), "tags": []string{tagOf(r)}, "summary": summaryOf(r, method)}
	responses := failures(r.Type != nil && !r.Detail)
	op["responses"] = responses
	if r.Open {
		op["security"] = []object{{}, {"token": []string{}}, {"cookie": []string{}}}
	}
	if r.Type == nil {
		a.describeOpen(r, method, op, responses)
		return op
	}
	if r.Action != nil {
		op["summary"] = r.Action.summary
		responses[r.Action.status] = response("Done.", r.Action.answer)
		if r.Action.parameters != nil {
			op["parameters"] = r.Action.parameters
		}
		if r.Action.body != nil {
			op["requestBody"] = object{"required": true, "content": content(r.Action.body)}
		}
		return op
	}
	t := r.Type
	one := ref(t.SchemaName(""))
	many := object{"type": "array", "items": one}
	body := func(schema any) { op["requestBody"] = object{"required": true, "content": content(schema)} }
	listOf := func(schema any) object { return object{"type": "array", "items": schema} }
	withID := func(name string) object {
		return object{"allOf": []any{ref(name), object{"type": "object", "required": []string{"id"}, "properties": object{"id": object{"type": "integer", "format": "int64"}}}}}
	}
	switch {
	case method == "GET" && r.Detail:
		responses["200"] = response("The record.", object{"anyOf": []object{one, ref(t.SchemaName("Brief"))}})
		op["parameters"] = viewParameters()
	case method == "GET":
		responses["200"] = response("A page of records.", pageSchema(t))
		op["parameters"] = listParameters(t)
	case method == "POST":
		body(object{"oneOf": []any{ref(t.SchemaName("Writable")), listOf(ref(t.SchemaName("Writable")))}})
		responses["201"] = response("What was made.", object{"oneOf": []any{one, many}})
	case method == "DELETE":
		responses["204"] = object{"description": "Deleted."}
		if !r.Detail {
			body(listOf(object{"type": "object", "required": []string{"id"}, "properties": object{"id": object{"type": "integer", "format": "int64"}}}))
		}
	default:
		name := map[string]string{"PUT": "Writable", "PATCH": "Patched"}[method]
		if r.Detail {
			body(ref(t.SchemaName(name)))
			responses["200"] = response("As it is now.", one)
		} else {
			body(listOf(withID(t.SchemaName(name))))
			responses["200"] = response("As they are now.", many)
		}
	}
	return op
}

func (a *API) describeOpen(r Route, method string, op, responses object) {
	if method == "POST" { // provisioning
		op["requestBody"] = object{"required": true, "content": content(object{"type": "object", "required": []string{"username", "password"}, "properties": object{
			"username": object{"type": "string"}, "password": object{"type": "string", "format": "password"},
			"expires": object{"type": "string", "nullable": true}, "description": object{"type": "string"}, "write_enabled": object{"type": "boolean"},
			"allowed_ips": object{"type": "array", "items": object{"type": "string"}}}})}
		responses["201"] = response("The token, with its key.", ref("Token"))
		return
	}
	responses["200"] = response("The answer.", object{"type": "object", "additionalProperties": true})
}

func optionsOperation(r Route) object {
	op := object{"operationId": operationID(r, "OPTIONS"), "tags": []string{tagOf(r)}, "summary": "Describe a " + r.Type.Title(), "responses": failures(false)}
	op["responses"].(object)["200"] = response("Its fields and choices.", object{"type": "object", "additionalProperties": true})
	return op
}

func pageSchema(t *record.Type) object {
	return pageOf(object{"anyOf": []object{ref(t.SchemaName("")), ref(t.SchemaName("Brief"))}})
}

func pageOf(item any) object {
	return object{"type": "object", "required": []string{"count", "next", "previous", "results"}, "properties": object{
		"count": object{"type": "integer", "format": "int64"}, "next": object{"type": "string", "nullable": true}, "previous": object{"type": "string", "nullable": true},
		"results": object{"type": "array", "items": item}}}
}

func parameter(name, kind, text string) object {
	return object{"name": name, "in": "query", "description": text, "schema": object{"type": kind}}
}

func viewParameters() []object {
	return []object{parameter("brief", "string", "Only id, url, display and the natural keys."),
		parameter("fields", "string", "Only these fields, separated by commas."), parameter("omit", "string", "All but these fields.")}
}

func listParameters(t *record.Type) []object {
	out := append(viewParameters(), pageParameters()...)
	out = append(out,
		parameter("cursor", "string", "Where to go on, as next and previous say it."),
		parameter("ordering", "string", "Fields to sort by, separated by commas; - for descending."),
		parameter("q", "string", searchText(t)))
	return append(out, filterParameters(t.FilterNames())...)
}

func searchText(t *record.Type) string {
	if t.SearchNewest == 0 {
		return "Search in the text fields."
	}
	return fmt.Sprintf("Search in %s of the newest %d that pass the filters.", strings.Join(t.Search, " and "), t.SearchNewest)
}

func pageParameters() []object {
	return []object{parameter("limit", "string", "Records on a page: 50 by default, 1000 at most; 0 means the most."),
		parameter("offset", "string", "Records to skip.")}
}

func filterParameters(names []string) []object {
	out := make([]object, len(names))
	for i, name := range names {
		out[i] = object{"name": name, "in": "query", "description": "Filter.", "schema": object{"type": "array", "items": object{"type": "string"}}, "explode": true, "style": "form"}
	}
	return out
}

// partParameters are those of a list that is none of records.
func partParameters(filters ...string) []object {
	return append(pageParameters(), filterParameters(filters)...)
}

func tagOf(r Route) string {
	if r.Type != nil {
		return r.Type.App
	}
	return "api"
}

func operationID(r Route, method string) string {
	path := strings.NewReplacer("/api/", "", "{$}", "", "{id}", "one", "/", "_", "-", "_").Replace(r.Pattern)
	return strings.Trim(path, "_") + "_" + strings.ToLower(method)
}

func summaryOf(r Route, method string) string {
	if r.Type == nil {
		return method + " " + strings.TrimSuffix(r.Pattern, "{$}")
	}
	verb := map[string]string{"GET": "Read", "POST": "Create", "PUT": "Replace", "PATCH": "Change", "DELETE": "Delete"}[method]
	if r.Detail {
		return verb + " one " + r.Type.Title()
	}
	return verb + " " + strings.ReplaceAll(r.Type.Plural, "-", " ")
}
