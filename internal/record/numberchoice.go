package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// NumberOption is one value of a NumberChoice and its words.
type NumberOption struct {
	Value int64
	Label string
}

// NumberChoice is one of a fixed set of numbers. Without a default it may be null.
type NumberChoice struct {
	Name, Label, Help string
	Of                []NumberOption
	Default           int64 // 0 for none
	Required          bool
}

var (
	_ Explained   = NumberChoice{}
	_ ReadBack    = NumberChoice{}
	_ WordChecker = NumberChoice{}
)

// ChoiceValue returns the value of an option as the API writes it.
func (in Info) ChoiceValue(o Option) any {
	if in.NumberChoices {
		return json.Number(o.Value)
	}
	return o.Value
}

func (f NumberChoice) null() bool { return f.Default == 0 && !f.Required }

func (f NumberChoice) find(n int64) (NumberOption, bool) {
	i := slices.IndexFunc(f.Of, func(o NumberOption) bool { return o.Value == n })
	if i < 0 {
		return NumberOption{}, false
	}
	return f.Of[i], true
}

func (f NumberChoice) checkDeclaration(*Type) error {
	if len(f.Of) == 0 {
		return errors.New("a choice needs values to choose from")
	}
	for i, o := range f.Of {
		if o.Value == 0 || slices.ContainsFunc(f.Of[:i], func(other NumberOption) bool { return other.Value == o.Value }) {
			return fmt.Errorf("%d can't be a choice, or is one twice", o.Value)
		}
	}
	if _, ok := f.find(f.Default); !ok && f.Default != 0 {
		return fmt.Errorf("its default %d is not a choice", f.Default)
	}
	return nil
}

func (f NumberChoice) Info() Info {
	in := Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "choice", Required: f.Required, Null: f.null(),
		Widget: SelectOne, Cell: NumberCell, NumberChoices: true}
	for _, o := range f.Of {
		in.Choices = append(in.Choices, Option{strconv.FormatInt(o.Value, 10), o.Label})
	}
	if f.Default != 0 {
		in.Default = f.Default
	}
	return in
}

func (f NumberChoice) Column() Column {
	return Column{Name: f.Name, Storage: StoreInt, Null: f.null()}
}
func (f NumberChoice) Lookups() []Lookup { return equalLookups }

func (f NumberChoice) Parse(in any) (any, error) {
	if m, ok := in.(map[string]any); ok && m["value"] != nil {
		return nil, Invalid("Value must be passed directly (e.g. %q: %v); do not use a dictionary or list.", f.Name, m["value"])
	}
	if s, ok := in.(string); ok && strings.TrimSpace(s) == "" {
		if f.null() {
			return nil, nil
		}
		return nil, errBlank
	}
	n, err := intOf(in)
	if err != nil {
		return nil, notChoice(in)
	}
	return n, nil
}

func notChoice(given any) error { return Invalid("%.100q is not a valid choice.", fmt.Sprint(given)) }

// CheckAdded implements WordChecker.
func (f NumberChoice) CheckAdded(stored, given any) error {
	n, ok := given.(int64)
	if _, known := f.find(n); ok && !known && stored != given {
		return notChoice(n)
	}
	return nil
}

// Unknown implements WordChecker.
func (f NumberChoice) Unknown(word string) string {
	n, err := intOf(word)
	if _, known := f.find(n); err != nil || !known {
		return "unknown choice"
	}
	return ""
}

func (f NumberChoice) ParseText(s string) (any, error) {
	if s == nullWord && f.null() {
		return nil, nil
	}
	if n, err := intOf(s); err == nil {
		if _, known := f.find(n); known {
			return n, nil
		}
	}
	return nil, Invalid("Select a valid choice. " + s + " is not one of " + f.numbers() + ".")
}

func (f NumberChoice) numbers() string {
	words := make([]string, len(f.Of))
	for i, o := range f.Of {
		words[i] = strconv.FormatInt(o.Value, 10)
	}
	return strings.Join(words, ", ")
}

// HowWritten implements Explained.
func (f NumberChoice) HowWritten() string { return "One of " + f.numbers() + "." }

// FromShown implements ReadBack.
func (f NumberChoice) FromShown(shown any) any { return Choice{}.FromShown(shown) }

func (f NumberChoice) Append(dst []byte, v any, _ *Printer) []byte {
	n, ok := v.(int64)
	if !ok {
		return append(dst, "null"...)
	}
	o, known := f.find(n)
	if !known {
		o.Label = strconv.FormatInt(n, 10)
	}
	dst = append(dst, `{"value":`...)
	dst = strconv.AppendInt(dst, n, 10)
	dst = append(dst, `,"label":`...)
	dst = AppendString(dst, o.Label)
	return append(dst, '}')
}

func (f NumberChoice) values() []any {
	out := make([]any, len(f.Of))
	for i, o := range f.Of {
		out[i] = o.Value
	}
	return out
}

func (f NumberChoice) Schema() Schema {
	return nullable(Schema{"type": "object", "required": []string{"value", "label"}, "properties": map[string]Schema{
		"value": {"type": "integer", "enum": f.values()},
		"label": {"type": "string"},
	}}, f.null())
}

func (f NumberChoice) InputSchema() Schema {
	values := f.values()
	if f.null() {
		values = append(values, nil)
	}
	return nullable(Schema{"type": "integer", "enum": values}, f.null())
}
