package web

import (
	"fmt"
	"net/url"
	"slices"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// panelPart is a panel of a record's page with its content: a table or a drawing.
type panelPart struct {
	Label   string
	Table   *panelTable
	Drawing *drawing
}

// panelTable is a table of the records of a type that refer to the record of the page.
type panelTable struct {
	Title                string
	Heads                []head
	Rows                 []row
	CanChange, CanDelete bool // always false: records are selected in their own list
	From, To             int
	Count                string
	Next, Prev           string
	All                  string // the address of the same records in the list of the type
	Add                  string // the address of the form for a new one; "" for callers who may not add
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
}

// How many records a card lists, and how many a drawing shows.
const (
	cardRows  = 10
	mostDrawn = 1000
)

// checkPanels refuses a panel whose drawing does not exist.
func (p *TypePages) checkPanels() error {
	for _, panel := range p.Type.Panels {
		if panel.Drawing != "" && drawings[panel.Drawing] == nil {
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
	if panel.Drawing != "" {
		part.Drawing, err = v.drawing(found, panel)
	} else {
		part.Table, err = v.panelTable(found, panel, params)
	}
	return part, err
}

func (v *Visit) panelTable(found record.Values, panel record.Panel, params url.Values) (*panelTable, error) {
	by := panel.Listed()
	p := v.Site.Pages(by.Type)
	q, err := v.Site.Ledger.Query(v.Ctx, by.Type, params)
	if err != nil {
		return nil, err
	}
	if q = QuickCount(q); panel.Card != "" {
		q.Limit, q.Count = cardRows, store.CountNone
	}
	columns := p.columns(v)
	for i, c := range columns {
		columns[i].Shown = c.Shown && c.Name != by.Field.Info().Name // this column would have this record in every row
	}
	q.View, q.Where = viewOf(columns), append(q.Where, by.Tests([]int64{found.ID()})...)
	rows, err := v.Site.Ledger.List(v.Ctx, v.Caller, by.Type, q)
	if err != nil {
		return nil, err
	}
	t := &panelTable{Title: panel.Label(), Count: CountText(rows.Total), All: p.Path + "?" + filterFor(by, found).Encode()}
	t.Heads, t.Rows = p.table(v, columns, params, rows.Rows)
	for i := range t.Heads {
		t.Heads[i].Href = "" // only the list of the type can be sorted
	}
	if len(rows.Rows) > 0 {
		t.From, t.To = rows.Offset+1, rows.Offset+len(rows.Rows)
	}
	if v.May(by.Type, access.Add) {
		t.Add = addFor(p, by, found, panel)
	}
	if panel.Tab == "" {
		return t, nil // the list of the type has the rest
	}
	t.Next, t.Prev = ledger.Links(params, q, rows)
	for _, link := range []*string{&t.Next, &t.Prev} {
		if *link != "" {
			*link = RecordPath(found.Type(), found.ID()) + panel.Path() + "/?" + *link
		}
	}
	return t, nil
}

// addFor returns the address of the form for a new record that refers to another one. From a tab the form leads back there.
func addFor(p *TypePages, by record.Referrer, to record.Values, panel record.Panel) string {
	back := ""
	if panel.Tab != "" {
		back = RecordPath(to.Type(), to.ID()) + panel.Path() + "/"
	}
	if by.TypeField != "" {
		return With(p.Path+"add/", nil, by.TypeField, to.Type().Key(), by.IDField, to.Type().FormatID(to.ID()), nextParam, back)
	}
	return With(p.Path+"add/", nil, by.Field.Info().Name, NameOf(to.Type(), to.ID(), to.Display()), nextParam, back)
}

// drawing returns the drawing of a panel: of the record alone, or with the records that refer to it.
func (v *Visit) drawing(found record.Values, panel record.Panel) (*drawing, error) {
	var listed store.Page
	if by := panel.Listed(); by.Type != nil {
		var err error
		q := store.Query{Count: store.CountNone, Limit: mostDrawn, Where: by.Tests([]int64{found.ID()})}
		if listed, err = v.Site.Ledger.List(v.Ctx, v.Caller, by.Type, q); err != nil {
			return nil, err
		}
	}
	return drawings[panel.Drawing](panel.Label(), panel.Data(found, listed.Rows))
}
