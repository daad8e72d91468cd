package record

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Text is a string. If it is not required, it may be blank, and blank is the default.
type Text struct {
	Name, Label, Help string
	Max               int // characters; the default limit is 64 KiB
	Required, Unique  bool
	FoldCase          bool // Unique: two texts that differ only in upper and lower case are the same
	NullsDiffer       bool // Unique: any number of records may have null
	Null              bool // null means "none"; if false, "" does
	ReadOnly, Hidden  bool
	Immutable         string // why it can't change after creation; "" if it can
	Default           string
	Match             *regexp.Regexp // the whole text must match
	MatchHelp         string         // the message for a text that does not
	StoredAs          string         // the column, if its name differs from the field's
	AsWritten         bool           // keeps leading and trailing space; a text of only space is still blank
	Of                *Vocabulary    // the allowed words; nil for any
	Sort              Sort
	Lower             bool // kept in lower case
	LookedUp          bool // records are found by the whole text: those that have one are in an index
	Ranges            bool // pages create several records at once from a text such as xe-0/0/[0-47]
}

// Sort is the order of texts.
type Sort int

const (
	Literal        Sort = iota // character by character
	Natural                    // as people count: item 2 before item 10
	InterfaceNames             // by slots, then type, number, channel and subinterface: Gi1/0/2 before Gi1/0/10, Eth1 before Eth1.100
)

// maxKeyed is how long a text with a sort key may be. The key is several times as long, and must fit into an index.
const maxKeyed = 200

// maxLookedUp is how long a text may be that is looked up. It must fit into an index.
const maxLookedUp = 500

func (f Text) Info() Info {
	in := Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "string", Required: f.Required,
		Null: f.Null, Unique: f.Unique, FoldCase: f.FoldCase, NullsDiffer: f.NullsDiffer, ReadOnly: f.ReadOnly, Immutable: f.Immutable,
		Hidden: f.Hidden, Max: f.Max, Widget: textWidget(f.Max, f.ReadOnly), Ranges: f.Ranges}
	if f.Match == colorPattern {
		in.Widget = ColorInput
	}
	if f.AsWritten {
		in.Cell = TextCell
	}
	if f.Of != nil {
		in.Suggestions = f.Of.Words
	}
	if !f.Null && !f.Required {
		in.Default = f.Default
	}
	if f.Max == 0 && !f.ReadOnly {
		in.MaxBytes = maxTextBytes
	}
	return in
}

func (f Text) checkDeclaration(*Type) error {
	if (f.Match == nil) != (f.MatchHelp == "") {
		return errors.New("its Match and MatchHelp belong together")
	}
	switch {
	case f.Sort < Literal || f.Sort > InterfaceNames:
		return errors.New("its Sort is none of Literal, Natural and InterfaceNames")
	case f.Sort == InterfaceNames && (f.Max == 0 || f.Max > maxKeyed):
		return fmt.Errorf("it has a sort key, so its Max must be at most %d", maxKeyed)
	case f.LookedUp && (f.Null || f.Unique || f.Max == 0 || f.Max > maxLookedUp):
		return fmt.Errorf("it is LookedUp, so its Max must be at most %d, and it must be neither Null nor Unique", maxLookedUp)
	case f.Ranges && f.Info().Widget != TextLine:
		return errors.New("its Ranges are typed into one line, which it does not have")
	case f.Sort != Literal && f.Hidden:
		return errors.New("it is Hidden, so nothing is ordered by it: it needs no Sort")
	case f.Default == "":
		return nil
	}
	if kept, err := f.Parse(f.Default); err != nil || kept != f.Default {
		return fmt.Errorf("its default %q would not be taken as a value", f.Default)
	}
	return nil
}

func (f Text) Column() Column {
	c := Column{Name: cmp.Or(f.StoredAs, f.Name), Storage: StoreText, Null: f.Null, Natural: f.Sort == Natural, LookedUp: f.LookedUp}
	if f.Sort == InterfaceNames {
		c.Key = Key{Name: c.Name + "_key", Storage: StoreText, From: InterfaceKey}
	}
	return c
}

func (f Text) Lookups() []Lookup { return textLookups }

func (f Text) Parse(in any) (any, error) {
	s, err := textOf(in)
	if err != nil {
		return nil, err
	}
	if trimmed := strings.TrimSpace(s); !f.AsWritten || trimmed == "" {
		s = trimmed
	}
	switch {
	case s == "" && f.Required:
		return nil, errBlank
	case s == "" && f.Null:
		return nil, nil
	case s == "":
		return s, nil
	}
	if err := checkLength(s, f.Max); err != nil {
		return nil, err
	}
	if f.Match != nil && !f.Match.MatchString(s) {
		return nil, Invalid(f.MatchHelp)
	}
	if f.Lower {
		s = strings.ToLower(s)
	}
	return s, nil
}

// CheckAdded implements WordChecker.
func (f Text) CheckAdded(stored, given any) error { return f.Of.checkAdded(stored, given) }

// Unknown implements WordChecker.
func (f Text) Unknown(word string) string { return f.Of.unknown(word) }

// checkLength refuses a text of more than most characters. 0 means any number.
func checkLength(s string, most int) error {
	if most > 0 && utf8.RuneCountInString(s) > most {
		return Invalid("Ensure this field has no more than %d characters.", most)
	}
	return nil
}

// textOf accepts what JSON clients send for a text: a string, or a bare number.
func textOf(in any) (string, error) {
	var s string
	switch v := in.(type) {
	case string:
		s = v
	case fmt.Stringer: // json.Number
		s = v.String()
	default:
		return "", Invalid("Not a valid string.")
	}
	if strings.ContainsRune(s, 0) {
		return "", errNUL
	}
	if !utf8.ValidString(s) {
		return "", Invalid("Not valid UTF-8.")
	}
	return s, nil
}

func (f Text) ParseText(s string) (any, error) { return textOf(s) }

func (f Text) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }

func (f Text) Schema() Schema { return nullable(Schema{"type": "string"}, f.Null) }

func (f Text) InputSchema() Schema {
	s := bounded(f.Schema(), f.Info().MaxBytes)
	if f.Max > 0 {
		s["maxLength"] = f.Max
	}
	if f.Required {
		s["minLength"] = 1
	}
	return s
}

var colorPattern = regexp.MustCompile(`^[0-9a-f]{6}$`)

// Color returns a Text of six hexadecimal digits: red, green and blue.
func Color(name string) Text {
	return Text{Name: name, Max: 6, Default: "9e9e9e", Match: colorPattern, MatchHelp: "Enter a valid hexadecimal RGB color code."}
}

// OptionalColor returns a Color that may be blank.
func OptionalColor(name string) Text {
	color := Color(name)
	color.Default = ""
	return color
}

// UUID is an identifier that Terrier assigned.
type UUID struct{ Name string }

func (f UUID) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: "string", ReadOnly: true}
}
func (f UUID) Column() Column    { return Column{Name: f.Name, Storage: StoreUUID} }
func (f UUID) Lookups() []Lookup { return equalLookups }
func (f UUID) Parse(in any) (any, error) {
	s, err := textOf(in)
	if err != nil {
		return nil, err
	}
	return f.ParseText(s)
}

var uuidPattern = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)

func (f UUID) ParseText(s string) (any, error) {
	if !uuidPattern.MatchString(s) {
		return nil, Invalid("Must be a valid UUID.")
	}
	return strings.ToLower(s), nil
}
func (f UUID) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f UUID) Schema() Schema                              { return Schema{"type": "string", "format": "uuid"} }
func (f UUID) InputSchema() Schema                         { return f.Schema() }
