package record

import "fmt"

// Later is a field that is about a type which does not exist yet. The API shows the same value for every record and ignores what is
// given for it. It has no column and no filter, and is not part of snapshots, files, forms and pages.
type Later struct {
	Name  string
	Shows any // nil, "", 0, false or []any{}

	readOnly
}

var _ Selected = Later{}

// Select implements Selected.
func (f Later) Select(s Selector) { s.Nothing() }

func (f Later) checkDeclaration(*Type) error {
	if f.kind() == "" {
		return fmt.Errorf(`it shows %v: a field of a type that comes later shows nil, "", 0, false or []any{}`, f.Shows)
	}
	return nil
}

// kind returns the JSON type of the value, "any" for null, and "" for a value that is not empty.
func (f Later) kind() string {
	switch x := f.Shows.(type) {
	case nil:
		return "any"
	case string:
		if x == "" {
			return "string"
		}
	case int:
		if x == 0 {
			return "integer"
		}
	case bool:
		if !x {
			return "boolean"
		}
	case []any:
		if len(x) == 0 {
			return "array"
		}
	}
	return ""
}

func (f Later) Info() Info {
	words := map[string]string{"string": "string", "integer": "integer", "boolean": "boolean"}
	word, ok := words[f.kind()]
	if !ok {
		word = "field"
	}
	return Info{Name: f.Name, Label: LabelOf(f.Name), Type: word, ReadOnly: true, Null: f.Shows == nil, Later: true}
}

// Append writes the value that every record has.
func (f Later) Append(dst []byte, _ any, _ *Printer) []byte {
	switch f.Shows.(type) {
	case int:
		return append(dst, '0')
	case []any:
		return append(dst, "[]"...)
	}
	return AppendValue(dst, f.Shows)
}

func (f Later) Schema() Schema {
	switch kind := f.kind(); kind {
	case "any":
		return JSON{}.Schema()
	case "array":
		return Schema{"type": kind, "items": Schema{}}
	default:
		return Schema{"type": kind}
	}
}
