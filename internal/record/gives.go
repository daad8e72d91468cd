package record

import (
	"fmt"
	"slices"
	"strings"
)

// Gives means that a record sets fields of another one that it refers to. A device bay gives the place of its device to the device that is
// installed in it: when that is installed, and whenever the place changes. The other record changes in the same change set.
type Gives struct {
	To  string // the reference to the record that is changed
	Set []Given
	// OnCreation means that it gives only when it is created.
	OnCreation bool
}

// Given is a value that a record gives to another one.
type Given struct {
	Field string // of the record that is changed
	// From is where the value is: in a record that the giver refers to ("device.site"), or the giver itself ("id").
	From   string
	Value  any  // instead of From, as the ledger has it: int64(1)
	IfNull bool // a value that the record has stays
}

// GiveRule is a Gives of a type, with its names resolved.
type GiveRule struct {
	Gives
	Type   *Type  // the givers
	Target *Type  // the records that are changed
	Of     string // the reference to the record that has the values; "" if none is read
	Source *Type  // that record's type
	Reads  []string
}

// value returns what a record gets from a giver. source is the record behind Of.
func (g Given) value(giver, source Values) any {
	switch _, field, _ := strings.Cut(g.From, "."); {
	case g.From == "":
		return g.Value
	case g.From == "id":
		return Link{ID: giver.ID()}
	default:
		return source.Get(field)
	}
}

// Apply calls set for each field that a record gets from a giver.
func (r *GiveRule) Apply(to, giver, source Values, set func(field int, value any)) {
	for _, g := range r.Set {
		if i := r.Target.Index(g.Field); !g.IfNull || to.At(i) == nil {
			set(i, g.value(giver, source))
		}
	}
}

// giveRules are the Gives of a type, and those that its records are the source of.
type giveRules struct{ own, source []*GiveRule }

// GiveRules returns what records of the type give.
func (t *Type) GiveRules() []*GiveRule { return t.gives.own }

// SourceOf returns the rules by which others give values of this type's records.
func (t *Type) SourceOf() []*GiveRule { return t.gives.source }

func (t *Type) buildGives(rule Gives) error {
	to, ok := ReferenceOf(t.Field(rule.To))
	if !ok || to.Many || to.Target == nil {
		return fmt.Errorf("its Gives is to %q, which is not a reference to one record", rule.To)
	}
	r := &GiveRule{Gives: rule, Type: t, Target: to.Target}
	for _, g := range rule.Set {
		field := to.Target.Field(g.Field)
		if field == nil || field.Column().Storage == NoStorage || field.Info().ReadOnly || field.Info().Immutable != "" ||
			field.Info().HalfOf != "" {
			return fmt.Errorf("its Gives sets %q, which is not a field of %s that can change", g.Field, to.Target.Key())
		}
		if err := r.addFrom(t, g, field); err != nil {
			return fmt.Errorf("its Gives sets %q %w", g.Field, err)
		}
	}
	if len(rule.Set) == 0 {
		return fmt.Errorf("its Gives to %q sets nothing", rule.To)
	}
	t.gives.own = append(t.gives.own, r)
	if r.Of != "" && !rule.OnCreation {
		r.Source.gives.source = append(r.Source.gives.source, r)
	}
	return nil
}

// addFrom resolves where a value is.
func (r *GiveRule) addFrom(t *Type, g Given, field Field) error {
	of, name, isPath := strings.Cut(g.From, ".")
	switch ref, refers := ReferenceOf(t.Field(of)); {
	case g.From == "" && (g.Value != nil || field.Info().Null):
		return nil
	case g.From == "id" && TargetOf(field) == t:
		return nil
	case !isPath || !refers || ref.Many || ref.Target == nil:
		return fmt.Errorf("from %q, which is neither a field of a record that it refers to nor a fitting id", g.From)
	case r.Of != "" && r.Of != of:
		return fmt.Errorf("from %q, and another field from %q: declare two", of, r.Of)
	default:
		if why := notTaken(field, ref.Target.Field(name), ref.Target); why != "" {
			return fmt.Errorf("from %q, which %s", g.From, why)
		}
		r.Of, r.Source = of, ref.Target
		if !slices.Contains(r.Reads, name) {
			r.Reads = append(r.Reads, name)
		}
		return nil
	}
}
