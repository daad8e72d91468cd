package record

import (
	"fmt"
	"slices"
)

// Merged is a JSON object that other records make up together: its sources. A source has selectors, which are its sets of references. It
// counts if each of them is empty or names something that this record has. The data of the sources that count are laid over each other,
// in the order of their type, and an object of this record over all of them.
//
// It is read after the record, and only where it is shown. It is not part of the change log: a change of a source changes what many
// records answer, and none of them.
type Merged struct {
	Name, Help string
	From       string  // the type of the sources: "extras.configcontext"
	Data       string  // their JSON object
	If         string  // their flag: a source without it does not count
	Match      []Match // what their selectors are compared with. This record has nothing that any other selector names
	Last       string  // the JSON object of this record that overrides all sources

	readOnly
	from *Type
}

// Match says what a selector is compared with.
type Match struct {
	Selector string // a set of references of the source: "regions"
	Path     string // what this record has: "site.region"
	Above    bool   // everything above that in its tree counts too
}

// Merging is a field that is merged from other records after the record is read.
type Merging interface {
	Field
	// Merge says from what. It is asked for a type that was checked.
	Merge(t *Type) Merge
}

// Merge is what a field is merged from.
type Merge struct {
	Field     int // its position
	Last      int // the position of the record's own object
	From      *Type
	Data, If  Field // of From
	Selectors []MergeSelector
}

// MergeSelector is a selector of a source, and what a record is compared with it by.
type MergeSelector struct {
	Field Field // of the source
	Via   []Hop // leads from the record to what it has; empty if it has nothing of the kind
	Tree  *Type // what is above that in this tree counts too; nil if not
}

var (
	_ Selected = Merged{}
	_ Merging  = Merged{}
)

// MergesOf returns what the fields of a type that a view shows are merged from.
func (t *Type) MergesOf(view View) []Merge {
	var merges []Merge
	for _, i := range t.Shown(view) {
		if f, ok := t.fields[i].(Merging); ok {
			merges = append(merges, f.Merge(t))
		}
	}
	return merges
}

// SourceData is what fields of other records are merged from: a JSON object of the type, and the flag without which it does not count.
type SourceData struct{ Data, If string }

// SourceData returns what fields of other records are merged from.
func (t *Type) SourceData() []SourceData { return t.sourceData }

// IsSource reports whether fields of other records are merged from records of the type.
func (t *Type) IsSource() bool { return len(t.sourceData) > 0 }

// LoggedPlan returns the plan of what a change row has as the data of the record: all that the API shows, but for what other records
// make up.
func (t *Type) LoggedPlan() *plan { return t.logged }

// mergedNames returns the fields that are merged from other records.
func (t *Type) mergedNames() (names []string) {
	for _, in := range t.infos {
		if in.Merged {
			names = append(names, in.Name)
		}
	}
	return names
}

func (f Merged) resolve(r *Registry) (Field, error) {
	if f.from = r.byKey[f.From]; f.from == nil {
		return nil, fmt.Errorf("field %s is merged from %s, which is not registered", f.Name, f.From)
	}
	if source := (SourceData{f.Data, f.If}); !slices.Contains(f.from.sourceData, source) {
		f.from.sourceData = append(f.from.sourceData, source)
	}
	return f, nil
}

// Select implements Selected. It reads the record's own object with it.
func (f Merged) Select(s Selector) { s.Compute(func(Values) any { return nil }, []string{f.Last}) }

// Merge implements Merging.
func (f Merged) Merge(t *Type) Merge {
	m := Merge{Field: t.Index(f.Name), Last: t.Index(f.Last), From: f.from, Data: f.from.Field(f.Data), If: f.from.Field(f.If)}
	for _, ref := range f.from.references {
		if !ref.Many {
			continue
		}
		s := MergeSelector{Field: f.from.fields[ref.Index]}
		if i := slices.IndexFunc(f.Match, func(x Match) bool { return x.Selector == ref.Name }); i >= 0 {
			to, _ := t.route(f.Match[i].Path) // it was checked
			if s.Via = to.via; f.Match[i].Above {
				s.Tree = to.at
			}
		}
		m.Selectors = append(m.Selectors, s)
	}
	return m
}

func (f Merged) checkDeclaration(t *Type) error {
	data, flag, last := f.from.Field(f.Data), f.from.Field(f.If), t.Field(f.Last)
	switch {
	case !isObject(data):
		return fmt.Errorf("its Data names %q, which is not a JSON object of %s", f.Data, f.From)
	case flag == nil || flag.Column().Storage != StoreBool:
		return fmt.Errorf("its If names %q, which is not a yes or no of %s", f.If, f.From)
	case !isObject(last):
		return fmt.Errorf("its Last names %q, which is not a JSON object", f.Last)
	}
	for i, m := range f.Match {
		ref, _ := ReferenceOf(f.from.Field(m.Selector))
		to, err := t.route(m.Path)
		switch {
		case !ref.Many:
			return fmt.Errorf("its Match names the selector %q, which is not a set of references of %s", m.Selector, f.From)
		case slices.ContainsFunc(f.Match[:i], func(x Match) bool { return x.Selector == m.Selector }):
			return fmt.Errorf("its Match names the selector %q twice", m.Selector)
		case err != nil:
			return fmt.Errorf("its Match has the path %q: %w", m.Path, err)
		case !to.ref || to.at != ref.Target:
			return fmt.Errorf("its Match has the path %q, which does not lead to %s as %s does", m.Path, ref.Target.Key(), m.Selector)
		case slices.ContainsFunc(to.via, func(h Hop) bool { return h.Back }) ||
			slices.ContainsFunc(to.via[:len(to.via)-1], func(h Hop) bool { return h.Many }):
			return fmt.Errorf("its Match has the path %q, which must lead through references to one record", m.Path)
		case m.Above && !to.at.Tree():
			return fmt.Errorf("its Match says Above for %q, and %s is not a tree", m.Selector, to.at.Key())
		}
	}
	return nil
}

// isObject reports whether a field is a JSON object.
func isObject(f Field) bool {
	j, ok := f.(JSON)
	return ok && j.Object
}

func (f Merged) Info() Info {
	return Info{Name: f.Name, Label: LabelOf(f.Name), Help: f.Help, Type: "field", ReadOnly: true, Excludable: true, Merged: true}
}
func (f Merged) Schema() Schema { return Schema{"type": "object", "additionalProperties": true} }
