package record

import (
	"slices"
	"strings"
)

// List is a list of short texts, in the order given.
type List struct {
	Name, Label, Help string
	Required          bool
	Default           []string
	Item              func(string) (string, error) // checks and normalises one item
	FilterName        string
}

func (f List) Info() Info {
	def := f.Default
	if def == nil {
		def = []string{}
	}
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "list", Required: f.Required, Default: def, Widget: LinesInput}
}
func (f List) Column() Column    { return Column{Name: f.Name, Storage: StoreTexts} }
func (f List) Lookups() []Lookup { return equalLookups }

func (f List) Parse(in any) (any, error) {
	list, err := listOf(in)
	if err != nil {
		return nil, err
	}
	if f.Required && len(list) == 0 {
		return nil, Invalid("This list may not be empty.")
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		s, err := textOf(item)
		if err == nil && f.Item != nil {
			s, err = f.Item(strings.TrimSpace(s))
		}
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// maxList is more than any list of a record needs, and less than hurts.
const maxList = 1000

func listOf(in any) ([]any, error) {
	list, ok := in.([]any)
	if !ok {
		return nil, Invalid("Expected a list of items but got type %q.", typeWord(in))
	}
	if len(list) > maxList {
		return nil, Invalid("Ensure this list has no more than %d items.", maxList)
	}
	return list, nil
}

func (f List) ParseText(s string) (any, error) { return textOf(s) }

func (f List) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }

func (f List) Schema() Schema {
	return Schema{"type": "array", "items": Schema{"type": "string"}}
}
func (f List) InputSchema() Schema {
	s := f.Schema()
	if f.Required {
		s["minItems"] = 1
	}
	return s
}

// ObjectTypes is a list of record types by name: ["dcim.site"].
type ObjectTypes struct {
	Name, Label, Help string
	List
}

func (f ObjectTypes) resolve(r *Registry) (Field, error) {
	f.List = List{Name: f.Name, Label: f.Label, Help: f.Help, Required: true, FilterName: strings.TrimSuffix(f.Name, "s"), Item: func(s string) (string, error) {
		s = strings.ToLower(s)
		if r.byKey[s] == nil {
			return "", Invalid("Invalid content type: %s", s)
		}
		return s, nil
	}}
	return f, nil
}

// Info is the list's; the declared name is known before the registry resolves it.
func (f ObjectTypes) Info() Info {
	f.List.Name, f.List.Label, f.Required = f.Name, f.Label, true
	in := f.List.Info()
	in.Widget = TypesInput
	return in
}
