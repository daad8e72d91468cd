package record

// readOnly is what the kinds without a column of their own have in common.
type readOnly struct{}

func (readOnly) Column() Column                              { return Column{} }
func (readOnly) Lookups() []Lookup                           { return nil }
func (readOnly) Parse(any) (any, error)                      { return nil, Invalid("This field is read-only.") }
func (readOnly) ParseText(string) (any, error)               { return nil, Invalid("This field can't be searched.") }
func (readOnly) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (readOnly) InputSchema() Schema                         { return Schema{} }

// Count is the number of records of another type that refer to this one.
type Count struct {
	Name string // "site_count"
	Of   string // "dcim.site"
	By   string // the reference: "region"

	readOnly
}

func (f Count) Info() Info {
	return Info{Name: f.Name, Label: labelOf(f.Name), Type: "integer", ReadOnly: true, Default: int64(0)}
}
func (f Count) Schema() Schema { return Schema{"type": "integer", "format": "int64"} }

// Noted is a moment that the machine notes about a record in a side table, without
// touching the record itself: when a token was last used.
type Noted struct {
	Name  string
	Table string // has at most one row per record
	By    string // its key, the record's id; the moment stands in a column called Name

	readOnly
}

func (f Noted) Info() Info {
	return Info{Name: f.Name, Label: labelOf(f.Name), Type: "datetime", ReadOnly: true, Null: true}
}
func (f Noted) Schema() Schema {
	return Schema{"type": "string", "format": "date-time", "nullable": true}
}

// Attached is shown with one record and not in lists: what is kept elsewhere about it, put
// there by the ledger for those who may see it.
type Attached struct {
	Name  string
	Shape Schema

	readOnly
}

func (f Attached) Info() Info {
	return Info{Name: f.Name, Label: labelOf(f.Name), Type: "field", ReadOnly: true, Null: true}
}
func (f Attached) Schema() Schema { return f.Shape }

// HasValue tells whether another field of the record has a value.
type HasValue struct {
	Name, Help string
	Of         string // the other field

	readOnly
}

func (f HasValue) Info() Info {
	return Info{Name: f.Name, Label: labelOf(f.Name), Help: f.Help, Type: "boolean", ReadOnly: true, Widget: CheckBox}
}
func (f HasValue) Lookups() []Lookup               { return []Lookup{Exact} }
func (f HasValue) ParseText(s string) (any, error) { return Bool{}.ParseText(s) }
func (f HasValue) Schema() Schema                  { return Schema{"type": "boolean"} }

// filter asks the other field: true for those that are not empty.
func (f HasValue) filter(other Field) filter {
	return filter{lookups: f.Lookups(), make: func(_ Lookup, values []string) (Predicate, error) {
		parsed, err := parseTexts(f, Exact, values)
		for i, v := range parsed {
			parsed[i] = v != true
		}
		return Predicate{Field: other, Lookup: Empty, Values: parsed}, err
	}}
}

// Borrowed is a field of another row that the record belongs to. Callers who may not see that row
// read null.
type Borrowed struct {
	Name, Label, Help string
	From, Field       string // the other type, and its field
	By                string // the column that holds the other's id
	Both              string // a column in which the two rows are equal: it leads to the other's partition
	Hidden            bool
	Shape             Schema

	readOnly
}

func (f Borrowed) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "field", ReadOnly: true, Null: true, Hidden: f.Hidden}
}
func (f Borrowed) Schema() Schema { return f.Shape }

// Computed is worked out from the record's other fields.
type Computed struct {
	Name  string
	Of    func(Values) any // a plain value or a Pointer
	Shape Schema

	readOnly
}

func (f Computed) Info() Info {
	return Info{Name: f.Name, Label: labelOf(f.Name), Type: "field", ReadOnly: true, Null: true}
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
