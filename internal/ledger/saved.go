package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/url"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// SavedFilterType is the type whose records are saved filters.
const SavedFilterType = "extras.savedfilter"

// The parameters of a list that name saved filters: by slug and by id.
const (
	SavedBySlug = "filter"
	SavedByID   = "filter_id"
)

// SavedNames lists both.
var SavedNames = []string{SavedBySlug, SavedByID}

// mostSaved is how many saved filters one list may name.
const mostSaved = 50

// Saved returns the parameters of a list with those of the saved filters that it names, and these filters. A parameter that is in both
// has the values of both. It takes one statement, none if the list names no filter.
//
// A filter that the caller may not see is as unknown as one that there isn't. Otherwise people could find out what others keep to
// themselves, value by value.
func (l *Ledger) Saved(ctx context.Context, c Caller, params url.Values) (url.Values, []record.Values, error) {
	if !params.Has(SavedBySlug) && !params.Has(SavedByID) {
		return params, nil, nil
	}
	saved, err := l.namedSaved(ctx, c, params)
	if err != nil {
		return nil, nil, err
	}
	all := maps.Clone(params)
	delete(all, SavedBySlug)
	delete(all, SavedByID)
	for _, v := range saved {
		if err := addSaved(all, v); err != nil {
			return nil, nil, err
		}
	}
	if len(all["q"]) > 1 {
		return nil, nil, fault.Field("q", "The list can look for one text only, and its saved filters add others.")
	}
	if len(all.Encode()) > longestQuery {
		return nil, nil, errNoRoom
	}
	return all, saved, nil
}

// namedSaved returns the saved filters that the parameters name, in their order.
func (l *Ledger) namedSaved(ctx context.Context, c Caller, params url.Values) ([]record.Values, error) {
	t := l.Store.Type(SavedFilterType)
	var named []record.Predicate
	for i, key := range SavedNames {
		field := []string{"slug", "id"}[i]
		test, _, err := t.ParseFilter(field, params[key])
		if e, refused := errors.AsType[*fault.Error](err); refused {
			return nil, &fault.Error{Kind: fault.Invalid, Fields: fault.Fields{key: e.Fields[field]}}
		}
		if params.Has(key) {
			named = append(named, test)
		}
	}
	if n := len(params[SavedBySlug]) + len(params[SavedByID]); n > mostSaved {
		return nil, fault.Field(SavedBySlug, "A list takes at most %d saved filters at once, and %d were given.", mostSaved, n)
	}
	var found store.Page
	if scope, err := l.Policy.Scope(c.Subject, t, access.View); err == nil {
		found, err = l.Store.List(ctx, t, store.Query{Scope: scope, Where: []record.Predicate{{Any: named}}, Limit: mostSaved,
			View: record.View{Only: []string{"id", "name", "slug", "parameters"}}, Count: store.CountNone})
		if err != nil {
			return nil, err
		}
	}
	return found.Rows, l.unknownSaved(params, found.Rows)
}

// unknownSaved returns an error that names a filter that was not found. Where unknown filters are ignored, so is that.
func (l *Ledger) unknownSaved(params url.Values, found []record.Values) error {
	if l.LooseFilters {
		return nil
	}
	known := map[string][]string{}
	for _, v := range found {
		known[SavedBySlug] = append(known[SavedBySlug], v.Text("slug"))
		known[SavedByID] = append(known[SavedByID], v.Type().FormatID(v.ID()))
	}
	for _, key := range SavedNames {
		for _, name := range params[key] {
			if !slices.Contains(known[key], name) {
				return fault.Field(key, "There is no saved filter %q, or you may not see it.", shortened(name))
			}
		}
	}
	return nil
}

// shortened returns as much of a name as a message needs.
func shortened(name string) string {
	if letters := []rune(name); len(letters) > longestName {
		return string(letters[:longestName]) + "…"
	}
	return name
}

// addSaved adds the parameters of a saved filter. Those that say how a list is shown have no effect, nor does the name of another filter.
func addSaved(to url.Values, v record.Values) error {
	var parameters map[string]json.RawMessage
	if err := json.Unmarshal(v.Raw("parameters"), &parameters); err != nil {
		return err
	}
	for name, raw := range parameters {
		if IsControl(name) {
			continue
		}
		values, err := record.SavedValues(raw)
		if err != nil {
			return fault.Field(name, "In the saved filter %q: %s", v.Text("name"), err.Error())
		}
		both := slices.Clone(to[name])
		for _, value := range values {
			if !slices.Contains(both, value) {
				both = append(both, value)
			}
		}
		if len(both) > 0 {
			to[name] = both
		}
	}
	return nil
}

// IsControl reports whether a parameter says how a list is shown, or names a saved filter, and so is not kept in one. A search is kept.
func IsControl(name string) bool {
	return name != "q" && slices.Contains(controls, name) || slices.Contains(SavedNames, name)
}
