package rest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

func mustEncode(v any) []byte {
	raw, err := record.EncodeJSON(v)
	if err != nil {
		panic(err) // made of plain values
	}
	return raw
}

type object = map[string]any

// documentVersion returns the program's version, marked if it could be taken for the dialect's: Ansible's inventory
// caches a document of that version forever.
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
	for _, name := range slices.Concat(t.Brief, t.BriefList, onRequest(t)) {
		props[name] = described(t.BriefField(name).Schema(), t.Field(name).Info())
	}
	for _, i := range t.CoreIndex() { // all that a record shows when nested twice
		if in := t.Infos()[i]; in.IsInBrief() {
			required = append(required, in.Name)
		}
	}
	return record.Schema{"type": "object", "description": "One " + t.Title() + ", as other records refer to it.",
		"properties": props, "required": required, "additionalProperties": false}
}

func writeSchema(t *record.Type, whole bool) record.Schema {
	props := record.Schema{}
	var required []string
	aliased := map[string]bool{}
	for i, f := range t.All() {
		in := t.Infos()[i]
		if in.AliasOf != "" {
			props[in.Name], aliased[in.AliasOf] = f.InputSchema(), true
		}
		if in.ReadOnly {
			continue
		}
		if props[in.Name] = f.InputSchema(); whole {
			props[in.Name] = described(f.InputSchema(), in)
		}
		if in.Required && in.Name != t.Owner {
			required = append(required, in.Name)
		}
	}
	if t.Scoped != "" {
		site := record.TargetOf(t.Field(t.Scoped))
		props[record.ScopeType] = record.Schema{"type": "string", "nullable": true, "enum": []any{site.Key(), nil},
			"description": "With " + record.ScopeID + ", another way to give " + t.Scoped + "."}
		props[record.ScopeID] = record.Schema{"type": "integer", "format": "int64", "nullable": true}
	}
	required = slices.DeleteFunc(required, func(name string) bool { return aliased[name] }) // either name will do
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

// invalid and invalidBulk name the two forms of a 400 among the shared responses.
const invalid, invalidBulk = "400", "400-bulk"

// sharedResponses are what operations refer to, by status.
func sharedResponses() object {
	const text = "The request is not valid."
	out := object{invalid: response(text, ref("FieldErrors")),
		invalidBulk: response(text, object{"anyOf": []object{ref("FieldErrors"), ref("BulkErrors")}})}
	for status, text := range failureTexts {
		out[status] = response(text, ref("Error"))
	}
	return out
}

// ofWrites are the failures that reading can't have: it changes nothing and sends no body.
var ofWrites = []string{"409", "412", "413", "415", "429"}

// failures returns the error responses that an operation may give.
func failures(r Route, method string) object {
	shared := func(name string) object { return object{"$ref": "#/components/responses/" + name} }
	reads := method == http.MethodGet || method == http.MethodOptions
	out := object{"400": shared(invalid)}
	declared := r.Actions[method].Declared
	if takesLists := declared != nil && declared.Adds != ""; r.Type != nil && !reads && (!r.Detail || takesLists) {
		out["400"] = shared(invalidBulk)
	}
	for status := range failureTexts {
		if !reads || !slices.Contains(ofWrites, status) {
			out[status] = shared(status)
		}
	}
	return out
}

func (a *API) operation(r Route, method string) object {
	op := object{"operationId": operationID(r, method), "tags": []string{tagOf(r)}, "summary": summaryOf(r, method)}
	responses := failures(r, method)
	op["responses"] = responses
	if r.Open {
		op["security"] = []object{{}, {"token": []string{}}, {"cookie": []string{}}}
	}
	if action, ok := r.Actions[method]; ok {
		action.describe(op, responses)
		return op
	}
	if r.Type == nil {
		a.describeOpen(r, method, op, responses)
		return op
	}
	t := r.Type
	one := ref(t.SchemaName(""))
	many := object{"type": "array", "items": one}
	body := func(schema any) {
		op["requestBody"] = object{"required": true, "content": content(schema)}
		if len(t.Uploads()) > 0 && (r.Detail || method == http.MethodPost) {
			op["requestBody"].(object)["content"].(object)[formMedia] = object{"schema": formSchema(t)}
		}
	}
	listOf := func(schema any) object { return object{"type": "array", "items": schema} }
	withID := func(name string) object {
		return object{"allOf": []any{ref(name), object{"type": "object", "required": []string{"id"},
			"properties": object{"id": object{"type": "integer", "format": "int64"}}}}}
	}
	switch {
	case method == "GET" && r.Detail:
		responses["200"] = response("The record.", object{"anyOf": []object{one, ref(t.SchemaName("Brief"))}})
		op["parameters"] = viewParameters(t)
	case method == "GET":
		page := response("A page of records.", pageSchema(t))
		page["headers"] = object{xCount: object{"description": "Counting stopped: there are at least as many records as count says.",
			"schema": object{"type": "string", "enum": []string{"capped"}}}}
		responses["200"] = page
		op["parameters"] = listParameters(t)
	case method == "POST":
		body(object{"oneOf": []any{ref(t.SchemaName("Writable")), listOf(ref(t.SchemaName("Writable")))}})
		responses["201"] = response("The created record, or records.", object{"oneOf": []any{one, many}})
	case method == "DELETE":
		responses["204"] = object{"description": "Deleted."}
		if !r.Detail {
			body(listOf(object{"type": "object", "required": []string{"id"},
				"properties": object{"id": object{"type": "integer", "format": "int64"}}}))
		}
	default:
		name := map[string]string{"PUT": "Writable", "PATCH": "Patched"}[method]
		if r.Detail {
			body(ref(t.SchemaName(name)))
			responses["200"] = response("The updated record.", one)
		} else {
			body(listOf(withID(t.SchemaName(name))))
			responses["200"] = response("The updated records.", many)
		}
	}
	return op
}

func (a *API) describeOpen(r Route, method string, op, responses object) {
	if method == "POST" { // provisioning
		op["requestBody"] = object{"required": true, "content": content(object{"type": "object",
			"required": []string{"username", "password"}, "properties": object{
				"username": object{"type": "string"}, "password": object{"type": "string", "format": "password"},
				"expires": object{"type": "string", "nullable": true}, "description": object{"type": "string"},
				"write_enabled": object{"type": "boolean"},
				"allowed_ips":   object{"type": "array", "items": object{"type": "string"}}}})}
		responses["201"] = response("The token, with its key.", ref("Token"))
		return
	}
	responses["200"] = response("The response.", object{"type": "object", "additionalProperties": true})
}

func pageSchema(t *record.Type) object {
	return pageOf(object{"anyOf": []object{ref(t.SchemaName("")), ref(t.SchemaName("Brief"))}})
}

func pageOf(item any) object {
	return object{"type": "object", "required": []string{"count", "next", "previous", "results"}, "properties": object{
		"count": object{"type": "integer", "format": "int64"}, "next": object{"type": "string", "nullable": true},
		"previous": object{"type": "string", "nullable": true},
		"results":  object{"type": "array", "items": item}}}
}

func viewParameters(t *record.Type) []object {
	out := parameters("brief", "fields", "omit")
	if names := excludable(t); len(names) > 0 {
		out = append(out, object{"name": "exclude", "in": "query", "description": "Leave out a field, to make the response faster.",
			"schema": object{"type": "array", "items": object{"type": "string", "enum": names}}})
	}
	for _, name := range onRequest(t) {
		out = append(out, object{"name": name, "in": "query", "description": "true also shows this field, which takes more time.",
			"schema": object{"type": "boolean"}})
	}
	return out
}

func pageParameters() []object { return parameters("limit", "offset") }

func listParameters(t *record.Type) []object {
	search := parameters("q")
	if t.SearchNewest > 0 {
		search[0]["description"] = fmt.Sprintf("Search for this text in %s of the newest %d that match the filters.",
			strings.Join(t.Search, " and "), t.SearchNewest)
	}
	count := parameters("count")
	count[0]["schema"] = object{"type": "string", "enum": []string{"exact", "capped"}, "default": "exact"}
	return slices.Concat(viewParameters(t), pageParameters(), parameters("cursor", "ordering"), count, search,
		filterParameters(ledger.SavedNames), filterParameters(t.FilterNames()))
}

// partParameters returns those of a list that is not of records.
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
