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
	By   string // the field through which they refer, not needed if the type has only one such field, or a path: see route
	// Marks names references of this record. A listed record behind one of them is marked with its label.
	Marks []string

	// Drawing names one of the drawings, shown instead of a table. Data returns its input for each of some records of this type. It
	// reads what else it needs through the call, once for all of them.
	Drawing string
	Data    func(c Call, of []Values) ([]any, error)
	// At and Face name the fields of List that say where in the drawing a record is. A free place then leads to the form for a new one
	// there. Face is "" if there is only one.
	At, Face string
	// Merged names a field of this type that other records make up. The panel shows it, and what each of them has added.
	Merged string
	// Each names a panel of the type that is listed. Its drawing is shown for each of these records, small and page by page.
	Each string

	listed Referrer
	each   *Panel
	action *Action // what its Data is run as
}

// Label returns the panel's name for people.
func (p Panel) Label() string { return cmp.Or(p.Tab, p.Card) }

// Path returns the last part of the address of a tab: "power-ports".
func (p Panel) Path() string { return strings.ReplaceAll(strings.ToLower(p.Tab), " ", "-") }

// Listed returns which records the panel shows, and through which field they refer to the record. Its Type is nil if the panel
// draws the record alone.
func (p Panel) Listed() Referrer { return p.listed }

// EachPanel returns the panel that is drawn for each listed record, nil if the panel is not of this kind.
func (p Panel) EachPanel() *Panel { return p.each }

// Reads returns an action that reads what the drawing needs, as far as the caller may see it.
func (p Panel) Reads() *Action { return p.action }

// addTabs gives types the tabs that references to them declare, after those of their own.
func (r *Registry) addTabs() {
	for _, t := range r.types {
		for _, ref := range t.references {
			for _, target := range ref.Targets {
				if ref.Tab != "" {
					target.Panels = append(slices.Clip(target.Panels), Panel{Tab: ref.Tab, List: t.Key(), By: ref.Name})
				}
			}
		}
	}
}

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
		case p.List == "" && p.Drawing == "" && p.Merged == "":
			return fmt.Errorf("panel %q shows nothing: it needs a List, a Drawing or what is Merged", p.Label())
		case p.Merged != "" && (p.List != "" || p.Drawing != "" || t.Field(p.Merged) == nil || !t.Field(p.Merged).Info().Merged):
			return fmt.Errorf("panel %q shows what is Merged as %q, which must be a merged field, without a List or a Drawing", p.Label(), p.Merged)
		case p.Each != "" && (p.List == "" || p.Tab == "" || p.Drawing != ""):
			return fmt.Errorf("panel %q: Each is for the List of a Tab that has no Drawing of its own", p.Label())
		case (p.Drawing == "") != (p.Data == nil):
			return fmt.Errorf("panel %q: Drawing and Data belong together", p.Label())
		}
		p.action = &Action{Name: p.Path(), Method: ReadMethod, Needs: "view", of: t}
		if p.List == "" {
			continue
		}
		if err := p.find(t); err != nil {
			return fmt.Errorf("panel %q %w", p.Label(), err)
		}
		for _, name := range []string{p.At, p.Face} {
			if name != "" && p.listed.Type.Field(name) == nil {
				return fmt.Errorf("panel %q places records of %s by %q, and there is no such field", p.Label(), p.List, name)
			}
		}
		if err := p.findEach(); err != nil {
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
	for _, name := range p.Marks {
		if TargetOf(t.Field(name)) != of {
			return fmt.Errorf("marks records by %q, which is not a reference to %s", name, p.List)
		}
	}
	switch {
	case strings.Contains(p.By, "."):
		return p.findVia(t, of)
	case len(found) == 1:
		p.listed = found[0]
		return nil
	case len(found) > 1:
		return fmt.Errorf("lists %s, which refers to %s through several fields: set By", p.List, t.Key())
	case p.By != "":
		return fmt.Errorf("lists %s by %q, which is not a reference to %s", p.List, p.By, t.Key())
	}
	return fmt.Errorf("lists %s, which does not refer to %s", p.List, t.Key())
}

// findVia finds the references through which the listed records lead to those of t. Their filter has the name of the last one.
func (p *Panel) findVia(t, of *Type) error {
	r, err := of.route(p.By)
	if err != nil || !r.ref || r.at != t {
		return fmt.Errorf("lists %s by %q, which does not lead to %s", p.List, p.By, t.Key())
	}
	last := r.via[len(r.via)-1].Name
	p.listed = Referrer{Type: of, Field: of.Field(r.via[0].Name), To: t, Reference: Reference{FilterName: last}, Via: r.via}
	return nil
}

// findEach finds the panel that is drawn for each listed record. That type may not have been checked yet.
func (p *Panel) findEach() error {
	if p.Each == "" {
		return nil
	}
	of := p.listed.Type
	for _, other := range of.Panels {
		if other.Label() == p.Each && other.Drawing != "" {
			other.action = &Action{Name: other.Path(), Method: ReadMethod, Needs: "view", of: of}
			p.each = &other
			if other.List == "" {
				return nil
			}
			return other.find(of)
		}
	}
	return fmt.Errorf("draws the panel %q of %s, which has no such drawing", p.Each, of.Key())
}
