package web

import (
	"maps"
	"net/url"
	"slices"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// firstField is the hidden input of a button that carries an action out at once. What such a form lacks was not left blank: it has the
// default. No field can have this name.
const firstField = "form.first"

// suggested returns what the action suggests for its fields.
func (a actionPages) suggested(found record.Values) map[string]string {
	if a.action.Suggests == nil {
		return nil
	}
	return a.action.Suggests(found)
}

// link returns the buttons of the action on the page of a record.
func (a actionPages) link(found record.Values) ActionLink {
	link := actionLink(a.action, found.ID())
	suggested := a.suggested(found)
	if a.action.Suggests != nil && len(suggested) == 0 {
		return link
	}
	link.First = a.action.First
	for _, in := range a.input.Type.Infos() {
		if value, ok := suggested[in.Name]; ok {
			link.Fields = append(link.Fields, FormField{Name: in.Name, Label: in.Label, Value: value})
		}
	}
	return link
}

// added returns the pages of the type that the action adds, nil if it adds none.
func (a actionPages) added() *TypePages {
	if a.action.Adds == "" {
		return nil
	}
	return a.of.site.Pages(a.action.Answers())
}

// typed parses the posted form of the action. A field of the added record that is blank was not given: the action may have a value for it.
func (a actionPages) typed(v *Visit) (ledger.Input, error) {
	in, err := a.input.Typed(v, record.Values{})
	if err != nil {
		return nil, err
	}
	if added := a.added(); added != nil {
		more, err := added.Typed(v, record.Values{})
		if err != nil {
			return nil, err
		}
		for name, value := range more {
			if value != nil && value != "" && !slices.Contains(a.action.Sets, name) && a.input.Type.Index(name) < 0 {
				in[name] = value
			}
		}
	}
	if v.R.PostForm.Has(firstField) {
		maps.DeleteFunc(in, func(name string, _ any) bool { return !v.R.PostForm.Has(name) })
	}
	return in, nil
}

// form returns the form of the action: its own fields, and those of the record that it adds, except what it sets itself.
func (a actionPages) form(v *Visit, typed url.Values, refusal *fault.Error) (*FormPage, error) {
	form, err := a.input.Form(v, record.Values{}, typed, refusal)
	added := a.added()
	if err != nil || added == nil {
		return form, err
	}
	src, err := added.Source(v, record.Values{}, typed, refusal)
	if err != nil {
		return nil, err
	}
	form.Groups = append(form.Groups, added.groups(src)...)
	for _, name := range a.action.Sets {
		form.LeaveOut(name)
	}
	return form, nil
}
