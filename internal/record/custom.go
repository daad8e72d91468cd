package record

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"terrier/internal/pattern"
)

// CustomKinds are the kinds a custom field may have.
var CustomKinds = Choices{
	{"text", "Text"}, {"longtext", "Text (long)"}, {"integer", "Integer"}, {"decimal", "Decimal"},
	{"boolean", "Boolean (true/false)"}, {"date", "Date"}, {"datetime", "Date & time"}, {"url", "URL"},
	{"json", "JSON"}, {"select", "Selection"}, {"multiselect", "Multiple selection"},
}

// Custom is the definition of one custom field.
type Custom struct {
	Name        string
	Label, Help string
	Required    bool
	Default     json.RawMessage
	Kind        Field // parses and compares values

	word    string
	regex   func() (*pattern.Pattern, error) // compiles it on the first call; nil if there is none
	choices []string
}

// wholeNumbers is the limit up to which a float represents whole numbers exactly.
const wholeNumbers = 1e15

// CustomDefinition reads a definition from its record.
func CustomDefinition(v Values) *Custom {
	c := &Custom{Name: v.Text("name"), Label: label(v.Text("label"), v.Text("name")), Help: v.Text("description"),
		Required: v.Bool("required"), Default: v.Raw("default"), word: v.Text("type"), choices: v.List("choices")}
	if source := v.Text("validation_regex"); source != "" {
		c.regex = sync.OnceValues(func() (*pattern.Pattern, error) { return pattern.Whole(source) })
	}
	least, most := optional(v, "validation_minimum"), optional(v, "validation_maximum")
	switch c.word {
	case "integer":
		c.Kind = Int{Name: c.Name, Min: least, Max: most}
	case "decimal":
		d := Decimal{Name: c.Name, Min: -wholeNumbers, Max: wholeNumbers, Places: 4}
		if least != nil {
			d.Min = float64(*least)
		}
		if most != nil {
			d.Max = float64(*most)
		}
		c.Kind = d
	case "boolean":
		c.Kind = Bool{Name: c.Name}
	case "datetime":
		c.Kind = customMoment{Text{Name: c.Name}, TimeLayout}
	case "date":
		c.Kind = customMoment{Text{Name: c.Name}, time.DateOnly}
	default:
		c.Kind = Text{Name: c.Name, Sort: Natural}
	}
	return c
}

// CheckRegex refuses an expression that can't be used.
func (c *Custom) CheckRegex() error {
	if c.regex == nil {
		return nil
	}
	if _, err := c.regex(); err != nil {
		return Invalid("Enter another regular expression: %s.", err.Error())
	}
	return nil
}

// CheckRange refuses a minimum above the maximum. A decimal always has a maximum.
func (c *Custom) CheckRange() error {
	switch kind := c.Kind.(type) {
	case Int:
		if kind.Min != nil && kind.Max != nil && *kind.Min > *kind.Max {
			return Invalid("No number would be accepted: the minimum must be at most %d.", *kind.Max)
		}
	case Decimal:
		if kind.Min > kind.Max {
			return Invalid("No number would be accepted: the minimum must be at most %s.", plainDigits(kind.Max))
		}
	}
	return nil
}

func optional(v Values, name string) *int64 {
	n, ok := v.Get(name).(int64)
	if !ok {
		return nil
	}
	return &n
}

// customMoment is a date or a time in custom_fields. It is kept as a text that sorts by time.
type customMoment struct {
	Text
	layout string
}

func (f customMoment) Lookups() []Lookup { return orderedLookups }

func (f customMoment) Parse(in any) (any, error) {
	s, ok := in.(string)
	if !ok {
		return nil, Invalid("Write it as a text such as %s.", f.layout)
	}
	return f.ParseText(s)
}

func (f customMoment) ParseText(s string) (any, error) {
	t, err := Time{}.ParseText(s)
	if err != nil || (f.layout == time.DateOnly && len(s) != len(f.layout)) {
		return nil, Invalid("Write it as a text such as %s.", f.layout)
	}
	return t.(time.Time).Format(f.layout), nil
}

// customWidgets are the widgets of the kinds of custom field that don't use the widget of their Kind.
var customWidgets = map[string]Widget{"text": TextLine, "url": URLInput, "date": DateInput, "datetime": MomentInput, "json": JSONInput,
	"boolean": SelectOne, "select": SelectOne, "multiselect": LinesInput}

// customBooleans are the values of a boolean. It may also have none.
var customBooleans = Choices{{"true", "Yes"}, {"false", "No"}}

// CustomWidget returns the widget for a kind of custom field. It is TextLine for plain texts and numbers.
func CustomWidget(kind string) Widget { return cmp.Or(customWidgets[kind], TextLine) }

// Info describes the field to code that derives a form from it.
func (c *Custom) Info() Info {
	in := c.Kind.Info()
	in.Name, in.Label, in.Help, in.Required, in.Null = c.Name, c.Label, c.Help, c.Required, true
	if c.word == "json" {
		in.MaxBytes = maxJSONBytes
	}
	if w, ok := customWidgets[c.word]; ok {
		in.Widget = w
	}
	switch {
	case c.word == "boolean":
		in.Choices = customBooleans
	case c.Choose():
		for _, choice := range c.choices {
			in.Choices = append(in.Choices, Option{choice, choice})
		}
	}
	return in
}

// Cell returns how a file writes a value of the field.
func (c *Custom) Cell() CellForm {
	switch c.word {
	case "multiselect":
		return ListCell
	case "json":
		return JSONCell
	case "integer", "decimal":
		return NumberCell
	case "boolean":
		return PlainCell
	}
	return TextCell
}

// HowWritten explains how a file writes a value of the field, "" if that needs no explanation.
func (c *Custom) HowWritten() string {
	switch c.Cell() {
	case ListCell:
		return List{}.HowWritten()
	case JSONCell:
		return JSON{}.HowWritten()
	}
	return ""
}

// IsURL reports whether the values are addresses.
func (c *Custom) IsURL() bool { return c.word == "url" }

// Orderable reports whether a list can be ordered by the field.
func (c *Custom) Orderable() bool { return c.word != "json" && c.word != "multiselect" }

// CustomPrefix precedes the name of a custom field where it could be that of another field.
const CustomPrefix = "cf_"

// Choose reports whether the field has a list of choices.
func (c *Custom) Choose() bool { return c.word == "select" || c.word == "multiselect" }

// EncodeRaw checks a JSON text, such as a default, and returns it as it is stored.
func (c *Custom) EncodeRaw(raw json.RawMessage) (json.RawMessage, error) {
	in, err := decodeJSON(raw)
	if err != nil {
		return nil, err
	}
	return c.Encode(in)
}

// Encode checks one value and returns its JSON as it is stored.
func (c *Custom) Encode(in any) (json.RawMessage, error) {
	v, err := c.Parse(in)
	if err != nil {
		return nil, err
	}
	return EncodeJSON(v)
}

// TooLong refuses a stored value that has more bytes than the field allows. For a text its own bytes count, not those of its JSON.
func (c *Custom) TooLong(raw json.RawMessage) error {
	in := c.Info()
	if err := in.TooLong(raw); err == nil || c.word == "json" {
		return err
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return in.TooLong(raw)
	}
	return in.TooLong(s)
}

// Parse checks one value and returns it as it is stored.
func (c *Custom) Parse(in any) (any, error) {
	if c.Required && c.blank(in) {
		return nil, Invalid("Required field cannot be empty.")
	}
	if in == nil {
		return nil, nil
	}
	switch c.word {
	case "json":
		return in, nil
	case "multiselect":
		list, ok := in.([]any)
		if !ok {
			return nil, Invalid("Expected a list of choices.")
		}
		for _, item := range list {
			if err := c.choice(item); err != nil {
				return nil, err
			}
		}
		return in, nil
	case "select":
		return in, c.choice(in)
	}
	v, err := c.Kind.Parse(in)
	if err != nil {
		return nil, err
	}
	s, text := v.(string)
	if !text {
		return v, nil
	}
	if c.word == "url" {
		if u, err := url.Parse(s); err != nil || !slices.Contains([]string{"http", "https", "ftp", "ssh", "mailto"}, u.Scheme) {
			return nil, Invalid("Enter a valid URL.")
		}
	}
	return s, c.match(s)
}

// match tests a text against the definition's regular expression. An expression that was saved before there were limits, and exceeds
// them, refuses every text.
func (c *Custom) match(s string) error {
	if c.regex == nil {
		return nil
	}
	regex, err := c.regex()
	switch {
	case err != nil:
		return Invalid("The field's validation_regex can't be used, change it first: %s.", err.Error())
	case regex.TooLong(s):
		return Invalid("The field's validation_regex is tried on at most %d characters: shorten the text or simplify the expression.",
			regex.Longest())
	case !regex.Match(s):
		return Invalid("Value must match regex '%s'", regex)
	}
	return nil
}

// blank reports whether a value means that there is none. For the kind json an empty text is a value.
func (c *Custom) blank(in any) bool {
	s, text := in.(string)
	return in == nil || text && c.word != "json" && strings.TrimSpace(s) == ""
}

func (c *Custom) choice(in any) error {
	if s, ok := in.(string); ok && slices.Contains(c.choices, s) {
		return nil
	}
	return Invalid("Invalid choice (%v). Available choices are: %v", in, c.choices)
}
