package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"terrier/internal/ledger"
)

// Answer is an answer of the API, to be shown as a page. The fields are those of rest.Answer.
type Answer struct {
	Method  string
	Status  int
	Body    []byte
	Methods []string
	Filters []string
	Input   string
	Bulk    string
	Match   string
}

// browsePage is what the page of an API address shows.
type browsePage struct {
	Answer
	Path       string // with the query; the forms are sent there
	StatusText string
	Wrong      bool
	Deleted    bool
	Headers    []pair
	Parts      []jsonPart
	Cut        bool   // only the beginning is shown
	Raw        string // the address of the bare JSON
	Prev, Next string
	Login      string // the address of the login, if that might help
	Options    bool   // OPTIONS can be asked for

	Chips    []Chip
	Controls []string
	Kept     []pair // the parameters that stay when one is added

	CanAdd, CanDelete bool
	Changes           []string // the other methods that take Input
	Bulks             []string // the methods that take Bulk
}

// pair is a name and its value.
type pair struct{ Name, Value, Href string }

// shownHeaders are the headers of an answer that are useful to people.
var shownHeaders = []string{"Allow", "API-Version", "ETag", "Location", "Retry-After", "X-Count", "X-Request-ID", "X-Unknown-Fields"}

// controls are the parameters of every list that are not filters.
var controls = []string{"q", "ordering", "limit", "offset", "brief", "fields", "omit", "count"}

// Browse shows an answer of the API as a page.
func (s *Site) Browse(w http.ResponseWriter, r *http.Request, a Answer) {
	v := &Visit{Site: s, W: w, R: r, Ctx: r.Context(), Caller: ledger.CallerFrom(r.Context())}
	b := browsePage{Answer: a, Path: r.URL.RequestURI(), StatusText: http.StatusText(a.Status), Wrong: a.Status >= http.StatusBadRequest,
		Options: !v.Caller.Anonymous() && w.Header().Get("Allow") != "", Deleted: a.Method == http.MethodDelete &&
			a.Status == http.StatusNoContent}
	for _, name := range shownHeaders {
		if value := w.Header().Get(name); value != "" {
			b.Headers = append(b.Headers, pair{name, value, s.apiPath(value)})
		}
	}
	b.Parts, b.Cut = s.jsonParts(a.Body)
	params := r.URL.Query()
	if a.Method == http.MethodGet {
		b.Raw = With(r.URL.EscapedPath(), params, "format", "json")
		b.Prev, b.Next = s.otherPages(a.Body)
	}
	if a.Status == http.StatusForbidden && v.Caller.Anonymous() {
		b.Login = "/login/?next=" + url.QueryEscape(b.Path)
	}
	if a.Filters != nil && !b.Wrong {
		b.addFilters(r.URL.EscapedPath(), params)
	}
	b.addForms()
	status := a.Status
	if status == http.StatusNoContent {
		status = http.StatusOK // a page always has content
	}
	if err := v.Show(Page{Name: "browse", Title: a.Method + " " + r.URL.Path, Crumbs: apiCrumbs(r.URL.Path), Body: b,
		Status: status}); err != nil {
		s.Fail(w, r, err)
	}
}

// otherPages returns the addresses of the previous and the next page of a list.
func (s *Site) otherPages(body []byte) (previous, next string) {
	var list struct{ Next, Previous string }
	if json.Unmarshal(body, &list) != nil {
		return "", ""
	}
	return s.apiPath(list.Previous), s.apiPath(list.Next)
}

// mostChips is how many filters can be removed one by one. Each link contains all other filters.
const mostChips = 50

func (b *browsePage) addFilters(path string, params url.Values) {
	b.Controls = controls
	n := 0
	for _, values := range params {
		n += len(values)
	}
	if n > mostChips {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if name == "offset" || name == "cursor" {
			continue
		}
		for i, value := range params[name] {
			b.Kept = append(b.Kept, pair{Name: name, Value: value})
			rest := url.Values{}
			for other, values := range params {
				rest[other] = slices.Clone(values)
			}
			rest[name] = slices.Delete(rest[name], i, i+1)
			b.Chips = append(b.Chips, Chip{Text: name + "=" + value, Remove: With(path, rest, "offset", "", "cursor", "")})
		}
	}
}

// addForms adds the forms of the methods that the caller may use.
func (b *browsePage) addForms() {
	for _, method := range b.Methods {
		switch {
		case method == http.MethodGet:
		case method == http.MethodPost:
			b.CanAdd = true
		case b.Bulk != "":
			b.Bulks = append(b.Bulks, method)
		case method == http.MethodDelete:
			b.CanDelete = true
		default:
			b.Changes = append(b.Changes, method)
		}
	}
}

// apiCrumbs returns the steps that lead to an address of the API.
func apiCrumbs(path string) []Crumb {
	var crumbs []Crumb
	here := "/"
	for part := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		here += part + "/"
		crumbs = append(crumbs, Crumb{part, (&url.URL{Path: here}).EscapedPath()})
	}
	crumbs[0].Label, crumbs[len(crumbs)-1].Href = "API", ""
	return crumbs
}
