package rest

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

// summaryOf says in a few words what a method does at an address. Actions and addresses without a type say it themselves.
func summaryOf(r Route, method string) string {
	switch {
	case r.Type == nil:
		return r.Summary
	case r.Detail:
		one := " one " + r.Type.Title()
		return map[string]string{"GET": "Get" + one, "PUT": "Update" + one + ", with all required fields",
			"PATCH": "Update some fields of" + one, "DELETE": "Delete" + one, "OPTIONS": "Describe the fields of" + one}[method]
	}
	many := r.Type.PluralTitle()
	return map[string]string{"GET": "List " + many, "POST": "Create one or several " + many,
		"PUT": "Update several " + many + ", each with all required fields", "PATCH": "Update some fields of several " + many,
		"DELETE": "Delete several " + many, "OPTIONS": "Describe the fields of " + many}[method]
}

// tags describes the sections of the API by what their types are about.
func (a *API) tags() []object {
	texts := map[string][]string{"api": {"The API itself: its addresses, versions and this document"}}
	apps := []string{"api"}
	for _, t := range a.Registry.Types() {
		if texts[t.App] == nil {
			apps = append(apps, t.App)
		}
		if name := t.Section; !slices.Contains(texts[t.App], name) {
			texts[t.App] = append(texts[t.App], name)
		}
	}
	slices.Sort(apps)
	tags := make([]object, len(apps))
	for i, app := range apps {
		tags[i] = object{"name": app, "description": strings.Join(texts[app], ", ") + "."}
	}
	return tags
}

// parameterTexts say what the parameters mean that many addresses have.
var parameterTexts = map[string]string{
	"brief":    "true shows only id, url, display and the natural keys.",
	"fields":   "Show only these fields, separated by commas.",
	"omit":     "Leave out these fields, separated by commas.",
	"limit":    "Results on a page: 50 by default, at most 1000; 0 means 1000.",
	"offset":   "Skip this many results.",
	"cursor":   "Where to continue: part of next and previous.",
	"ordering": "Fields to sort by, separated by commas; -name for descending.",
	"count":    "capped stops counting at 10001 records. The header X-Count says so.",
	"q":        "Search for this text, in upper or lower case.",
	"id":       "The id.",
}

// parameters returns those that say how records are shown.
func parameters(names ...string) []object {
	out := make([]object, len(names))
	for i, name := range names {
		out[i] = object{"name": name, "in": "query", "description": parameterTexts[name], "schema": object{"type": "string"}}
	}
	return out
}

// lookupTexts say what a field is or does that a lookup finds.
var lookupTexts = map[record.Lookup]string{
	"n":  "is none of these values",
	"ic": "contains one of these texts, ignoring case", "nic": "contains none of these texts, ignoring case",
	"isw": "begins with one of these texts, ignoring case", "nisw": "begins with none of these texts, ignoring case",
	"iew": "ends with one of these texts, ignoring case", "niew": "ends with none of these texts, ignoring case",
	"ie": "is one of these texts, ignoring case", "nie": "is none of these texts, ignoring case",
	"empty": "is empty (true) or not (false)",
	"lt":    "is less than this value", "lte": "is at most this value", "gt": "is greater than this value", "gte": "is at least this value",
	"net_contained": "is within this network", "net_contained_or_equal": "is this network, or within it",
	"net_contains": "contains this network", "net_contains_or_equals": "is this network, or contains it",
	"net_covers": "is this network, or contains it", "net_host": "has one of these hosts", "net_masked": "is the network of this address",
	"net_host_contained": "has a host within this network", "family": "is of this family: 4 or 6", "net_mask_length": "has this length",
}

// lookupList says what each lookup finds.
func lookupList() string {
	var list []string
	for _, lookup := range slices.Sorted(maps.Keys(lookupTexts)) {
		list = append(list, "`__"+string(lookup)+"` "+lookupTexts[lookup])
	}
	return strings.Join(list, "; ")
}

func filterParameters(names []string) []object {
	out := make([]object, len(names))
	for i, name := range names {
		out[i] = object{"name": name, "in": "query", "schema": object{"type": "array", "items": object{"type": "string"}}}
		switch {
		case slices.Contains(ledger.SavedNames, name):
			out[i]["description"] = "Add the parameters of these saved filters."
		case name == "tag":
			out[i]["description"] = "Has all of these tags, by slug."
		case !strings.Contains(name, "__"):
			out[i]["description"] = "One of these values."
		}
		if strings.HasSuffix(name, "__"+string(record.Empty)) {
			out[i]["schema"] = object{"type": "boolean"}
		}
	}
	return out
}

// failureTexts describe the error responses of any operation, by status.
var failureTexts = map[string]string{"403": "You are not logged in, or do not have permission.", "404": "There is no such record.",
	"409": "Other records prevent the deletion, or too little is free.", "412": "Somebody else has changed the record.",
	"413": "The request is too large.", "414": "The address is too long.",
	"415": "The request has a content type that this address does not take.",
	"429": "Too many attempts, or too many large requests.", "500": "An error of the server.",
	"503": "It took too long, others use the same records, or the database can't be reached."}

// idParameter is the id of a record in its address.
func idParameter(t *record.Type) object {
	return object{"name": "id", "in": "path", "required": true, "description": "The id of the " + t.Title() + ".", "schema": t.IDSchema()}
}

// optionsOperation describes the method that describes a type.
func optionsOperation(r Route) object {
	op := object{"operationId": operationID(r, http.MethodOptions), "tags": []string{tagOf(r)}, "summary": summaryOf(r, http.MethodOptions),
		"responses": failures(r, http.MethodOptions)}
	op["responses"].(object)["200"] = response("Its fields and choices.", object{"type": "object", "additionalProperties": true})
	return op
}
