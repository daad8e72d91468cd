package web

import (
	"fmt"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
)

// panelMerged is a field that other records make up, and what each of them has added.
type panelMerged struct {
	Result  string
	Sources []mergedSource
	Unseen  int    // sources that the caller may not see
	Plural  string // what the sources are called: "config contexts"
	OwnName string // the field of the record that overrides them
	Own     string // its value; "" for none
	Add     string // the address of the form for a new source; "" for callers who may not add
}

// mergedSource is one of the records that make up a field.
type mergedSource struct {
	Name, Href string
	Place      string // why it is at this place: "Weight 1000"
	Data       string
}

func (v *Visit) panelMerged(found record.Values, panel record.Panel) (*panelMerged, error) {
	m, err := v.Site.Ledger.MergedFrom(v.Ctx, v.Caller, found, panel.Merged)
	if err != nil {
		return nil, err
	}
	merge := found.Type().MergesOf(record.View{Only: []string{panel.Merged}})[0]
	p := &panelMerged{Result: Indented(m.Result), Unseen: m.Unseen, Plural: strings.ReplaceAll(m.Type.Plural, "-", " "),
		OwnName: found.Type().Infos()[merge.Last].Label}
	if m.Own != nil {
		p.Own = Indented(m.Own)
	}
	for _, source := range m.Sources {
		p.Sources = append(p.Sources, mergedSource{source.Display(), RecordPath(m.Type, source.ID()), placeOf(source),
			v.Cell(merge.Data, source.Get(merge.Data.Info().Name)).Text})
	}
	if v.May(m.Type, access.Add) {
		p.Add = v.Site.Pages(m.Type).Path + "add/"
	}
	return p, nil
}

// placeOf returns what the place of a record in the order of its type depends on, besides its name.
func placeOf(source record.Values) string {
	var parts []string
	for _, name := range source.Type().Order {
		name = strings.TrimPrefix(name, "-")
		if f := source.Type().Field(name); f != nil && name != source.Type().NamingField() {
			parts = append(parts, fmt.Sprintf("%s %s", f.Info().Label, CellOf(f, source.Get(name)).Text))
		}
	}
	return strings.Join(parts, ", ")
}
