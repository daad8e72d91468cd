package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// List is a list of short texts, in the order given.
type List struct {
	Name, Label, Help string
	Required          bool
	Default           []string
	Item              func(string) (string, error) // checks and normalises one item
	Of                *Vocabulary                  // the words that items may be; nil for any
	FilterName        string
}

var (
	_ Explained  = List{}
	_ Explained  = Actions{}
	_ TypeNaming = ObjectTypes{}
)

func (f List) Info() Info {
	def := f.Default
	if def == nil {
		def = []string{}
	}
	in := Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "list", Required: f.Required, Default: def, Widget: LinesInput,
		MaxBytes: maxTextBytes, Cell: ListCell}
	if f.Of != nil {
		for _, word := range f.Of.Words {
			in.Choices = append(in.Choices, Option{word, LabelOf(word)})
		}
	}
	return in
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

func (f List) checkDeclaration(*Type) error {
	if err := f.CheckAdded(nil, f.Default); err != nil {
		return fmt.Errorf("its default: %w", err)
	}
	return nil
}

func (f List) addFilters(m map[string]filter, _ *Type) {
	m[cmp.Or(f.FilterName, f.Name)] = plainFilter(Predicate{Field: f}, f)
}

// HowWritten implements Explained.
func (f List) HowWritten() string { return "Separated by commas." }

// CheckAdded implements WordChecker.
func (f List) CheckAdded(stored, given any) error { return f.Of.checkAdded(stored, given) }

// Unknown implements WordChecker.
func (f List) Unknown(word string) string { return f.Of.unknown(word) }

// maxList is how many items a list may have.
const maxList = 1000

func listOf(in any) ([]any, error) {
	list, ok := in.([]any)
	if !ok {
		return nil, Invalid("Expected a list of items but got type %q.", typeWord(in))
	}
	if len(list) > maxList {
		return nil, errTooMany(maxList)
	}
	return list, nil
}

func errTooMany(most int) error { return Invalid("Ensure this list has no more than %d items.", most) }

func (f List) ParseText(s string) (any, error) { return textOf(s) }

func (f List) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }

func (f List) Schema() Schema {
	return Schema{"type": "array", "items": Schema{"type": "string"}}
}
func (f List) InputSchema() Schema {
	s := bounded(f.Schema(), maxTextBytes)
	if f.Required {
		s["minItems"] = 1
	}
	if f.Of != nil {
		s["items"] = Schema{"type": "string", "enum": f.Of.Words}
	}
	return s
}

// ObjectTypes is a list of record types by name: ["dcim.site"].
type ObjectTypes struct {
	Name, Label, Help string
	Only              func(*Type) bool // which types can be named; nil for all
	OnlyHelp          string           // the message for any other type, with %s for its name
	List

	reg *Registry
}

func (f ObjectTypes) resolve(r *Registry) (Field, error) {
	keys := &Vocabulary{Noun: "type"}
	for _, t := range r.types {
		keys.Words = append(keys.Words, t.Key())
	}
	lower := func(s string) (string, error) { return strings.ToLower(s), nil }
	f.reg = r
	f.List = List{Name: f.Name, Label: f.Label, Help: f.Help, Required: true, FilterName: strings.TrimSuffix(f.Name, "s"),
		Item: lower, Of: keys}
	return f, nil
}

// Info returns the Info of the list. It must work before the registry has resolved the field.
func (f ObjectTypes) Info() Info {
	f.List.Name, f.List.Label, f.Required = f.Name, f.Label, true
	in := f.List.Info()
	in.Widget, in.Choices = TypesInput, nil
	return in
}

func (f ObjectTypes) addFilters(m map[string]filter, _ *Type) {
	m[f.Name] = plainFilter(Predicate{Field: f}, f)
	m[f.FilterName] = m[f.Name]
}

// InputSchema does not list the allowed names, because clients of another version read the document.
func (f ObjectTypes) InputSchema() Schema {
	f.List.Of = nil
	return f.List.InputSchema()
}

// CheckAdded implements WordChecker.
func (f ObjectTypes) CheckAdded(stored, given any) error {
	if err := f.List.CheckAdded(stored, given); err != nil {
		return err
	}
	for _, key := range added(stored, given) {
		if !f.takes(f.reg.byKey[key]) {
			return Invalid(f.OnlyHelp, key)
		}
	}
	return nil
}

// Types returns the types that can be named.
func (f ObjectTypes) Types() []*Type {
	return slices.DeleteFunc(slices.Clone(f.reg.types), func(t *Type) bool { return !f.takes(t) })
}

func (f ObjectTypes) takes(t *Type) bool { return f.Only == nil || f.Only(t) }

// Actions is a list of the actions that a permission allows: those of every type, and those that some types declare.
type Actions struct {
	Name, Label, Help string
	List
}

func (f Actions) resolve(r *Registry) (Field, error) {
	f.List = List{Name: f.Name, Label: f.Label, Help: f.Help, Required: true, FilterName: strings.TrimSuffix(f.Name, "s"),
		Of: &Vocabulary{Noun: "action", Words: r.Rights()}}
	return f, nil
}

// Info returns the Info of the list. It must work before the registry has resolved the field.
func (f Actions) Info() Info {
	f.List.Name, f.List.Label, f.Required = f.Name, f.Label, true
	return f.List.Info()
}

func (f Actions) addFilters(m map[string]filter, _ *Type) {
	m[f.Name] = plainFilter(Predicate{Field: f}, f)
	m[f.FilterName] = m[f.Name]
}

// HowWritten implements Explained.
func (f Actions) HowWritten() string {
	return "Some of " + strings.Join(f.Of.Words, ", ") + ", separated by commas."
}
