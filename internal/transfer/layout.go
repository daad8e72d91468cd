package transfer

import (
	"slices"

	"terrier/internal/record"
)

// Column is a column, or a key, that an import understands.
type Column struct {
	Name, Label, Help string
	Required          bool // for new records
}

// customPrefix precedes the name of a custom field.
const customPrefix = "cf_"

// Columns lists what an import understands, in the order of the fields.
func Columns(t *record.Type, defs []*record.Custom) []Column {
	if t.ReadOnly {
		return nil
	}
	out := []Column{{Name: "id", Label: "ID", Help: "The record to update. Leave it blank to create one."}}
	for i, f := range t.All() {
		info := t.Infos()[i]
		if info.Cell == record.CustomCells {
			for _, def := range defs {
				out = append(out, Column{Name: customPrefix + def.Name, Label: def.Label, Help: def.HowWritten(), Required: def.Required &&
					def.Default == nil})
			}
		} else if !info.ReadOnly {
			out = append(out, Column{Name: info.Name, Label: info.Label, Help: help(f, info), Required: info.Required && info.Name != t.Owner})
		}
	}
	return out
}

// slot is what a column or key means.
type slot struct {
	field  string // its name in an input
	form   record.CellForm
	null   bool         // may be null
	target *record.Type // of a reference
	attr   string       // attribute of the referenced record: slug in region.slug
	custom bool         // field is the name of a custom one
	id     bool         // says which record is updated
	skip   bool         // understood and ignored
	alias  bool         // another name of the field, which is ignored beside the first
	of     record.Field

	choices record.Choices
}

// layout is what the names in a file mean for one type.
type layout struct {
	t      *record.Type
	slots  map[string]slot
	custom map[string]bool
	names  []string // candidates for a misspelled one

	alike []map[string][]string // columns by what their names and labels fold to, the best matches first
}

func newLayout(t *record.Type, defs []*record.Custom) *layout {
	l := &layout{t: t, slots: map[string]slot{idKey: {id: true}, "url": {skip: true}, "display": {skip: true}}, custom: map[string]bool{}}
	for i, f := range t.All() {
		info := t.Infos()[i]
		s := slot{field: info.Name, form: info.Cell, null: info.Null, target: record.TargetOf(f), skip: info.ReadOnly, of: f,
			choices: info.Choices}
		l.slots[info.Name] = s
		if info.Cell == record.CustomCells {
			for _, def := range defs {
				l.custom[def.Name] = true
				l.slots[customPrefix+def.Name] = slot{field: def.Name, form: def.Cell(), null: true, custom: true}
			}
		}
		if s.form == record.ReferenceCell && !s.skip {
			l.addAttributes(s)
		}
	}
	for _, info := range t.Infos() {
		if info.AliasOf != "" {
			s := l.slots[info.AliasOf]
			s.alias = true
			l.slots[info.Name] = s
		}
	}
	for name, s := range l.slots {
		if !s.skip {
			l.names = append(l.names, name)
		}
	}
	slices.Sort(l.names)
	l.learn(defs)
	return l
}

// addAttributes lets a reference be given by attributes: region.slug.
func (l *layout) addAttributes(s slot) {
	s.form, s.null = record.PlainCell, false
	for _, attr := range append([]string{idKey, s.target.LookupField()}, s.target.Brief...) {
		if attr == idKey || s.target.Field(attr) != nil {
			s.attr = attr
			l.slots[s.field+"."+attr] = s
		}
	}
}
