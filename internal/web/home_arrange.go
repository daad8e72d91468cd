package web

import (
	"net/http"
	"slices"
	"strings"

	"terrier/internal/fault"
)

// homePreference is the key of the home page in a user's preferences: {"cards": ["records", …], "hidden": ["recent"]}.
const homePreference = "home"

// homeOrder is the order of the cards for somebody who has chosen none: charts beside each other, then small cards, then long ones.
var homeOrder = []string{"requests", "changes", "webhooks", "queued", "records", "recent"}

// arrangedCard is a card in its place.
type arrangedCard struct {
	Card
	Hidden      bool
	First, Last bool
}

// arrange puts cards into the order of the preferences. Cards that these do not name follow in the order of homeOrder: a card that is new
// to the program is shown. Whatever else is in the preferences is ignored, because the API takes anything.
func arrange(cards []Card, preferences map[string]any) []arrangedCard {
	home, _ := preferences[homePreference].(map[string]any)
	order, hidden := append(texts(home["cards"]), homeOrder...), texts(home["hidden"]) // of a key twice, the first counts
	place := func(c Card) int {
		if i := slices.Index(order, c.Key); i >= 0 {
			return i
		}
		return len(order)
	}
	cards = slices.Clone(cards)
	slices.SortStableFunc(cards, func(a, b Card) int { return place(a) - place(b) })
	arranged := make([]arrangedCard, len(cards))
	for i, c := range cards {
		arranged[i] = arrangedCard{c, slices.Contains(hidden, c.Key), i == 0, i == len(cards)-1}
	}
	return arranged
}

// texts returns the texts of a list.
func texts(value any) (found []string) {
	list, _ := value.([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			found = append(found, s)
		}
	}
	return found
}

// arrangeCards moves, hides or shows one card of the caller's home page, or puts all back in their place.
func (s *Site) arrangeCards(v *Visit) error {
	if err := v.ParseForm(); err != nil {
		return err
	}
	verb, key, _ := strings.Cut(v.R.PostForm.Get("do"), " ")
	home, err := map[string]any{}, error(nil)
	if verb != "reset" {
		var preferences map[string]any
		if preferences, err = s.Ledger.Preferences(v.Ctx, v.Caller); err == nil {
			if home, err = rearranged(arrange(v.cards(), preferences), verb, key); err == nil {
				keepOthers(home, preferences)
			}
		}
	}
	if err == nil {
		_, err = s.Ledger.SetPreferences(v.Ctx, v.Caller, map[string]any{homePreference: home})
	}
	if err != nil {
		return err
	}
	to := "/?arrange=#arrange"
	if key != "" {
		to += "-" + key
	}
	http.Redirect(v.W, v.R, to, http.StatusSeeOther)
	return nil
}

// keepOthers adds the cards of the preferences that the caller may not see now, because a permission may come back.
func keepOthers(home, preferences map[string]any) {
	before, _ := preferences[homePreference].(map[string]any)
	shown := texts(home["cards"])
	for _, list := range []string{"cards", "hidden"} {
		for _, key := range texts(before[list]) {
			if slices.Contains(homeOrder, key) && !slices.Contains(shown, key) {
				home[list] = append(home[list].([]any), key)
			}
		}
	}
}

// rearranged returns the preferences of the home page after one step. The form has the key of a card that exists.
func rearranged(cards []arrangedCard, verb, key string) (map[string]any, error) {
	at := slices.IndexFunc(cards, func(c arrangedCard) bool { return c.Key == key })
	to := at
	switch verb {
	case "up":
		to--
	case "down":
		to++
	case "hide", "show":
	default:
		at = -1
	}
	if at < 0 {
		return nil, fault.New(fault.Invalid, "There is no such card, or no such step: go back to the home page and try again.")
	}
	if to >= 0 && to < len(cards) {
		cards[at], cards[to] = cards[to], cards[at]
	}
	order, hidden := []any{}, []any{}
	for _, c := range cards {
		if c.Key == key && (verb == "hide" || verb == "show") {
			c.Hidden = verb == "hide"
		}
		if order = append(order, c.Key); c.Hidden {
			hidden = append(hidden, c.Key)
		}
	}
	return map[string]any{"cards": order, "hidden": hidden}, nil
}
