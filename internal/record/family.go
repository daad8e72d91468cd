package record

import (
	"fmt"
	"slices"
)

// IPFamily is the family of another field of the record, a Network or an Address: 4 or 6. The brief form shows the number alone.
type IPFamily struct {
	Of string // the other field

	readOnly
	column Column
	bare   bool
}

var (
	_ Selected = IPFamily{}
	_ briefed  = IPFamily{}
)

var families = NumberChoice{Name: "family", Of: []NumberOption{{4, "IPv4"}, {6, "IPv6"}}, Required: true}

// among implements sibling: it finds the other field.
func (f IPFamily) among(fields Fields) (Field, error) {
	i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == f.Of })
	if i < 0 || !isNet(fields[i].Column()) {
		return nil, fmt.Errorf("field family is that of %q, which is not a network or address that is always there", f.Of)
	}
	f.column = fields[i].Column()
	return f, nil
}

func isNet(c Column) bool { return (c.Storage == StoreNetwork || c.Storage == StoreAddress) && !c.Null }

// Select implements Selected.
func (f IPFamily) Select(s Selector) {
	_, part := f.partOf()
	s.Part(part)
}

// partOf implements partial.
func (f IPFamily) partOf() (field string, part Column) {
	part = f.column
	part.Part = Family
	return f.Of, part
}

func (f IPFamily) Info() Info {
	in := families.Info()
	in.Widget, in.ReadOnly, in.Required = NoWidget, true, false
	return in
}

func (f IPFamily) inBrief() Field {
	f.bare = true
	return f
}

func (f IPFamily) Append(dst []byte, v any, p *Printer) []byte {
	if f.bare {
		return AppendValue(dst, v)
	}
	return families.Append(dst, v, p)
}

func (f IPFamily) Schema() Schema {
	if f.bare {
		return Schema{"type": "integer", "enum": families.values()}
	}
	return families.Schema()
}
