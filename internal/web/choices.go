package web

import (
	"terrier/internal/record"
	"terrier/internal/store"
)

// mostChoices is how many records are offered to somebody who types.
const mostChoices = 20

// choices offers the records that fit what was typed, as options of an input. In a filter they
// stand for the key that the API filters by, in a form for the record itself.
func (p *TypePages) choices(v *Visit) error {
	params := v.R.URL.Query()
	return p.Choose(v, params.Get("typed"), params.Get("by") == "key")
}

func (p *TypePages) Choose(v *Visit, typed string, byKey bool) error {
	q := store.Query{Uncounted: true, Limit: mostChoices, Search: typed, View: record.View{Brief: true}}
	if len(p.Type.Search) == 0 {
		q.Search = ""
	}
	found, err := p.site.Ledger.List(v.Ctx, v.Caller, p.Type, q)
	if err != nil {
		return err
	}
	options := make([]Option, len(found.Rows))
	for i, r := range found.Rows {
		options[i] = Option{Value: NameOf(p.Type, r.ID(), r.Display()), Label: r.Display()}
		if byKey {
			options[i].Value = key(r)
		}
	}
	return v.Part("_choices", options)
}

// key is the text by which others filter for a record.
func key(v record.Values) string {
	if name := v.Type().LookupField(); name != "" {
		return v.Text(name)
	}
	return formatID(v.ID())
}
