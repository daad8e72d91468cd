package web

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"terrier/internal/record"
	"terrier/internal/store"
)

// searchTime is how long a search of all types may take.
const searchTime = 3 * time.Second

// searchPage is what was found, by type.
type searchPage struct {
	Text   string
	Meant  *Crumb // a search that finds something, if this one does not
	Found  []foundType
	Slow   []Crumb // the types that took too long
	Logs   []Crumb // the types of which only the newest records were searched
	Newest int
}

// foundType is what was found in a type.
type foundType struct {
	Label, Href string
	Count       string
	More        bool // there are more than are listed
	Hits        []foundRecord

	place int        // on the page
	rank  store.Rank // of the best hit
}

// foundRecord is a record that was found, and what matched if its name does not show it.
type foundRecord struct {
	Href  string
	Name  []piece
	Field string
	Text  []piece
}

// piece is a part of a text. What was searched for is marked.
type piece struct {
	Text   string
	Marked bool
}

// search looks for a text in all types. Types in which a record has the text as its name or another value come first, the others follow
// in the order of the menu.
func (s *Site) search(v *Visit) error {
	p := searchPage{Text: strings.TrimSpace(v.R.URL.Query().Get("q"))}
	if p.Text != "" {
		ctx, cancel := context.WithTimeout(v.Ctx, searchTime)
		defer cancel()
		found, err := s.Ledger.Search(ctx, v.Caller, p.Text)
		if err != nil {
			return err
		}
		sections := s.sectionOrder()
		for _, f := range found {
			pages := s.Pages(f.Type)
			if f.Newest > 0 {
				p.Newest = f.Newest
				p.Logs = append(p.Logs, Crumb{pages.Title, With(pages.Path, nil, "q", p.Text)})
			}
			switch {
			case f.TooSlow:
				p.Slow = append(p.Slow, Crumb{pages.Title, pages.Path})
			case len(f.Hits) > 0:
				p.Found = append(p.Found, pages.found(f, p.Text, sections[f.Type.Section]))
			}
		}
		slices.SortStableFunc(p.Found, func(a, b foundType) int {
			if a.place == b.place && a.place < 0 {
				return cmp.Compare(a.rank, b.rank)
			}
			return cmp.Compare(a.place, b.place)
		})
		if len(p.Found) == 0 && len(p.Slow) == 0 && !v.Live() { // not after each letter
			meant, err := s.Ledger.SuggestSearch(ctx, v.Caller, p.Text)
			if err != nil && !tooSlow(err) { // what was found is shown without it
				return err
			}
			if meant != "" {
				p.Meant = &Crumb{meant, With(v.R.URL.Path, nil, "q", meant)}
			}
		}
	}
	return v.Show(Page{Name: "search", Title: "Search", Body: p})
}

// sectionOrder returns the places of the sections in the menu.
func (s *Site) sectionOrder() map[string]int {
	order := map[string]int{}
	for _, t := range s.Registry.Types() {
		if _, known := order[t.Section]; !known {
			order[t.Section] = len(order)
		}
	}
	return order
}

// The places of types before the others: those in which a record has the text as its name or as a value, then those with networks around
// an address.
const exactPlace, aroundPlace = -2, -1

func (p *TypePages) found(f store.Findings, text string, menu int) foundType {
	shown := foundType{Label: p.Title, Href: With(p.Path, nil, cmp.Or(f.By, "q"), text), Count: strconv.Itoa(len(f.Hits)), More: f.More,
		place: menu}
	switch shown.rank = f.Hits[0].Rank; {
	case shown.rank == store.NameExact, shown.rank == store.TextExact && f.Newest == 0 && !isDescription(f.Hits[0].Field):
		shown.place = exactPlace
	case shown.rank >= store.NetworkAround:
		shown.place = aroundPlace
	}
	if f.More {
		shown.Count = fmt.Sprintf("more than %d", len(f.Hits))
	}
	for _, h := range f.Hits {
		name := h.Record.FullName()
		hit := foundRecord{Href: RecordPath(p.Type, h.Record.ID()), Name: marked(name, text)}
		if field, shows := matchedField(h); shows && !strings.Contains(name, h.Text) {
			hit.Field, hit.Text = field, marked(h.Text, text)
		}
		shown.Hits = append(shown.Hits, hit)
	}
	return shown
}

// isDescription reports whether a field has words about a record. They don't say which record it is, as a name or a number does.
func isDescription(f record.Field) bool {
	return f != nil && (f.Info().Name == "description" || f.Info().Widget == record.TextArea)
}

// matchedField returns the label of the field that matched. Fields that are never shown have none.
func matchedField(h store.Hit) (label string, ok bool) {
	if h.Field == nil {
		return "ID", true
	}
	in := h.Field.Info()
	if h.Of != nil {
		return h.Of.Title() + ": " + in.Label, !in.Hidden
	}
	return in.Label, !in.Hidden
}

// marked splits a text so that each place where another is in it, in capitals or not, is a piece.
func marked(text, sought string) []piece {
	in, folded, want := []rune(text), lowered(text), lowered(sought)
	var pieces []piece
	begin := 0
	for at := 0; len(want) > 0 && at+len(want) <= len(in); {
		if !slices.Equal(folded[at:at+len(want)], want) {
			at++
			continue
		}
		if at > begin {
			pieces = append(pieces, piece{Text: string(in[begin:at])})
		}
		begin = at + len(want)
		pieces = append(pieces, piece{Text: string(in[at:begin]), Marked: true})
		at = begin
	}
	if begin < len(in) {
		pieces = append(pieces, piece{Text: string(in[begin:])})
	}
	return pieces
}

// lowered returns the characters of a text in lower case, as many as it has.
func lowered(text string) []rune {
	runes := []rune(text)
	for i, r := range runes {
		runes[i] = unicode.ToLower(r)
	}
	return runes
}
