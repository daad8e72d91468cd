package web

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

func (p *typePages) addPage(v *visit) error {
	// What the address says is filled in already: a link can begin a record.
	return p.showForm(v, record.Values{}, v.r.URL.Query(), nil)
}

func (p *typePages) editPage(v *visit) error {
	found, err := p.editable(v)
	if err != nil {
		return err
	}
	return p.showForm(v, found, nil, nil)
}

// editable reads the record in the address, for those who may change it.
func (p *typePages) editable(v *visit) (record.Values, error) {
	found, err := p.record(v)
	if err != nil {
		return found, err
	}
	may, err := p.site.Ledger.May(v.ctx, v.caller, found, access.Change)
	if err == nil && !may {
		err = fault.ErrDenied
	}
	return found, err
}

func (p *typePages) add(v *visit) error {
	in, err := p.typed(v, record.Values{})
	if err == nil {
		var rows []record.Values
		rows, err = p.site.Ledger.Create(v.ctx, v.caller, p.t, []ledger.Input{in})
		if err == nil {
			return p.added(v, rows[0])
		}
	}
	return p.refused(v, record.Values{}, err)
}

// added leads to the new record, or to another empty form.
func (p *typePages) added(v *visit, made record.Values) error {
	if p.own.added != nil {
		return p.own.added(v, made)
	}
	to := recordPath(p.t, made.ID())
	if v.r.PostForm.Has("again") {
		to = p.path + "add/"
	}
	return v.leave(to, p.single+" "+made.Display()+" is created.")
}

func (p *typePages) edit(v *visit) error {
	found, err := p.editable(v)
	if err != nil {
		return err
	}
	in, err := p.typed(v, found)
	if err == nil && len(in) == 0 {
		return v.leave(recordPath(p.t, found.ID()), unchangedNote)
	}
	if err == nil {
		_, err = p.site.Ledger.Update(v.ctx, v.caller, p.t, []ledger.Edit{{ID: found.ID(), Input: in, Match: v.version(found)}})
	}
	if err != nil {
		return p.refused(v, found, err)
	}
	return v.leave(recordPath(p.t, found.ID()), p.single+" "+found.Display()+" is saved.")
}

// unchangedNote answers a form that comes back as it was shown: the ledger is not asked.
const unchangedNote = "Nothing was changed."

// version is that of the record that the form was made of. Where the form names none, it is
// the one that is there: what is added to it was read from it.
func (v *visit) version(found record.Values) []int64 {
	if named := v.formVersion(); named != nil {
		return named
	}
	return []int64{found.Version}
}

// shownVersion is the version that a form is about. One that is shown again stays about the version that it was made of,
// so that it overwrites no other person's change, until the sender has seen that change.
func (v *visit) shownVersion(found record.Values, refusal *fault.Error) int64 {
	if refusal != nil && refusal.Kind == fault.Precondition {
		return found.Version
	}
	return v.version(found)[0]
}

// typed reads a posted form about a record, or a new one.
func (p *typePages) typed(v *visit, found record.Values) (ledger.Input, error) {
	if err := v.parseForm(); err != nil {
		return nil, err
	}
	src, err := p.source(v, found, v.r.PostForm)
	if err != nil {
		return nil, err
	}
	in, errs := p.input(src)
	if len(errs) > 0 {
		return nil, &fault.Error{Kind: fault.Invalid, Fields: errs}
	}
	return in, nil
}

// source is where a form about a record gets its contents from, and a posted one what it means.
func (p *typePages) source(v *visit, found record.Values, typed url.Values) (src formSource, err error) {
	src = formSource{v: found, typed: typed, part: v.r.Method != http.MethodPost, caller: v}
	if found.Type() != nil {
		src.shown = readShown(typed)
		if src.unseen, err = p.site.Ledger.Unseen(v.ctx, v.caller, found); err != nil {
			return src, err
		}
	}
	src.defs, err = p.customs(v)
	return src, err
}

// customs are the custom fields of the type, where it can have some.
func (p *typePages) customs(v *visit) ([]*record.Custom, error) {
	if p.t.Index("custom_fields") < 0 {
		return nil, nil
	}
	return p.site.Ledger.CustomFields(v.ctx, p.t)
}

// refused shows the form again, with what was typed and what is wrong with it. What a form
// can't mend is an error page.
func (p *typePages) refused(v *visit, found record.Values, err error) error {
	e, known := formRefusal(err)
	if !known || e.Kind != fault.Invalid && e.Kind != fault.Precondition {
		return err
	}
	return p.showForm(v, found, v.r.PostForm, e)
}

// formRefusal is an error as a form about one record shows it.
func formRefusal(err error) (*fault.Error, bool) {
	e, known := errors.AsType[*fault.Error](err)
	if known && len(e.Items) == 1 {
		e = &fault.Error{Kind: e.Kind, Fields: e.Items[0]}
	}
	return e, known
}

func (p *typePages) showForm(v *visit, found record.Values, typed url.Values, refusal *fault.Error) error {
	form, err := p.form(v, found, typed, refusal)
	if err != nil {
		return err
	}
	shown := page{Name: cmp.Or(p.own.form, "form"), Title: form.Title, Crumbs: p.crumbs(), Body: form}
	if found.Type() != nil {
		shown.Crumbs = p.crumbs(crumb{found.Display(), recordPath(p.t, found.ID())})
	}
	if refusal != nil {
		shown.Status = failures[refusal.Kind].Status
	}
	return v.show(shown)
}

// form is the form of a record, or of a new one.
func (p *typePages) form(v *visit, found record.Values, typed url.Values, refusal *fault.Error) (*formPage, error) {
	src, err := p.source(v, found, typed)
	if err != nil {
		return nil, err
	}
	form := &formPage{Title: "Add " + p.t.Title(), Single: p.t.Title(), Doc: p.t.Doc, Cancel: p.path, Submit: "Create", Type: p.t}
	if found.Type() != nil {
		form.Title, form.Cancel, form.Submit = "Edit "+found.Display(), recordPath(p.t, found.ID()), "Save"
		form.Version, form.ID = v.shownVersion(found, refusal), found.ID()
	}
	if refusal != nil {
		src.errs = refusal.Fields
		form.Problems = p.problems(refusal)
	}
	form.Groups = p.groups(src)
	if p.own.moreForm != nil {
		err = p.own.moreForm(v, form, found)
	}
	return form, err
}

// problems are the messages that stand beside no widget.
func (p *typePages) problems(e *fault.Error) []string {
	if len(e.Fields) == 0 {
		return messages(e)
	}
	var texts []string
	for name, messages := range e.Fields {
		f := p.t.Field(name)
		if f == nil || f.Info().Widget == record.NoWidget || f.Info().Widget == record.CustomInputs {
			texts = append(texts, messages...)
		}
	}
	return texts
}

// deletion is what is asked before something is deleted.
type deletion struct {
	Single, Name string
	Cancel       string
	Version      int64
	Effects      []effect // besides the record itself
	Unseen       int
	Held         string // why it can't be
}

// effect is what becomes of another record.
type effect struct {
	Kind, Name, Href string
	Deleted          bool // it goes too; otherwise a reference is emptied
}

func (p *typePages) deletePage(v *visit) error {
	found, err := p.record(v)
	if err != nil {
		return err
	}
	d := deletion{Single: p.t.Title(), Name: found.Display(), Cancel: recordPath(p.t, found.ID()), Version: found.Version}
	ctx, rehearsal := ledger.Rehearse(v.ctx)
	err = p.site.Ledger.Delete(ctx, v.caller, p.t, []ledger.Edit{{ID: found.ID()}})
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.Held {
		d.Held = e.Detail
	} else if err != nil {
		return err
	}
	d.Effects, d.Unseen = p.effects(rehearsal, found.ID()), rehearsal.Unseen
	return v.show(page{Name: "delete", Title: "Delete " + found.Display(), Crumbs: p.crumbs(crumb{found.Display(), d.Cancel}), Body: d})
}

// effects lists what a rehearsal did to others.
func (p *typePages) effects(r *ledger.Rehearsal, ids ...int64) []effect {
	var out []effect
	own := map[int64]bool{}
	for _, id := range ids {
		own[id] = true
	}
	for _, e := range r.Effects {
		if e.Type == p.t && own[e.ID] {
			continue
		}
		out = append(out, effect{e.Type.Title(), e.Display, recordPath(e.Type, e.ID), e.Action == access.Delete})
	}
	return out
}

func (p *typePages) delete(v *visit) error {
	found, err := p.record(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	if err := p.site.Ledger.Delete(v.ctx, v.caller, p.t, []ledger.Edit{{ID: found.ID(), Match: v.formVersion()}}); err != nil {
		return err
	}
	return v.leave(p.path, p.single+" "+found.Display()+" is deleted.")
}
