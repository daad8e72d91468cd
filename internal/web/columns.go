package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"terrier/internal/record"
)

// column is a field that a list can show.
type column struct {
	index int // in the type
	Name  string
	Label string
	sorts bool
	Shown bool // chosen; set for each visit
}

// mostColumns is how many columns a list shows if the type does not declare them.
const mostColumns = 7

// columnsOf returns the columns that a list of the type can show besides the name of the record, and those that it shows at first.
func columnsOf(t *record.Type) (all []column, first []string) {
	first = t.Columns
	for i, in := range t.Infos() {
		switch {
		case in.Hidden, in.DetailOnly, in.IsForAPI(), in.Widget.IsWriteOnly(), in.Widget == record.SecretArea,
			in.Widget == record.CustomInputs:
			continue
		case t.Display == nil && in.Name == t.NamingField():
			continue // it is the first column already, the link to the record
		}
		f := t.All()[i]
		all = append(all, column{index: i, Name: in.Name, Label: in.Label, sorts: record.Orderable(f)})
		if t.Columns == nil && len(first) < mostColumns && brief(in) {
			first = append(first, in.Name)
		}
	}
	return all, first
}

// brief reports whether a value fits into a row of a table.
func brief(in record.Info) bool {
	return !in.Wide && in.HalfOf == "" && in.Widget != record.TextArea && in.Name != "created" && in.Name != "last_updated"
}

const columnsCookie = "terrier_columns"

// columns returns the columns of this caller's list.
func (p *TypePages) columns(v *Visit) []column {
	names := p.firstColumns
	if chosen := v.Cookie(columnsCookie); chosen != "" {
		names = strings.Split(chosen, ".")
	}
	all := slices.Clone(p.allColumns)
	for i := range all {
		all[i].Shown = slices.Contains(names, all[i].Name)
	}
	return all
}

// chooseColumns stores the caller's choice in a cookie. Its path limits it to the lists of this type.
func (p *TypePages) chooseColumns(v *Visit, params url.Values) error {
	var known []string // other names are dropped: a link could fill the browser's cookies with them
	for _, c := range p.allColumns {
		if slices.Contains(params["columns"], c.Name) {
			known = append(known, c.Name)
		}
	}
	value, age := strings.Join(known, "."), 365*24*3600
	if value == "" {
		age = -1
	}
	http.SetCookie(v.W, &http.Cookie{Name: columnsCookie, Value: value, Path: p.Path, MaxAge: age, HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
		Secure:   strings.HasPrefix(p.site.BaseURL, "https://")})
	params.Del("columns")
	http.Redirect(v.W, v.R, With(p.Path, params), http.StatusSeeOther)
	return nil
}
