package accountpages

import (
	"net/http"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
)

// ownTokens is the address of the caller's own tokens. The derived pages of the type show all tokens that the caller may see.
const ownTokens = "/user/tokens/"

// tokenPages returns what tokens add to the derived pages: a key is shown once, and never changed.
func (a *room) tokenPages() web.OwnPages {
	return web.OwnPages{
		Added: func(v *web.Visit, made record.Values) error { return a.showKey(v, made, web.PagePath(made.Type())) },
		MoreForm: func(v *web.Visit, form *web.FormPage, _ record.Values) error {
			if form.ID != 0 {
				form.LeaveOut("key")
			} else if owner := form.Field("user"); owner != nil && v.R.Method == http.MethodGet && owner.Value == "" {
				owner.Value = web.NameOf(a.site.Registry.Type(userType), v.Caller.UserID, v.Caller.Username)
			}
			return nil
		},
	}
}

// tokensPage lists the caller's tokens.
type tokensPage struct {
	Rows       []tokenRow
	Next, Prev string
	CanAdd     bool
	CanRevoke  bool
	Taken      bool // an administrator has taken away the right to create and change them
}

type tokenRow struct {
	ID                int64
	Name, Href        string
	Description       string
	Created           time.Time
	LastUsed, Expires web.Cell
	Expired           bool
	Write             bool
	Allowed           []string
	CanChange         bool
}

func (a *room) myTokens(v *web.Visit) error {
	t := a.site.Registry.Type(tokenType)
	params, err := ledger.Params(v.R.URL.RawQuery)
	if err != nil {
		return err
	}
	q, err := a.site.Ledger.Query(v.Ctx, v.Caller, t, params)
	if err != nil {
		return err
	}
	q.Count = store.CountNone
	if q.Order == nil {
		q.Order = []string{"-created"}
	}
	q.Where = append(q.Where, record.Predicate{Field: t.Field(t.Owner), Values: []any{v.Caller.UserID}})
	found, err := a.site.Ledger.List(v.Ctx, v.Caller, t, q)
	if err != nil {
		return err
	}
	p := tokensPage{CanAdd: v.May(t, access.Add), CanRevoke: v.May(t, access.Delete)}
	p.Taken = !p.CanAdd && !v.Caller.ManageToken
	next, previous := ledger.Links(params, q, found)
	if next != "" {
		p.Next = ownTokens + "?" + next
	}
	if previous != "" {
		p.Prev = ownTokens + "?" + previous
	}
	for _, token := range found.Rows {
		line := a.tokenRow(token)
		if line.CanChange, err = a.mayChange(v, token); err != nil {
			return err
		}
		p.Rows = append(p.Rows, line)
	}
	return v.Show(web.Page{Name: "tokens", Title: "API tokens", Body: p})
}

func (a *room) tokenRow(token record.Values) tokenRow {
	t := token.Type()
	show := func(name string) web.Cell { return web.CellOf(t.Field(name), token.Get(name)) }
	expires, limited := token.Get("expires").(time.Time)
	created, _ := token.Get("created").(time.Time)
	return tokenRow{ID: token.ID(), Name: token.Display(), Href: web.RecordPath(t, token.ID()), Description: token.Text("description"),
		Created: created, LastUsed: show("last_used"), Expires: show("expires"), Expired: limited && !expires.After(a.site.Now()),
		Write: token.Bool("write_enabled"), Allowed: token.List("allowed_ips")}
}

// mayChange reports whether the caller may change one of their own tokens. A caller who may manage their tokens may change each of
// them, so the database is not asked about every row.
func (a *room) mayChange(v *web.Visit, token record.Values) (bool, error) {
	if v.Caller.ManageToken {
		return v.May(token.Type(), access.Change), nil
	}
	return a.site.Ledger.May(v.Ctx, v.Caller, token, access.Change)
}

// myToken returns the token in the address, if it is the caller's own.
func (a *room) myToken(v *web.Visit) (record.Values, error) {
	t := a.site.Registry.Type(tokenType)
	token, err := a.site.Pages(t).Record(v)
	if err == nil && token.Link(t.Owner).ID != v.Caller.UserID {
		err = fault.ErrNotFound
	}
	return token, err
}

func tokenCrumbs() []web.Crumb {
	return []web.Crumb{{Label: "Profile", Href: "/user/"}, {Label: "API tokens", Href: ownTokens}}
}

func (a *room) revokeTokenPage(v *web.Visit) error {
	token, err := a.myToken(v)
	if err != nil {
		return err
	}
	return v.Show(web.Page{Name: "token_revoke", Title: "Revoke " + token.Display(), Crumbs: tokenCrumbs(), Body: a.tokenRow(token)})
}

func (a *room) revokeToken(v *web.Visit) error {
	token, err := a.myToken(v)
	if err != nil {
		return err
	}
	if err := a.site.Ledger.Delete(v.Ctx, v.Caller, token.Type(), []ledger.Edit{{ID: token.ID()}}); err != nil {
		return err
	}
	return v.Leave(ownTokens, "Revoked token "+token.Display()+".")
}
