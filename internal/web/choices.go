package web

import (
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// mostChoices is how many records are offered while somebody types.
const mostChoices = 20

// choices answers with the records that match what was typed, as options of an input. In a filter an option is the key that the API
// filters by. In a form it is the text that names the record. For a reference to one of several types, the records are of the chosen
// type and the options are ids.
func (p *TypePages) choices(v *Visit) error {
	params := v.R.URL.Query()
	if name := params.Get("for"); name != "" {
		ref, _ := record.ReferenceOf(p.Type.Field(name))
		i := slices.IndexFunc(ref.Targets, func(t *record.Type) bool { return t.Key() == params.Get("of") })
		if i < 0 || !v.May(ref.Targets[i], access.View) {
			return v.Part("_choices", []Option(nil))
		}
		return p.site.Pages(ref.Targets[i]).offer(v, params.Get("typed"), func(r record.Values) string { return formatID(r.ID()) })
	}
	return p.Choose(v, params.Get("typed"), params.Get("by") == "key")
}

func (p *TypePages) Choose(v *Visit, typed string, byKey bool) error {
	if byKey {
		return p.offer(v, typed, key)
	}
	return p.offer(v, typed, func(r record.Values) string { return NameOf(p.Type, r.ID(), r.FullName()) })
}

// offer answers with the records in which, with their owners, every word is found that was typed. value returns the option of each. Its
// label is the full name, or has what the record belongs to, because every site may have a rack R1.
func (p *TypePages) offer(v *Visit, typed string, value func(record.Values) string) error {
	q := store.Query{Count: store.CountNone, Limit: mostChoices, Search: typed, View: p.Type.FullNameView()}
	if len(p.Type.Search) == 0 {
		q.Search = ""
	}
	owners := p.Type.BelongsTo()
	for _, ref := range owners {
		q.View = record.View{Only: append(slices.Clone(q.View.Only), ref.Name)}
		text := v.R.URL.Query().Get(ownerParam + ref.Name)
		if text == "" {
			continue
		}
		links, _, err := p.site.Ledger.Refer(v.Ctx, v.Caller, ref.Target, []any{Naming(ref.Target, text)})
		if err != nil {
			return err
		}
		for _, l := range links { // none for a text that is not complete yet
			q.Where = append(q.Where, record.Predicate{Field: p.Type.Field(ref.Name), Values: []any{l.ID}})
		}
	}
	found, err := p.site.Ledger.List(v.Ctx, v.Caller, p.Type, q)
	if err == nil && len(found.Rows) == 0 && len(q.Where) > 0 { // an interface may be in an aggregate of another member of its chassis
		q.Where = nil
		found, err = p.site.Ledger.List(v.Ctx, v.Caller, p.Type, q)
	}
	if err != nil {
		return err
	}
	options := make([]Option, len(found.Rows))
	for i, r := range found.Rows {
		options[i] = Option{Value: value(r), Label: r.FullName()}
		var of []string
		for _, ref := range owners {
			for _, l := range ref.Links(r) {
				of = append(of, ref.Target.DisplayLink(l))
			}
		}
		if len(of) > 0 && len(p.Type.FullName) == 0 {
			options[i].Label += " (" + strings.Join(of, ", ") + ")"
		}
	}
	return v.Part("_choices", options)
}

// ownerParam begins the parameters of choices with what a form has in the fields that the records share with it.
const ownerParam = "with_"

// chosenWith returns the names of the fields of a form that say which records of another type are chosen from: those at the same site.
func chosenWith(t, other *record.Type) string {
	var names []string
	for _, ref := range other.BelongsWith(t) {
		names = append(names, ref.Name)
	}
	return strings.Join(names, " ")
}

// key returns the text by which other types filter for a record.
func key(v record.Values) string {
	if name := v.Type().LookupField(); name != "" {
		return v.Text(name)
	}
	return formatID(v.ID())
}
