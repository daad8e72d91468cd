package web

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// countField is the name of the widget with how many records to create. No field can have such a name.
const countField = "form.count"

// errMoved means that the action would create other records than the form showed.
var errMoved = errors.New("these are not the records that were shown")

// added returns the pages of the type that the action adds, nil if it adds none.
func (a actionPages) added() *TypePages {
	if a.action.Adds == "" {
		return nil
	}
	return a.of.site.Pages(a.action.Answers())
}

// typed parses the form of the action: one input, or one for each record to create. A field of the added record that is blank was not
// given: the action may have a value for it.
func (a actionPages) typed(v *Visit, typed url.Values) ([]ledger.Input, error) {
	in, err := a.input.parsed(v, record.Values{}, typed)
	if err != nil {
		return nil, err
	}
	added, count := a.added(), 1
	if added != nil {
		more, err := added.parsed(v, record.Values{}, typed)
		if err != nil {
			return nil, err
		}
		for name, value := range more {
			if value != nil && value != "" && !slices.Contains(a.action.Sets, name) && a.input.Type.Index(name) < 0 {
				in[name] = value
			}
		}
	}
	if text := strings.TrimSpace(typed.Get(countField)); text != "" {
		if count, err = strconv.Atoi(text); err != nil || count < 1 || count > mostAdded {
			return nil, fault.Field(countField, "Enter a number from 1 to %d.", mostAdded)
		}
	}
	return slices.Repeat([]ledger.Input{in}, count), nil
}

// offer shows the form with what it would create as it is. If fields are missing for that, the form says so only when it is sent.
func (a actionPages) offer(v *Visit, found record.Values, typed url.Values) error {
	names, err := a.rehearse(v, found, typed)
	refusal, known := FormRefusal(err)
	if err != nil && !known {
		return err
	}
	if known && refusal.Kind != fault.Held {
		refusal = nil
	}
	return a.show(v, found, typed, names, refusal)
}

// add creates the records that the form has shown. If it has not shown them yet, or others are free now, it shows them and creates nothing.
func (a actionPages) add(v *Visit, found record.Values) error {
	typed := v.R.PostForm
	made, err := a.create(v, found, typed)
	var names []string
	if errors.Is(err, errMoved) {
		names, err = a.rehearse(v, found, typed)
	} else if err == nil {
		return a.leave(v, found, made)
	}
	refusal, known := FormRefusal(err)
	if err != nil && (!known || refusal.Kind != fault.Invalid && refusal.Kind != fault.Held) {
		return err
	}
	return a.show(v, found, typed, names, refusal)
}

// create carries the action out if it creates the records that the form has shown.
func (a actionPages) create(v *Visit, found record.Values, typed url.Values) ([]record.Values, error) {
	in, err := a.typed(v, typed)
	if err != nil {
		return nil, err
	}
	if !typed.Has(manySeen) {
		return nil, errMoved
	}
	confirmed := *a.action
	confirmed.Do = func(c record.Call) (any, error) {
		answer, err := a.action.Do(c)
		if err == nil && seenText(namesOf(answer)) != typed.Get(manySeen) {
			err = errMoved
		}
		return answer, err
	}
	answer, err := a.of.site.Ledger.Act(v.Ctx, v.Caller, &confirmed, found.ID(), in...)
	made, _ := answer.([]record.Values)
	return made, err
}

// rehearse returns the names of the records that the form would create.
func (a actionPages) rehearse(v *Visit, found record.Values, typed url.Values) (names []string, err error) {
	in, err := a.typed(v, typed)
	if err != nil {
		return nil, err
	}
	noting := *a.action
	noting.Do = func(c record.Call) (any, error) {
		answer, err := a.action.Do(c)
		names = namesOf(answer)
		return answer, err
	}
	ctx, _ := ledger.Rehearse(v.Ctx)
	if _, err := a.of.site.Ledger.Act(ctx, v.Caller, &noting, found.ID(), in...); err != nil {
		return nil, err
	}
	return names, nil
}

func namesOf(answer any) (names []string) {
	made, _ := answer.([]record.Values)
	for _, v := range made {
		names = append(names, v.FullName())
	}
	return names
}

// seenText is what a form sends again of the names that it has shown.
func seenText(names []string) string { return fmt.Sprintf("%q", names) }

// summary says what is created: "10.1.8.2/24", or "3 IP addresses: 10.1.8.2/24 …".
func (p *TypePages) summary(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return p.counted(len(names)) + ": " + names[0] + " …"
}

// confirm gives the form a button that says what it creates. Without names the button only shows them.
func (a actionPages) confirm(form *FormPage, names []string) {
	if len(names) == 0 {
		form.Submit = "Preview"
		return
	}
	added := a.added()
	form.Submit, form.Many = "Create "+added.summary(names), &manyPreview{Seen: seenText(names)}
	if len(names) > 1 {
		form.Many.Heads = []string{added.Single}
		for _, name := range names {
			form.Many.Rows = append(form.Many.Rows, []string{name})
		}
	}
}

// leave redirects to what was created, with a link to the record of the action.
func (a actionPages) leave(v *Visit, found record.Values, made []record.Values) error {
	back := RecordPath(a.of.Type, found.ID())
	if len(made) == 1 && v.May(made[0].Type(), access.View) {
		return v.LeaveWith(RecordPath(made[0].Type(), made[0].ID()), "Created "+made[0].FullName()+" in", Crumb{found.FullName(), back})
	}
	return v.Leave(back, "Created "+a.added().summary(namesOf(made))+".")
}

// form returns the form of the action: its own fields, and those of the records that it adds, except what it sets itself.
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
	if len(form.Groups) == 0 {
		form.Groups = []FormGroup{{Name: a.action.Title()}}
	}
	count := widgetOf(countField, record.Info{Label: "How many", Widget: record.NumberInput}, src)
	src.fill(&count, []string{"1"})
	form.Groups[0].Fields = append([]FormField{count}, form.Groups[0].Fields...)
	form.Groups = append(form.Groups, added.groups(src)...)
	for _, name := range a.action.Sets {
		form.LeaveOut(name)
	}
	return form, nil
}
