package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// linksOf returns the references in the value of a field.
func linksOf(value any) []record.Link {
	switch x := value.(type) {
	case record.Link:
		return []record.Link{x}
	case []record.Link:
		return x
	}
	return nil
}

// fillLinks sets the references of a widget. A single one is a text that names it, a set has a checkbox for each. References that the
// caller may not see are only counted.
func (s FormSource) fillLinks(f *FormField, target *record.Type, links []record.Link) {
	for _, l := range links {
		switch {
		case s.unseen[target][l.ID]:
			f.Unseen++
		case f.Widget == record.RecordInput:
			f.Value = NameOf(target, l.ID, s.caller.nameOf(target, l))
		default:
			f.Links = append(f.Links, Option{Value: formatID(l.ID), Label: s.caller.nameOf(target, l), Selected: true})
		}
	}
	f.CanClear = f.Unseen > 0 && f.Widget == record.RecordInput && !f.Required && !f.Fixed
	f.held = heldPrint(f.Widget, f.Name, f.posts())
	if !s.typedInto(f) {
		return
	}
	typed := slices.DeleteFunc(slices.Clone(s.typed[f.Name]), func(text string) bool { return strings.TrimSpace(text) == "" })
	f.Clear = s.typed.Has(f.Name + clearSuffix)
	if f.Widget == record.RecordInput {
		f.Value = strings.Join(typed, "")
		return
	}
	for i, l := range f.Links {
		f.Links[i].Selected = slices.Contains(s.typed[f.Name+keptSuffix], l.Value)
	}
	for _, text := range typed {
		f.Options = append(f.Options, Option{Value: text, Label: text, Selected: true})
	}
}

// suggestLink adds to the error about a text that names no record the one record whose name begins with it.
func (s FormSource) suggestLink(f *FormField, target *record.Type) {
	typed, name := strings.TrimSpace(f.Value), target.NamingField()
	if len(f.Errors) == 0 || typed == "" || name == "" || !s.typedInto(f) || !s.caller.May(target, access.View) {
		return
	}
	begins := record.Predicate{Field: target.Field(name), Lookup: record.Starts, Values: []any{typed}}
	found, err := s.caller.Site.Ledger.List(s.caller.Ctx, s.caller.Caller, target, store.Query{Where: []record.Predicate{begins}, Limit: 2,
		Count: store.CountNone, View: target.FullNameView()})
	if err != nil || len(found.Rows) != 1 { // a suggestion is no reason to fail
		return
	}
	if meant := NameOf(target, found.Rows[0].ID(), found.Rows[0].FullName()); meant != typed {
		f.Errors = append(slices.Clone(f.Errors), fmt.Sprintf("Did you mean %q? It is filled in: save again to take it.", meant))
		f.Value = meant
	}
}

// withUnseen adds the references that the caller may not see to what was typed. A single one stays until it is replaced or removed. In a
// set they always stay.
func (s FormSource) withUnseen(target *record.Type, name string, value any) (any, bool) {
	unseen := slices.DeleteFunc(slices.Clone(linksOf(s.v.Get(name))), func(l record.Link) bool { return !s.unseen[target][l.ID] })
	many, isMany := value.([]any)
	if !isMany {
		return value, value != nil || len(unseen) == 0 || s.typed.Has(name+clearSuffix)
	}
	for _, l := range unseen {
		many = append(many, idOf(l))
	}
	return many, true
}

// idOf returns a reference by its id, as the API takes it.
func idOf(l record.Link) json.Number { return json.Number(formatID(l.ID)) }

func formatID(id int64) string { return strconv.FormatInt(id, 10) }
