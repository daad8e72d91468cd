package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// slugField is the name of the field that names a record in an address.
const slugField = "slug"

// nullWord is how a filter asks for records without a reference or choice.
const nullWord = "null"

// OnDelete says what happens to a record when the one it refers to is deleted. The ledger does it, as a separate change. The foreign key
// only refuses.
type OnDelete int

const (
	Protect OnDelete = iota // the delete is refused
	SetNull                 // the reference is emptied
	Cascade                 // the record is deleted too
)

// Link is the value of a reference.
type Link struct {
	ID    int64
	Of    *Type // the type of the record, if the field refers to one of several
	Brief []any // the target's brief fields, if read from the database; only the core fields for a link inside another link

	Via *Link // the record that leads to it, if the field shows that too

	// Match means the one record with these attributes. The ledger resolves it.
	Match []Predicate
	// Named is what a person wrote: Match is one way to read it, and empty where only the id in it can be meant.
	Named *Named
}

// Ref is a reference to a record of another type.
type Ref struct {
	Name, Label, Help string

	To        string // "dcim.region"
	Required  bool   // if false, it may be null
	OnDelete  OnDelete
	Clears    []string // fields that become null too when OnDelete empties the reference
	ReadOnly  bool
	Immutable string // why it can't change after creation; "" if it can
	Loose     bool   // kept when the target is deleted: there is no foreign key
	NullFirst bool   // in the default order, records without one come first

	// Author says that this is who writes the record: the caller, unless another user or null is given. Forms don't ask for it.
	Author bool

	Bare    bool    // shown as an id instead of a nested object
	Shows   *Nested // what the nested object shows; the default is the target's Brief
	InBrief string  // a text of the target: the brief form of this type shows it instead of a nested object

	Alias string // a second name: the API shows the same under both, and a body may use either

	target *Type
	shown  *nestedForm // of Shows
}

var (
	_ Referring = Ref{}
	_ Selected  = Ref{}
	_ Explained = Ref{}
	_ Referring = Refs{}
	_ Selected  = Refs{}
	_ Explained = Refs{}
	_ Referring = Tags{}
)

// Reference implements Referring.
func (f Ref) Reference() Reference {
	ref := Reference{Target: f.target, OnDelete: f.OnDelete, Clears: f.Clears, Loose: f.Loose, NullFirst: f.NullFirst, Author: f.Author,
		FilterName: f.Name}
	if f.shown != nil {
		ref.Also = f.shown.also
	}
	return ref
}

// Select implements Selected.
func (f Ref) Select(s Selector) { s.Link(f.Column(), f.Reference()) }

// HowWritten implements Explained.
func (f Ref) HowWritten() string {
	how := "The " + f.target.lookupWord() + " of the " + f.target.Title()
	if f.target.lookup == "" {
		return how + "."
	}
	return how + ", or # and its id: #3."
}

func (f Ref) resolve(r *Registry) (Field, error) {
	f.target = r.byKey[f.To]
	if f.target == nil {
		return nil, fmt.Errorf("field %s refers to %s, which is not registered", f.Name, f.To)
	}
	if f.Shows != nil {
		f.shown = &nestedForm{Nested: *f.Shows}
	}
	return f, nil
}

// link implements linking.
func (f Ref) link() error {
	if f.shown == nil {
		return nil
	}
	return f.shown.resolve(f.target)
}

func (f Ref) checkDeclaration(t *Type) error {
	i := f.target.Index(f.InBrief)
	switch {
	case f.Bare && f.Shows != nil:
		return errors.New("it is Bare, so it has no nested object to say what it Shows")
	case f.InBrief != "" && (!slices.Contains(f.target.core, i) || !isText(f.target.fields[i].Column().Storage)):
		return fmt.Errorf("its InBrief names %q, which is not a text in the Brief of %s", f.InBrief, f.To)
	case f.InBrief != "" && !slices.Contains(t.Brief, f.Name):
		return errors.New("it has InBrief, and is not in Brief")
	}
	return nil
}

func (f Ref) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "field", Required: f.Required, Null: !f.Required,
		ReadOnly: f.ReadOnly, Immutable: f.Immutable,
		Widget: RecordInput.unless(f.ReadOnly || f.Author), Cell: ReferenceCell}
}
func (f Ref) Column() Column {
	return Column{Name: f.Name + "_id", Storage: StoreInt, Null: !f.Required}
}
func (f Ref) Lookups() []Lookup { return equalLookups }

func (f Ref) Parse(in any) (any, error) { return parseLink(in, f.target) }

// parseLink parses an id, or an object of attributes that must match exactly one record.
func parseLink(in any, target *Type) (Link, error) {
	switch v := in.(type) {
	case Naming:
		return v.link(target)
	case map[string]any:
		if len(v) == 0 {
			return Link{}, Invalid("Related objects must be referenced by numeric ID or by dictionary of attributes. Received an empty dictionary.")
		}
		if id, ok := v["id"]; ok && len(v) == 1 {
			return parseLink(id, target)
		}
		var match []Predicate
		for name, value := range v {
			p, err := attributePredicate(target, name, value)
			if err != nil {
				return Link{}, err
			}
			match = append(match, p...)
		}
		return Link{Match: match}, nil
	case string, fmt.Stringer:
		if id, err := intOf(v); err == nil {
			return Link{ID: id}, nil
		}
	}
	return Link{},
		Invalid("Related objects must be referenced by numeric ID or by dictionary of attributes. Received an unrecognized value: %v", in)
}

// isList reports whether a field has several values.
func isList(f Field) bool {
	return slices.Contains([]Storage{StoreInts, StoreTexts, StoreNumbers}, f.Column().Storage)
}

// attributePredicate returns the test of one attribute. It ignores members of a nested representation that are not attributes, so that
// an object that was read can be written back.
func attributePredicate(target *Type, name string, value any) ([]Predicate, error) {
	if name == "url" || name == "display" || strings.HasPrefix(name, "_") {
		return nil, nil
	}
	f := target.Field(name)
	if slices.Contains(target.Brief, name) && (f.Column().Storage == NoStorage || isList(f)) {
		return nil, nil
	}
	if nested, ok := value.(map[string]any); ok && TargetOf(f) != nil && nested["id"] != nil {
		value = nested["id"]
	}
	if _, text := value.(string); text {
		if ref, ok := f.(Ref); ok && ref.InBrief != "" {
			p, err := parseCondition(target, name+"__"+ref.InBrief, value, 0)
			return []Predicate{p}, err
		}
	}
	if name != "id" && (f == nil || f.Info().Hidden || f.Column().Storage == NoStorage ||
		f.Lookups() == nil || isList(f)) {
		return nil, Invalid("Related objects have no attribute %q.", name)
	}
	if _, list := value.([]any); list {
		return nil, Invalid("%s: a reference is found by one value, not by a list.", name)
	}
	p, err := attributeTest(target, f, name, value)
	switch {
	case err != nil:
		return nil, Invalid("%s: %v", name, err)
	case len(p.Values) == 0:
		return nil, Invalid("%s: a reference can't be found by this value.", name)
	}
	return []Predicate{p}, nil
}

// attributeTest reads one attribute as a constraint does, and one that filters compare in their own way as those do: an address
// without a length finds the host.
func attributeTest(target *Type, f Field, name string, value any) (Predicate, error) {
	if own, ok := f.(Compared); ok {
		return Predicate{Field: f}.finishOwn(own, []any{value}, false)
	}
	return parseCondition(target, name, value, 0)
}

func (f Ref) ParseText(s string) (any, error) {
	if s == nullWord {
		return nil, nil
	}
	return intOf(s)
}

func (f Ref) Append(dst []byte, v any, p *Printer) []byte {
	switch {
	case v == nil:
		return append(dst, "null"...)
	case f.Bare:
		return appendBareID(dst, v)
	case f.shown != nil:
		return f.shown.append(dst, f.target, v.(Link), p)
	}
	return appendLink(dst, f.target, v.(Link), p)
}

func (f Ref) Schema() Schema {
	switch {
	case f.Bare:
		return bareSchema(!f.Required)
	case f.shown != nil:
		return f.shown.schema(f.target, !f.Required)
	}
	return refSchema(f.target, !f.Required)
}

func refSchema(t *Type, null bool) Schema {
	s := Schema{"$ref": "#/components/schemas/" + t.SchemaName("Brief")}
	if null {
		return Schema{"type": "object", "allOf": []Schema{s}, "nullable": true}
	}
	return s
}

func (f Ref) InputSchema() Schema { return linkInputSchema(!f.Required) }

// linkInputSchema returns the schema of a written reference. Null is allowed in one of its alternatives, because nullable has no effect
// without a type.
func linkInputSchema(null bool) Schema {
	return Schema{"oneOf": []Schema{nullable(Schema{"type": "integer", "format": "int64"}, null), {"type": "object"},
		{"type": "string", "pattern": `^[0-9]+$`}}}
}

// Refs is a set of references.
type Refs struct {
	Name, Label, Help string
	To                string
	FilterName        string // ?group_id=…, ?group=… for a field called groups
	Slugs             bool   // shown and written as a list of slugs

	target *Type
}

// Reference implements Referring. A deleted record is taken out of the set.
func (f Refs) Reference() Reference {
	return Reference{Target: f.target, Many: true, OnDelete: SetNull, FilterName: cmp.Or(f.FilterName, strings.TrimSuffix(f.Name, "s"))}
}

// Select implements Selected.
func (f Refs) Select(s Selector) { s.Links(f.Column(), f.Reference()) }

// HowWritten implements Explained.
func (f Refs) HowWritten() string {
	return "The " + f.target.lookupWord() + " of each " + f.target.Title() + ", separated by commas."
}

func (f Refs) resolve(r *Registry) (Field, error) {
	one, err := Ref{Name: f.Name, To: f.To}.resolve(r)
	if err != nil {
		return nil, err
	}
	f.target = one.(Ref).target
	return f, nil
}

func (f Refs) checkDeclaration(*Type) error {
	if f.Slugs && f.target.Index(slugField) < 0 {
		return fmt.Errorf("it is shown as Slugs, and %s has none", f.To)
	}
	return nil
}

func (f Refs) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "field", Default: []Link{}, Widget: RecordsInput,
		Cell: ReferencesCell}
}
func (f Refs) Column() Column    { return Column{Name: f.Name, Storage: StoreInts} }
func (f Refs) Lookups() []Lookup { return equalLookups }

func (f Refs) Parse(in any) (any, error) {
	list, err := listOf(in)
	if err != nil {
		return nil, err
	}
	if f.Slugs {
		list = slices.Clone(list)
		for i, item := range list {
			if slug, ok := item.(string); ok {
				list[i] = map[string]any{slugField: slug}
			}
		}
	}
	return ParseLinks(f.target, list)
}

// ParseLinks parses references to records of a type.
func ParseLinks(target *Type, list []any) ([]Link, error) {
	links := make([]Link, 0, len(list))
	for _, item := range list {
		link, err := parseLink(item, target)
		if err != nil {
			return nil, err
		}
		links = append(links, link)
	}
	return links, nil
}

func (f Refs) ParseText(s string) (any, error) { return intOf(s) }

func (f Refs) Append(dst []byte, v any, p *Printer) []byte {
	dst = append(dst, '[')
	for i, link := range v.([]Link) {
		if i > 0 {
			dst = append(dst, ',')
		}
		if f.Slugs {
			dst = AppendValue(dst, linked{f.target, link}.get(slugField))
		} else {
			dst = appendLink(dst, f.target, link, p)
		}
	}
	return append(dst, ']')
}

func (f Refs) Schema() Schema {
	if f.Slugs {
		return Schema{"type": "array", "items": Schema{"type": "string"}}
	}
	return Schema{"type": "array", "items": refSchema(f.target, false)}
}
func (f Refs) InputSchema() Schema {
	if f.Slugs {
		return f.Schema()
	}
	return Schema{"type": "array", "items": linkInputSchema(false)}
}

// Tags are the labels people stick on a record.
type Tags struct{ Refs }

// TagType is the type that Tags refers to.
const TagType = "extras.tag"

func (f Tags) resolve(r *Registry) (Field, error) {
	refs, err := Refs{Name: "tags", To: TagType, FilterName: "tag"}.resolve(r)
	if err != nil {
		return nil, err
	}
	return Tags{refs.(Refs)}, nil
}

// Reference implements Referring.
func (f Tags) Reference() Reference {
	r := f.Refs.Reference()
	r.Tags = true
	return r
}

func typeWord(in any) string {
	switch in.(type) {
	case map[string]any:
		return "dict"
	case []any:
		return "list"
	case string:
		return "str"
	case bool:
		return "bool"
	}
	return "number"
}
