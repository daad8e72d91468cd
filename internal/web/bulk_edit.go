package web

import (
	"net/url"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// bulkEditPage is the form for many records.
type bulkEditPage struct {
	*selection
	Title   string
	Names   []Cell
	More    int // records that are not named
	Groups  []bulkGroup
	Errors  []FormError
	Refused refusals
}

// firstNames is how many of the selected records are named.
const firstNames = 10

// bulkEdit shows the form for the new values, and then changes all of the records or none.
func (p *TypePages) bulkEdit(v *Visit) error {
	s, err := p.selected(v)
	if err != nil {
		return err
	}
	if len(s.rows) == 0 {
		return s.nothing(v, p)
	}
	defs, err := p.customs(v)
	if err != nil {
		return err
	}
	if v.R.PostForm.Get("apply") != "true" {
		return p.showBulkEdit(v, s, FormSource{defs: defs, caller: v}, nil)
	}
	changed, err := p.applyBulk(v, s, defs)
	if err != nil {
		return p.refusedBulk(v, s, defs, err)
	}
	return v.Leave(s.Back, p.changedNote(changed, len(s.rows)))
}

// applyBulk changes the records and returns how many of them changed.
func (p *TypePages) applyBulk(v *Visit, s *selection, defs []*record.Custom) (int, error) {
	if err := s.stale(v); err != nil {
		return 0, err
	}
	change, errs := p.bulkChange(v.R.PostForm, defs)
	if err := p.refer(v, change.sets, errs); err != nil {
		return 0, err
	}
	if len(errs) > 0 {
		return 0, &fault.Error{Kind: fault.Invalid, Fields: errs}
	}
	unseen, err := p.site.Ledger.Unseen(v.Ctx, v.Caller, s.rows...)
	if err != nil {
		return 0, err
	}
	rows, err := p.site.Ledger.Update(v.Ctx, v.Caller, p.Type, change.edits(s.rows, unseen))
	if err != nil {
		return 0, err
	}
	changed := 0
	for i, after := range rows {
		if after.Version != s.rows[i].Version {
			changed++
		}
	}
	return changed, nil
}

func (p *TypePages) changedNote(changed, all int) string {
	switch {
	case changed == all:
		return "Updated " + p.counted(all) + "."
	case changed == 0:
		return "Nothing was changed: these values were already set."
	}
	return "Updated " + p.counted(changed) + ". The other " + p.counted(all-changed) + " already had these values."
}

// refusedBulk shows the form again. An error that all records have is shown at its field, the others by record.
func (p *TypePages) refusedBulk(v *Visit, s *selection, defs []*record.Custom, err error) error {
	e, known := unreachable(err, "You may not change it, or it was deleted just now.")
	if !known || e.Kind != fault.Invalid && e.Kind != fault.Precondition {
		return err
	}
	src := FormSource{defs: defs, caller: v, typed: typedInBulk(v.R.PostForm), errs: e.Fields}
	if e.Items != nil {
		src.errs = byWidget(inCommon(e.Items))
	}
	return p.showBulkEdit(v, s, src, e)
}

func (p *TypePages) showBulkEdit(v *Visit, s *selection, src FormSource, refused *fault.Error) error {
	body := &bulkEditPage{selection: s, Title: "Edit " + s.Count, Names: s.names(firstNames)}
	body.More = len(s.rows) - len(body.Names)
	shown := Page{Name: "bulkedit", Title: body.Title, Crumbs: p.Crumbs(), Body: body}
	form := url.Values{}
	if refused != nil {
		form, shown.Status = v.R.PostForm, StatusOf(refused)
		body.Refused = p.refusals(refused.Items, s.about)
	}
	if body.Groups = p.bulkGroups(form, src); refused != nil {
		body.summarize(refused, src.errs)
	}
	return v.Show(shown)
}

// summarize lists the errors at the top of the form, but for those of single records, which have a table.
func (b *bulkEditPage) summarize(refused *fault.Error, errs fault.Fields) {
	if refused.Items != nil {
		refused = &fault.Error{Kind: refused.Kind, Fields: errs, Detail: "The errors of each record are listed below."}
	}
	var widgets []*FormField
	for _, g := range b.Groups {
		for i := range g.Fields {
			widgets = append(widgets, &g.Fields[i].FormField)
		}
	}
	b.Errors = Summary(refused, widgets...)
}
