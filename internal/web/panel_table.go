package web

import (
	"net/url"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// panelTable is a table of the records of a type that refer to the record of the page.
type panelTable struct {
	Title                string
	Heads                []head
	Rows                 []row
	CanChange, CanDelete bool // always false: records are selected in their own list
	Menu                 bool // always false, too
	Flat                 bool // it should show a tree, and does not
	From, To             int
	Count                string
	Next, Prev           string
	All                  string // the address of the same records in the list of the type
	Add                  string // the address of the form for a new one; "" for callers who may not add
}

func (v *Visit) panelTable(found record.Values, panel record.Panel, params url.Values) (*panelTable, error) {
	by := panel.Listed()
	p := v.Site.Pages(by.Type)
	q, err := v.Site.Ledger.Query(v.Ctx, v.Caller, by.Type, params)
	if err != nil {
		return nil, err
	}
	if q = QuickCount(q); panel.Card != "" {
		q.Limit, q.Count = cardRows, store.CountNone
	}
	q.Tree = by.Type.Outlined()
	columns := p.columns(nil, nil)
	for i, c := range columns {
		// Its column would have this record in every row, unless the rows may refer to those below it.
		columns[i].Shown = c.Shown && (by.Via != nil || by.IncludesBelow(by.Type) || c.Name != by.Field.Info().Name)
	}
	q.View, q.Where = viewOf(columns), append(q.Where, by.Listed(found.ID())...)
	rows, err := v.Site.Ledger.List(v.Ctx, v.Caller, by.Type, q)
	if err != nil {
		return nil, err
	}
	if err := v.nameLinks(by.Type, shownFields(columns), rows.Rows); err != nil {
		return nil, err
	}
	t := &panelTable{Title: panel.Label(), Count: CountText(rows.Total), All: p.Path + "?" + filterFor(by, found).Encode()}
	t.Flat = flat(q, rows)
	t.Heads, t.Rows = p.table(v, columns, params, rows, record.Values.Display) // the page names the owner
	for i := range t.Heads {
		t.Heads[i].Href = "" // only the list of the type can be sorted
	}
	t.mark(found, panel, rows.Rows)
	t.dropEmpty()
	if len(rows.Rows) > 0 {
		t.From, t.To = rows.Offset+1, rows.Offset+len(rows.Rows)
	}
	if v.May(by.Type, access.Add) && by.Via == nil {
		t.Add = addFor(p, by, found, panel)
	}
	if panel.Tab == "" {
		return t, nil // the list of the type has the rest
	}
	t.Next, t.Prev = tabLinks(found, panel, params, q, rows)
	return t, nil
}

// mark adds a column that says through which of its references the record of the page names a listed one.
func (t *panelTable) mark(found record.Values, panel record.Panel, rows []record.Values) {
	if panel.Marks == nil {
		return
	}
	t.Heads = append(t.Heads, head{Label: "Used as"})
	for i, r := range rows {
		var labels []string
		for _, name := range panel.Marks {
			if l, ok := found.Get(name).(record.Link); ok && l.ID == r.ID() {
				labels = append(labels, found.Type().Field(name).Info().Label)
			}
		}
		t.Rows[i].Cells = append(slices.Clone(t.Rows[i].Cells), tableCell{Label: labelAttr("Used as"), Text: strings.Join(labels, ", ")})
	}
}

// dropEmpty leaves out the columns that have nothing in any row. The first head is that of the names.
func (t *panelTable) dropEmpty() {
	for n := len(t.Heads) - 2; n >= 0 && len(t.Rows) > 0; n-- {
		if !slices.ContainsFunc(t.Rows, func(r row) bool { return !r.Cells[n].empty() }) {
			t.Heads = slices.Delete(t.Heads, n+1, n+2)
			for i := range t.Rows {
				t.Rows[i].Cells = slices.Delete(t.Rows[i].Cells, n, n+1)
			}
		}
	}
}
