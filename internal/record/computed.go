package record

import (
	"errors"
	"fmt"
	"slices"
)

// readOnly is what the kinds without a column of their own have in common.
type readOnly struct{}

func (readOnly) Column() Column                              { return Column{} }
func (readOnly) Lookups() []Lookup                           { return nil }
func (readOnly) Parse(any) (any, error)                      { return nil, Invalid("This field is read-only.") }
func (readOnly) ParseText(string) (any, error)               { return nil, Invalid("This field can't be searched.") }
func (readOnly) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (readOnly) InputSchema() Schema                         { return Schema{} }

var (
	_ Selected = Noted{}
	_ Selected = DetailOnly{}
	_ Selected = HasValue{}
	_ Selected = Borrowed{}
	_ Selected = Computed{}
)

// Noted is a time that Terrier keeps about a record in a side table, without changing the record itself: when a token was last used.
type Noted struct {
	Name  string
	Table string // has at most one row per record
	By    string // its key, the record's id; the time is in a column called Name

	readOnly
}

// Select implements Selected.
func (f Noted) Select(s Selector) { s.Note(f.Table, f.By, f.Name) }

func (f Noted) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "datetime", ReadOnly: true, Null: true}
}
func (f Noted) Schema() Schema {
	return Schema{"type": "string", "format": "date-time", "nullable": true}
}

// DetailOnly is shown with one record and not in lists. Its value is kept elsewhere. The ledger fills it in for callers who may see it.
type DetailOnly struct {
	Name  string
	Shape Schema

	readOnly
}

// Select implements Selected.
func (f DetailOnly) Select(s Selector) { s.Nothing() }

func (f DetailOnly) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "field", ReadOnly: true, Null: true, DetailOnly: true}
}
func (f DetailOnly) Schema() Schema { return f.Shape }

// HasValue reports whether another field of the record has a value.
type HasValue struct {
	Name, Help string
	Of         string // the other field

	readOnly
	other Field
}

// among implements sibling: it finds the other field.
func (f HasValue) among(fields Fields) (Field, error) {
	i := slices.IndexFunc(fields, func(other Field) bool { return other.Info().Name == f.Of })
	if i < 0 {
		return nil, fmt.Errorf("field %s tells of %s, which does not exist", f.Name, f.Of)
	}
	f.other = fields[i]
	return f, nil
}

func (f HasValue) checkDeclaration(*Type) error {
	if c := f.other.Column(); !c.Null && c.Storage != StoreSealed {
		return fmt.Errorf("it tells of %s, which always has a value", f.Of)
	}
	return nil
}

// Select implements Selected.
func (f HasValue) Select(s Selector) { s.HasValue(f.other.Column()) }

func (f HasValue) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Help: f.Help, Type: "boolean", ReadOnly: true, Widget: CheckBox}
}
func (f HasValue) Lookups() []Lookup               { return []Lookup{Exact} }
func (f HasValue) ParseText(s string) (any, error) { return Bool{}.ParseText(s) }
func (f HasValue) Schema() Schema                  { return Schema{"type": "boolean"} }

// addFilters adds a filter on the other field: true means that it is not empty.
func (f HasValue) addFilters(m map[string]filter, _ *Type) {
	m[f.Name] = filter{lookups: f.Lookups(), make: func(_ Lookup, values []string) (Predicate, error) {
		parsed, err := parseTexts(f, Exact, values)
		for i, v := range parsed {
			parsed[i] = v != true
		}
		return Predicate{Field: f.other, Lookup: Empty, Values: parsed}, err
	}}
}

// Borrowed is a field of another row that the record belongs to. Callers who may not see that row
// read null.
type Borrowed struct {
	Name, Label, Help string
	From, Field       string // the other type, and its field
	By                string // the column that holds the id of the other row
	Both              string // a column that has the same value in both rows: it leads to the other row's partition
	Hidden            bool
	Shape             Schema

	readOnly
	from *Type
}

func (f Borrowed) resolve(r *Registry) (Field, error) {
	if f.from = r.byKey[f.From]; f.from == nil {
		return nil, fmt.Errorf("field %s is one of %s, which is not registered", f.Name, f.From)
	}
	return f, nil
}

func (f Borrowed) checkDeclaration(*Type) error {
	if other := f.from.Field(f.Field); other == nil || other.Column().Storage == NoStorage {
		return fmt.Errorf("it is the field %q of %s, and there is no such column", f.Field, f.From)
	}
	return nil
}

// Select implements Selected.
func (f Borrowed) Select(s Selector) {
	s.Row(OtherRow{Of: f.from, Field: f.from.Field(f.Field), By: f.By, Both: f.Both})
}

func (f Borrowed) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "field", ReadOnly: true, Null: true, Hidden: f.Hidden}
}
func (f Borrowed) Schema() Schema { return f.Shape }

// Computed is computed from the record's other fields.
type Computed struct {
	Name  string
	Of    func(Values) any // a plain value or a Pointer
	Needs []string         // the fields that Of looks at
	Shape Schema
	// Excludable fields are left out by ?exclude=.
	Excludable bool
	Percent    bool // a share from 0 to 100: pages draw it as a bar

	readOnly
}

// Select implements Selected.
func (f Computed) Select(s Selector) { s.Compute(f.Of, f.Needs) }

func (f Computed) checkDeclaration(t *Type) error {
	if len(f.Needs) == 0 {
		return errors.New("its Needs must name the fields that it is worked out from")
	}
	nested := slices.Contains(t.Brief, f.Name)
	for _, name := range f.Needs {
		i := t.Index(name)
		switch {
		case i < 0:
			return fmt.Errorf("it needs %q, and there is no such field", name)
		case nested && !slices.Contains(t.core, i):
			return fmt.Errorf("it is in Brief and needs %q, which a nested record does not always show", name)
		}
	}
	return nil
}

func (f Computed) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "field", ReadOnly: true, Null: true, Excludable: f.Excludable,
		Percent: f.Percent}
}
func (f Computed) Schema() Schema { return f.Shape }

// Pointer is a nested object whose type is known only from the data.
type Pointer struct {
	Type    *Type
	ID      int64
	Display string
}

func (f Computed) Append(dst []byte, v any, p *Printer) []byte {
	if to, ok := v.(Pointer); ok {
		dst = appendHead(dst, to.Type, to.ID, to.Display, p)
		return append(dst, '}')
	}
	return AppendValue(dst, v)
}
