package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// The size of a page.
const (
	defaultLimit = 50
	maxLimit     = 1000
)

// controls are the parameters of a list that are not filters.
var controls = []string{"limit", "offset", "cursor", "brief", "fields", "omit", "exclude", "ordering", "q", "format", "count"}

// LongestAddress limits the bytes of an address, and so the values of filters.
const LongestAddress = 16 << 10

// ErrLongAddress refuses an address that is longer.
var ErrLongAddress = fault.New(fault.LongAddress, "The address is longer than %d bytes: ask for fewer values at once.", LongestAddress)

// longestQuery limits the query of a list. It leaves room for what the links to other pages add, so that a client that gets a page can
// get the next one.
const longestQuery = LongestAddress - 256

var errNoRoom = fault.New(fault.LongAddress,
	"The filters come to more than %d bytes, which leaves no room for the link to the next page: ask for fewer values at once.", longestQuery)

// Params parses the query of an address. Unlike net/url's Query it refuses what it can't parse: with a filter dropped, a request would
// find the whole table. The same value given twice counts once: some clients add their filters to those in next, which would make
// the address longer from page to page.
func Params(rawQuery string) (url.Values, error) {
	if len(rawQuery) > LongestAddress { // it may come from a form, too
		return nil, ErrLongAddress
	}
	params, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The query can't be read: %s.", err.Error())
	}
	for key, values := range params {
		seen := map[string]bool{}
		params[key] = slices.DeleteFunc(values, func(v string) bool {
			had := seen[v]
			seen[v] = true
			return had
		})
	}
	if len(params.Encode()) > longestQuery {
		return nil, errNoRoom
	}
	return params, nil
}

// Query parses the parameters of a list: its filters, those of the saved filters that it names, order and page. The pages take the same
// parameters as the API.
func (l *Ledger) Query(ctx context.Context, c Caller, t *record.Type, params url.Values) (store.Query, error) {
	params, _, err := l.Saved(ctx, c, params)
	if err != nil {
		return store.Query{}, err
	}
	return l.QueryWith(ctx, c, t, params, sync.OnceValues(func() ([]*record.Custom, error) { return l.CustomFields(ctx, t) }))
}

// QueryWith is Query for callers that have the definitions of the type's custom fields and the parameters of saved filters. It asks for
// the definitions only if the parameters name a custom field.
func (l *Ledger) QueryWith(ctx context.Context, c Caller, t *record.Type, params url.Values,
	defs func() ([]*record.Custom, error),
) (store.Query, error) {
	q := store.Query{Limit: LimitOf(params), Offset: offsetOf(params), Cursor: params.Get("cursor"),
		Search: strings.TrimSpace(params.Get("q"))}
	var err error
	for _, part := range strings.Split(params.Get("ordering"), ",") {
		if part = strings.TrimSpace(part); part != "" {
			q.Order = append(q.Order, part)
		}
		if isCustom(strings.TrimPrefix(part, "-")) {
			if q.Custom, err = defs(); err != nil {
				return q, err
			}
		}
	}
	if q.Count, err = countMode(params); err != nil {
		return q, err
	}
	keys := make([]string, 0, len(params))
	for key := range params {
		if f := t.Field(key); !slices.Contains(controls, key) && (f == nil || !f.Info().OnRequest) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)    // so that the same filters make the same statement
	var filters []string // of q.Where
	for _, key := range keys {
		p, known, err := t.ParseFilter(key, params[key])
		if !known && isCustom(key) {
			var custom []*record.Custom
			if custom, err = defs(); err != nil {
				return q, err
			}
			p, known, err = customFilter(custom, key, params[key])
		}
		switch {
		case err != nil:
			return q, err
		case known:
			q.Where, filters = append(q.Where, l.digested(p)), append(filters, key)
		case !l.LooseFilters:
			return q, unknownFilter(t, key)
		}
	}
	return q, l.resolveKeys(ctx, c, filters, q.Where)
}

// digested replaces the keys of tokens by what is stored of them.
func (l *Ledger) digested(p record.Predicate) record.Predicate {
	given := p.Values
	p.Values = nil
	for _, v := range given {
		key, secret := v.(record.Plain)
		if !secret {
			p.Values = append(p.Values, v)
			continue
		}
		for _, digest := range l.Sealer.Digests(key) {
			p.Values = append(p.Values, string(digest))
		}
	}
	return p
}

// countMode returns how a list is counted: exactly, unless count=capped.
func countMode(params url.Values) (store.CountMode, error) {
	if !params.Has("count") {
		return store.CountExact, nil
	}
	switch strings.Join(params["count"], ",") {
	case "exact":
		return store.CountExact, nil
	case "capped":
		return store.CountCapped, nil
	}
	return 0, fault.Field("count", `Use "exact", which is the default, or "capped", which stops at %d.`, store.CountCap+1)
}

func isCustom(name string) bool { return strings.HasPrefix(name, record.CustomPrefix) }

func customFilter(defs []*record.Custom, key string, values []string) (record.Predicate, bool, error) {
	name, lookup, cut := strings.Cut(strings.TrimPrefix(key, record.CustomPrefix), "__")
	for _, def := range defs {
		if def.Name == name && cut == (lookup != "") && slices.Contains(def.Kind.Lookups(), record.Lookup(lookup)) {
			p, err := record.CustomFilter(name, def.Kind, key, record.Lookup(lookup), values)
			return p, true, err
		}
	}
	return record.Predicate{}, false, nil
}

// actionQuery parses the filters and the search that select the records of an action. It refuses every other parameter: ignoring a
// filter would apply the action to records that it should have left out.
func (l *Ledger) actionQuery(ctx context.Context, c Caller, t *record.Type, params url.Values) (q store.Query, err error) {
	var filters []string // of q.Where
	for _, key := range slices.Sorted(maps.Keys(params)) {
		p, known, err := t.ParseFilter(key, params[key])
		switch {
		case err != nil:
			return q, err
		case key == "q":
			if q.Search = strings.TrimSpace(params[key][0]); len(params[key]) > 1 || q.Search == "" {
				return q, fault.Field("q", "Give one text to look for.")
			}
		case slices.Contains(controls, key):
			return q, fault.Field(key, "This is not a filter: it says how a list is shown. "+
				"The request applies to everything that the filters find, so narrow them instead.")
		case !known:
			return q, Unknown("filter", key, append(t.FilterNames(), "q"))
		default:
			q.Where, filters = append(q.Where, p), append(filters, key)
		}
	}
	return q, l.resolveKeys(ctx, c, filters, q.Where)
}

// FilterQuery parses filters that were sent as JSON.
func (l *Ledger) FilterQuery(ctx context.Context, c Caller, t *record.Type, given map[string]any) (q store.Query, err error) {
	params := url.Values{}
	for name, value := range given {
		values, list := value.([]any)
		if !list {
			values = []any{value}
		}
		if len(values) == 0 {
			return q, fault.Field(name, "An empty list is not a filter.")
		}
		for _, v := range values {
			switch v.(type) {
			case map[string]any, []any, nil:
				return q, fault.Field(name, "A filter is a text, a number, or a list of these.")
			}
			params.Add(name, fmt.Sprint(v))
		}
	}
	return l.actionQuery(ctx, c, t, params)
}

// longestSearch limits the text of a search. Every row is compared with all of it.
const longestSearch = 500

// CheckSearch refuses a text that can't be searched for.
func CheckSearch(q string) error {
	switch {
	case len(q) > longestSearch:
		return fault.Field("q", "Look for something shorter: at most %d characters.", longestSearch)
	case strings.ContainsRune(q, 0):
		return fault.Field("q", "Null characters are not allowed.")
	}
	return nil
}

// Search looks for a text in all types, as far as the caller may see them. Types that the caller may not see are missing.
func (l *Ledger) Search(ctx context.Context, c Caller, text string) ([]store.Findings, error) {
	if err := CheckSearch(text); err != nil {
		return nil, err
	}
	return l.Store.SearchAll(ctx, l.searchedTypes(c), text)
}

// searchedTypes returns the types to search for a caller, and what they may see of these.
func (l *Ledger) searchedTypes(c Caller) (types []store.SearchedType) {
	for _, t := range l.Store.Types() {
		if scope, err := l.Policy.Scope(c.Subject, t, access.View); err == nil && len(t.SearchFields()) > 0 {
			types = append(types, store.SearchedType{Type: t, Scope: scope})
		}
	}
	return types
}

// unknownFilter returns the error for a misspelled filter. Ignoring the filter would answer with the whole table, and a client that
// deletes what it found would delete everything.
func unknownFilter(t *record.Type, key string) error {
	return Unknown("filter", key, slices.Concat(t.FilterNames(), controls, SavedNames))
}

// Unknown returns the error for a name that is not among the known ones. It suggests the nearest.
func Unknown(what, name string, known []string) error {
	if len(name) > longestName {
		return fault.Field(name[:longestName]+"…", "Unknown %s.", what)
	}
	best := record.Nearest(name, known)
	if best == "" {
		return fault.Field(name, "Unknown %s.", what)
	}
	return fault.Field(name, "Unknown %s. Did you mean %q?", what, best)
}

// longestName is longer than any known name. Longer ones are not compared, because that costs the product of the lengths.
const longestName = 100

// LimitOf returns the size of the page. A limit that it can't parse means the default, as clients expect.
func LimitOf(params url.Values) int {
	n, err := strconv.Atoi(params.Get("limit"))
	switch {
	case err != nil || n < 0:
		return defaultLimit
	case n == 0 || n > maxLimit:
		return maxLimit
	}
	return n
}

func offsetOf(params url.Values) int {
	n, err := strconv.Atoi(params.Get("offset"))
	if errors.Is(err, strconv.ErrRange) && n > 0 {
		return n // beyond the end of any list
	}
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// EndsEarly returns an error if a page that was cut short must not be sent. A client that leaves the size of pages to us, with a limit
// of 0 or one that is not below the count, goes on with next. One that counts pages with its own offset and limit would not notice
// that records are missing.
func EndsEarly(params url.Values, page store.Page) error {
	n, err := strconv.Atoi(params.Get("limit"))
	leftToUs := err != nil || n <= 0 || n > maxLimit || int64(n) >= page.Count || params.Get("cursor") != ""
	if !page.Full || leftToUs {
		return nil
	}
	return fault.Field("limit",
		"This page would have more than %d MiB. Ask for limit=%d or less, or leave the size to the server with limit=0 and follow next.",
		store.MaxPage>>20, len(page.Rows))
}

// Links returns the queries of the next and the previous page, "" where there is none. They have a cursor, so that every page costs
// the same. The offset is for people who read it, and for the way back.
func Links(params url.Values, q store.Query, page store.Page) (next, previous string) {
	if page.More {
		next = pageQuery(params, q.Limit, page.Offset+len(page.Rows), page.Next)
	}
	if page.Offset == 0 {
		return next, ""
	}
	before := max(0, page.Offset-q.Limit)
	if before == 0 {
		return next, pageQuery(params, q.Limit, 0, "")
	}
	return next, pageQuery(params, q.Limit, before, page.Prev)
}

// Part returns one page of a list that was read whole, and the queries of the next and the previous page, as Links does.
func Part[T any](params url.Values, all []T) (part []T, next, previous string) {
	limit, offset := LimitOf(params), min(offsetOf(params), len(all))
	end := min(offset+limit, len(all))
	if end < len(all) {
		next = pageQuery(params, limit, end, "")
	}
	if offset > 0 {
		previous = pageQuery(params, limit, max(0, offset-limit), "")
	}
	return all[offset:end], next, previous
}

func pageQuery(params url.Values, limit, offset int, cursor string) string {
	link := maps.Clone(params)
	link.Set("limit", strconv.Itoa(limit))
	link.Del("offset")
	link.Del("cursor")
	if offset > 0 {
		link.Set("offset", strconv.Itoa(offset))
	}
	if cursor != "" {
		link.Set("cursor", cursor)
		if query := link.Encode(); len(query) <= longestQuery {
			return query
		}
		link.Del("cursor") // it contains a long text. The offset leads to the same page, but costs more
	}
	return link.Encode()
}
