package web

import (
	"html/template"
	"math"
	"strconv"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
)

// recordsCard counts records by section. A type without records is left out: the menu has it.
func (s *Site) recordsCard() Card {
	return Card{Key: "records", Title: "Records", Shown: func(*Visit) bool { return true }, Fill: s.fillRecords}
}

// homeRecords is what it shows.
type homeRecords struct {
	Sections []homeSection
	None     bool // the caller may see types, and there are no records of them
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

func (s *Site) fillRecords(v *Visit) (any, error) {
	counts, err := s.counts(v)
	if err != nil {
		return nil, err
	}
	var found homeRecords
	shown := map[string][]byte{}
	for _, t := range s.Registry.Types() {
		if !v.May(t, access.View) || t.Owner != "" && !v.granted(t) {
			continue // as in the menu
		}
		found.None = true
		if n, counted := counts[t]; n > 0 || !counted {
			shown[t.Section] = s.Pages(t).home.append(shown[t.Section], n, counted)
		}
	}
	sections, _ := v.sections()
	for _, sec := range sections {
		if types := shown[sec.Name]; len(types) > 0 {
			found.Sections = append(found.Sections, homeSection{sec.Name, template.HTML(types)}) // each line was made by a template
		}
	}
	return found, nil
}

// counts returns the number of records of each type, if it can be counted quickly. For callers who may see only some records, each record
// has to be checked.
func (s *Site) counts(v *Visit) (map[*record.Type]int64, error) {
	counts, err := s.Ledger.Counts(v.Ctx, v.Caller, s.Registry.Types())
	if tooSlow(err) {
		return nil, nil
	}
	return counts, err
}
