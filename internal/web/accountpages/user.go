package accountpages

import (
	"encoding/json"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/web"
)

// The types of records that people own themselves.
const (
	userType  = "users.user"
	tokenType = "users.token"
)

// routes returns the pages about the caller: their session, account, password and tokens.
func (a *room) routes() []web.Route {
	tokens := a.site.Registry.Type(tokenType)
	return []web.Route{
		{Method: "GET", Path: "/login/{$}", Open: true, Secret: true, Handle: a.loginPage},
		{Method: "POST", Path: "/login/{$}", Open: true, Secret: true, Handle: a.login},
		{Method: "POST", Path: "/logout/{$}", Open: true, Handle: a.logout},
		{Method: "GET", Path: "/user/{$}", Handle: a.profile},
		{Method: "GET", Path: "/user/password/{$}", Secret: true, Handle: a.passwordPage},
		{Method: "POST", Path: "/user/password/{$}", Secret: true, Handle: a.setPassword},
		{Method: "GET", Path: ownTokens + "{$}", Handle: a.myTokens},
		{Method: "GET", Path: ownTokens + "add/{$}", Type: tokens, Action: access.Add, Handle: a.addTokenPage},
		{Method: "POST", Path: ownTokens + "add/{$}", Type: tokens, Action: access.Add, Handle: a.addToken},
		{Method: "GET", Path: ownTokens + "{id}/edit/{$}", Type: tokens, Action: access.Change, Handle: a.editTokenPage},
		{Method: "POST", Path: ownTokens + "{id}/edit/{$}", Type: tokens, Action: access.Change, Handle: a.editToken},
		{Method: "GET", Path: ownTokens + "{id}/delete/{$}", Type: tokens, Action: access.Delete, Handle: a.revokeTokenPage},
		{Method: "POST", Path: ownTokens + "{id}/delete/{$}", Type: tokens, Action: access.Delete, Handle: a.revokeToken},
	}
}

// profilePage is what people see of their own account.
type profilePage struct {
	Username  string
	Name      string
	Email     string
	Groups    web.Cell
	Superuser bool
	Actions   []string // the column headings of Rights
	Rights    []right
}

// right is what the caller may do with the records of one type.
type right struct {
	Label, Href string
	Reach       []string // for each action: "all", "some" or ""
	Others      []string // custom actions
	Limits      []limit
}

// limit says which records "some" means.
type limit struct {
	Actions string
	Text    string // a constraint
	Own     bool   // the records that belong to the caller
}

// commonActions are those that every permission can name.
var commonActions = []string{access.View, access.Add, access.Change, access.Delete}

func (a *room) profile(v *web.Visit) error {
	me, err := a.site.Ledger.Self(v.Ctx, v.Caller)
	if err != nil {
		return err
	}
	p := profilePage{Username: me.Text("username"), Name: strings.TrimSpace(me.Text("first_name") + " " + me.Text("last_name")),
		Email:  me.Text("email"),
		Groups: v.Cell(me.Type().Field("groups"), me.Get("groups")), Superuser: v.Caller.Superuser}
	for _, action := range commonActions {
		p.Actions = append(p.Actions, web.Capital(action))
	}
	if !p.Superuser {
		p.Rights = a.rights(v)
	}
	return v.Show(web.Page{Name: "profile", Title: "Profile", Body: p})
}

// rights returns the types with which the caller may do something.
func (a *room) rights(v *web.Visit) []right {
	var rights []right
	for _, t := range a.site.Registry.Types() {
		r := right{Label: a.site.Pages(t).Title}
		for _, action := range commonActions {
			r.Reach = append(r.Reach, a.reach(v, t, action))
		}
		r.limit(v.Caller.Subject, t)
		if strings.Join(r.Reach, "") == "" && len(r.Others) == 0 {
			continue
		}
		if r.Reach[0] != "" {
			r.Href = a.site.Pages(t).Path
		}
		rights = append(rights, r)
	}
	return rights
}

// reach returns whether an action is allowed with all records of a type, with some, or with none.
func (a *room) reach(v *web.Visit, t *record.Type, action string) string {
	scope, err := a.site.Ledger.Policy.Scope(v.Caller.Subject, t, action)
	switch {
	case err != nil || a.site.Ledger.Allow(v.Caller, t, action) != nil:
		return ""
	case scope.All():
		return "all"
	case !scope.Empty():
		return "some"
	}
	return ""
}

// limit adds the constraints of the caller's permissions on a type, and the custom actions.
func (r *right) limit(s *access.Subject, t *record.Type) {
	if t.Owner != "" && slices.Contains(r.Reach, "some") {
		r.Limits = append(r.Limits, limit{Own: true})
	}
	for _, g := range s.Grants {
		if !slices.Contains(g.Types, t.Key()) {
			continue
		}
		for _, action := range g.Actions {
			if !slices.Contains(commonActions, action) && !slices.Contains(r.Others, action) {
				r.Others = append(r.Others, action)
			}
		}
		if constrained(g.Constraints) {
			r.Limits = append(r.Limits, limit{Actions: strings.Join(g.Actions, ", "), Text: web.Indented(g.Constraints)})
		}
	}
}

func constrained(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
