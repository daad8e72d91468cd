package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/drawing"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// panelPart is a panel of a record's page with its content: a table or a drawing.
type panelPart struct {
	Label   string
	Table   *panelTable
	Drawing *drawing.Drawing
	Each    *panelEach
	Merged  *panelMerged
}

// panelEach is a page of small drawings, one for each record that refers to the record of the page.
type panelEach struct {
	Drawn      []drawnRecord
	From, To   int
	Count      string
	Next, Prev string
	All, Add   string
}

// drawnRecord is a record and its drawing.
type drawnRecord struct {
	Name, Href string
	Drawing    *drawing.Drawing
}

// panelPage is a tab of a record.
type panelPage struct {
	*DetailPage
	Panel panelPart
}

// tabLink leads to a tab of a record.
type tabLink struct {
	Label, Name, Href string
	Count             int64
	Counted           bool // it lists records
	Folded            bool // it is below "More"
}

// How many records a card lists, how many drawings a page has, and how many tabs, if some are empty.
const (
	cardRows  = 10
	mostDrawn = 12
	mostTabs  = 5
)

// checkPanels refuses a panel whose drawing does not exist.
func (p *TypePages) checkPanels() error {
	for _, panel := range p.Type.Panels {
		if panel.Drawing != "" && !drawing.Exists(panel.Drawing) {
			return fmt.Errorf("record type %s: panel %q names the drawing %q, and there is no such drawing",
				p.Type.Key(), panel.Label(), panel.Drawing)
		}
	}
	return nil
}

// panelRoutes returns the routes of a type's tabs.
func (p *TypePages) panelRoutes() []Route {
	var routes []Route
	for _, panel := range p.Type.Panels {
		if panel.Tab != "" {
			routes = append(routes, Route{Method: "GET", Path: p.Path + "{id}/" + panel.Path() + "/{$}", Type: p.Type, Action: access.View,
				Handle: func(v *Visit) error { return p.panelTab(v, panel) }})
		}
	}
	return routes
}

// panels returns the panels that the caller may see: the tabs, or the cards.
func (p *TypePages) panels(v *Visit, tabs bool) []record.Panel {
	return slices.DeleteFunc(slices.Clone(p.Type.Panels), func(panel record.Panel) bool {
		return (panel.Tab != "") != tabs || !v.maySee(panel)
	})
}

func (v *Visit) maySee(panel record.Panel) bool {
	listed := panel.Listed().Type
	return listed == nil || v.May(listed, access.View)
}

// panelTab answers with the page of a panel.
func (p *TypePages) panelTab(v *Visit, panel record.Panel) error {
	found, err := p.Record(v)
	if err != nil {
		return err
	}
	d, err := p.heading(v, found, panel.Path())
	if err != nil {
		return err
	}
	body := panelPage{DetailPage: d}
	params, err := ledger.Params(v.R.URL.RawQuery)
	if err != nil {
		return err
	}
	if body.Panel, err = v.panel(found, panel, params); err != nil {
		return err
	}
	return v.Show(Page{Name: "panel", Title: panel.Tab + " of " + d.Name, Crumbs: p.Crumbs(Crumb{d.Name, d.Path}), Body: body})
}

// cards returns the panels on the record's own page.
func (p *TypePages) cards(v *Visit, found record.Values) ([]panelPart, error) {
	var parts []panelPart
	for _, panel := range p.panels(v, false) {
		part, err := v.panel(found, panel, url.Values{})
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return parts, nil
}

// panel returns a panel with its content. A tab is shown page by page, a card shows the first few records.
func (v *Visit) panel(found record.Values, panel record.Panel, params url.Values) (panelPart, error) {
	part := panelPart{Label: panel.Label()}
	var err error
	switch {
	case panel.Drawing != "":
		var drawn []*drawing.Drawing
		if drawn, err = v.drawings([]record.Values{found}, panel); err == nil {
			part.Drawing = drawn[0]
		}
	case panel.Merged != "":
		part.Merged, err = v.panelMerged(found, panel)
	case panel.EachPanel() != nil:
		part.Each, err = v.panelEach(found, panel, params)
	default:
		part.Table, err = v.panelTable(found, panel, params)
	}
	return part, err
}

// tabLinks returns the addresses of the next and the previous page of a tab, "" for none.
func tabLinks(found record.Values, panel record.Panel, params url.Values, q store.Query, rows store.Page) (next, prev string) {
	next, prev = ledger.Links(params, q, rows)
	for _, link := range []*string{&next, &prev} {
		if *link != "" {
			*link = RecordPath(found.Type(), found.ID()) + panel.Path() + "/?" + *link
		}
	}
	return next, prev
}

// panelEach returns a page of drawings of the records that refer to one.
func (v *Visit) panelEach(found record.Values, panel record.Panel, params url.Values) (*panelEach, error) {
	by := panel.Listed()
	if !params.Has("limit") {
		params.Set("limit", strconv.Itoa(mostDrawn))
	}
	q, err := v.Site.Ledger.Query(v.Ctx, v.Caller, by.Type, params)
	if err != nil {
		return nil, err
	}
	q = QuickCount(q)
	q.Limit, q.Where = min(q.Limit, mostDrawn), append(q.Where, by.Listed(found.ID())...)
	rows, err := v.Site.Ledger.List(v.Ctx, v.Caller, by.Type, q)
	if err != nil {
		return nil, err
	}
	drawn, err := v.drawings(rows.Rows, *panel.EachPanel())
	if err != nil {
		return nil, err
	}
	p := v.Site.Pages(by.Type)
	each := &panelEach{Count: CountText(rows.Total), All: p.Path + "?" + filterFor(by, found).Encode()}
	for i, row := range rows.Rows {
		each.Drawn = append(each.Drawn, drawnRecord{row.Display(), RecordPath(by.Type, row.ID()), drawn[i]})
	}
	if len(rows.Rows) > 0 {
		each.From, each.To = rows.Offset+1, rows.Offset+len(rows.Rows)
	}
	if v.May(by.Type, access.Add) {
		each.Add = addFor(p, by, found, panel)
	}
	each.Next, each.Prev = tabLinks(found, panel, params, q, rows)
	return each, nil
}

// addFor returns the address of the form for a new record that refers to another one. What both must refer to is filled in too: a device in
// a rack is at the site of the rack. From a tab the form leads back there.
func addFor(p *TypePages, by record.Referrer, to record.Values, panel record.Panel) string {
	back := ""
	if panel.Tab != "" {
		back = RecordPath(to.Type(), to.ID()) + panel.Path() + "/"
	}
	if by.TypeField != "" {
		return With(p.Path+"add/", nil, by.TypeField, to.Type().Key(), by.IDField, to.Type().FormatID(to.ID()), nextParam, back)
	}
	filled := []string{nextParam, back}
	for _, ref := range by.Type.BelongsWith(to.Type()) {
		for _, l := range linksOf(to.Get(ref.Name)) {
			filled = append(filled, ref.Name, filledName(ref.Target, l.ID, ref.Target.DisplayLink(l)))
		}
	}
	for _, rule := range by.Type.Follows { // what saving would take over
		if rule.Of != by.Field.Info().Name {
			continue
		}
		for _, name := range rule.Fields {
			target := record.TargetOf(by.Type.Field(name))
			for _, l := range linksOf(to.Get(name)) {
				if target != nil && l.ID != 0 && !slices.Contains(filled, name) {
					filled = append(filled, name, filledName(target, l.ID, target.DisplayLink(l)))
				}
			}
		}
	}
	filled = append(filled, by.Field.Info().Name, filledName(to.Type(), to.ID(), to.Display()))
	return With(p.Path+"add/", nil, filled...)
}

// filledName returns what an address fills in for a record. The form shows the full name of a record that is named by its id alone.
func filledName(t *record.Type, id int64, display string) string {
	if len(t.FullName) > 0 {
		return "#" + t.FormatID(id)
	}
	return NameOf(t, id, display)
}

// drawings returns the drawings of a panel for some records. A free place leads to the form for a record there, with its parent, place and
// face filled in.
func (v *Visit) drawings(of []record.Values, panel record.Panel) ([]*drawing.Drawing, error) {
	data, err := v.Site.Ledger.PanelData(v.Ctx, v.Caller, panel, of)
	if err != nil {
		return nil, err
	}
	by := panel.Listed()
	drawn := make([]*drawing.Drawing, len(of))
	for i, found := range of {
		links := drawing.Links{Record: func(r record.Values) string { return RecordPath(r.Type(), r.ID()) }, New: v.newLink, List: v.listLink}
		if p := v.Site.Pages(by.Type); p != nil && panel.At != "" && v.May(by.Type, access.Add) {
			add, query, _ := strings.Cut(addFor(p, by, found, panel), "?")
			params, _ := url.ParseQuery(query) // it was just encoded
			links.Add = func(at, face string) string {
				here := []string{panel.At, at, nextParam, v.R.URL.Path}
				if panel.Face != "" {
					here = append(here, panel.Face, face)
				}
				return With(add, params, here...)
			}
		}
		if drawn[i], err = drawing.Make(panel.Drawing, panel.Label(), data[i], links); err != nil {
			return nil, err
		}
	}
	return drawn, nil
}
