package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Panel is a part of a record's page besides its fields: the records that refer to it, or a drawing.
type Panel struct {
	Tab  string // its name, if it is a tab with its own page
	Card string // its name, if it is a card on the record's page
	List string // "dcim.interface": the type of the records that it shows; they refer to this one
	By   string // the field through which they refer; not needed if the type has only one such field

	// Drawing names one of the drawings of the pages, shown instead of a table. Data returns its input, made from the record and
	// the records of List that the caller may see.
	Drawing string
	Data    func(of Values, listed []Values) any

	listed Referrer
}

// Slots is the input of the drawing "slots": places in a column, numbered from 1 at the top, and the records in them.
type Slots struct {
	Count int64
	Taken []Slot
}

// Slot is a record that takes Size places: At and those below it.
type Slot struct {
	At, Size int64
	Record   Values
}

// Label returns the panel's name for people.
func (p Panel) Label() string { return cmp.Or(p.Tab, p.Card) }

// Path returns the last part of the address of a tab: "power-ports".
func (p Panel) Path() string { return strings.ReplaceAll(strings.ToLower(p.Tab), " ", "-") }

// Listed returns which records the panel shows, and through which field they refer to the record. Its Type is nil if the panel
// draws the record alone.
func (p Panel) Listed() Referrer { return p.listed }

// checkPanels checks the panels and resolves what they list.
func (t *Type) checkPanels() error {
	t.Panels = slices.Clone(t.Panels) // other registries may share the declaration
	for i := range t.Panels {
		p := &t.Panels[i]
		switch {
		case (p.Tab == "") == (p.Card == ""):
			return fmt.Errorf("a panel needs a name, either as Tab or as Card")
		case p.Tab != "" && !pathName.MatchString(p.Path()):
			return fmt.Errorf("the Tab %q can't be part of an address: use words", p.Tab)
		case slices.ContainsFunc(t.Panels[:i], func(other Panel) bool { return other.Label() == p.Label() }):
			return fmt.Errorf("two panels are called %q", p.Label())
		case p.List == "" && p.Drawing == "":
			return fmt.Errorf("panel %q shows nothing: it needs a List or a Drawing", p.Label())
		case (p.Drawing == "") != (p.Data == nil):
			return fmt.Errorf("panel %q: Drawing and Data belong together", p.Label())
		}
		if p.List == "" {
			continue
		}
		if err := p.find(t); err != nil {
			return fmt.Errorf("panel %q %w", p.Label(), err)
		}
	}
	return nil
}

// find finds the field through which the listed records refer to those of t.
func (p *Panel) find(t *Type) error {
	of := t.reg.byKey[p.List]
	if of == nil {
		return fmt.Errorf("lists %s, which is not registered", p.List)
	}
	var found []Referrer
	for _, r := range t.reg.Referrers(t) {
		if r.Type == of && (p.By == "" || p.By == r.Field.Info().Name) {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 1:
		p.listed = found[0]
		return nil
	case len(found) > 1:
		return fmt.Errorf("lists %s, which refers to %s through several fields: set By", p.List, t.Key())
	case p.By != "":
		return fmt.Errorf("lists %s by %q, which is no reference to %s", p.List, p.By, t.Key())
	}
	return fmt.Errorf("lists %s, which does not refer to %s", p.List, t.Key())
}
