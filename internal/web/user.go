package web

import (
	"encoding/json"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
)

// The types of what people have of their own here.
const (
	userType  = "users.user"
	tokenType = "users.token"
)

// userRoutes are the pages about the caller: their account, password and tokens.
func (s *Site) userRoutes() []Route {
	tokens := s.Registry.Type(tokenType)
	return []Route{
		{Method: "GET", Path: "/user/{$}", handle: s.profile},
		{Method: "GET", Path: "/user/password/{$}", handle: s.passwordPage},
		{Method: "POST", Path: "/user/password/{$}", handle: s.setPassword},
		{Method: "GET", Path: ownTokens + "{$}", handle: s.myTokens},
		{Method: "GET", Path: ownTokens + "add/{$}", Type: tokens, Action: access.Add, handle: s.addTokenPage},
		{Method: "POST", Path: ownTokens + "add/{$}", Type: tokens, Action: access.Add, handle: s.addToken},
		{Method: "GET", Path: ownTokens + "{id}/edit/{$}", Type: tokens, Action: access.Change, handle: s.editTokenPage},
		{Method: "POST", Path: ownTokens + "{id}/edit/{$}", Type: tokens, Action: access.Change, handle: s.editToken},
		{Method: "GET", Path: ownTokens + "{id}/delete/{$}", Type: tokens, Action: access.Delete, handle: s.revokeTokenPage},
		{Method: "POST", Path: ownTokens + "{id}/delete/{$}", Type: tokens, Action: access.Delete, handle: s.revokeToken},
	}
}

// profilePage is what people see of their own account.
type profilePage struct {
	Username  string
	Name      string
	Email     string
	Groups    cell
	Superuser bool
	Actions   []string // the heads of the columns of Rights
	Rights    []right
}

// right is what the caller may do with the records of one type.
type right struct {
	Label, Href string
	Reach       []string // for each action: "all", "some" or ""
	Others      []string // custom actions
	Limits      []limit
}

// limit is what says which records "some" are.
type limit struct {
	Actions string
	Text    string // a constraint
	Own     bool   // what belongs to the caller
}

// commonActions are those that every permission can name.
var commonActions = []string{access.View, access.Add, access.Change, access.Delete}

func (s *Site) profile(v *visit) error {
	me, err := s.Ledger.Self(v.ctx, v.caller)
	if err != nil {
		return err
	}
	p := profilePage{Username: me.Text("username"), Name: strings.TrimSpace(me.Text("first_name") + " " + me.Text("last_name")), Email: me.Text("email"),
		Groups: v.cell(me.Type().Field("groups"), me.Get("groups")), Superuser: v.caller.Superuser}
	for _, action := range commonActions {
		p.Actions = append(p.Actions, capital(action))
	}
	if !p.Superuser {
		p.Rights = s.rights(v)
	}
	return v.show(page{Name: "profile", Title: "Profile", Body: p})
}

// rights lists the types with which the caller may do something.
func (s *Site) rights(v *visit) []right {
	var rights []right
	for _, t := range s.Registry.Types() {
		r := right{Label: s.pages(t).title}
		for _, action := range commonActions {
			r.Reach = append(r.Reach, s.reach(v, t, action))
		}
		r.limit(v.caller.Subject, t)
		if strings.Join(r.Reach, "") == "" && len(r.Others) == 0 {
			continue
		}
		if r.Reach[0] != "" {
			r.Href = s.pages(t).path
		}
		rights = append(rights, r)
	}
	return rights
}

// reach tells whether an action is allowed with all records of a type, with some, or with none.
func (s *Site) reach(v *visit, t *record.Type, action string) string {
	scope, err := s.Ledger.Policy.Scope(v.caller.Subject, t, action)
	switch {
	case err != nil || s.Ledger.Allow(v.caller, t, action) != nil:
		return ""
	case scope.All():
		return "all"
	case !scope.Empty():
		return "some"
	}
	return ""
}

// limit finds what the caller's permissions say about a type beyond the common actions.
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
			r.Limits = append(r.Limits, limit{Actions: strings.Join(g.Actions, ", "), Text: indented(g.Constraints)})
		}
	}
}

func constrained(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
