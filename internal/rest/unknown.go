package rest

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

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
func decodeRecords(w http.ResponseWriter, r *http.Request, t *record.Type, bulk bool) (body, error) {
	in, err := decodeAs(w, r, t, bulk)
	nameUnknown(w, in.items, func(name string) bool { return recordHas(t, name) })
	return in, err
}

// recordHas reports whether a record is shown with a key.
func recordHas(t *record.Type, name string) bool {
	return t.Index(name) >= 0 || slices.Contains(ownNames, name)
}

// nameUnknown names the unknown keys of some objects in the answer.
func nameUnknown(w http.ResponseWriter, items []ledger.Input, known func(name string) bool) {
	if names := unknownNames(items, known); len(names) > 0 {
		w.Header().Set(unknownFields, strings.Join(names, ", "))
	}
}

// unknownNames lists the first unknown keys of some objects, in alphabetical order.
func unknownNames(items []ledger.Input, known func(name string) bool) []string {
	var names []string
	for _, item := range items {
		for name := range item {
			if known(name) || !plainName.MatchString(name) {
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
