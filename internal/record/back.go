package record

import (
	"fmt"
	"slices"
)

// Back is the one record that refers to this one, nested, or null. With Through it is the record that this other one belongs to: the
// device that houses this one, with the bay that this one is in. As any nested record, it is shown to everybody who sees this one.
type Back struct {
	Name, Help string
	Of         string   // the other type: "dcim.module"
	By         string   // its reference, which no two records share: "module_bay"
	Fields     []string // what the nested object shows; the default is the other type's Brief
	Through    string   // a reference in the other type's Brief: the record behind it is shown instead
	As         string   // Through: the name under which the nested object shows the record that refers to this one

	readOnly
	of    *Type
	shown *nestedForm // of Fields
}

// BackLink says which record a Back reads.
type BackLink struct {
	Of      *Type
	By      Field
	Also    []int // the positions in Of of fields that are read besides the brief ones
	Through int   // the position in Of of the reference that is followed, -1 for none
}

var _ Selected = Back{}

func (f Back) resolve(r *Registry) (Field, error) {
	if f.of = r.byKey[f.Of]; f.of == nil {
		return nil, fmt.Errorf("field %s is a record of %s, which is not registered", f.Name, f.Of)
	}
	if f.Fields != nil {
		f.shown = &nestedForm{Nested: Nested{Fields: f.Fields}}
	}
	return f, nil
}

// link implements linking.
func (f Back) link() error {
	if f.shown == nil {
		return nil
	}
	return f.shown.resolve(f.of)
}

func (f Back) checkDeclaration(t *Type) error {
	ref, _ := ReferenceOf(f.of.Field(f.By))
	unique := []string{f.By}
	if ref.TypeField != "" {
		unique = []string{ref.TypeField, ref.IDField}
	}
	through := TargetOf(f.of.Field(f.Through))
	switch {
	case !ref.refersTo(t) || ref.Many:
		return fmt.Errorf("it is a record of %s by %q, which is not a reference to one %s", f.Of, f.By, t.Key())
	case !slices.ContainsFunc(f.of.Rules(), func(u Unique) bool { return slices.Equal(u.Fields, unique) }):
		return fmt.Errorf("it is the one record of %s by %q, and nothing makes that reference unique", f.Of, f.By)
	case f.Through != "" && (through == nil || !slices.Contains(f.of.Brief, f.Through)):
		return fmt.Errorf("its Through names %q, which is not a reference in the Brief of %s", f.Through, f.Of)
	case (f.Through == "") != (f.As == ""), f.Through != "" && f.Fields != nil:
		return fmt.Errorf("its Through and As belong together, without Fields")
	case f.As != "" && through.Index(f.As) >= 0:
		return fmt.Errorf("its As is %q, and %s has a field of this name", f.As, through.Key())
	}
	return nil
}

// Select implements Selected.
func (f Back) Select(s Selector) {
	b := BackLink{Of: f.of, By: f.of.Field(f.By), Through: f.of.Index(f.Through)}
	if f.shown != nil {
		b.Also = f.shown.also
	}
	s.Back(b)
}

func (f Back) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Help: f.Help, Type: "field", ReadOnly: true, Null: true, Cell: ReferenceCell}
}

func (f Back) Append(dst []byte, v any, p *Printer) []byte {
	l, ok := v.(Link)
	switch {
	case !ok:
		return append(dst, "null"...)
	case f.shown != nil:
		return f.shown.append(dst, f.of, l, p)
	case l.Via == nil:
		return appendLink(dst, l.Of, l, p)
	}
	dst = appendLink(dst, l.Of, l, p)
	dst = append(dst[:len(dst)-1], ',')
	dst = append(AppendString(dst, f.As), ':')
	return append(appendLink(dst, f.of, *l.Via, p), '}')
}

func (f Back) Schema() Schema {
	switch {
	case f.shown != nil:
		return f.shown.schema(f.of, true)
	case f.Through == "":
		return refSchema(f.of, true)
	}
	target := TargetOf(f.of.Field(f.Through))
	form := nestedForm{}
	for _, i := range target.core {
		if target.infos[i].IsInBrief() {
			form.items = append(form.items, nestedItem{index: i})
		}
	}
	s := form.schema(target, true)
	s["properties"].(Schema)[f.As] = refSchema(f.of, false)
	return s
}
