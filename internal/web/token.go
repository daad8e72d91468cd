package web

import (
	"net/http"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// ownTokens is the address of the caller's own tokens. All tokens that somebody may see have
// derived pages besides.
const ownTokens = "/user/tokens/"

// tokenPages adds to the derived pages what a key needs: it is shown once, and never changed.
func (s *Site) tokenPages() ownPages {
	return ownPages{
		added: func(v *visit, made record.Values) error { return s.showKey(v, made, pagePath(made.Type())) },
		moreForm: func(v *visit, form *formPage, _ record.Values) error {
			if form.ID != 0 {
				form.leaveOut("key")
			} else if owner := form.field("user"); owner != nil && v.r.Method == http.MethodGet && owner.Value == "" {
				owner.Value = nameOf(s.Registry.Type(userType), v.caller.UserID, v.caller.Username)
			}
			return nil
		},
	}
}

// field finds a field of a form, nil for none.
func (f *formPage) field(name string) *formField {
	for _, g := range f.Groups {
		for i := range g.Fields {
			if g.Fields[i].Name == name {
				return &g.Fields[i]
			}
		}
	}
	return nil
}

// leaveOut takes a field out of a form, with its group where nothing else is in it.
func (f *formPage) leaveOut(name string) {
	for i, g := range f.Groups {
		f.Groups[i].Fields = slices.DeleteFunc(g.Fields, func(field formField) bool { return field.Name == name })
	}
	f.Groups = slices.DeleteFunc(f.Groups, func(g formGroup) bool { return len(g.Fields) == 0 })
}

// tokensPage lists the caller's tokens.
type tokensPage struct {
	Rows       []tokenRow
	Count      int64
	Next, Prev string
	CanAdd     bool
	CanRevoke  bool
	Taken      bool // an administrator has taken away making and changing them
}

type tokenRow struct {
	ID                int64
	Name, Href        string
	Description       string
	Created           string // the day is enough
	LastUsed, Expires cell
	Expired           bool
	Write             bool
	Allowed           []string
	CanChange         bool
}

func (s *Site) myTokens(v *visit) error {
	t := s.Registry.Type(tokenType)
	params, err := ledger.Params(v.r.URL.RawQuery)
	if err != nil {
		return err
	}
	q, err := s.Ledger.Query(v.ctx, t, params)
	if err != nil {
		return err
	}
	if q.Order == nil {
		q.Order = []string{"-created"}
	}
	q.Where = append(q.Where, record.Predicate{Field: t.Field(t.Owner), Values: []any{v.caller.UserID}})
	found, err := s.Ledger.List(v.ctx, v.caller, t, q)
	if err != nil {
		return err
	}
	p := tokensPage{Count: found.Count, CanAdd: v.may(t, access.Add), CanRevoke: v.may(t, access.Delete)}
	p.Taken = !p.CanAdd && !v.caller.ManageToken
	next, previous := ledger.Links(params, q, found)
	if next != "" {
		p.Next = ownTokens + "?" + next
	}
	if previous != "" {
		p.Prev = ownTokens + "?" + previous
	}
	for _, token := range found.Rows {
		line := s.tokenRow(token)
		if line.CanChange, err = s.mayChange(v, token); err != nil {
			return err
		}
		p.Rows = append(p.Rows, line)
	}
	return v.show(page{Name: "tokens", Title: "API tokens", Body: p})
}

func (s *Site) tokenRow(token record.Values) tokenRow {
	t := token.Type()
	show := func(name string) cell { return cellOf(t.Field(name), token.Get(name)) }
	expires, limited := token.Get("expires").(time.Time)
	created, _ := token.Get("created").(time.Time)
	return tokenRow{ID: token.ID(), Name: token.Display(), Href: recordPath(t, token.ID()), Description: token.Text("description"),
		Created: showDate(created), LastUsed: show("last_used"), Expires: show("expires"), Expired: limited && !expires.After(s.Now()),
		Write: token.Bool("write_enabled"), Allowed: token.List("allowed_ips")}
}

// mayChange tells whether the caller may change a token of their own. Who manages their tokens
// may change each of them: the database need not be asked about every row.
func (s *Site) mayChange(v *visit, token record.Values) (bool, error) {
	if v.caller.ManageToken {
		return v.may(token.Type(), access.Change), nil
	}
	return s.Ledger.May(v.ctx, v.caller, token, access.Change)
}

// myToken reads the token in the address, if it is the caller's own.
func (s *Site) myToken(v *visit) (record.Values, error) {
	t := s.Registry.Type(tokenType)
	token, err := s.pages(t).record(v)
	if err == nil && token.Link(t.Owner).ID != v.caller.UserID {
		err = fault.ErrNotFound
	}
	return token, err
}

func tokenCrumbs() []crumb { return []crumb{{"Profile", "/user/"}, {"API tokens", ownTokens}} }

func (s *Site) revokeTokenPage(v *visit) error {
	token, err := s.myToken(v)
	if err != nil {
		return err
	}
	return v.show(page{Name: "token_revoke", Title: "Revoke " + token.Display(), Crumbs: tokenCrumbs(), Body: s.tokenRow(token)})
}

func (s *Site) revokeToken(v *visit) error {
	token, err := s.myToken(v)
	if err != nil {
		return err
	}
	if err := s.Ledger.Delete(v.ctx, v.caller, token.Type(), []ledger.Edit{{ID: token.ID()}}); err != nil {
		return err
	}
	return v.leave(ownTokens, "Token "+token.Display()+" is revoked.")
}
