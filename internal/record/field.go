package record

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Field is one field of a type. The kinds in this package implement it as plain values.
type Field interface {
	// Info says what the field is called and what it allows.
	Info() Info
	// Column says how the field is stored. Computed fields have the zero Column.
	Column() Column
	// Lookups lists the filter suffixes the field understands, "" among them.
	Lookups() []Lookup
	// Parse turns a decoded JSON value (never null) into the field's own value. Its
	// error is a message for the person who sent it.
	Parse(in any) (any, error)
	// ParseText turns one value of a filter into something comparable with the column.
	ParseText(s string) (any, error)
	// Append writes the value as the API shows it.
	Append(dst []byte, v any, p *Printer) []byte
	// Schema describes the value as it is read, InputSchema as it is written.
	Schema() Schema
	InputSchema() Schema
}

// Schema is a JSON Schema object of OpenAPI 3.0.
type Schema map[string]any

// Info describes a field to code that derives something from it.
type Info struct {
	Name        string
	Label       string
	Help        string
	Type        string // the word OPTIONS uses: string, integer, choice, field …
	Required    bool   // must be given on creation
	Null        bool   // may be null
	Unique      bool
	FoldCase    bool // Unique: ignore case
	NullsDiffer bool // Unique: any number of records may have null
	ReadOnly    bool
	Immutable   string // why it can't change after creation; "" if it can
	Hidden      bool   // never shown: a password
	BriefOnly   bool   // Hidden, but the brief form shows it
	Default     any    // the value of a field that was not given; nil is null
	Max         int    // longest text in characters, 0 if MaxBytes is the limit
	MaxBytes    int    // longest stored value in bytes; 0 if there is another limit
	Choices     Choices
	// NumberChoices says that the values of Choices are numbers.
	NumberChoices bool
	Widget        Widget   // how a form asks for it
	Accept        string   // FileInput: the media types, as a browser takes them
	Cell          CellForm // how a file writes it
	KindOf        string   // JSON: the field with the kind of custom field that the value is for
	HalfOf        string   // the AnyRef whose type or id it is
	Unit          string   // of a number: the field with its unit

	DetailOnly bool   // shown with one record, and not in lists
	Later      bool   // about a type that comes later: only the API shows it
	Merged     bool   // merged from other records: the API shows it, and a panel
	Excludable bool   // ?exclude= leaves it out
	OnRequest  bool   // the API shows it only to those who ask for it by its name: ?utilization=true
	Percent    bool   // a share from 0 to 100: pages draw it as a bar
	AliasOf    string // the field that it is a second name of: only the API shows it
	Wide       bool   // takes much room: a list shows it only if it is selected

	FromName    bool     // a form suggests a value that is made from the record's name: SlugOf
	Ranges      bool     // a form creates several records from a text such as xe-0/0/[0-47]
	Suggestions []string // what a form offers while somebody types
}

// IsForAPI reports whether only the API shows a field, and not lists, files and the fields of a page.
func (in Info) IsForAPI() bool { return in.Later || in.Merged || in.AliasOf != "" }

// joint returns a name that only the fields have in common that mean something together.
func (in Info) joint() string { return cmp.Or(in.HalfOf, in.Unit, in.Name) }

// Storage is how a column is stored. The store maps each to a PostgreSQL type.
type Storage int

const (
	NoStorage Storage = iota
	StoreText
	StoreInt
	StoreFloat
	StoreBool
	StoreTime
	StoreJSON     // jsonb
	StoreJSONText // json as text, bytes kept
	StoreTexts    // text[]
	StoreInts     // bigint[], the ids of records
	StoreNumbers  // bigint[], other numbers
	StoreUUID
	StoreSealed  // text that can be read only with a key
	StoreMembers // jsonb: an update replaces the members it gives and keeps the others
	StoreDate    // a text such as 2026-01-31
	StoreMAC     // a text such as 00:1B:44:11:3A:B7
	StoreNetwork // a text such as 192.0.2.0/24
	StoreAddress // a text such as 192.0.2.7/24
)

// Column is how a field is stored.
type Column struct {
	Name    string
	Storage Storage
	Null    bool
	Natural bool // text that sorts as people count
	Part    Part // a number that is computed from the column
	Key     Key  // what lists are ordered by instead of the column; the zero Key means the column itself

	LookedUp bool // text with an index of those that are not blank
}

// Part is a number that the database computes from a column. Tests compare it instead of the column.
type Part int

const (
	Whole      Part = iota // the column itself
	Family                 // of a network or an address: 4 or 6
	MaskLength             // of a network or an address
)

// Key is a column that the database generates from a field. Lists are ordered by it instead of the field's own column.
type Key struct {
	Name    string // of the column
	Storage Storage
	From    KeyForm

	Unit  string           // MeasureKey: the column of the unit
	Units Units            // MeasureKey: the possible units
	Of    func(Values) any // computes the key; nil if the database makes it from the field's value alone
}

// KeyForm is how a key is computed. The store has an expression for each.
type KeyForm int

const (
	InterfaceKey KeyForm = iota + 1 // of the name of an interface: by slots, type, number, channel and subinterface
	HostKey                         // of an address: without the length of its network
	MeasureKey                      // of a number and its unit: in millionths of the first unit
)

// Lookup is the part of a filter behind "__"; the empty one means equality.
type Lookup string

const (
	Exact        Lookup = ""
	Not          Lookup = "n"
	Contains     Lookup = "ic"
	NotContains  Lookup = "nic"
	Starts       Lookup = "isw"
	NotStarts    Lookup = "nisw"
	Ends         Lookup = "iew"
	NotEnds      Lookup = "niew"
	EqualFold    Lookup = "ie" // equal but for upper and lower case
	NotEqualFold Lookup = "nie"
	Empty        Lookup = "empty"
	Less         Lookup = "lt"
	AtMost       Lookup = "lte"
	Greater      Lookup = "gt"
	AtLeast      Lookup = "gte"

	// Only permissions use these. They are case-sensitive, as in constraints written for NetBox.
	CaseContains Lookup = "contains"
	CaseStarts   Lookup = "startswith"
	CaseEnds     Lookup = "endswith"
	NotNull      Lookup = "notnull" // there is a value; behind a reference, the reference has one too
)

var (
	textLookups    = []Lookup{Exact, Not, Contains, NotContains, Starts, NotStarts, Ends, NotEnds, EqualFold, NotEqualFold, Empty}
	orderedLookups = []Lookup{Exact, Not, Less, AtMost, Greater, AtLeast, Empty}
	equalLookups   = []Lookup{Exact, Not}
)

// Messages that several kinds give. Clients match on these texts.
var (
	errRequired = Invalid("This field is required.")
	errNull     = Invalid("This field may not be null.")
	errBlank    = Invalid("This field may not be blank.")
	errNUL      = Invalid("Null characters are not allowed.")
)

// ParseValue parses one given value of a field, null included.
func ParseValue(f Field, in Info, given any) (any, error) {
	if given == nil {
		if !in.Null {
			return nil, errNull
		}
		return nil, nil
	}
	return f.Parse(given)
}

// The longest values of fields that declare no maximum.
const (
	maxTextBytes = 64 << 10
	maxJSONBytes = 1 << 20
)

// TooLong refuses a value that has more characters or bytes than the field allows. It is called only for a value that changes: a value
// that was stored before there was a maximum blocks nothing.
func (in Info) TooLong(v any) error {
	n := 0
	switch x := v.(type) {
	case string:
		if err := checkLength(x, in.Max); err != nil {
			return err
		}
		n = len(x)
	case json.RawMessage:
		n = len(x)
	case []string:
		for _, s := range x {
			n += len(s)
		}
	}
	if in.MaxBytes == 0 || n <= in.MaxBytes {
		return nil
	}
	return Invalid("Ensure this field has no more than %d bytes: it has %d.", in.MaxBytes, n)
}

// bounded adds to a schema how many bytes a value may have. It does so in words, because maxLength counts characters.
func bounded(s Schema, most int) Schema {
	if most > 0 {
		s["description"] = fmt.Sprintf("At most %d bytes.", most)
	}
	return s
}

// IsInBrief reports whether the brief form shows the field, if it is part of it.
func (in Info) IsInBrief() bool { return !in.Hidden || in.BriefOnly }

// Orderable reports whether a list can be ordered by a field.
func Orderable(f Field) bool {
	if f.Info().Hidden {
		return false
	}
	switch f.Column().Storage {
	case StoreText, StoreInt, StoreFloat, StoreBool, StoreTime, StoreUUID, StoreDate, StoreMAC, StoreNetwork, StoreAddress, StoreNumbers:
		return true
	}
	return false
}

// ErrRequired returns the error for a required field that was not given.
func ErrRequired() error { return errRequired }

// nullable marks a schema as allowing null.
func nullable(s Schema, null bool) Schema {
	if null {
		s["nullable"] = true
	}
	return s
}

func label(given, name string) string {
	if given != "" {
		return given
	}
	return LabelOf(name)
}

// message is an error whose text is for the person who sent the value. So it is a whole sentence, as the API shows it.
type message string

func (m message) Error() string { return string(m) }

// Invalid returns the error of a field for a value that it refuses.
func Invalid(format string, args ...any) error {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return message(format)
}
