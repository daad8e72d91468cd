package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
)

// actionPages are the pages of an action that has a Do: its form. An action that the program binds has its pages in a room.
type actionPages struct {
	of     *TypePages
	input  *TypePages // its input, as a type
	action *record.Action
}

// ActionRoute returns the route of an action's own page, by the key of the action. The declaration has its address and its permission.
func (s *Site) ActionRoute(method, key string, handle func(*Visit) error) Route {
	a := s.action(key)
	return Route{Method: method, Path: actionPath(a) + "{$}", Type: a.RightOn(), Action: a.Needs, Handle: handle}
}

// action returns a declared action by its key. It panics if there is none, which is a mistake in a package of pages.
func (s *Site) action(key string) *record.Action {
	a := s.Registry.Action(key)
	if a == nil {
		panic("web: there is a page of the action " + key + ", which no type declares")
	}
	return a
}

// actionPath returns the address of an action's page, with {id} for the id of the record.
func actionPath(a *record.Action) string { return strings.TrimPrefix(a.Path(), "/api") }

// ActionLink is what the button of an action shows, and the address of its page.
type ActionLink struct{ Label, Href string }

// ActionLink returns the button of an action, by its key. The id is that of the record; it has no meaning for the list.
func (s *Site) ActionLink(key string, id int64) ActionLink { return actionLink(s.action(key), id) }

func actionLink(a *record.Action, id int64) ActionLink {
	return ActionLink{Label: a.Title(), Href: strings.ReplaceAll(actionPath(a), "{id}", a.Type().FormatID(id))}
}

// checkActions refuses an action that is neither in the API nor on a page. The patterns are those of the pages.
func (s *Site) checkActions(patterns map[string]bool) error {
	for _, t := range s.Registry.Types() {
		for i := range t.Actions {
			if a := &t.Actions[i]; a.PagesOnly && !patterns[s.ActionRoute(a.Method, a.Key(), nil).Pattern()] {
				return fmt.Errorf("the action %s is offered on pages only, and there is no page for it", a.Key())
			}
		}
	}
	return nil
}

// newActionPages returns the pages of the actions on a record that have a Do.
func newActionPages(p *TypePages) (all []actionPages) {
	for i := range p.Type.Actions {
		if a := &p.Type.Actions[i]; a.Do != nil && a.Writes() && !a.OnList || a.Syncs != "" {
			all = append(all, actionPages{p, newTypePages(p.site, a.Input(), OwnPages{}), a})
		}
	}
	return all
}

func (p *TypePages) actionRoutes() (routes []Route) {
	for _, a := range p.actions {
		path := actionPath(a.action) + "{$}"
		t, right := a.action.RightOn(), a.action.Needs
		if a.action.Adds != "" {
			t, right = a.action.Answers(), access.Add
		}
		page, act := a.page, a.act
		if a.action.Syncs != "" {
			page, act = a.syncPage, a.sync
		}
		routes = append(routes, Route{Method: "GET", Path: path, Type: t, Action: right, Handle: page},
			Route{Method: "POST", Path: path, Type: t, Action: right, Handle: act})
	}
	return routes
}

// actionLinks returns links to the actions that the caller may use on a record.
func (p *TypePages) actionLinks(v *Visit, found record.Values) (links []ActionLink, err error) {
	for _, a := range p.actions {
		may, err := p.site.Ledger.MayAct(v.Ctx, v.Caller, a.action, found)
		if err != nil {
			return nil, err
		}
		if may {
			links = append(links, actionLink(a.action, found.ID()))
		}
	}
	return links, nil
}

func (a actionPages) page(v *Visit) error {
	found, err := a.of.Record(v)
	if err != nil {
		return err
	}
	typed := v.R.URL.Query()
	if a.action.Suggests != nil {
		for name, value := range a.action.Suggests(found) {
			if !typed.Has(name) {
				typed.Set(name, value)
			}
		}
	}
	if a.action.Adds != "" {
		return a.offer(v, found, typed)
	}
	return a.show(v, found, typed, nil, nil)
}

func (a actionPages) act(v *Visit) error {
	found, err := a.of.Record(v)
	if err != nil {
		return err
	}
	defer v.decoded()
	if err := v.parseUpload(); err != nil {
		return err
	}
	if a.action.Adds != "" {
		return a.add(v, found)
	}
	in, err := a.typed(v, v.R.PostForm)
	if err == nil {
		_, err = a.of.site.Ledger.Act(v.Ctx, v.Caller, a.action, found.ID(), in...)
	}
	if refusal, known := FormRefusal(err); known && refusal.Kind == fault.Invalid {
		return a.show(v, found, v.R.PostForm, nil, refusal)
	}
	if err != nil {
		return err
	}
	return v.Leave(RecordPath(a.of.Type, found.ID()), a.action.Title()+": done.")
}

// show shows the form of the action. The names are those of the records that it would create.
func (a actionPages) show(v *Visit, found record.Values, typed url.Values, names []string, refusal *fault.Error) error {
	may, err := a.of.site.Ledger.MayAct(v.Ctx, v.Caller, a.action, found)
	if err == nil && !may {
		err = fault.ErrDenied
	}
	if err != nil {
		return err
	}
	form, err := a.form(v, typed, refusal)
	if err != nil {
		return err
	}
	form.Title, form.Doc, form.Submit = a.action.Title()+": "+found.FullName(), a.action.Doc+".", a.action.Title()
	form.Cancel, form.ID = RecordPath(a.of.Type, found.ID()), found.ID()
	if a.action.Adds != "" {
		a.confirm(form, names)
	}
	shown := Page{Name: "form", Title: form.Title, Crumbs: a.of.Crumbs(Crumb{found.FullName(), form.Cancel}), Body: form}
	if refusal != nil {
		form.summarize(refusal)
		if v.R.Method == http.MethodPost {
			shown.Status = StatusOf(refusal)
		}
	}
	return v.Show(shown)
}
