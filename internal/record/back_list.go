package record

import "fmt"

// BackList is the records that refer to this one, nested, as far as the caller may see them.
type BackList struct {
	Name, Label string
	Of          string // the other type: "ipam.ipaddress"
	By          string // its reference: "nat_inside"

	readOnly
	of *Type
}

var (
	_ Selected = BackList{}
	_ Counting = BackList{}
)

func (f BackList) resolve(r *Registry) (Field, error) {
	if f.of = r.byKey[f.Of]; f.of == nil {
		return nil, fmt.Errorf("field %s lists records of %s, which is not registered", f.Name, f.Of)
	}
	return f, nil
}

func (f BackList) checkDeclaration(t *Type) error {
	if ref, _ := ReferenceOf(f.of.Field(f.By)); !ref.refersTo(t) {
		return fmt.Errorf("it lists records of %s by %q, which is not a reference to %s", f.Of, f.By, t.Key())
	}
	return nil
}

// Counts implements Counting.
func (f BackList) Counts() []*Type { return []*Type{f.of} }

// Select implements Selected.
func (f BackList) Select(s Selector) { s.Backs(f.of, f.of.Field(f.By)) }

func (f BackList) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Type: "field", ReadOnly: true, Cell: ReferencesCell, Wide: true}
}

func (f BackList) Append(dst []byte, v any, p *Printer) []byte {
	links, _ := v.([]Link)
	return Refs{target: f.of}.Append(dst, links, p)
}

func (f BackList) Schema() Schema { return Schema{"type": "array", "items": refSchema(f.of, false)} }

// ListedBy returns the type of the records in a list of references: those that a field refers to, or those that refer to its record.
func ListedBy(f Field) *Type {
	if back, ok := f.(BackList); ok {
		return back.of
	}
	return TargetOf(f)
}
