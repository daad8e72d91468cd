package web

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strconv"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// mostSelected is how many records can be selected: as many as one request to the API may have. A capped count tells whether
// there are more.
const mostSelected = store.CountCap

// selection is the records of a bulk action: those selected in a list, or all that match its filters.
type selection struct {
	All   bool
	Query string   // the current filters
	IDs   []string // of the selected records
	Seen  string   // a fingerprint of these records
	Count string   // "3 sites"
	Back  string   // the list that it was made in

	rows []record.Values
}

// selected returns the selected records that the caller may see.
func (p *TypePages) selected(v *Visit) (*selection, error) {
	if err := v.ParseForm(); err != nil {
		return nil, err
	}
	form := v.R.PostForm
	params, err := ledger.Params(form.Get("query"))
	if err != nil {
		return nil, err
	}
	s := &selection{All: form.Get("all") == "true", Query: p.filterQuery(params), Back: p.Path}
	if s.Query != "" {
		s.Back += "?" + s.Query
	}
	var q store.Query
	if s.All {
		q, err = p.site.Ledger.Query(v.Ctx, v.Caller, p.Type, params)
	} else {
		s.IDs = form["id"]
		q, err = p.ticked(s.IDs)
	}
	if err != nil || !s.All && len(s.IDs) == 0 {
		return s, err
	}
	q.Order, q.View, q.Count = []string{"id"}, p.selectedView(), store.CountCapped
	for page, err := range p.site.Ledger.Pages(v.Ctx, v.Caller, p.Type, q) {
		if err != nil {
			return nil, err
		}
		if page.Count > mostSelected {
			return nil, fault.New(fault.TooLarge,
				"More than %d %s match. That is too many to select at once: narrow the filter of the list.",
				mostSelected, p.Type.PluralTitle())
		}
		s.rows = append(s.rows, page.Rows...)
	}
	s.Seen, s.Count = fingerprint(s.rows), p.counted(len(s.rows))
	return s, nil
}

// selectedView returns what is read of each selected record: its name, and the sets that an action may add to.
func (p *TypePages) selectedView() record.View {
	view := record.View{Only: []string{"id"}}
	for i, f := range p.Type.All() {
		if ref, _ := record.ReferenceOf(f); ref.Many {
			view.Only = append(view.Only, p.Type.Infos()[i].Name)
		}
	}
	return view
}

// ticked returns the query for records by their ids.
func (p *TypePages) ticked(texts []string) (store.Query, error) {
	ids := make([]int64, len(texts))
	for i, text := range texts {
		id, err := p.Type.ParseID(text)
		if err != nil {
			return store.Query{}, fault.Field("id", "%q is not the id of a %s.", text, p.Type.Title())
		}
		ids[i] = id
	}
	return store.Query{Where: []record.Predicate{{Values: record.AnyOf(ids)}}}, nil
}

// fingerprint returns a text that is different for another set of records.
func fingerprint(rows []record.Values) string {
	h := fnv.New64a()
	for _, v := range rows {
		_ = binary.Write(h, binary.BigEndian, v.ID()) // writing to a hash can't fail
	}
	return fmt.Sprintf("%d-%x", len(rows), h.Sum64())
}

// stale returns an error if the selected records are not those that were shown.
func (s *selection) stale(v *Visit) error {
	if v.R.PostForm.Get("seen") == s.Seen {
		return nil
	}
	return fault.New(fault.Precondition,
		"The selection has changed since you saw it: now it is %s. Check it before you continue.", s.Count)
}

// nothing answers an empty selection: it redirects to the list.
func (s *selection) nothing(v *Visit, p *TypePages) error {
	if s.All || len(s.IDs) > 0 {
		return v.Leave(s.Back, "What you selected no longer exists.")
	}
	return v.Leave(s.Back, "Nothing is selected. Select some "+p.Type.PluralTitle()+" first, or all that match.")
}

// names returns the first few records.
func (s *selection) names(most int) []Cell {
	cells := make([]Cell, min(len(s.rows), most))
	for i := range cells {
		cells[i] = s.about(i).Record
	}
	return cells
}

// about returns a refusal of one of the records, still without messages.
func (s *selection) about(i int) refusal {
	v := s.rows[i]
	return refusal{Record: Cell{Kind: LinkCell, Text: v.FullName(), Href: RecordPath(v.Type(), v.ID())}}
}

// counted returns a number of records of the type in words: "1 site", "3 sites".
func (p *TypePages) counted(n int) string {
	if n == 1 {
		return "1 " + p.Type.Title()
	}
	return strconv.Itoa(n) + " " + p.Type.PluralTitle()
}
