package rest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
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

func (a *API) list(t *record.Type) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// Not r.URL.Query, which drops what it can't read: a dropped filter is the whole table.
		params, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			a.Fail(w, r, fault.New(fault.Invalid, "The query can't be read: %s.", err.Error()))
			return
		}
		c := ledger.CallerFrom(r.Context())
		q, err := a.query(r.Context(), t, params)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		page, err := a.Ledger.List(r.Context(), c, t, q)
		if err != nil {
			a.Fail(w, r, err)
			return
		}
		b := make([]byte, 0, 512+1024*len(page.Rows))
		b = append(b, `{"count":`...)
		b = strconv.AppendInt(b, page.Count, 10)
		b = append(b, `,"next":`...)
		b = a.appendNext(b, t, params, q, page)
		b = append(b, `,"previous":`...)
		b = a.appendPrevious(b, t, params, q, page)
		b = append(b, `,"results":`...)
		b = a.appendRecords(b, t, page.Rows, viewOf(params))
		a.send(w, r, http.StatusOK, append(b, '}'))
	}
}

// query reads the parameters of a list.
func (a *API) query(ctx context.Context, t *record.Type, params url.Values) (store.Query, error) {
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
				if custom, err = a.Ledger.CustomFields(ctx, t); err != nil {
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
		case a.StrictFilters:
			return q, unknownFilter(t, key)
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
func unknownFilter(t *record.Type, key string) error {
	if len(key) > longestName {
		return fault.Field(key[:longestName]+"…", "Unknown filter.")
	}
	best, distance := "", len(key)
	for _, name := range append(t.FilterNames(), controls...) {
		if d := editDistance(key, name); d < distance {
			best, distance = name, d
		}
	}
	if best == "" {
		return fault.Field(key, "Unknown filter.")
	}
	return fault.Field(key, "Unknown filter. Did you mean %q?", best)
}

// longestName is longer than any filter's: comparing costs the product of the lengths.
const longestName = 100

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

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

func viewOf(params url.Values) record.View {
	brief, _ := record.Bool{}.ParseText(params.Get("brief"))
	omit := append(splitNames(params["omit"]), splitNames(params["exclude"])...)
	return record.View{Brief: brief == true, Only: splitNames(params["fields"]), Omit: omit}
}

func splitNames(values []string) []string {
	var names []string
	for _, v := range values {
		for _, name := range strings.Split(v, ",") {
			if name = strings.TrimSpace(name); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// appendNext writes the address of the following page. It carries a cursor, so that it
// costs the same however far it is; the offset is for people who read it and for the
// way back.
func (a *API) appendNext(dst []byte, t *record.Type, params url.Values, q store.Query, page store.Page) []byte {
	if page.Next == "" {
		return append(dst, "null"...)
	}
	return a.appendPage(dst, t, params, q.Limit, offsetOf(params)+len(page.Rows), page.Next)
}

func (a *API) appendPrevious(dst []byte, t *record.Type, params url.Values, q store.Query, page store.Page) []byte {
	offset := offsetOf(params)
	if offset == 0 {
		return append(dst, "null"...)
	}
	before := max(0, offset-q.Limit)
	if before == 0 {
		return a.appendPage(dst, t, params, q.Limit, 0, "")
	}
	return a.appendPage(dst, t, params, q.Limit, before, page.Prev)
}

func (a *API) appendPage(dst []byte, t *record.Type, params url.Values, limit, offset int, cursor string) []byte {
	link := url.Values{}
	for key, values := range params {
		link[key] = values
	}
	link.Set("limit", strconv.Itoa(limit))
	link.Del("offset")
	link.Del("cursor")
	if offset > 0 {
		link.Set("offset", strconv.Itoa(offset))
	}
	if cursor != "" {
		link.Set("cursor", cursor)
	}
	return record.AppendString(dst, a.Printer.Base+t.Path()+"?"+link.Encode())
}
