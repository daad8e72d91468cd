package web

import (
	"net/http"
	"slices"
	"strings"

	"terrier/internal/ledger"
	"terrier/internal/record"
)

// column is a field that a list can show.
type column struct {
	index  int            // in the type
	custom *record.Custom // instead of a field of the type
	Name   string
	Label  string
	sorts  bool
	Shown  bool // chosen; set for each visit
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

// listSetup is what a list needs to know before it is read: its columns, and the custom fields of its type.
type listSetup struct {
	columns []column
	defs    []*record.Custom
}

// The columns that callers have chosen: in the account, under this key and that of the type, or in a cookie for those without an account.
const (
	columnsPreference = "columns"
	columnsCookie     = "terrier_columns"
)

// listSetup reads the custom fields, and which columns the caller has chosen.
func (p *TypePages) listSetup(v *Visit) (listSetup, error) {
	preferences, defs, err := p.site.Ledger.PreferencesWith(v.Ctx, v.Caller, p.Type)
	if err != nil {
		return listSetup{}, err
	}
	byType, _ := preferences[columnsPreference].(map[string]any)
	chosen := texts(byType[p.Type.Key()])
	if cookie := v.Cookie(columnsCookie); v.Caller.Anonymous() && cookie != "" {
		chosen = strings.Split(cookie, ".")
	}
	return listSetup{p.columns(defs, chosen), defs}, nil
}

// columns returns all columns, with those that are chosen. Names of fields that are gone are ignored.
func (p *TypePages) columns(defs []*record.Custom, chosen []string) []column {
	if len(chosen) == 0 {
		chosen = p.firstColumns
	}
	all := slices.Clone(p.allColumns)
	for _, def := range defs {
		all = append(all, column{custom: def, Name: customPrefix + def.Name, Label: def.Label, sorts: def.Orderable()})
	}
	for i := range all {
		all[i].Shown = slices.Contains(chosen, all[i].Name)
	}
	return all
}

// chooseColumns keeps the caller's choice, and returns to the list as it was. No columns mean those that are shown at first.
func (p *TypePages) chooseColumns(v *Visit) error {
	if err := v.ParseForm(); err != nil {
		return err
	}
	back, err := ledger.Params(v.R.PostForm.Get("query"))
	if err != nil {
		return err
	}
	defs, err := p.customs(v)
	if err != nil {
		return err
	}
	var known []any
	for _, c := range p.columns(defs, nil) {
		if slices.Contains(v.R.PostForm["columns"], c.Name) && !v.R.PostForm.Has("default") {
			known = append(known, c.Name)
		}
	}
	if v.Caller.Anonymous() {
		p.keepColumns(v, known)
	} else if _, err = p.site.Ledger.SetPreferences(v.Ctx, v.Caller,
		map[string]any{columnsPreference: map[string]any{p.Type.Key(): known}}); err != nil {
		return err
	}
	return v.Leave(With(p.Path, back), "")
}

// keepColumns stores a choice in a cookie. Its path limits it to the lists of this type.
func (p *TypePages) keepColumns(v *Visit, chosen []any) {
	value, age := strings.Join(texts(chosen), "."), 365*24*3600
	if value == "" {
		age = -1
	}
	http.SetCookie(v.W, &http.Cookie{Name: columnsCookie, Value: value, Path: p.Path, MaxAge: age, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, Secure: v.secure()})
}
