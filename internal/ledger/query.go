package ledger

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
var controls = []string{"limit", "offset", "cursor", "brief", "fields", "omit", "exclude", "ordering", "q", "format"}

// Params reads the query of an address. Not as net/url's Query does, which drops what it can't
// read: a dropped filter is the whole table.
func Params(rawQuery string) (url.Values, error) {
	params, err := url.ParseQuery(rawQuery)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The query can't be read: %s.", err.Error())
	}
	return params, nil
}

// Query reads the parameters of a list: its filters, order and page. The pages take the same as
// the API.
func (l *Ledger) Query(ctx context.Context, t *record.Type, params url.Values) (store.Query, error) {
	q := store.Query{Limit: limitOf(params), Offset: offsetOf(params), Cursor: params.Get("cursor"), Search: strings.TrimSpace(params.Get("q"))}
	if strings.ContainsRune(q.Search, 0) {
		return q, fault.Field("q", "Null characters are not allowed.")
	}
	for _, part := range strings.Split(params.Get("ordering"), ",") {
		if part = strings.TrimSpace(part); part != "" {
			q.Order = append(q.Order, part)
		}
	}
	var custom []*record.Custom
	keys := make([]string, 0, len(params))
	for key := range params {
		if !slices.Contains(controls, key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys) // the same filters make the same statement
	for _, key := range keys {
		p, known, err := t.ParseFilter(key, params[key])
		if !known && strings.HasPrefix(key, "cf_") {
			if custom == nil {
				if custom, err = l.CustomFields(ctx, t); err != nil {
					return q, err
				}
			}
			p, known, err = customFilter(custom, key, params[key])
		}
		switch {
		case err != nil:
			return q, err
		case known:
			q.Where = append(q.Where, p)
		case !l.LooseFilters:
			return q, UnknownFilter(t, key)
		}
	}
	return q, nil
}

func customFilter(defs []*record.Custom, key string, values []string) (record.Predicate, bool, error) {
	name, lookup, cut := strings.Cut(strings.TrimPrefix(key, "cf_"), "__")
	for _, def := range defs {
		if def.Name == name && cut == (lookup != "") && slices.Contains(def.Kind.Lookups(), record.Lookup(lookup)) {
			p, err := record.CustomFilter(name, def.Kind, key, record.Lookup(lookup), values)
			return p, true, err
		}
	}
	return record.Predicate{}, false, nil
}

// unknownFilter refuses a misspelt filter. Ignoring it would answer with the whole
// table, and that has cost people their data.
func UnknownFilter(t *record.Type, key string) error {
	if len(key) > longestName {
		return fault.Field(key[:longestName]+"…", "Unknown filter.")
	}
	best := record.Nearest(key, append(t.FilterNames(), controls...))
	if best == "" {
		return fault.Field(key, "Unknown filter.")
	}
	return fault.Field(key, "Unknown filter. Did you mean %q?", best)
}

// longestName is longer than any filter's: comparing costs the product of the lengths.
const longestName = 100

// limitOf never fails: what it can't read is the default, as clients expect.
func limitOf(params url.Values) int {
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
		return n // past every end
	}
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Links are the queries of the pages behind and before one, "" where there is none. They carry
// a cursor, so that a page costs the same however far it is; the offset is for people who read
// it and for the way back.
func Links(params url.Values, q store.Query, page store.Page) (next, previous string) {
	if page.Next != "" {
		next = pageQuery(params, q.Limit, q.Offset+len(page.Rows), page.Next)
	}
	if q.Offset == 0 {
		return next, ""
	}
	before := max(0, q.Offset-q.Limit)
	if before == 0 {
		return next, pageQuery(params, q.Limit, 0, "")
	}
	return next, pageQuery(params, q.Limit, before, page.Prev)
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
	}
	return link.Encode()
}
