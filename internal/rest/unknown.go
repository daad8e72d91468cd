package rest

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// unknownFields is the header that names the unknown keys of a body, which are ignored.
const unknownFields = "X-Unknown-Fields"

// maxUnknown is how many of them are named.
const maxUnknown = 20

var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// decodeRecords reads a body of records. Keys that their type does not know are ignored, because clients send more
// than there is; the answer names them, so that a person finds a typo.
func (a *API) decodeRecords(w http.ResponseWriter, r *http.Request, t *record.Type, bulk bool) (body, error) {
	in, err := decodeAs(w, r, t, bulk)
	if err != nil {
		return in, err
	}
	return in, a.judgeKeys(w, r, in, keysOf(t))
}

// keysOf lists the keys that a record is shown with.
func keysOf(t *record.Type) []string {
	keys := append(t.ScopeKeys(), ownNames...)
	for _, in := range t.Infos() {
		keys = append(keys, in.Name)
	}
	return keys
}

// judgeKeys names the unknown keys of a body in the answer. If bodies are strict, it refuses them.
func (a *API) judgeKeys(w http.ResponseWriter, r *http.Request, in body, keys []string) error {
	known := make(map[string]bool, len(keys))
	for _, key := range keys {
		known[key] = true
	}
	if names := unknownNames(in.items, known); len(names) > 0 {
		w.Header().Set(unknownFields, strings.Join(names, ", "))
	}
	preferred := prefersStrict(r)
	if preferred {
		w.Header().Set("Preference-Applied", strictHandling)
	}
	if a.StrictBodies || preferred {
		return refuseUnknown(in, known, keys)
	}
	return nil
}

const strictHandling = "handling=strict"

// prefersStrict reports whether a request asks to be refused rather than to be carried out in part (RFC 7240).
func prefersStrict(r *http.Request) bool {
	for _, value := range r.Header.Values("Prefer") {
		for preference := range strings.SplitSeq(value, ",") {
			name, _, _ := strings.Cut(preference, ";")
			if strings.EqualFold(strings.Map(unspaced, name), strictHandling) {
				return true
			}
		}
	}
	return false
}

// unspaced leaves out what may be around the words of a preference.
func unspaced(c rune) rune {
	if strings.ContainsRune(" \t\"", c) {
		return -1
	}
	return c
}

// refuseUnknown returns an error with the unknown keys of each object and the nearest known ones, of at most maxUnknown keys each.
func refuseUnknown(in body, known map[string]bool, keys []string) error {
	errs, bad := make([]fault.Fields, len(in.items)), false
	messages := map[string]error{}
	for i, item := range in.items {
		errs[i] = fault.Fields{}
		for _, name := range slices.Sorted(maps.Keys(item)) {
			if known[name] || len(errs[i]) == maxUnknown {
				continue
			}
			if messages[name] == nil {
				near := keys
				if len(messages) >= maxUnknown {
					near = nil // comparing takes time
				}
				messages[name] = ledger.Unknown("field", name, near)
			}
			if e, ok := errors.AsType[*fault.Error](messages[name]); ok {
				maps.Copy(errs[i], e.Fields)
				bad = true
			}
		}
	}
	switch {
	case !bad:
		return nil
	case !in.bulk:
		return &fault.Error{Kind: fault.Invalid, Fields: errs[0]}
	}
	return &fault.Error{Kind: fault.Invalid, Items: errs}
}

// unknownNames lists the first unknown keys of some objects, in alphabetical order.
func unknownNames(items []ledger.Input, known map[string]bool) []string {
	var names []string
	for _, item := range items {
		for name := range item {
			if known[name] || !plainName.MatchString(name) {
				continue
			}
			if i, listed := slices.BinarySearch(names, name); !listed && i < maxUnknown {
				names = slices.Insert(names, i, name)
				names = names[:min(len(names), maxUnknown)]
			}
		}
	}
	return names
}

// ownNames are the keys that every record has besides its fields.
var ownNames = []string{"id", "url", "display"}
