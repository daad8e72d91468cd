package web

import (
	"context"
	"errors"
	"html/template"
	"math"
	"strconv"
	"strings"

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
	Ailing   []Ailing
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
	h := homePage{Ailing: v.ailing()}
	sections, _ := v.sections()
	for _, sec := range sections {
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
	ctx, cancel := context.WithTimeout(v.Ctx, countTime)
	defer cancel()
	counts, err := s.Ledger.Counts(ctx, v.Caller, s.Registry.Types())
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
