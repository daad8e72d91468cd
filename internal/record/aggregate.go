package record

import (
	"fmt"
	"slices"
)

// Aggregate is computed from the records of another type that refer to this one: their number, or the sum of one of their fields. It
// covers only the records that the caller may see, and is read only if a view shows it. A number includes those that refer to a record
// below this one where Reference.IncludesBelow says so; a sum never does.
type Aggregate struct {
	Name string // "allocated_draw"
	Of   string // the other type: "dcim.powerport"
	By   string // its reference: "power_panel". It may be a set of references, or one to several types
	Sum  string // the number of the other type that is added up; "" counts the records

	readOnly
	of  *Type
	sum Field
}

// Count is the number of records of another type that refer to this one or, where Reference.IncludesBelow says so, to one below it.
type Count struct {
	Name string // "site_count"
	Of   string // "dcim.site"
	By   string // the reference: "region"

	Aggregate
}

var (
	_ Selected = Aggregate{}
	_ Counting = Aggregate{}
)

func (f Count) resolve(r *Registry) (Field, error) {
	return Aggregate{Name: f.Name, Of: f.Of, By: f.By}.resolve(r)
}

func (f Aggregate) resolve(r *Registry) (Field, error) {
	if f.of = r.byKey[f.Of]; f.of == nil {
		return nil, fmt.Errorf("field %s counts %s, which is not registered", f.Name, f.Of)
	}
	if f.Sum == "" {
		return f, nil
	}
	// The other type may not be built yet.
	fields := f.of.declared()
	i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == f.Sum })
	if i < 0 || !summable(fields[i]) {
		return nil, fmt.Errorf("field %s adds up %q of %s, which is not a number that is shown", f.Name, f.Sum, f.Of)
	}
	f.sum = fields[i]
	return f, nil
}

// summable reports whether values of a field can be added up, and everybody who sees a record sees them. A number whose unit is
// in another field can't be.
func summable(f Field) bool {
	_, refers := f.(Referring)
	_, isID := f.(anyID)
	c := f.Column()
	return !refers && !isID && !f.Info().Hidden && (c.Storage == StoreInt || c.Storage == StoreFloat) && c.Key.Name == ""
}

func (f Aggregate) checkDeclaration(t *Type) error {
	if ref, ok := ReferenceOf(f.of.Field(f.By)); !ok || !ref.refersTo(t) {
		return fmt.Errorf("it counts %s by %q, which is not a reference to a %s", f.Of, f.By, t.Key())
	}
	return nil
}

// Select implements Selected.
func (f Aggregate) Select(s Selector) {
	if f.includesBelow() {
		s.CountBelow(f.of, f.of.Field(f.By))
		return
	}
	s.Aggregate(f.of, f.of.Field(f.By), f.sum)
}

// includesBelow reports whether records that refer to one below this one are counted too. Nothing is added up in this way.
func (f Aggregate) includesBelow() bool {
	ref, _ := ReferenceOf(f.of.Field(f.By))
	return f.sum == nil && ref.IncludesBelow(f.of)
}

// Counts implements Counting. What is below records that the caller may not see is not counted.
func (f Aggregate) Counts() []*Type {
	if f.includesBelow() {
		return []*Type{f.of, TargetOf(f.of.Field(f.By))}
	}
	return []*Type{f.of}
}

func (f Aggregate) Info() Info {
	in := Info{Name: f.Name, Label: LabelOf(f.Name), Type: "integer", ReadOnly: true, Default: int64(0)}
	if f.isFloat() {
		in.Type, in.Default = "decimal", float64(0)
	}
	return in
}

func (f Aggregate) isFloat() bool { return f.sum != nil && f.sum.Column().Storage == StoreFloat }

func (f Aggregate) Schema() Schema {
	if f.isFloat() {
		return Schema{"type": "number", "format": "double"}
	}
	return Schema{"type": "integer", "format": "int64"}
}
