package record

// FilterSet is an object in the Body of an action, with filters as the list of a type takes them. A value that is not an object is null.
type FilterSet struct{ Name, Help string }

func (f FilterSet) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Help: f.Help, Type: "field", Required: true, Null: true}
}
func (f FilterSet) Column() Column    { return Column{} }
func (f FilterSet) Lookups() []Lookup { return nil }

func (f FilterSet) Parse(in any) (any, error) {
	if _, ok := in.(map[string]any); !ok {
		return nil, nil
	}
	return in, nil
}
func (f FilterSet) ParseText(s string) (any, error)             { return s, nil }
func (f FilterSet) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f FilterSet) Schema() Schema                              { return Schema{"type": "object", "additionalProperties": true} }
func (f FilterSet) InputSchema() Schema                         { return f.Schema() }
