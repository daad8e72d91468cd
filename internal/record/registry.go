package record

import (
	"fmt"
	"slices"
	"strings"
)

// Registry has every type of the program. Names of other types are resolved. It never changes after it is built.
type Registry struct {
	types []*Type
	byKey map[string]*Type
}

// resolver is a field that needs the other types.
type resolver interface {
	resolve(*Registry) (Field, error)
}

// parted is a field that is declared once and becomes several fields of a record.
type parted interface {
	parts() []Field
}

// sibling is a field that needs the other fields of its type.
type sibling interface {
	among(Fields) (Field, error)
}

// NewRegistry returns a registry of the declared types. Its errors are mistakes in declarations.
func NewRegistry(types ...Type) (*Registry, error) {
	r := &Registry{byKey: map[string]*Type{}}
	for _, t := range types {
		if r.byKey[t.Key()] != nil {
			return nil, fmt.Errorf("record type %s is registered twice", t.Key())
		}
		t.reg, t.path, t.key = r, t.Path(), t.Key()
		r.types = append(r.types, &t)
		r.byKey[t.Key()] = &t
	}
	for _, t := range r.types {
		if err := t.build(); err != nil {
			return nil, fmt.Errorf("record type %s: %w", t.Key(), err)
		}
	}
	for _, t := range r.types {
		if err := t.link(); err != nil {
			return nil, fmt.Errorf("record type %s: %w", t.Key(), err)
		}
	}
	r.addTabs()
	for _, t := range r.types { // filters and checks look at the other types' fields
		var err error
		t.namedBy = t.findNamedBy()
		if t.filters, err = t.buildFilters(); err != nil {
			return nil, fmt.Errorf("record type %s: %w", t.Key(), err)
		}
		if err := t.buildBetween(); err != nil {
			return nil, fmt.Errorf("record type %s: %w", t.Key(), err)
		}
		if err := t.buildFullName(); err != nil {
			return nil, fmt.Errorf("record type %s: %w", t.Key(), err)
		}
		if err := t.buildSearch(); err != nil {
			return nil, fmt.Errorf("record type %s: %w", t.Key(), err)
		}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("record type %s: %w", t.Key(), err)
		}
	}
	return r, nil
}

func (t *Type) build() error {
	t.fields = t.declared()
	if t.Logged() {
		t.fields = append(t.fields, Time{Name: "created", ReadOnly: true}, Time{Name: "last_updated", ReadOnly: true})
	}
	if len(t.Called) > 0 {
		t.fields = append(t.fields, called{of: t})
	}
	t.index = map[string]int{}
	for i, f := range t.fields {
		if res, ok := f.(resolver); ok {
			resolved, err := res.resolve(t.reg)
			if err != nil {
				return err
			}
			t.fields[i] = resolved
		}
		in := t.fields[i].Info()
		if _, ok := t.index[in.Name]; ok {
			return fmt.Errorf("field %s is declared twice", in.Name)
		}
		t.index[in.Name] = i
		t.infos = append(t.infos, in)
		if _, ok := t.fields[i].(Uploaded); ok {
			t.uploads = append(t.uploads, i)
		}
	}
	for i, f := range t.fields {
		if x, ok := f.(sibling); ok {
			resolved, err := x.among(t.fields)
			if err != nil {
				return err
			}
			t.fields[i] = resolved
		}
	}
	t.Check = t.checkedFields()
	for _, name := range t.Brief {
		i := t.Index(name)
		if i < 0 {
			return fmt.Errorf("its Brief names %q, and there is no such field", name)
		}
		t.brief = append(t.brief, i)
		if isCore(t.fields[i]) {
			t.core = append(t.core, i)
		}
		if _, isType := t.fields[i].(anyType); t.naming == "" && !isType && isText(t.fields[i].Column().Storage) {
			t.naming = name
		}
	}
	if i := t.Index(calledField); i >= 0 {
		t.brief, t.core = append(t.brief, i), append(t.core, i)
	} else if t.naming == "" && t.Display == nil {
		return fmt.Errorf("nothing names a record: Brief has no text, and there is neither Called nor Display")
	}
	t.briefList = slices.Clone(t.brief)
	for _, name := range t.BriefList {
		if i := t.Index(name); i >= 0 {
			t.briefList = append(t.briefList, i)
		}
	}
	if t.Section == "" {
		t.Section = LabelOf(t.App)
	}
	t.whole, t.snapshot = t.plan(View{}), t.snapshotFields()
	t.logged = t.plan(View{Omit: t.mergedNames()})
	t.inBrief = slices.Clone(t.fields)
	for i, f := range t.fields {
		if f, ok := f.(briefed); ok {
			t.inBrief[i] = f.inBrief()
		}
	}
	if err := t.buildActions(); err != nil {
		return err
	}
	switch {
	case t.Index(slugField) >= 0:
		t.lookup = slugField
	default:
		t.lookup = t.naming
	}
	return nil
}

// isCore reports whether a brief field is shown in a record that is nested twice. References and counts are
// not, nor references to types that come later.
func isCore(f Field) bool {
	_, refers := f.(Referring)
	_, counts := f.(Counting)
	_, back := f.(Back)
	later, isLater := f.(Later)
	return !refers && !counts && !back && (!isLater || later.Shows != nil)
}

// link resolves what fields need of the fields of other types.
func (t *Type) link() error {
	for i, f := range t.fields {
		if x, ok := f.(linking); ok {
			if err := x.link(); err != nil {
				return fmt.Errorf("field %s: %w", t.infos[i].Name, err)
			}
		}
	}
	for i, f := range t.fields {
		if ref, ok := ReferenceOf(f); ok {
			x := ReferenceField{i, t.infos[i].Name, []int{i}, ref}
			if ref.TypeField != "" {
				x.Written = []int{t.Index(ref.TypeField), t.Index(ref.IDField)}
			}
			t.references = append(t.references, x)
		}
	}
	for i := range t.Actions {
		if err := t.Actions[i].input.link(); err != nil {
			return fmt.Errorf("action %s: %w", t.Actions[i].Name, err)
		}
	}
	return nil
}

// declared returns the fields of the declaration. A field that becomes several is replaced by these.
func (t *Type) declared() []Field {
	var fields []Field
	for _, f := range t.Fields {
		if x, ok := f.(parted); ok {
			fields = append(fields, x.parts()...)
		} else {
			fields = append(fields, f)
		}
	}
	return fields
}

func (t *Type) groupNames() []string {
	var names []string
	for _, g := range t.Groups {
		names = append(names, g.Fields...)
	}
	return names
}

// Types returns all types in the order of registration.
func (r *Registry) Types() []*Type { return r.types }

// Type returns a type by name ("dcim.site"), or nil.
func (r *Registry) Type(key string) *Type { return r.byKey[key] }

// Referrer is a field of some type that refers to a given type.
type Referrer struct {
	Type  *Type
	Field Field
	To    *Type // what it refers to
	Reference
	Via []Hop // instead of the field: several references that lead to it
}

// Same reports whether both are the same field of the same type, and refer to the same type.
func (r Referrer) Same(other Referrer) bool {
	return r.Type != nil && r.Type == other.Type && r.To == other.To && r.Field.Info().Name == other.Field.Info().Name
}

// Listed returns tests that find the records which belong to one on its page. As in the filter by the field, and in counts, they include
// what refers to a record below it where IncludesBelow says so.
func (r Referrer) Listed(id int64) []Predicate {
	tests := r.Tests([]int64{id})
	tests[0].Subtree = r.IncludesBelow(r.Type)
	return tests
}

// Tests returns tests that find the records which refer to any of the ids themselves.
func (r Referrer) Tests(ids []int64) []Predicate {
	switch {
	case r.Via != nil:
		return []Predicate{{Via: r.Via, Values: AnyOf(ids), Seen: true}}
	case r.TypeField == "":
		return []Predicate{{Field: r.Field, Values: AnyOf(ids)}}
	}
	return []Predicate{{Field: r.Type.Field(r.TypeField), Values: []any{r.To.Key()}}, {Field: r.Type.Field(r.IDField), Values: AnyOf(ids)}}
}

// Forget removes the references to the ids from a record that Tests found, and what goes with them.
func (r Referrer) Forget(v Values, ids []int64) {
	name := r.Field.Info().Name
	if r.Many {
		v.Set(name, slices.DeleteFunc(slices.Clone(v.Links(name)), func(l Link) bool { return slices.Contains(ids, l.ID) }))
		return
	}
	v.Set(name, nil)
	for _, cleared := range r.Clears {
		v.Set(cleared, nil)
	}
	if r.TypeField != "" {
		v.Set(r.TypeField, nil)
		v.Set(r.IDField, nil)
	}
}

// Referrers returns every field that can refer to t.
func (r *Registry) Referrers(t *Type) []Referrer {
	var out []Referrer
	for _, other := range r.types {
		for _, f := range other.fields {
			if ref, ok := ReferenceOf(f); ok && ref.refersTo(t) && !ref.Loose {
				out = append(out, Referrer{Type: other, Field: f, To: t, Reference: ref})
			}
		}
	}
	return out
}

// SchemaName returns the name of a type in the API document: "SiteGroup", "BriefSiteGroup".
func (t *Type) SchemaName(prefix string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for _, word := range strings.Fields(t.Title()) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
