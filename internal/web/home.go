package web

import (
	"context"
	"errors"
	"html/template"

	"terrier/internal/fault"
)

// Card is a part of the home page. Each caller chooses which of them are shown, and in which order.
type Card struct {
	Key   string                    // its name in the preferences; its template is "card-" and this
	Title string                    // also names it where cards are arranged
	Shown func(*Visit) bool         // reports whether the caller may see what it shows
	Fill  func(*Visit) (any, error) // returns the data of its template
}

// homePage is the start page: the cards that the caller has not hidden.
type homePage struct {
	Cards     []shownCard
	Arranged  []arrangedCard
	Arranging bool // the form that arranges cards is open
}

type shownCard struct {
	Key, Title string
	Body       template.HTML
}

// home shows the cards in the caller's order.
func (s *Site) home(v *Visit) error {
	preferences, err := s.Ledger.Preferences(v.Ctx, v.Caller)
	if err != nil {
		return err
	}
	h := homePage{Arranged: arrange(v.cards(), preferences), Arranging: v.R.URL.Query().Has("arrange")}
	for _, c := range h.Arranged {
		if c.Hidden {
			continue
		}
		body, err := v.fill(c.Card)
		if err != nil {
			return err
		}
		h.Cards = append(h.Cards, shownCard{c.Key, c.Title, body})
	}
	return v.Show(Page{Name: "home", Title: "Home", Body: h})
}

// cards returns the cards that the caller may see.
func (v *Visit) cards() (cards []Card) {
	for _, room := range v.Site.Rooms {
		cards = append(cards, room.Cards...)
	}
	cards = append(cards, v.Site.changesCard(), v.Site.recordsCard(), v.Site.recentCard())
	seen := cards[:0]
	for _, c := range cards {
		if c.Shown(v) {
			seen = append(seen, c)
		}
	}
	return seen
}

// fill returns the content of a card. A card that was not ready in time says so.
func (v *Visit) fill(c Card) (template.HTML, error) {
	part := "card-" + c.Key
	var data any
	slow, err := v.quickly(func(v *Visit) (err error) {
		data, err = c.Fill(v)
		return err
	})
	if err != nil {
		return "", err
	}
	if slow {
		part = "card-slow"
	}
	body, err := v.Site.made(part, data)
	return template.HTML(body), err // it was made by a template
}

// quickly reads a part of a page that can be left out, which has as long as a count. It reports whether that took too long.
func (v *Visit) quickly(read func(*Visit) error) (slow bool, err error) {
	ctx, cancel := context.WithTimeout(v.Ctx, countTime)
	defer cancel()
	short := *v
	short.Ctx = ctx
	if err = read(&short); tooSlow(err) {
		return true, nil
	}
	return false, err
}

// tooSlow reports whether a query was stopped because it took too long.
func tooSlow(err error) bool {
	kind := fault.KindOf(err)
	return kind == fault.Slow || kind == fault.Busy || errors.Is(err, context.DeadlineExceeded)
}
