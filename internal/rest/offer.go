package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// offer adds what the caller may do at an address.
func (a *API) offer(r *http.Request, route Route, out *Answer) {
	c := ledger.CallerFrom(r.Context())
	for _, method := range route.Methods {
		if a.may(c, route, method) == nil {
			out.Methods = append(out.Methods, method)
		}
	}
	t := route.Type
	switch {
	case t == nil:
	case route.Actions != nil:
		out.Input = exampleOf(route.Actions[http.MethodPost].body)
	case route.Detail:
		a.offerRecord(r, t, out)
	default:
		out.Filters = slices.Concat(ledger.SavedNames, t.FilterNames())
		out.Input, out.Bulk = inputOf(t, record.Values{}), "[\n  {\n    \"id\": 0\n  }\n]"
	}
}

// may returns why the caller may not use a method of an address, or nil. Pages do not offer to exchange a password
// for a token: there is a page for tokens.
func (a *API) may(c ledger.Caller, route Route, method string) error {
	declared := route.Actions[method].Declared
	switch {
	case declared != nil:
		return a.Ledger.AllowAction(c, declared)
	case route.Type != nil:
		return a.Ledger.Allow(c, route.Type, rights[method])
	case method != http.MethodGet:
		return fault.ErrDenied
	}
	return nil
}

// offerRecord offers to change or delete the record as it is now. A record that can't be read can't be changed.
func (a *API) offerRecord(r *http.Request, t *record.Type, out *Answer) {
	c := ledger.CallerFrom(r.Context())
	var v record.Values
	id, err := pathID(t, r)
	if err == nil {
		v, err = a.Ledger.Get(r.Context(), c, t, id)
	}
	may := map[string]bool{access.View: err == nil}
	for _, action := range []string{access.Change, access.Delete} {
		if err == nil {
			may[action], err = a.Ledger.May(r.Context(), c, v, action)
		}
	}
	out.Methods = slices.DeleteFunc(out.Methods, func(method string) bool { return !may[rights[method]] })
	if may[access.Change] {
		out.Input = inputOf(t, v)
	}
	if out.Match == "" || out.Status < http.StatusBadRequest {
		out.Match = etag(v.Version)
	}
}

// inputOf returns a record as it would be written: references by id, choices by value. Without a type it is a new one
// with its defaults.
func inputOf(t *record.Type, v record.Values) string {
	b := []byte{'{'}
	for i, f := range t.All() {
		in := t.Infos()[i]
		value := in.Default
		if v.Type() != nil {
			value = v.At(i)
		}
		if in.Widget == record.NoWidget || in.Name == t.Owner || !writable(f, in, value, v.Type() == nil) {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(record.AppendString(b, in.Name), ':')
		b = appendInput(b, f, in, value)
	}
	b = append(b, '}')
	if _, deep := new(shape).Write(b); deep != nil || len(b) > longestInput {
		return "{}" // a form is the wrong place for it, and its indentation alone could fill the memory
	}
	return indented(b)
}

// longestInput is the longest record that a form offers to change.
const longestInput = 64 << 10

// writable leaves out secrets: sent back as null, they would be lost. Those that the caller sees are included, and
// those that a new record must have.
func writable(f record.Field, in record.Info, value any, creation bool) bool {
	if _, secret := record.SecrecyOf(f); !secret {
		return true
	}
	_, seen := value.(record.Plain)
	return seen || creation && in.Required
}

func appendInput(dst []byte, f record.Field, in record.Info, value any) []byte {
	switch x := value.(type) {
	case record.Plain:
		return record.AppendString(dst, string(x))
	case record.Link:
		return strconv.AppendInt(dst, x.ID, 10)
	case []record.Link:
		dst = append(dst, '[')
		for i, l := range x {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, l.ID, 10)
		}
		return append(dst, ']')
	case nil:
		if storage := f.Column().Storage; in.Required && (storage == record.StoreText || storage == record.StoreSealed) {
			return append(dst, `""`...)
		}
	}
	return record.AppendValue(dst, value)
}

// exampleOf returns the smallest body of an action, as a dry run if there is one. Numbers and texts that it may be given are left out.
func exampleOf(body object) string {
	if body == nil {
		return ""
	}
	example, properties := object{}, object{}
	if own, ok := body["properties"].(object); ok {
		properties = own
	}
	for name, property := range properties {
		switch property.(object)["type"] {
		case "boolean":
			example[name] = true
		case "object":
			example[name] = object{}
		}
	}
	return indented(mustEncode(example))
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// withFilter returns the address of a list with the filter that a page's form adds, on its first page.
func withFilter(r *http.Request, params url.Values) string {
	name, value := params.Get(addName), params.Get(addValue)
	for _, done := range []string{addName, addValue, "offset", "cursor"} {
		params.Del(done)
	}
	if name != "" {
		params.Add(name, value)
	}
	return (&url.URL{Path: r.URL.Path, RawQuery: params.Encode()}).RequestURI()
}
