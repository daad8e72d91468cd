package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// manyPreview is what a form shows before it creates several records.
type manyPreview struct {
	Heads   []string
	Rows    [][]string
	Seen    string // the texts that the preview is of, to be sent again: another text is shown first
	Refused refusals
}

// manySeen is the name of the input with the texts of the preview that was shown. No field can have such a name.
const manySeen = "form.many"

// ranged returns the fields of the type that take ranges.
func (p *TypePages) ranged() []string {
	var names []string
	for _, in := range p.Type.Infos() {
		if in.Ranges {
			names = append(names, in.Name)
		}
	}
	return names
}

// entries returns the records that a form asks for: one, or as many as its ranges stand for. Ranges in several fields count together, and a
// text without a range is the same for all.
func (p *TypePages) entries(in ledger.Input) ([]ledger.Input, error) {
	all := []ledger.Input{in}
	counted := ""
	for _, name := range p.ranged() {
		text, _ := in[name].(string)
		if text == "" {
			continue
		}
		texts, err := expand(text)
		switch {
		case err != nil:
			return nil, fault.Field(name, "%s.", err.Error())
		case len(texts) == 1: // the same for all; [5-5] means 5
			texts = slices.Repeat(texts, len(all))
		case counted != "" && len(texts) != len(all):
			return nil, fault.Field(name, "This makes %d values, and %s makes %d. Both must make the same number, or one must have no range.",
				len(texts), p.labelOf(counted), len(all))
		case counted == "":
			all = make([]ledger.Input, len(texts))
			for i := range all {
				all[i] = maps.Clone(in)
			}
			counted = name
		}
		for i := range all {
			all[i][name] = texts[i]
		}
	}
	return all, nil
}

// addMany creates several records at once, or shows first which. Those that a rule refuses are named.
func (p *TypePages) addMany(v *Visit, entries []ledger.Input) error {
	many := p.preview(v, entries)
	ctx, confirmed := v.Ctx, v.R.PostForm.Get(manySeen) == many.Seen
	if !confirmed {
		ctx, _ = ledger.Rehearse(ctx)
	}
	_, err := p.site.Ledger.Create(ctx, v.Caller, p.Type, entries)
	e, known := errors.AsType[*fault.Error](err)
	switch {
	case err == nil && confirmed:
		return p.leaveAdded(v, p.Path, "Created "+p.counted(len(entries))+".")
	case err != nil && (!known || e.Kind != fault.Invalid):
		return err
	case err != nil:
		many.Seen, many.Rows = "", nil
		if len(e.Items) == len(entries) {
			common := inCommon(e.Items)
			many.Refused = p.refusals(e.Items, func(i int) refusal { return refusal{Record: textOf(p.entryName(entries[i]), false)} })
			e = &fault.Error{Kind: e.Kind, Fields: common}
		}
	}
	form, err := p.Form(v, record.Values{}, v.R.PostForm, e)
	if err != nil {
		return err
	}
	page := Page{Name: "form", Title: form.Title, Crumbs: p.Crumbs(), Body: form, Status: http.StatusOK}
	if form.Many = many; e != nil {
		form.summarize(e)
		page.Status = StatusOf(e)
	} else {
		form.Submit = "Create " + p.counted(len(entries))
	}
	return v.Show(page)
}

// preview returns the texts of the fields with ranges for each record.
func (p *TypePages) preview(v *Visit, entries []ledger.Input) *manyPreview {
	many := &manyPreview{Rows: make([][]string, len(entries))}
	var typed []string
	for _, name := range p.ranged() {
		typed = append(typed, v.R.PostForm.Get(name))
		if typed[len(typed)-1] == "" {
			continue
		}
		many.Heads = append(many.Heads, p.labelOf(name))
		for i, in := range entries {
			text, _ := in[name].(string)
			many.Rows[i] = append(many.Rows[i], text)
		}
	}
	many.Seen = fmt.Sprintf("%q", typed)
	return many
}

// entryName returns the name of one of several new records.
func (p *TypePages) entryName(in ledger.Input) string {
	for _, name := range p.ranged() {
		if text, _ := in[name].(string); text != "" {
			return text
		}
	}
	return ""
}
