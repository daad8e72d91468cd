package record

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// JSON is any JSON value, or null.
type JSON struct {
	Name, Label, Help string
	Required          bool // it can't be null
	ReadOnly          bool
	KeepText          bool // stored byte for byte
	StoredAs          string
	KindOf            string // the field with the kind of custom field that the value is for; a form uses the widget of that kind
	MaxBytes          int    // the default is 1 MiB
	// Object means that the value is an object. Clients know it as data, so that it may have a key "url".
	Object bool
}

var (
	_ Explained = JSON{}
	_ Selected  = CustomFields{}
	_ Sealing   = Secret{}
)

// HowWritten implements Explained.
func (f JSON) HowWritten() string { return "Written as JSON." }

func (f JSON) Info() Info {
	in := Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "field", Required: f.Required, Null: !f.Required,
		ReadOnly: f.ReadOnly, Widget: JSONInput.unless(f.ReadOnly),
		Cell: JSONCell, Wide: true, KindOf: f.KindOf}
	if f.KindOf != "" {
		in.Widget = TextArea
	}
	if !f.ReadOnly {
		in.MaxBytes = cmp.Or(f.MaxBytes, maxJSONBytes)
	}
	return in
}
func (f JSON) Column() Column {
	c := Column{Name: cmp.Or(f.StoredAs, f.Name), Storage: StoreJSON, Null: !f.Required}
	if f.KeepText {
		c.Storage = StoreJSONText
	}
	return c
}
func (f JSON) Lookups() []Lookup { return nil }

func (f JSON) Parse(in any) (any, error) {
	if f.Object {
		if _, ok := in.(map[string]any); !ok {
			return nil, Invalid(`Enter a JSON object, such as {"key": "value"}.`)
		}
		return parseJSON(in)
	}
	if place, found := findURL(in); found {
		return nil, Invalid(`%s: a key "url" is refused: existing clients take it for an address of this API, and would send their token there.`,
			strings.TrimPrefix(place, "."))
	}
	return parseJSON(in)
}

func parseJSON(in any) (any, error) {
	raw, err := EncodeJSON(in)
	if _, said := errors.AsType[message](err); err != nil && !said {
		return nil, Invalid("Value must be valid JSON.")
	}
	return raw, err
}

// findURL returns the place of a key url, at any depth.
func findURL(in any) (place string, found bool) {
	switch x := in.(type) {
	case []any:
		for i, item := range x {
			if at, found := findURL(item); found {
				return "[" + strconv.Itoa(i) + "]" + at, true
			}
		}
	case map[string]any:
		if _, found := x["url"]; found {
			return ".url", true
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			if at, found := findURL(x[name]); found {
				return "." + name + at, true
			}
		}
	}
	return "", false
}

// EncodeJSON writes a decoded value compactly. It refuses values that PostgreSQL cannot store.
func EncodeJSON(in any) (json.RawMessage, error) {
	if err := storable(in); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(in); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// The limits for numbers. jsonb writes numbers out in full, even a zero: 0e-16000 has eight characters here and 16,002 there. So
// digits and exponent are limited, not the value.
const (
	longestNumber   = 64
	largestExponent = 30
)

// exponent returns the text after the e of a number, "0" if there is none.
func exponent(number string) string {
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		return number[i+1:]
	}
	return "0"
}

func modest(exponent string) bool {
	n, err := strconv.Atoi(exponent)
	return err == nil && n >= -largestExponent && n <= largestExponent
}

// storable refuses values that jsonb cannot store, or only at great length.
func storable(in any) error {
	switch x := in.(type) {
	case string:
		if strings.ContainsRune(x, 0) {
			return errNUL
		}
	case json.Number:
		if len(x) > longestNumber || !modest(exponent(string(x))) {
			return Invalid("The number %.20s is out of range.", x)
		}
	case []any:
		for _, item := range x {
			if err := storable(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range x {
			if err := cmp.Or(storable(key), storable(item)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f JSON) ParseText(s string) (any, error)             { return s, nil }
func (f JSON) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f JSON) InputSchema() Schema                         { return bounded(f.Schema(), f.Info().MaxBytes) }

// Schema names every JSON type, because nullable has no effect without a type.
func (f JSON) Schema() Schema {
	if f.Object && f.Required {
		return Schema{"type": "object", "additionalProperties": true}
	}
	return Schema{"anyOf": []Schema{{"type": "object", "nullable": true}, {"type": "array", "items": Schema{}},
		{"type": "string"}, {"type": "number"}, {"type": "boolean"}}}
}

// CustomFields holds the values of the fields that people define at run time. The definitions are records themselves
// (extras.customfield). The ledger checks values against them. The store returns every defined field, set or not.
type CustomFields struct{}

// HasCustomFields reports whether records of a type can have custom fields.
func HasCustomFields(t *Type) bool { return t.Index("custom_fields") >= 0 }

// HasCustomLinks reports whether the pages of a type have custom links: those of all types with tags and custom fields do.
func HasCustomLinks(t *Type) bool { return HasCustomFields(t) && t.Index("tags") >= 0 }

func (f CustomFields) Info() Info {
	return Info{Name: "custom_fields", Label: "Custom fields", Type: "field", Default: json.RawMessage("{}"), Widget: CustomInputs,
		Cell: CustomCells, MaxBytes: maxJSONBytes}
}

// Select implements Selected.
func (f CustomFields) Select(s Selector) { s.Members(f.Column()) }

func (f CustomFields) Column() Column    { return Column{Name: "custom_fields", Storage: StoreMembers} }
func (f CustomFields) Lookups() []Lookup { return nil }

func (f CustomFields) Parse(in any) (any, error) {
	m, ok := in.(map[string]any)
	if !ok {
		return nil, Invalid("Expected an object of values by custom field name.")
	}
	return parseJSON(m)
}
func (f CustomFields) ParseText(s string) (any, error)             { return s, nil }
func (f CustomFields) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f CustomFields) Schema() Schema {
	return Schema{"type": "object", "additionalProperties": true}
}
func (f CustomFields) InputSchema() Schema { return bounded(f.Schema(), maxJSONBytes) }

// Seal says in which form a secret is stored.
type Seal int

const (
	Encrypted Seal = iota // can be decrypted by the process that needs it
	Password              // a slow hash
	TokenKey              // a keyed digest; the key itself is shown once
)

// Plain is a secret in plain text, before the ledger seals it. It is hidden in logs and wherever else it is printed.
type Plain string

func (Plain) String() string   { return masked }
func (Plain) GoString() string { return masked }

// Secrecy says how a secret field is stored and shown.
type Secrecy struct {
	Name  string // of the field
	Seal  Seal
	Shown bool   // Encrypted: callers who may change the record see it
	Hint  string // the field with the last characters of a token's key
}

// Place returns the name of the row and field that an encrypted secret is bound to.
func (s Secrecy) Place(t *Type, id int64) string {
	return t.Key() + "/" + strconv.FormatInt(id, 10) + "/" + s.Name
}

// Sealed is a secret as it is stored.
type Sealed string

// masked is written instead of a secret.
const masked = "********"

func (Sealed) String() string   { return masked }
func (Sealed) GoString() string { return masked }

// mask returns a text that shows only whether there is a secret.
func (s Sealed) mask() string {
	if s == "" {
		return ""
	}
	return s.String()
}

// Secret is a value that is written but not read.
type Secret struct {
	Name, Label, Help string
	Seal              Seal
	Required          bool
	Max               int    // longest, 0 for no limit
	Hint              string // the field with the last characters of a token's key
	Shown             bool   // Encrypted: callers who may change the record see it
	Blank             bool   // Shown: other callers see "" and not null, and null is refused
	Lines             bool   // a form asks for several lines, such as those of a key in PEM
}

// Secrecy implements Sealing.
func (f Secret) Secrecy() Secrecy {
	return Secrecy{Name: f.Name, Seal: f.Seal, Shown: f.Shown, Hint: f.Hint}
}

func (f Secret) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "string", Required: f.Required, Max: f.Max,
		Null: f.Seal != Password && !f.Blank, Hidden: f.Seal == Password, Unique: f.Seal == TokenKey, Default: f.none(),
		Widget: f.widget(), Cell: SecretCell}
}

func (f Secret) checkDeclaration(t *Type) error {
	switch {
	case f.Shown && f.Seal != Encrypted:
		return errors.New("only an encrypted secret can be shown")
	case f.Blank && (!f.Shown || f.Required):
		return errors.New("only a secret that is shown and not required can be blank")
	case f.Hint != "" && t.Field(f.Hint) == nil:
		return fmt.Errorf("its Hint names %q, and there is no such field", f.Hint)
	}
	return nil
}

func (f Secret) widget() Widget {
	switch {
	case f.Shown:
		return SecretArea
	case f.Lines:
		return KeyArea
	}
	return PasswordInput
}

// none returns the value of a secret that was never given. It is the same as for one that was removed.
func (f Secret) none() any {
	if f.Seal == Encrypted && !f.Required {
		return Sealed("")
	}
	return nil
}
func (f Secret) Column() Column    { return Column{Name: f.Name + "_sealed", Storage: StoreSealed} }
func (f Secret) Lookups() []Lookup { return nil }

func (f Secret) Parse(in any) (any, error) {
	s, err := textOf(in)
	if err != nil {
		return nil, err
	}
	switch {
	case s == "" && f.Required:
		return nil, errBlank
	case f.Shown && s == masked: // somebody sends back what the change log shows
		return nil, Invalid("This text replaces a secret that is not shown. Leave the field out to keep the secret.")
	}
	if err := checkLength(s, f.Max); err != nil {
		return nil, err
	}
	if f.Seal == TokenKey {
		s = strings.ToLower(strings.TrimSpace(s))
		if s == "" {
			return nil, nil // like null: generate one
		}
	}
	return Plain(s), nil
}
func (f Secret) ParseText(string) (any, error) { return nil, Invalid("A secret can't be searched.") }

// Append writes the secret if the ledger has revealed it to the caller, and null or "" if not. The field is never left out: clients that
// compare what they send with what is there fail on a missing field.
func (f Secret) Append(dst []byte, v any, _ *Printer) []byte {
	if plain, ok := v.(Plain); ok && (f.Seal == TokenKey || f.Shown) {
		return AppendString(dst, string(plain))
	}
	if f.Blank {
		return append(dst, `""`...)
	}
	return append(dst, "null"...)
}
func (f Secret) Schema() Schema {
	return nullable(Schema{"type": "string"}, f.Info().Null)
}
func (f Secret) InputSchema() Schema {
	s := f.Schema()
	if f.Max > 0 {
		s["maxLength"] = f.Max
	}
	return s
}
