package record

import (
	"fmt"
	"slices"
	"strings"
)

// Registry holds every type of the program, resolved against each other. It never
// changes once built.
type Registry struct {
	types []*Type
	byKey map[string]*Type
}

// resolver is a field that needs to know the other types.
type resolver interface {
	resolve(*Registry) (Field, error)
}

// sibling is a field that needs to know the others of its type.
type sibling interface {
	among(Fields) (Field, error)
}

// NewRegistry resolves the declared types. Its errors are mistakes in declarations.
func NewRegistry(types ...Type) (*Registry, error) {
	r := &Registry{byKey: map[string]*Type{}}
	for _, t := range types {
		if r.byKey[t.Key()] != nil {
			return nil, fmt.Errorf("record type %s is registered twice", t.Key())
		}
		t.reg, t.path = r, t.Path()
		r.types = append(r.types, &t)
		r.byKey[t.Key()] = &t
	}
	for _, t := range r.types {
		if err := t.build(); err != nil {
			return nil, fmt.Errorf("record type %s: %w", t.Key(), err)
		}
	}
	for _, t := range r.types { // filters look at the other types' fields
		t.filters = t.buildFilters()
	}
	return r, nil
}

func (t *Type) build() error {
	t.fields = slices.Clone(t.Fields)
	if !t.Fixed {
		t.fields = append(t.fields, Time{Name: "created", ReadOnly: true}, Time{Name: "last_updated", ReadOnly: true})
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
	for _, list := range [][]string{t.Brief, t.Search, t.orderNames(), t.ownerName(), t.Columns, t.groupNames()} {
		for _, name := range list {
			if t.Index(name) < 0 && name != "id" {
				return fmt.Errorf("there is no field %q", name)
			}
		}
	}
	for _, name := range t.Brief {
		t.brief = append(t.brief, t.Index(name))
	}
	for _, rule := range t.Unique {
		for _, name := range rule.Fields {
			if t.Index(name) < 0 {
				return fmt.Errorf("rule %s names field %q, which does not exist", rule.Name, name)
			}
		}
	}
	if len(t.Brief) == 0 && t.Display == nil {
		return fmt.Errorf("neither Brief nor Display is given")
	}
	if t.Section == "" {
		t.Section = labelOf(t.App)
	}
	t.whole = t.plan(View{})
	switch {
	case t.Index("slug") >= 0:
		t.lookup = "slug"
	case len(t.Brief) > 0:
		t.lookup = t.Brief[0]
	}
	return nil
}

func (t *Type) orderNames() []string {
	names := make([]string, len(t.Order))
	for i, o := range t.Order {
		names[i] = strings.TrimPrefix(o, "-")
	}
	return names
}

func (t *Type) groupNames() []string {
	var names []string
	for _, g := range t.Groups {
		names = append(names, g.Fields...)
	}
	return names
}

func (t *Type) ownerName() []string {
	if t.Owner == "" {
		return nil
	}
	return []string{t.Owner}
}

// Types returns all types in the order of registration.
func (r *Registry) Types() []*Type { return r.types }

// Type returns a type by name ("dcim.site"), or nil.
func (r *Registry) Type(key string) *Type { return r.byKey[key] }

// Actions lists what permissions can allow: what can be done with every type, and what some types declare.
func (r *Registry) Actions() []string {
	actions := []string{"view", "add", "change", "delete"}
	for _, t := range r.types {
		for _, action := range t.Actions {
			if !slices.Contains(actions, action) {
				actions = append(actions, action)
			}
		}
	}
	return actions
}

// Referrer is a field of some type that refers to a given type.
type Referrer struct {
	Type  *Type
	Field Field
	Reference
}

// Referrers lists every field that can hold a reference to t.
func (r *Registry) Referrers(t *Type) []Referrer {
	var out []Referrer
	for _, other := range r.types {
		for _, f := range other.fields {
			if ref, ok := ReferenceOf(f); ok && ref.Target == t && !ref.Loose {
				out = append(out, Referrer{other, f, ref})
			}
		}
	}
	return out
}

// SchemaName names a type in the API document: "SiteGroup", "BriefSiteGroup".
func (t *Type) SchemaName(prefix string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for _, word := range strings.Fields(t.Title()) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}
