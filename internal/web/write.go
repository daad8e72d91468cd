package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

func (p *TypePages) addPage(v *Visit) error {
	// The parameters of the address are filled in, so that a link can prepare a record.
	return p.showForm(v, record.Values{}, v.R.URL.Query(), nil)
}

func (p *TypePages) editPage(v *Visit) error {
	found, err := p.Editable(v)
	if err != nil {
		return err
	}
	return p.showForm(v, found, nil, nil)
}

// Editable returns the record in the address, if the caller may change it.
func (p *TypePages) Editable(v *Visit) (record.Values, error) {
	found, err := p.Record(v)
	if err != nil {
		return found, err
	}
	may, err := p.site.Ledger.May(v.Ctx, v.Caller, found, access.Change)
	if err == nil && !may {
		err = fault.ErrDenied
	}
	return found, err
}

func (p *TypePages) add(v *Visit) error {
	in, err := p.Typed(v, record.Values{})
	if err != nil {
		return p.refused(v, record.Values{}, allErrors(v.Ctx, err, func(ctx context.Context) error {
			_, err := p.site.Ledger.Create(ctx, v.Caller, p.Type, []ledger.Input{in})
			return err
		}))
	}
	entries, err := p.entries(in)
	if err != nil {
		return p.refused(v, record.Values{}, err)
	}
	if len(entries) > 1 {
		return p.addMany(v, entries)
	}
	rows, err := p.site.Ledger.Create(v.Ctx, v.Caller, p.Type, entries)
	if err != nil {
		return p.refused(v, record.Values{}, err)
	}
	return p.added(v, rows[0])
}

// added redirects to the new record, or to another empty form.
func (p *TypePages) added(v *Visit, made record.Values) error {
	if p.own.Added != nil {
		return p.own.Added(v, made)
	}
	return p.LeaveAdded(v, made)
}

// LeaveAdded redirects from the form of a new record to its page.
func (p *TypePages) LeaveAdded(v *Visit, made record.Values) error {
	return p.leaveAdded(v, RecordPath(p.Type, made.ID()), p.warned(v, made, "Created "+p.Type.Title()+" "+made.FullName()+"."))
}

// warned adds to the note about a record that was saved what is wrong with it all the same.
func (p *TypePages) warned(v *Visit, saved record.Values, note string) string {
	warn := p.site.Warn[p.Type.Key()]
	if warn == nil {
		return note
	}
	return strings.TrimSpace(note + " " + warn(v.Ctx, saved))
}

// nextParam is the parameter of a form's address with the page that it leads back to.
const nextParam = "next"

// leaveAdded redirects to another form that is filled in like this one was, or to the page that led here, or else to the given one.
func (p *TypePages) leaveAdded(v *Visit, to, note string) error {
	if v.R.PostForm.Has("again") {
		return v.Leave(With(p.Path+"add/", v.R.URL.Query()), note)
	}
	return v.Leave(Local(v.R.URL.Query().Get(nextParam), to), note)
}

func (p *TypePages) edit(v *Visit) error {
	found, err := p.Editable(v)
	if err != nil {
		return err
	}
	in, err := p.Typed(v, found)
	if err == nil && len(in) == 0 {
		return v.Leave(RecordPath(p.Type, found.ID()), UnchangedNote)
	}
	saved := []record.Values{found}
	save := func(ctx context.Context) (err error) {
		saved, err = p.site.Ledger.Update(ctx, v.Caller, p.Type, []ledger.Edit{{ID: found.ID(), Input: in, Match: v.Version(found)}})
		return err
	}
	if err != nil {
		return p.refused(v, found, allErrors(v.Ctx, err, save))
	}
	if err := save(v.Ctx); err != nil {
		return p.refused(v, found, err)
	}
	return v.Leave(RecordPath(p.Type, found.ID()), p.warned(v, saved[0], "Saved "+p.Type.Title()+" "+saved[0].FullName()+"."))
}

// UnchangedNote is the note for a form that comes back as it was shown. The ledger is not called then.
const UnchangedNote = "Nothing was changed."

// Version returns the version of the record that the form was made from. If the form has none, it is the current version, because the
// rest of the record's values were read from it.
func (v *Visit) Version(found record.Values) []int64 {
	if named := v.formVersion(); named != nil {
		return named
	}
	return []int64{found.Version}
}

// ShownVersion returns the version for a form. A form that is shown again keeps the version that it was made from, so that it does not
// overwrite another person's change before the sender has seen it.
func (v *Visit) ShownVersion(found record.Values, refusal *fault.Error) int64 {
	if refusal != nil && refusal.Kind == fault.Precondition {
		return found.Version
	}
	return v.Version(found)[0]
}

// Typed parses a posted form about a record, or a new one. With an error it returns what could be parsed.
func (p *TypePages) Typed(v *Visit, found record.Values) (ledger.Input, error) {
	defer v.decoded()
	if err := v.parseUpload(); err != nil {
		return nil, err
	}
	return p.parsed(v, found, v.R.PostForm)
}

// parsed parses what was typed about a record, or a new one. With an error it returns what could be parsed.
func (p *TypePages) parsed(v *Visit, found record.Values, typed url.Values) (ledger.Input, error) {
	src, err := p.Source(v, found, typed, nil)
	if err != nil {
		return nil, err
	}
	in, errs := p.input(src)
	if len(errs) > 0 {
		return in, &fault.Error{Kind: fault.Invalid, Fields: errs}
	}
	return in, nil
}

// Source returns where a form about a record gets its contents from. For a posted form it also says what the values mean. A refusal has
// the errors to show.
func (p *TypePages) Source(v *Visit, found record.Values, typed url.Values, refusal *fault.Error) (src FormSource, err error) {
	src = FormSource{v: found, typed: typed, part: v.R.Method != http.MethodPost, caller: v}
	if refusal != nil {
		src.errs = refusal.Fields
	}
	if found.Type() != nil {
		src.shown = readShown(typed)
		if src.unseen, err = p.site.Ledger.Unseen(v.Ctx, v.Caller, found); err != nil {
			return src, err
		}
	}
	src.defs, err = p.customs(v)
	return src, err
}

// customs returns the custom fields of the type, nil if it can't have any.
func (p *TypePages) customs(v *Visit) ([]*record.Custom, error) {
	if p.Type.Index("custom_fields") < 0 {
		return nil, nil
	}
	return p.site.Ledger.CustomFields(v.Ctx, p.Type)
}

// refused shows the form again, with what was typed and the errors. An error that the form can't fix gets an error page.
func (p *TypePages) refused(v *Visit, found record.Values, err error) error {
	e, known := FormRefusal(err)
	if !known || e.Kind != fault.Invalid && e.Kind != fault.Precondition {
		return err
	}
	if e.Kind == fault.Precondition { // it was read before the other change, perhaps
		if found, err = p.Record(v); err != nil {
			return err
		}
	}
	return p.showForm(v, found, v.R.PostForm, e)
}

func (p *TypePages) showForm(v *Visit, found record.Values, typed url.Values, refusal *fault.Error) error {
	form, err := p.Form(v, found, typed, refusal)
	if err != nil {
		return err
	}
	shown := Page{Name: cmp.Or(p.own.Form, "form"), Title: form.Title, Crumbs: p.Crumbs(), Body: form}
	if found.Type() != nil {
		shown.Crumbs = p.Crumbs(Crumb{form.Name, RecordPath(p.Type, found.ID())})
	}
	if refusal != nil {
		form.summarize(refusal)
		shown.Status = StatusOf(refusal)
	}
	if refusal != nil && refusal.Kind == fault.Precondition {
		form.Errors = []FormError{{Text: "Somebody else changed it meanwhile. Compare the values below, then save again."}}
		if form.Conflict, err = p.conflict(v, found, form); err != nil {
			return err
		}
	}
	return v.Show(shown)
}

// Form returns the form of a record, or of a new one.
func (p *TypePages) Form(v *Visit, found record.Values, typed url.Values, refusal *fault.Error) (*FormPage, error) {
	typed, err := p.nameForm(v, found, typed)
	if err != nil {
		return nil, err
	}
	src, err := p.Source(v, found, typed, refusal)
	if err != nil {
		return nil, err
	}
	form := &FormPage{Title: "Add " + p.Type.Title(), Single: p.Type.Title(), Doc: p.Type.Doc, Cancel: p.Path, Submit: "Create", Type: p.Type}
	if found.Type() != nil {
		if form.Name = found.FullName(); src.unseen.Any() { // it may have the name of an owner that is not shown
			form.Name = found.Display()
		}
		form.Title, form.Cancel, form.Submit = "Edit "+form.Name, RecordPath(p.Type, found.ID()), "Save"
		form.Version, form.ID = v.ShownVersion(found, refusal), found.ID()
	}
	form.Groups, form.Uploads = p.groups(src), len(p.Type.Uploads()) > 0
	if found.Type() == nil {
		form.Cancel = Local(v.R.URL.Query().Get(nextParam), form.Cancel)
		for _, name := range p.ranged() {
			if f := form.Field(name); f != nil {
				f.Help = strings.TrimSpace(f.Help + " " + rangeHelp)
			}
		}
	}
	if p.own.MoreForm != nil {
		err = p.own.MoreForm(v, form, found)
	}
	return form, err
}

func (p *TypePages) delete(v *Visit) error {
	found, err := p.Record(v)
	if err != nil {
		return err
	}
	if err := v.ParseForm(); err != nil {
		return err
	}
	if err := p.site.Ledger.Delete(v.Ctx, v.Caller, p.Type, []ledger.Edit{{ID: found.ID(), Match: v.formVersion()}}); err != nil {
		return err
	}
	return v.Leave(p.Path, "Deleted "+p.Type.Title()+" "+found.FullName()+".")
}
