package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Choices are the values a Choice may take, in the order in which they are offered.
type Choices []Option

// Option is one value and its words.
type Option struct{ Value, Label string }

func (c Choices) label(value string) (string, bool) {
	for _, o := range c {
		if o.Value == value {
			return o.Label, true
		}
	}
	return value, false
}

func (c Choices) values() []any {
	out := make([]any, len(c))
	for i, o := range c {
		out[i] = o.Value
	}
	return out
}

// Choice is one of a fixed set of words. Without a default it may be null.
type Choice struct {
	Name, Label, Help string
	Of                Choices
	Default           string
	Required          bool
	ReadOnly          bool
	Bare              bool // shown as the value alone, and as "" where there is none
	BareInBrief       bool // shown so in the brief form
}

var (
	_ Explained = Choice{}
	_ ReadBack  = Choice{}
)

func (f Choice) null() bool { return f.Default == "" && !f.Required && !f.ReadOnly }

func (f Choice) checkDeclaration(*Type) error {
	if len(f.Of) == 0 {
		return errors.New("a choice needs values to choose from")
	}
	words := f.words()
	for i, word := range words {
		if word == "" || word == nullWord || slices.Contains(words[:i], word) {
			return fmt.Errorf("%q can't be a choice, or is one twice", word)
		}
	}
	if f.Default != "" && !slices.Contains(words, f.Default) {
		return fmt.Errorf("its default %q is not a choice", f.Default)
	}
	return nil
}

func (f Choice) Info() Info {
	in := Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "choice", Required: f.Required,
		Null: f.null(), ReadOnly: f.ReadOnly, Choices: f.Of, Widget: SelectOne.unless(f.ReadOnly)}
	if f.Default != "" {
		in.Default = f.Default
	}
	return in
}
func (f Choice) Column() Column    { return Column{Name: f.Name, Storage: StoreText, Null: f.null()} }
func (f Choice) Lookups() []Lookup { return equalLookups }

func (f Choice) Parse(in any) (any, error) {
	s, ok := in.(string)
	if !ok {
		if m, isObject := in.(map[string]any); isObject && m["value"] != nil {
			return nil, Invalid("Value must be passed directly (e.g. %q: %q); do not use a dictionary or list.", f.Name, m["value"])
		}
		s = fmt.Sprint(in)
	}
	if s == "" {
		if f.null() {
			return nil, nil
		}
		return nil, errBlank
	}
	return textOf(s)
}

// CheckAdded implements WordChecker.
func (f Choice) CheckAdded(stored, given any) error {
	for _, word := range added(stored, given) {
		if f.Unknown(word) != "" {
			return Invalid("%.100q is not a valid choice.", word)
		}
	}
	return nil
}

// Unknown implements WordChecker.
func (f Choice) Unknown(word string) string {
	if _, ok := f.Of.label(word); !ok {
		return "unknown choice"
	}
	return ""
}

func (f Choice) ParseText(s string) (any, error) {
	if s == nullWord {
		if f.null() {
			return nil, nil
		}
	} else if _, ok := f.Of.label(s); ok {
		return s, nil
	}
	return nil, Invalid("Select a valid choice. " + s + " is not one of " + strings.Join(f.words(), ", ") + ".")
}

func (f Choice) words() []string {
	words := make([]string, len(f.Of))
	for i, o := range f.Of {
		words[i] = o.Value
	}
	return words
}

// HowWritten implements Explained.
func (f Choice) HowWritten() string { return "One of " + strings.Join(f.words(), ", ") + "." }

// FromShown implements ReadBack.
func (f Choice) FromShown(shown any) any {
	if object, ok := shown.(map[string]any); ok {
		if value, ok := object["value"]; ok {
			return value
		}
	}
	return shown
}

func (f Choice) inBrief() Field {
	f.Bare = f.Bare || f.BareInBrief
	return f
}

func (f Choice) Append(dst []byte, v any, _ *Printer) []byte {
	if f.Bare {
		value, _ := v.(string)
		return AppendString(dst, value)
	}
	if v == nil {
		return append(dst, "null"...)
	}
	value := v.(string)
	word, _ := f.Of.label(value)
	dst = append(dst, `{"value":`...)
	dst = AppendString(dst, value)
	dst = append(dst, `,"label":`...)
	dst = AppendString(dst, word)
	return append(dst, '}')
}

func (f Choice) Schema() Schema {
	if f.Bare {
		values := f.Of.values()
		if f.null() {
			values = append(values, "")
		}
		return Schema{"type": "string", "enum": values}
	}
	return nullable(Schema{"type": "object", "required": []string{"value", "label"}, "properties": map[string]Schema{
		"value": {"type": "string", "enum": f.Of.values()},
		"label": {"type": "string"},
	}}, f.null())
}

func (f Choice) InputSchema() Schema {
	values := f.Of.values()
	if f.null() {
		values = append(values, "", nil)
	}
	return nullable(Schema{"type": "string", "enum": values}, f.null())
}

// ChoicesOf returns the choices in a text that has one on each line: the value, a space and the label.
func ChoicesOf(text string) Choices {
	var out Choices
	for line := range strings.Lines(strings.TrimSpace(text)) {
		value, label, _ := strings.Cut(strings.TrimSpace(line), " ")
		out = append(out, Option{value, label})
	}
	return out
}
