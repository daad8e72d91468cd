package record

import (
	"fmt"
	"slices"
)

// Nested is what a nested object shows of a record besides id, url and display, instead of the brief fields of its type. A reference
// in Bare is shown as an id. Others are shown one level deep.
type Nested struct {
	Fields, Bare []string
}

// nestedForm is a Nested that is resolved for the type of the nested record.
type nestedForm struct {
	Nested
	also  []int // the positions in the type of the fields that are read besides the brief ones
	items []nestedItem
}

// nestedItem is one field of a nested record.
type nestedItem struct {
	index int // in the type
	at    int // in a link that was read with the brief fields and also
	bare  bool
}

// linking is a field that needs the fields of other types. They are complete when link is called.
type linking interface {
	link() error
}

// resolve finds the fields in a type.
func (n *nestedForm) resolve(t *Type) error {
	for i, name := range n.Fields {
		f := t.Field(name)
		ref, refers := ReferenceOf(f)
		_, counts := f.(Counting)
		bare := slices.Contains(n.Bare, name)
		switch {
		case f == nil || counts || !nestable(f):
			return fmt.Errorf("its Shows names %q, which is not a field of %s that can be shown in another record", name, t.Key())
		case slices.Contains(n.Fields[:i], name):
			return fmt.Errorf("its Shows names %q twice", name)
		case bare && (!refers || ref.Target == nil):
			return fmt.Errorf("its Shows has %q in Bare, which is not a reference to one type", name)
		}
		item := nestedItem{index: t.Index(name), at: slices.Index(t.brief, t.Index(name)), bare: bare}
		if item.at < 0 {
			item.at = len(t.brief) + len(n.also)
			n.also = append(n.also, item.index)
		}
		n.items = append(n.items, item)
	}
	for _, name := range n.Bare {
		if !slices.Contains(n.Fields, name) {
			return fmt.Errorf("its Shows has %q in Bare, which is not in Fields", name)
		}
	}
	return nil
}

// append writes the nested object. A link that was read inside another one has fewer fields.
func (n *nestedForm) append(dst []byte, t *Type, l Link, p *Printer) []byte {
	dst = appendHead(dst, t, l.ID, t.display(linked{t, l}), p)
	for _, x := range n.items {
		at := x.at
		if len(l.Brief) != len(t.brief)+len(n.also) {
			at = slices.Index(t.BriefOf(l), x.index)
		}
		if at < 0 {
			continue
		}
		dst = append(dst, ',')
		dst = append(AppendString(dst, t.infos[x.index].Name), ':')
		if x.bare {
			dst = appendBareID(dst, l.Brief[at])
			continue
		}
		dst = t.inBrief[x.index].Append(dst, l.Brief[at], p)
	}
	return append(dst, '}')
}

// appendBareID writes the id of a link, or null.
func appendBareID(dst []byte, v any) []byte {
	if l, ok := v.(Link); ok {
		return AppendValue(dst, l.ID)
	}
	return AppendValue(dst, nil)
}

// schema returns the schema of the nested object.
func (n *nestedForm) schema(t *Type, null bool) Schema {
	props := Schema{"id": t.IDSchema(), "url": Schema{"type": "string", "format": "uri"}, "display": Schema{"type": "string"}}
	required := []string{"id", "url", "display"}
	for _, x := range n.items {
		props[t.infos[x.index].Name] = t.inBrief[x.index].Schema()
		if x.bare {
			props[t.infos[x.index].Name] = bareSchema(t.infos[x.index].Null)
		}
		if slices.Contains(t.core, x.index) {
			required = append(required, t.infos[x.index].Name)
		}
	}
	return nullable(Schema{"type": "object", "properties": props, "required": required, "additionalProperties": false}, null)
}

func bareSchema(null bool) Schema {
	return nullable(Schema{"type": "integer", "format": "int64"}, null)
}

// briefed is a field that the brief form may show in another way.
type briefed interface {
	// inBrief returns the field as the brief form of its type shows it.
	inBrief() Field
}

func (f Ref) inBrief() Field {
	if f.InBrief == "" {
		return f
	}
	return bareText{f}
}

// bareText is a reference as it is shown in the brief form of its type: one text of the record behind it.
type bareText struct {
	Ref
}

func (f bareText) Append(dst []byte, v any, _ *Printer) []byte {
	l, ok := v.(Link)
	if !ok {
		return AppendValue(dst, nil)
	}
	return AppendValue(dst, linked{f.target, l}.get(f.InBrief))
}

func (f bareText) Schema() Schema { return nullable(Schema{"type": "string"}, !f.Required) }
