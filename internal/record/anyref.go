package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// AnyRef is a reference to a record of one of several types. It becomes three fields. A reference called "scope" is written as
// scope_type ("dcim.site") and scope_id. It is shown as these two and as scope, which nests the record. No foreign key enforces
// it: the ledger takes the locks and applies OnDelete.
type AnyRef struct {
	Name, Help string
	To         []string // "dcim.site", "dcim.region"
	Required   bool     // if false, both may be null
	OnDelete   OnDelete
	TypeName   string // the name of the field with the type, if it is not Name with _type
	IDName     string // the name of the field with the id, if it is not Name with _id
	// Tab is the name of a tab that every type in To gets: it lists the records that refer to one.
	Tab string
	// TypeIDInBrief shows the type in the brief form by its id in the list of content types, and not by its name.
	TypeIDInBrief bool

	readOnly
	targets []*Type
}

var (
	_ Referring = AnyRef{}
	_ Selected  = AnyRef{}
	_ Explained = anyType{}
)

// parts implements parted.
func (f AnyRef) parts() []Field {
	typeName, idName := f.typeName(), f.idName()
	return []Field{
		anyType{Name: typeName, Help: f.Help, Required: f.Required, of: f.Name, to: f.To, idInBrief: f.TypeIDInBrief},
		anyID{Int{Name: idName, Help: "The id of that record.", Required: f.Required, Null: !f.Required, Min: new(int64(1))}, f.Name},
		f,
	}
}

func (f AnyRef) typeName() string { return cmp.Or(f.TypeName, f.Name+"_type") }
func (f AnyRef) idName() string   { return cmp.Or(f.IDName, f.Name+"_id") }

func (f AnyRef) resolve(r *Registry) (Field, error) {
	var err error
	f.targets, err = typesOf(r, f.Name, f.To)
	return f, err
}

func typesOf(r *Registry, field string, keys []string) ([]*Type, error) {
	types := make([]*Type, len(keys))
	for i, key := range keys {
		if types[i] = r.byKey[key]; types[i] == nil {
			return nil, fmt.Errorf("field %s refers to %s, which is not registered", field, key)
		}
	}
	return types, nil
}

func (f AnyRef) checkDeclaration(*Type) error {
	if len(f.targets) == 0 {
		return errors.New("its To names no type that it can refer to")
	}
	for i, t := range f.targets {
		switch {
		case slices.Contains(f.targets[:i], t):
			return fmt.Errorf("its To names %s twice", t.Key())
		case t.ReadOnly:
			return fmt.Errorf("it refers to %s, which the machine alone writes and clears away", t.Key())
		}
	}
	return nil
}

// Reference implements Referring.
func (f AnyRef) Reference() Reference {
	return Reference{Targets: f.targets, OnDelete: f.OnDelete, TypeField: f.typeName(), IDField: f.idName(), Tab: f.Tab}
}

// Select implements Selected.
func (f AnyRef) Select(s Selector) {
	s.AnyLink(anyType{Name: f.typeName()}.Column(), Int{Name: f.idName()}.Column(), f.Reference())
}

func (f AnyRef) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Help: f.Help, Type: "field", ReadOnly: true, Null: !f.Required, Cell: ReferenceCell}
}

// Append writes the nested record, and null if it was deleted.
func (f AnyRef) Append(dst []byte, v any, p *Printer) []byte {
	if v == nil {
		return append(dst, "null"...)
	}
	link := v.(Link)
	return appendLink(dst, link.Of, link, p)
}

func (f AnyRef) Schema() Schema {
	shapes := make([]Schema, len(f.targets))
	for i, t := range f.targets {
		shapes[i] = refSchema(t, false)
	}
	return Schema{"type": "object", "anyOf": shapes, "nullable": true}
}

// anyType is the half of an AnyRef that names the type of the record.
type anyType struct {
	Name, Help string
	Required   bool

	of     string // the AnyRef
	to     []string
	labels Choices

	idInBrief bool
}

func (f anyType) inBrief() Field {
	if !f.idInBrief {
		return f
	}
	return anyTypeID{f}
}

// anyTypeID is the type of an AnyRef as the brief form shows it: by the id of the content type.
type anyTypeID struct {
	anyType
}

func (f anyTypeID) Append(dst []byte, v any, _ *Printer) []byte {
	key, ok := v.(string)
	if !ok {
		return AppendValue(dst, nil)
	}
	return AppendValue(dst, contentTypeID(key))
}

func (f anyTypeID) Schema() Schema { return nullable(Schema{"type": "integer"}, !f.Required) }

func (f anyType) resolve(r *Registry) (Field, error) {
	types, err := typesOf(r, f.of, f.to)
	for _, t := range types {
		f.labels = append(f.labels, Option{t.Key(), LabelOf(t.Title())})
	}
	return f, err
}

func (f anyType) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Help: f.Help, Type: "string", Required: f.Required, Null: !f.Required,
		Widget: SelectOne, Choices: f.labels, HalfOf: f.of}
}
func (f anyType) Column() Column    { return Column{Name: f.Name, Storage: StoreText, Null: !f.Required} }
func (f anyType) Lookups() []Lookup { return equalLookups }

// HowWritten implements Explained.
func (f anyType) HowWritten() string { return "One of " + strings.Join(f.to, ", ") + "." }

func (f anyType) Parse(in any) (any, error) {
	s, err := textOf(in)
	if err != nil {
		return nil, err
	}
	if s = strings.ToLower(s); s == "" && !f.Required {
		return nil, nil
	}
	if !slices.Contains(f.to, s) {
		return nil, Invalid("%.100q can't be referred to here. Use one of %s.", s, strings.Join(f.to, ", "))
	}
	return s, nil
}

func (f anyType) ParseText(s string) (any, error) {
	if s == nullWord && !f.Required {
		return nil, nil
	}
	return f.Parse(s)
}

func (f anyType) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f anyType) Schema() Schema                              { return nullable(Schema{"type": "string"}, !f.Required) }

// InputSchema does not list the allowed names, because clients of another version read the document.
func (f anyType) InputSchema() Schema { return f.Schema() }

// anyID is the half of an AnyRef that holds the id of the record.
type anyID struct {
	Int
	of string // the AnyRef
}

func (f anyID) Info() Info {
	in := f.Int.Info()
	in.HalfOf = f.of
	return in
}

// addFilters also adds a filter with the name of the reference, because clients use it.
func (f anyID) addFilters(m map[string]filter, _ *Type) {
	m[f.Name] = plainFilter(Predicate{Field: f}, f)
	m[f.of] = filter{lookups: equalLookups, make: m[f.Name].make}
}
