package web

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/record"
)

// nameForm reads the full names of the records that a form shows: those that the record refers to, or those that the address of the form
// for a new one fills in by their ids. It returns what is filled in with these names.
func (p *TypePages) nameForm(v *Visit, found record.Values, typed url.Values) (url.Values, error) {
	if found.Type() != nil {
		return typed, v.nameLinks(p.Type, nil, []record.Values{found})
	}
	if v.R.Method == http.MethodPost {
		return typed, nil
	}
	wanted := wantedNames{}
	for i, f := range p.Type.All() {
		ref, _ := record.ReferenceOf(f)
		for _, text := range typed[p.Type.Infos()[i].Name] {
			wanted.add(ref.Target, filledID(text))
		}
		if ref.IDField != "" {
			id, _ := strconv.ParseInt(typed.Get(ref.IDField), 10, 64)
			wanted.add(p.site.Registry.Type(typed.Get(ref.TypeField)), id)
		}
	}
	if len(wanted) == 0 {
		return typed, nil
	}
	named := maps.Clone(typed)
	err := v.readNames(wanted)
	for i, f := range p.Type.All() {
		target, field := record.TargetOf(f), p.Type.Infos()[i].Name
		named[field] = slices.Clone(typed[field])
		for n, text := range typed[field] {
			id := filledID(text)
			if name := v.fullNames[record.Pointer{Type: target, ID: id}]; name != "" {
				named[field][n] = NameOf(target, id, name)
			}
		}
		if len(named[field]) == 0 {
			delete(named, field)
		}
	}
	return named, err
}

// filledID returns the id in #3, 0 for any other text.
func filledID(text string) int64 {
	if name, id, numbered := record.NumberedName(text); numbered && name == "" {
		return id
	}
	return 0
}

// nameOfAny returns a sentence with the name of the record that a form shows in the two halves of a reference, "" if it was not read.
func (s FormSource) nameOfAny(ref record.Reference) string {
	id := s.text(ref.IDField)
	n, _ := strconv.ParseInt(id, 10, 64)
	name := s.caller.fullNames[record.Pointer{Type: s.caller.Site.Registry.Type(s.text(ref.TypeField)), ID: n}]
	if name == "" {
		return ""
	}
	return id + " is " + name + "."
}

// text returns the value of a field as its widget shows it: what was typed, or else what the record has.
func (s FormSource) text(field string) string {
	switch {
	case s.typed.Has(field):
		return s.typed.Get(field)
	case s.v.Type() == nil:
		return ""
	}
	return strings.Join(textsOf(s.v.Get(field)), "")
}
