package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// DetailPage is what the page of a record shows.
type DetailPage struct {
	Path, List           string
	Name, Single         string
	Tab                  string
	Fields               []Labelled
	Custom               []Labelled
	Tags                 Cell
	Related              []relatedLink
	Changes              []changeLine
	API                  string
	HasChanges           bool
	Tabs                 []tabLink   // of panels
	HasMore              bool        // some tabs are folded
	Drawings             []panelPart // beside the fields
	CanChange, CanDelete bool
	Actions              []ActionLink
	Links                []customMenu
	More                 any // for the type's own template

	related []ledger.Related
}

// Labelled is a field and its value.
type Labelled struct {
	Label, Help string
	Cell
}

// relatedLink leads to the records that refer to this one.
type relatedLink struct {
	Label, Href string
	Count       int64
}

func (p *TypePages) detail(v *Visit) error {
	found, err := p.Record(v)
	if err != nil {
		return err
	}
	d, err := p.detailPage(v, found)
	if err != nil {
		return err
	}
	cards, err := p.cards(v, found)
	if err != nil {
		return err
	}
	page := Page{Name: cmp.Or(p.own.Detail, "detail"), Title: d.Name, Crumbs: p.Crumbs(), Body: d}
	for _, card := range cards {
		if card.Drawing != nil && p.own.Detail == "" {
			d.Drawings = append(d.Drawings, card)
		} else {
			page.Cards = append(page.Cards, card)
		}
	}
	return v.Show(page)
}

// recentChanges is how many changes the page of a record shows.
const recentChanges = 5

func (p *TypePages) detailPage(v *Visit, found record.Values) (*DetailPage, error) {
	d, err := p.heading(v, found, recordTab)
	if err != nil {
		return nil, err
	}
	defs, err := p.customs(v)
	if err != nil {
		return nil, err
	}
	if err := v.nameLinks(p.Type, nil, []record.Values{found}); err != nil {
		return nil, err
	}
	d.fill(v, found, defs)
	d.addMap(v, found)
	if err := d.addRequested(v, found); err != nil {
		return nil, err
	}
	if err := d.addTotals(v, found); err != nil {
		return nil, err
	}
	for _, r := range d.related {
		if slices.ContainsFunc(p.Type.Panels, func(panel record.Panel) bool { return panel.Tab != "" && panel.Listed().Same(r.Referrer) }) {
			continue // the tab has its count
		}
		label := p.site.Pages(r.Type).Title
		if name := r.Field.Info().Label; !strings.EqualFold(name, p.Type.Title()) && name != "Tags" {
			label += " (" + record.InSentence(name) + ")"
		}
		d.Related = append(d.Related, relatedLink{label, PagePath(r.Type) + "?" + filterFor(r.Referrer, found).Encode(), r.Count})
	}
	if d.HasChanges {
		if d.Changes, err = v.changesOf(p.Type, found.ID(), recentChanges); err != nil {
			return nil, err
		}
	}
	if p.own.MoreDetail != nil {
		err = p.own.MoreDetail(v, d, found)
	}
	return d, err
}

// filterFor returns the filters that find the records which refer to one through a field.
func filterFor(r record.Referrer, to record.Values) url.Values {
	id := []string{to.Type().FormatID(to.ID())}
	if r.TypeField != "" {
		return url.Values{r.TypeField: {to.Type().Key()}, r.IDField: id}
	}
	return url.Values{r.FilterName + "_id": id}
}

// heading returns the parts that all pages about a record have in common.
func (p *TypePages) heading(v *Visit, found record.Values, tab string) (*DetailPage, error) {
	d := &DetailPage{Path: RecordPath(p.Type, found.ID()), List: p.Path, Name: found.FullName(), Single: p.Single, Tab: tab,
		API: p.Type.Path() + p.Type.FormatID(found.ID()) + "/", HasChanges: !p.Type.ReadOnly && v.May(p.site.ChangeType(), access.View)}
	err := p.tabs(v, d, found)
	if err != nil {
		return nil, err
	}
	if d.CanChange, err = p.site.Ledger.May(v.Ctx, v.Caller, found, access.Change); err != nil {
		return nil, err
	}
	if d.CanDelete, err = p.site.Ledger.May(v.Ctx, v.Caller, found, access.Delete); err != nil {
		return nil, err
	}
	if d.Actions, err = p.actionLinks(v, found); err != nil {
		return nil, err
	}
	d.Links, err = v.customLinks(found)
	return d, err
}

// tabs adds the tabs of a record with the number of records in each. The record's own page shows the other numbers too, so there all are
// counted together.
func (p *TypePages) tabs(v *Visit, d *DetailPage, found record.Values) (err error) {
	panels := p.panels(v, true)
	var by []record.Referrer
	if d.Tab == recordTab {
		by = p.site.Registry.Referrers(p.Type)
	}
	for _, panel := range panels {
		if listed := panel.Listed(); listed.Type != nil && (listed.Via != nil || d.Tab != recordTab) {
			by = append(by, listed)
		}
	}
	if d.related, err = p.site.Ledger.RelatedBy(v.Ctx, v.Caller, found, by); err != nil {
		return err
	}
	for _, panel := range panels {
		tab := tabLink{Label: panel.Tab, Name: panel.Path(), Href: d.Path + panel.Path() + "/"}
		if i := slices.IndexFunc(d.related, func(r ledger.Related) bool { return panel.Listed().Same(r.Referrer) }); i >= 0 {
			tab.Count, tab.Counted = d.related[i].Count, true
		}
		tab.Folded = len(panels) > mostTabs && tab.Counted && tab.Count == 0 && tab.Name != d.Tab
		d.Tabs = append(d.Tabs, tab)
		d.HasMore = d.HasMore || tab.Folded
	}
	return nil
}

// recordTab is the name of the tab with the record itself.
const recordTab = "record"

func (d *DetailPage) fill(v *Visit, found record.Values, defs []*record.Custom) {
	t := found.Type()
	for i, in := range t.Infos() {
		f := t.All()[i]
		if in.HalfOf != "" && (found.Get(in.HalfOf) != nil || found.At(i) == nil) {
			continue // the reference is shown, or is empty
		}
		if in.Hidden || in.DetailOnly || in.OnRequest || in.IsForAPI() || in.Widget.IsWriteOnly() || in.Widget == record.CustomInputs {
			continue
		}
		if ref, _ := record.ReferenceOf(f); ref.Tags {
			d.Tags = v.Cell(f, found.At(i))
			continue
		}
		d.Fields = append(d.Fields, Labelled{in.Label, in.Help, v.Cell(f, found.At(i))})
	}
	values := customValues(found)
	for _, def := range defs {
		d.Custom = append(d.Custom, Labelled{def.Label, def.Help, customCell(def, values[def.Name])})
	}
}

// addRequested adds the fields that are read only on request. They may take longer than all the rest, and are left out then.
func (d *DetailPage) addRequested(v *Visit, found record.Values) error {
	t := found.Type()
	var names []string
	for _, in := range t.Infos() {
		if in.OnRequest {
			names = append(names, in.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	var shown record.Values
	slow, err := v.quickly(func(v *Visit) (err error) {
		shown, err = v.Site.Ledger.Show(v.Ctx, v.Caller, t, found.ID(), record.View{Only: names, With: names})
		return err
	})
	if slow || err != nil {
		return err
	}
	for _, name := range names {
		f := t.Field(name)
		d.addField(t, Labelled{f.Info().Label, f.Info().Help, v.Cell(f, shown.Get(name))})
	}
	return nil
}

// addTotals adds the totals of the record.
func (d *DetailPage) addTotals(v *Visit, found record.Values) error {
	sums, err := v.Site.Ledger.Totals(v.Ctx, v.Caller, found)
	for _, sum := range sums {
		d.addField(found.Type(), Labelled{Label: sum.Label, Cell: textOf(sum.Text, false)})
	}
	return err
}

// addField adds a field before the times at the end.
func (d *DetailPage) addField(t *record.Type, f Labelled) {
	at := len(d.Fields)
	if t.Logged() {
		at -= 2 // created and last_updated
	}
	d.Fields = slices.Insert(d.Fields, at, f)
}

// customCell returns the value of a custom field, which is JSON, for people.
func customCell(def *record.Custom, value any) Cell {
	switch x := value.(type) {
	case nil:
		return Cell{Kind: EmptyCell}
	case bool:
		return CellOf(nil, x)
	case map[string]any:
		return Cell{Kind: CodeCell, Text: strings.Join(textsOf(x), "\n")}
	case string:
		if def.IsURL() {
			return outside(x)
		}
		if at, err := record.ParseTime(x); err == nil && def.Info().Widget == record.MomentInput {
			return CellOf(nil, at)
		}
	}
	return textOf(strings.Join(textsOf(value), ", "), def.Info().Widget == record.TextArea)
}

// outside returns a link to another site. Only web and mail addresses become links.
func outside(address string) Cell {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" {
		return Cell{Kind: TextCell, Text: address}
	}
	return Cell{Kind: LinkCell, Text: address, Href: u.String()}
}
