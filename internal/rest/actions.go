package rest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/drawing"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// action describes what a method does at an address that is neither a list of records nor a record.
type action struct {
	Declared   *record.Action // nil for what is not of records
	summary    string
	status     int
	answer     any
	media      string // of the answer, "" for JSON
	also       object // what else the answer may be, by media type
	body       object // nil for none
	parameters []object
	failures   object // responses by status, besides those of every address
}

// actionRoutes lists the addresses of the actions that types declare.
func (a *API) actionRoutes() []Route {
	var routes []Route
	for _, t := range a.Registry.Types() {
		for i := range t.Actions {
			declared := &t.Actions[i]
			if declared.PagesOnly {
				continue
			}
			pattern := declared.Path() + "{$}"
			n := slices.IndexFunc(routes, func(r Route) bool { return r.Pattern == pattern })
			if n < 0 {
				n = len(routes)
				routes = append(routes, Route{Pattern: pattern, Type: t, Detail: !declared.OnList, Actions: map[string]action{},
					handle: map[string]http.HandlerFunc{}})
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
		sent, err := a.actionInput(w, r, declared)
		if err == nil && !declared.OnList {
			id, err = pathID(declared.Type(), r)
		}
		var answer any
		if err == nil {
			answer, err = a.Ledger.Act(r.Context(), ledger.CallerFrom(r.Context()), declared, id, sent.items...)
		}
		if err != nil && !sent.bulk && !declared.ListErrors {
			err = single(err)
		}
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		status := actionStatus(declared)
		switch x := answer.(type) {
		case record.Picture:
			a.sendPicture(w, r, x)
		case []map[string]any:
			if declared.Paged {
				a.sendPaged(w, r, x)
				return
			}
			a.sendValue(w, r, status, a.shown(x))
		case record.Values:
			a.sendRecord(w, r, status, x)
		case []record.Values:
			if declared.Adds != "" && !sent.bulk && len(x) == 1 {
				a.sendRecord(w, r, status, x[0])
				return
			}
			a.sendRecords(w, r, status, declared.Answers(), x)
		default:
			a.sendValue(w, r, status, x)
		}
	}
}

// sendPaged answers with a page of a list that is not of records.
func (a *API) sendPaged(w http.ResponseWriter, r *http.Request, all []map[string]any) {
	params, err := ledger.Params(r.URL.RawQuery)
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	page, next, previous := ledger.Part(params, all)
	a.sendPart(w, r, part{r.URL.Path, len(all), next, previous, a.shown(page)})
}

// shown replaces records by their brief form, and fields by what their record shows.
func (a *API) shown(items []map[string]any) []map[string]any {
	for _, item := range items {
		for name, value := range item {
			switch x := value.(type) {
			case record.Values:
				item[name] = json.RawMessage(a.Printer.Append(nil, x, x.Type().Plan(record.View{Brief: true})))
			case record.Shown:
				item[name] = json.RawMessage(x.Of.Type().Field(x.Field).Append(nil, x.Of.Get(x.Field), a.Printer))
			}
		}
	}
	return items
}

// svgType is the media type of a picture.
const svgType = "image/svg+xml"

// sendPicture answers with a picture as a file. It has nothing that runs, and may load nothing.
func (a *API) sendPicture(w http.ResponseWriter, r *http.Request, p record.Picture) {
	d, err := drawing.Make(p.Drawing, p.Label, p.Data, drawing.Links{Record: func(v record.Values) string {
		return a.Printer.Base + strings.TrimPrefix(v.Type().Path(), "/api") + v.Type().FormatID(v.ID()) + "/"
	}})
	if err != nil {
		a.Fail(w, r, err)
		return
	}
	file := d.SVG()
	a.headers(w)
	w.Header().Set("Content-Type", svgType)
	w.Header().Set("Content-Security-Policy", "default-src 'none'")
	w.Header().Set("Content-Length", strconv.Itoa(len(file)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(file) // a caller that has gone away is not an error here
	}
}

func actionStatus(declared *record.Action) int {
	switch {
	case declared.Queued:
		return http.StatusAccepted
	case declared.Adds != "":
		return http.StatusCreated
	}
	return http.StatusOK
}

// actionInput reads the input of an action: from the address if it reads, else from the body. A dry_run in the wrong
// place would not be dry, so it is refused.
func (a *API) actionInput(w http.ResponseWriter, r *http.Request, declared *record.Action) (body, error) {
	params, err := ledger.Params(r.URL.RawQuery)
	if err != nil {
		return body{}, err
	}
	params.Del("format")
	if !declared.Writes() {
		if declared.Paged {
			params.Del("limit")
			params.Del("offset")
		}
		sent := ledger.Input{}
		for name, values := range params {
			if sent[name] = values[0]; isList(declared.Input().Field(name)) {
				sent[name] = anyOf(values)
			}
		}
		if declared.Limited {
			sent["limit"] = json.Number(strconv.Itoa(ledger.LimitOf(params)))
		}
		return body{items: []ledger.Input{sent}}, nil
	}
	if names := slices.Sorted(maps.Keys(params)); len(names) > 0 {
		return body{}, fault.Field(names[0], "An action takes nothing from the address: put it into the body.")
	}
	if declared.Adds != "" {
		sent, err := decode(w, r, true)
		if err != nil {
			return sent, err
		}
		return sent, a.judgeKeys(w, r, sent, append(keysOf(declared.Answers()), keysOf(declared.Input())...))
	}
	none := body{items: []ledger.Input{nil}}
	if declared.TakesNothing() && r.ContentLength == 0 {
		return none, nil
	}
	value, err := decodeValue(w, r, false)
	if err != nil {
		return body{}, err
	}
	sent, ok := value.(ledger.Input)
	if !ok && (value != nil || !declared.TakesNothing()) { // some clients send null for nothing
		return body{}, errNoObject
	}
	return body{items: []ledger.Input{sent}}, nil
}

// isList reports whether a field takes several texts, which an address repeats its name for.
func isList(f record.Field) bool { return f != nil && f.Column().Storage == record.StoreTexts }

func anyOf(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

// describeAction returns what an action takes and answers, for the API document.
func describeAction(declared *record.Action) action {
	out := action{Declared: declared, summary: declared.Doc, status: actionStatus(declared), answer: ref(declared.Answers().SchemaName(""))}
	switch {
	case declared.Paged:
		out.answer = pageOf(declared.Answer)
	case declared.Answer != nil:
		out.answer = declared.Answer
	case declared.Adds != "":
		out.answer = oneOrMany(out.answer)
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
	taken := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		taken["required"] = required
	}
	switch {
	case declared.Adds != "": // the action sets some fields of the new record itself, so none is required
		out.body = oneOrMany(object{"allOf": []any{ref(declared.Answers().SchemaName("Patched")), taken}})
	case len(properties) == 0:
	case !declared.Writes():
		for _, in := range t.Infos() {
			out.parameters = append(out.parameters, object{"name": in.Name, "in": "query", "description": cmp.Or(in.Help, in.Label+"."),
				"schema": properties[in.Name]})
		}
	default:
		taken["additionalProperties"] = false
		out.body = taken
	}
	if declared.Paged {
		out.parameters = append(out.parameters, pageParameters()...)
	}
	return out
}

// oneOrMany is a value, or a list of such values.
func oneOrMany(one any) object {
	return object{"oneOf": []any{one, object{"type": "array", "items": one}}}
}

// describe writes an action into its entry of the API document.
func (x action) describe(op, responses object) {
	op["summary"] = x.summary
	done := response("Done.", x.answer)
	if x.Declared != nil && x.Declared.Draws {
		done["content"].(object)[svgType] = object{"schema": object{"type": "string"}}
	}
	if x.media != "" {
		done["content"] = object{x.media: object{"schema": x.answer}}
	}
	maps.Copy(done["content"].(object), x.also)
	responses[strconv.Itoa(x.status)] = done
	maps.Copy(responses, x.failures)
	if x.parameters != nil {
		op["parameters"] = x.parameters
	}
	if x.body != nil {
		op["requestBody"] = object{"required": x.Declared == nil || !x.Declared.TakesNothing(), "content": content(x.body)}
	}
}
