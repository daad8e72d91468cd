package web

import (
	"context"
	"errors"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// homePage is the start page: the types with their counts, and the latest changes.
type homePage struct {
	Sections []homeSection
	Changes  []recentChange
	CanLog   bool
}

type homeSection struct {
	Name  string
	Types template.HTML
}

// homeType is a line of a section.
type homeType struct {
	Label   string
	Path    string // without its first slash, as in a row
	Count   int64
	Counted bool
}

// homeLine is such a line, rendered once like those of the navigation, without its count.
type homeLine struct{ uncounted, before, after string }

// aCount is a placeholder for the count while a line is rendered. No real count has this value.
const aCount = math.MinInt64

func (s *Site) newHomeLine(label, path string) (line homeLine, err error) {
	made := homeType{Label: label, Path: unslashed(path), Count: aCount}
	if line.uncounted, err = s.made("homeline", made); err != nil {
		return line, err
	}
	made.Counted = true
	counted, err := s.made("homeline", made)
	line.before, line.after, _ = strings.Cut(counted, strconv.FormatInt(aCount, 10))
	return line, err
}

func (l *homeLine) append(dst []byte, count int64, counted bool) []byte {
	if !counted {
		return append(dst, l.uncounted...)
	}
	return append(strconv.AppendInt(append(dst, l.before...), count, 10), l.after...)
}

type recentChange struct {
	When, User, Label, Action string
	Object                    Cell
	Type                      string
	Href                      string
}

const homeChanges = 12

func (s *Site) home(v *Visit) error {
	counts, err := s.counts(v)
	if err != nil {
		return err
	}
	shown := map[string][]byte{}
	for _, t := range s.Registry.Types() {
		if v.May(t, access.View) {
			n, counted := counts[t]
			shown[t.Section] = s.Pages(t).home.append(shown[t.Section], n, counted)
		}
	}
	var h homePage
	for _, sec := range v.sections() {
		if types := shown[sec.Name]; len(types) > 0 {
			h.Sections = append(h.Sections, homeSection{sec.Name, template.HTML(types)}) // each line was made by a template
		}
	}
	if h.CanLog = v.May(s.ChangeType(), access.View); h.CanLog {
		found, err := s.Ledger.List(v.Ctx, v.Caller, s.ChangeType(), store.Query{Count: store.CountNone, Limit: homeChanges, View: WithoutStates})
		if err != nil {
			return err
		}
		for _, c := range found.Rows {
			h.Changes = append(h.Changes, s.recent(v, c))
		}
	}
	return v.Show(Page{Name: "home", Title: "Home", Body: h})
}

// counts returns the number of records of each type, if it can be counted quickly. For callers who may see only some records, each record
// has to be checked.
func (s *Site) counts(v *Visit) (map[*record.Type]int64, error) {
	ctx, cancel := context.WithTimeout(v.Ctx, searchTime)
	defer cancel()
	counts, err := s.Ledger.Counts(ctx, v.Caller, s.Registry.Types(), "")
	if tooSlow(err) {
		return nil, nil
	}
	return counts, err
}

// tooSlow reports whether a query was stopped because it took too long.
func tooSlow(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Slow || kind == fault.Busy || errors.Is(err, context.DeadlineExceeded)
}

func (s *Site) recent(v *Visit, c record.Values) recentChange {
	line := lineOf(c, noLines)
	r := recentChange{When: line.When, User: line.User, Label: line.Label, Action: line.Action, Href: line.Href,
		Type:   c.Text("changed_object_type"),
		Object: Cell{Kind: TextCell, Text: c.Text("object_repr")}}
	if pointer, ok := c.Get("changed_object").(record.Pointer); ok {
		r.Object = v.Cell(nil, pointer)
	}
	r.Type = s.TitleOf(r.Type)
	return r
}

// searchPage is what was found, by type.
type searchPage struct {
	Text  string
	Found []foundType
	Slow  []string // the types that took too long
}

type foundType struct {
	Label, Href string
	Count       int64
	Rows        []Cell
}

// How many records of each type are shown, and how long the search may take.
const (
	foundRows  = 5
	searchTime = 3 * time.Second
)

// search looks for a text in all types. It counts the records of all types together, and reads the first records only of types that have
// some. If counting takes too long, it asks type by type, and names those that take too long.
func (s *Site) search(v *Visit) error {
	p := searchPage{Text: v.R.URL.Query().Get("q")}
	var types []*record.Type
	for _, t := range s.Registry.Types() {
		if p.Text != "" && len(t.Search) > 0 && v.May(t, access.View) {
			types = append(types, t)
		}
	}
	var counts map[*record.Type]int64
	var err error
	if len(types) > 0 {
		counts, err = s.countFound(v, types, p.Text)
	}
	if err != nil && !tooSlow(err) {
		return err
	}
	counted := err == nil
	for _, t := range types {
		if counted && counts[t] == 0 {
			continue
		}
		found, err := s.find(v, t, p.Text, counted)
		if tooSlow(err) {
			p.Slow = append(p.Slow, s.Pages(t).Title)
			continue
		}
		if err != nil {
			return err
		}
		if counted {
			found.Count = counts[t]
		}
		if found.Count > 0 {
			p.Found = append(p.Found, found)
		}
	}
	return v.Show(Page{Name: "search", Title: "Search", Body: p})
}

func (s *Site) countFound(v *Visit, types []*record.Type, text string) (map[*record.Type]int64, error) {
	ctx, cancel := context.WithTimeout(v.Ctx, searchTime)
	defer cancel()
	return s.Ledger.Counts(ctx, v.Caller, types, text)
}

func (s *Site) find(v *Visit, t *record.Type, text string, counted bool) (foundType, error) {
	ctx, cancel := context.WithTimeout(v.Ctx, searchTime)
	defer cancel()
	f := foundType{Label: s.Pages(t).Title, Href: With(s.Pages(t).Path, nil, "q", text)}
	q := store.Query{Limit: foundRows, Search: text, View: record.View{Brief: true}}
	if counted {
		q.Count = store.CountNone
	}
	found, err := s.Ledger.List(ctx, v.Caller, t, q)
	f.Count = found.Count
	for _, r := range found.Rows {
		f.Rows = append(f.Rows, Cell{Kind: LinkCell, Text: r.Display(), Href: RecordPath(t, r.ID())})
	}
	return f, err
}
