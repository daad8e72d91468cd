package rest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// action describes what a method does at an address that is neither a list of records nor a record.
type action struct {
	Declared   *record.Action // nil for lists that are not of records
	summary    string
	status     int
	answer     any
	body       object // nil for none
	parameters []object
}

// actionRoutes lists the addresses of the actions that types declare.
func (a *API) actionRoutes() []Route {
	var routes []Route
	for _, t := range a.Registry.Types() {
		for i := range t.Actions {
			declared := &t.Actions[i]
			pattern := declared.Path() + "{$}"
			n := slices.IndexFunc(routes, func(r Route) bool { return r.Pattern == pattern })
			if n < 0 {
				n = len(routes)
				routes = append(routes, Route{Pattern: pattern, Type: t, Detail: !declared.OnList, Actions: map[string]action{}, handle: map[string]http.HandlerFunc{}})
			}
			r := &routes[n]
			r.Methods = append(r.Methods, declared.Method)
			r.Actions[declared.Method], r.handle[declared.Method] = describeAction(declared), a.act(declared)
		}
	}
	return routes
}

// act runs an action and sends its answer.
func (a *API) act(declared *record.Action) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var id int64
		sent, err := actionInput(w, r, declared)
		if err == nil && !declared.OnList {
			id, err = pathID(declared.Type(), r)
		}
		var answer any
		if err == nil {
			answer, err = a.Ledger.Act(r.Context(), ledger.CallerFrom(r.Context()), declared, id, sent)
		}
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		switch x := answer.(type) {
		case record.Values:
			a.sendRecord(w, r, actionStatus(declared), x)
		default:
			a.sendValue(w, r, actionStatus(declared), x)
		}
	}
}

func actionStatus(declared *record.Action) int {
	if declared.Queued {
		return http.StatusAccepted
	}
	return http.StatusOK
}

// actionInput reads the input of an action: from the address if it reads, else from the body. A dry_run in the wrong
// place would not be dry, so it is refused.
func actionInput(w http.ResponseWriter, r *http.Request, declared *record.Action) (ledger.Input, error) {
	params, err := ledger.Params(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	params.Del("format")
	if !declared.Writes() {
		sent := ledger.Input{}
		for name, values := range params {
			sent[name] = values[0]
		}
		return sent, nil
	}
	if names := slices.Sorted(maps.Keys(params)); len(names) > 0 {
		return nil, fault.Field(names[0], "An action takes nothing from the address: put it into the body.")
	}
	takesNothing := len(declared.Body) == 0
	if takesNothing && r.ContentLength == 0 {
		return nil, nil
	}
	value, err := decodeValue(w, r, false)
	if err != nil {
		return nil, err
	}
	sent, ok := value.(ledger.Input)
	if !ok && (value != nil || !takesNothing) { // some clients send null for nothing
		return nil, errNoObject
	}
	return sent, nil
}

// describeAction returns what an action takes and answers, for the API document.
func describeAction(declared *record.Action) action {
	out := action{Declared: declared, summary: declared.Doc, status: actionStatus(declared), answer: ref(declared.Type().SchemaName(""))}
	if declared.Answer != nil {
		out.answer = declared.Answer
	}
	t := declared.Input()
	properties, required := object{}, []string{}
	for i, f := range t.All() {
		in := t.Infos()[i]
		properties[in.Name] = object(described(f.InputSchema(), in))
		if in.Required {
			required = append(required, in.Name)
		}
	}
	switch {
	case len(properties) == 0:
	case !declared.Writes():
		for _, in := range t.Infos() {
			out.parameters = append(out.parameters, object{"name": in.Name, "in": "query", "schema": properties[in.Name]})
		}
	default:
		out.body = object{"type": "object", "additionalProperties": false, "properties": properties}
		if len(required) > 0 {
			out.body["required"] = required
		}
	}
	return out
}

// describe writes an action into its entry of the API document.
func (x action) describe(op, responses object) {
	op["summary"] = x.summary
	responses[strconv.Itoa(x.status)] = response("Done.", x.answer)
	if x.parameters != nil {
		op["parameters"] = x.parameters
	}
	if x.body != nil {
		op["requestBody"] = object{"required": true, "content": content(x.body)}
	}
}
