package web

import (
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/transfer"
)

// listPage is what a list shows.
type listPage struct {
	Path, Title, Single string
	Add                 string // the address of the form for a new record, with what the filters say of it
	Doc                 string
	Query               string // the current filters, as the API takes them
	Here                string // all parameters
	Search              string
	CanSearch           bool
	Searched            int // q has searched only this many of the newest records

	Heads   []head
	Rows    []row
	Count   string
	All     string // "All 12 that match"
	From    int
	To      int
	Next    string
	Prev    string
	Pages   []pageLink // "1 2 3 … 12"; none if it is not known how many there are
	Limits  []limitLink
	Exports []Crumb
	Columns []column
	Filters []filterGroup
	Kept    []pair // active filters without an input
	Chips   []Chip
	Saved   savedMenu

	CanAdd, CanChange, CanDelete bool
	Menu                         bool // rows have one
	Flat                         bool // it should show a tree, and does not
}

// head is the heading of a column. Href sorts by it, reverses the order or leads back to the tree.
type head struct {
	Label, Href string
	Sorted      string // ascending, descending or ""
}

// row is a record in a table. Addresses are without their first slash, which is in the template. So html/template need not check whether
// they have a scheme.
type row struct {
	ID    string
	Path  string
	Name  string
	Depth int    // how deep it is in a tree
	Inset int    // how far it is indented
	Level string // how deep it is, for those who don't see that
	Cells []tableCell

	Menu template.HTML // the cell with what the caller may do, from rowMenu
}

// tableCell is a cell of a table. There are hundreds on a page, and each condition in a template costs as much as printing. So the usual
// kinds are distinguished by which field is set.
type tableCell struct {
	Label template.HTMLAttr // the name of its column, from labelAttr
	Text  string
	Path  string
	State string // of a badge
	Tags  []tableTag
	At    time.Time
	Rich  *Cell // anything else
}

type tableTag struct{ Text, Path, Color string }

func (c tableCell) empty() bool {
	return c.Text == "" && len(c.Tags) == 0 && c.At.IsZero() && c.Rich == nil
}

func inTable(c Cell) tableCell {
	c = cut(c)
	switch c.Kind {
	case EmptyCell:
		return tableCell{}
	case TextCell:
		return tableCell{Text: c.Text}
	case TimeCell:
		return tableCell{At: c.At}
	case LinkCell:
		if !strings.HasPrefix(c.Href, "/") {
			return tableCell{Rich: &c} // it leads to another site
		}
		return tableCell{Text: c.Text, Path: unslashed(c.Href)}
	case BadgeCell:
		if c.Icon != "" {
			break
		}
		return tableCell{Text: c.Text, State: c.Color}
	case TagsCell:
		tags := make([]tableTag, len(c.Items))
		for i, tag := range c.Items {
			if tag.Href == "" {
				return tableCell{Rich: &c} // the caller may not see tags
			}
			tags[i] = tableTag{tag.Text, unslashed(tag.Href), tag.Color}
		}
		return tableCell{Tags: tags}
	}
	return tableCell{Rich: &c}
}

// labelAttr returns the attribute with the label of a column, which the style sheet shows in each cell where a table is too wide for the
// screen. It is escaped here: doing that for each cell would take a third longer.
func labelAttr(label string) template.HTMLAttr {
	return template.HTMLAttr(` data-label="` + template.HTMLEscapeString(label) + `"`)
}

func unslashed(href string) string { return strings.TrimPrefix(href, "/") }

type limitLink struct {
	N       int
	Href    string
	Current bool
}

var pageSizes = []int{25, 50, 100, 250, 1000}

func (p *TypePages) list(v *Visit) error {
	params, err := ledger.Params(v.R.URL.RawQuery)
	if err != nil {
		return err
	}
	filled := Filled(params)
	if filled.Encode() != params.Encode() { // a form sends every input, and people share the address
		return v.Leave(With(p.Path, filled), "")
	}
	all, saved, err := p.site.Ledger.Saved(v.Ctx, v.Caller, filled)
	if err != nil {
		return err
	}
	setup, err := p.listSetup(v)
	if err != nil {
		return err
	}
	q, err := p.site.Ledger.QueryWith(v.Ctx, v.Caller, p.Type, all, func() ([]*record.Custom, error) { return setup.defs, nil })
	if err != nil {
		return err
	}
	q = QuickCount(q)
	q.View = viewOf(setup.columns)
	for _, column := range p.own.Columns {
		q.View.Only = append(q.View.Only, column.Needs...)
	}
	if len(p.Type.FullName) > 0 {
		q.View.Only = append(q.View.Only, p.Type.FullNameView().Only...)
	}
	q.Tree = p.Type.Outlined()
	if p.indents(params) {
		q.View.Only = append(q.View.Only, p.Type.Indent)
	}
	if p.Type.Elevated != "" {
		q.View.Only = append(q.View.Only, p.Type.Elevated) // its menu depends on it
	}
	found, release, err := p.site.Ledger.ReadPage(v.Ctx, v.Caller, p.Type, q)
	if err != nil {
		return err
	}
	defer release()
	if err := v.nameLinks(p.Type, shownFields(setup.columns), found.Rows); err != nil {
		return err
	}
	open := p.withoutSecrets(params)
	l := p.listPage(v, setup, open, q, found)
	if len(open) < len(params) {
		l.All, l.Exports = "", nil // without the secret they would mean all records
	}
	params = open
	if l.Chips, err = p.Chips(v, params, setup.defs); err != nil {
		return err
	}
	l.addSaved(v, params, saved)
	if err := p.addOwnColumns(v, l, found.Rows); err != nil {
		return err
	}
	if err := p.addMenus(v, l, found.Rows); err != nil {
		return err
	}
	steps := p.Crumbs()
	return v.Show(Page{Name: "list", Title: p.Title, Crumbs: steps[:len(steps)-1], Body: l})
}

// customsField is the field with the values of all custom fields.
const customsField = "custom_fields"

// viewOf returns a view with only the chosen columns.
func viewOf(columns []column) record.View {
	only := []string{"id"}
	for _, c := range columns {
		switch {
		case !c.Shown:
		case c.custom == nil:
			only = append(only, c.Name)
		case !slices.Contains(only, customsField):
			only = append(only, customsField)
		}
	}
	return record.View{Only: only}
}

func (p *TypePages) toList(v *Visit) error { return v.Leave(p.Path, "") }

func (p *TypePages) listPage(v *Visit, setup listSetup, params url.Values, q store.Query, found store.Page) *listPage {
	l := &listPage{Path: p.Path, Title: p.Title, Single: p.Type.Title(), Doc: p.Type.Doc, Search: params.Get("q"),
		CanSearch: len(p.Type.Search) > 0,
		Query:     p.filterQuery(params), Count: CountText(found.Total), All: allText(found.Total),
		Columns: setup.columns, Filters: p.filterInputs(v, params, setup.defs), Here: params.Encode(),
		CanAdd: v.May(p.Type, access.Add), CanChange: v.May(p.Type, access.Change), CanDelete: v.May(p.Type, access.Delete)}
	l.Kept = p.keptFilters(l.Filters, params)
	l.Add = With(p.Path+"add/", p.filledFrom(params))
	if q.Search != "" {
		l.Searched = p.Type.SearchNewest
	}
	if len(found.Rows) > 0 {
		l.From, l.To = found.Offset+1, found.Offset+len(found.Rows)
	}
	next, previous := ledger.Links(params, q, found)
	if next != "" {
		l.Next = p.Path + "?" + next
	}
	if previous != "" {
		l.Prev = p.Path + "?" + previous
	}
	l.Pages = p.pageLinks(params, q, found)
	for _, n := range pageSizes {
		l.Limits = append(l.Limits, limitLink{n, With(p.Path, params, "limit", strconv.Itoa(n), "offset", "", "cursor", ""), n == q.Limit})
	}
	for _, format := range transfer.Formats {
		narrow, _ := url.ParseQuery(l.Query) // it was made by Encode, so this can't fail
		l.Exports = append(l.Exports, Crumb{strings.ToUpper(string(format)), With(p.Path+"export/", narrow, "format", string(format))})
	}
	l.Flat = flat(q, found)
	l.Heads, l.Rows = p.table(v, l.Columns, params, found, record.Values.FullName)
	for i, r := range found.Rows {
		if p.indents(params) {
			l.Rows[i].indent(int(r.Int(p.Type.Indent)))
		}
	}
	return l
}

// flat reports whether a page that should show a tree does not: the list is too long, or took too long to read as a whole.
func flat(q store.Query, found store.Page) bool {
	return q.Tree && len(q.Order) == 0 && len(found.Rows) > 0 && found.Depths == nil
}

func (r *row) indent(depth int) {
	if depth > 0 {
		r.Depth, r.Inset, r.Level = depth, min(depth, mostIndented), "level "+strconv.Itoa(depth+1)
	}
}

// mostIndented is how far the style sheet can indent a row. Deeper rows are below each other.
const mostIndented = 8

// indents reports whether a list shows a tree, which it does in its own order.
func (p *TypePages) indents(params url.Values) bool {
	return p.Type.Indent != "" && params.Get("ordering") == ""
}

// table returns the chosen columns of a page of records. name returns what a record is called in the first column.
func (p *TypePages) table(v *Visit, columns []column, params url.Values, found store.Page,
	name func(record.Values) string) ([]head, []row) {
	rows, isTree := found.Rows, found.Depths != nil || p.indents(params)
	first := head{Label: p.Single}
	if naming := p.Type.NamingField(); p.Type.Display == nil && naming != "" {
		first = p.head(params, naming, p.Type.Field(naming).Info().Label, true, isTree)
	}
	heads := []head{first}
	var shown []column
	var labels []template.HTMLAttr
	for _, c := range columns {
		if c.Shown {
			heads = append(heads, p.head(params, c.Name, c.Label, c.sorts, isTree))
			shown, labels = append(shown, c), append(labels, labelAttr(c.Label))
		}
	}
	hasCustom := slices.ContainsFunc(shown, func(c column) bool { return c.custom != nil })
	out := make([]row, len(rows))
	cells := make([]tableCell, len(rows)*len(shown))
	for i, r := range rows {
		id := p.Type.FormatID(r.ID())
		out[i] = row{ID: id, Path: unslashed(p.Path) + id + "/", Name: name(r), Cells: cells[i*len(shown) : (i+1)*len(shown)]}
		var custom map[string]any
		if hasCustom {
			custom = customValues(r)
		}
		for n, c := range shown {
			own := p.own.Cells[c.Name]
			switch {
			case c.custom != nil:
				out[i].Cells[n] = inTable(v.seen(customCell(c.custom, custom[c.custom.Name])))
			case own != nil:
				out[i].Cells[n] = inTable(own(r))
			default:
				out[i].Cells[n] = inTable(v.Cell(p.Type.All()[c.index], r.At(c.index)))
			}
			out[i].Cells[n].Label = labels[n]
		}
	}
	for i, depth := range found.Depths {
		out[i].indent(depth)
	}
	return heads, out
}

// head returns the heading of a column. A press on it sorts ascending, another one descending, and a third leads back to the tree of a list
// that has one.
func (p *TypePages) head(params url.Values, name, label string, sorts, isTree bool) head {
	h := head{Label: label}
	if !sorts {
		return h
	}
	order := params.Get("ordering")
	if order == "" && len(p.Type.Order) > 0 && !isTree {
		order = p.Type.Order[0]
	}
	by := name
	switch order, _, _ = strings.Cut(order, ","); order {
	case name:
		h.Sorted, by = "ascending", "-"+name
	case "-" + name:
		h.Sorted = "descending"
		if p.Type.Outlined() || p.Type.Indent != "" {
			by = ""
		}
	}
	h.Href = With(p.Path, params, "ordering", by, "offset", "", "cursor", "")
	return h
}

// withoutSecrets returns the parameters that links of a list may carry on.
func (p *TypePages) withoutSecrets(params url.Values) url.Values {
	open := maps.Clone(params)
	for _, name := range p.Type.SecretFilters() {
		delete(open, name)
	}
	return open
}

// filterQuery returns the part of the query that filters the list.
func (p *TypePages) filterQuery(params url.Values) string {
	narrow := url.Values{}
	for key, values := range params {
		if key == "q" || p.isFilter(key) || slices.Contains(ledger.SavedNames, key) {
			narrow[key] = values
		}
	}
	return narrow.Encode()
}
