package web

import (
	"crypto/rand"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// mostOffered is how many saved filters the menu of a list offers. The others are in their own list.
const mostOffered = 100

// savedMenu is what a list shows of saved filters before the menu is opened.
type savedMenu struct {
	Href string // of the menu's content; "" for callers who are not logged in
}

// addSaved adds the menu of saved filters, and a chip for each of those that apply.
func (l *listPage) addSaved(v *Visit, params url.Values, saved []record.Values) {
	if !v.Caller.Anonymous() {
		l.Saved.Href = l.Path + "saved/"
		if l.Query != "" {
			l.Saved.Href += "?" + l.Query
		}
	}
	var chips []Chip
	for _, r := range saved {
		rest := url.Values{}
		for key, values := range params {
			rest[key] = slices.Clone(values)
		}
		for key, name := range map[string]string{ledger.SavedBySlug: r.Text("slug"), ledger.SavedByID: r.Type().FormatID(r.ID())} {
			if slices.Contains(params[key], name) {
				rest[key] = slices.DeleteFunc(rest[key], func(s string) bool { return s == name })
			}
		}
		chips = append(chips, Chip{Text: "Saved filter: " + r.Text("name"), Remove: With(l.Path, rest, "offset", "", "cursor", "")})
	}
	l.Chips = append(chips, l.Chips...)
}

// savedPage is the content of the menu of saved filters. Without JavaScript it is a page.
type savedPage struct {
	Path, Title string // of the list
	Filters     []savedLink
	Back        string // the list as it is filtered
	Manage      string // the list of saved filters

	Query             string // what is saved: the current filters of the list
	CanSave, CanShare bool
	Name              string // as it was typed
	Shared            bool
	Problems          []string
}

type savedLink struct {
	Name, Href, Description string
	Current, Private        bool
}

func (p *TypePages) savedRoutes() []Route {
	path := p.Path + "saved/{$}"
	return []Route{{Method: "GET", Path: path, Type: p.Type, Action: access.View, Handle: p.savedFilters},
		{Method: "POST", Path: path, Type: p.Type, Action: access.View, Handle: p.saveFilter}}
}

func (p *TypePages) savedFilters(v *Visit) error {
	params, err := ledger.Params(v.R.URL.RawQuery)
	if err != nil {
		return err
	}
	return p.showSaved(v, &savedPage{Query: p.filterQuery(Filled(params))}, 0)
}

// showSaved shows the saved filters for the list that the caller may use. It takes one statement.
func (p *TypePages) showSaved(v *Visit, s *savedPage, status int) error {
	t := p.site.Registry.Type(ledger.SavedFilterType)
	offered := url.Values{"content_types": {p.Type.Key()}, "usable": {"true"}}
	q := store.Query{Limit: mostOffered, Count: store.CountNone,
		View: record.View{Only: []string{"id", "name", "slug", "description", "shared"}}}
	for _, key := range sortedKeys(offered) {
		test, _, err := t.ParseFilter(key, offered[key])
		if err != nil {
			return err
		}
		q.Where = append(q.Where, test)
	}
	found, err := p.site.Ledger.List(v.Ctx, v.Caller, t, q)
	if err != nil {
		return err
	}
	current, _ := url.ParseQuery(s.Query) // it was made by Encode, so this can't fail
	for _, r := range found.Rows {
		slug := r.Text("slug")
		s.Filters = append(s.Filters, savedLink{Name: r.Text("name"), Href: With(p.Path, nil, ledger.SavedBySlug, slug),
			Description: r.Text("description"), Current: slices.Contains(current[ledger.SavedBySlug], slug), Private: !r.Bool("shared")})
	}
	s.Path, s.Title, s.Back, s.Manage = p.Path, p.Title, With(p.Path, current), With(PagePath(t), offered)
	s.CanSave, s.CanShare = v.May(t, access.Add), v.May(t, access.Add) && v.Caller.Granted(t, access.Add)
	return v.Show(Page{Name: "saved", Title: "Saved filters: " + p.Title, Crumbs: p.Crumbs(), Body: s, Status: status})
}

// saveFilter saves the current filters of the list under a name, and shows the list with them.
func (p *TypePages) saveFilter(v *Visit) error {
	if err := v.ParseForm(); err != nil {
		return err
	}
	form := v.R.PostForm
	s := &savedPage{Query: form.Get("query"), Name: strings.TrimSpace(form.Get("name")), Shared: form.Get("shared") == "true"}
	slug, err := p.createSaved(v, s)
	if refusal, known := FormRefusal(err); known && refusal.Kind == fault.Invalid {
		s.Problems = savedProblems(refusal)
		return p.showSaved(v, s, StatusOf(refusal))
	}
	if err != nil {
		return err
	}
	return v.Leave(With(p.Path, nil, ledger.SavedBySlug, slug), "Saved the filter "+s.Name+".")
}

// createSaved creates the record, and returns its slug.
func (p *TypePages) createSaved(v *Visit, s *savedPage) (slug string, err error) {
	parameters, err := p.savedParameters(v, s.Query)
	if err != nil {
		return "", err
	}
	if slug = record.SlugOf(s.Name); slug == "" { // a name without Latin letters
		slug = "filter-" + strings.ToLower(rand.Text()[:8])
	}
	_, err = p.site.Ledger.Create(v.Ctx, v.Caller, p.site.Registry.Type(ledger.SavedFilterType), []ledger.Input{{
		"name": s.Name, "slug": slug, "content_types": []any{p.Type.Key()}, "parameters": parameters, "shared": s.Shared,
		"user": json.Number(strconv.FormatInt(v.Caller.UserID, 10))}})
	return slug, err
}

// savedParameters returns the filters of a query, with those of the saved filters that it names, if a list takes them.
func (p *TypePages) savedParameters(v *Visit, query string) (map[string]any, error) {
	params, err := ledger.Params(query)
	if err != nil {
		return nil, err
	}
	all, _, err := p.site.Ledger.Saved(v.Ctx, v.Caller, Filled(params))
	if err != nil {
		return nil, err
	}
	if _, err := p.site.Ledger.Query(v.Ctx, v.Caller, p.Type, all); err != nil {
		return nil, err
	}
	parameters := map[string]any{}
	for name, values := range all {
		if !ledger.IsControl(name) {
			parameters[name] = record.AnyOf(values)
		}
	}
	if len(parameters) == 0 {
		return nil, fault.Field(fault.General, "The list has no filters that could be saved. Apply some first.")
	}
	return parameters, nil
}

// savedProblems returns what is wrong. The slug is made from the name, so people know nothing of it.
func savedProblems(refusal *fault.Error) []string {
	if errs := refusal.Fields; len(errs["slug"]) > 0 {
		if len(errs["name"]) == 0 {
			errs.Add("name", "Another saved filter has almost this name. Choose another one.")
		}
		delete(errs, "slug")
	}
	return messages(refusal)
}

// isForGranted reports whether a form lacks a field because the caller may write only private records of their own: the owner, and
// the flag that shares it.
func (p *TypePages) isForGranted(name string, src FormSource) bool {
	t := p.Type
	if t.Shared == "" || name != t.Shared && name != t.Owner {
		return false
	}
	action := access.Add
	if src.v.Type() != nil {
		action = access.Change
	}
	return !src.caller.Caller.Granted(t, action)
}
