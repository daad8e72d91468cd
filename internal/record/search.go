package record

import (
	"fmt"
	"regexp"
	"slices"
)

// This file has what a search looks into: texts of a record itself, and texts of the records that it refers to or that refer to it.

// FoundByValue is a field whose value a search finds when the text means this very value: an address, in whatever way it is written,
// or a number.
type FoundByValue interface {
	Field
	// Sought returns the test for the value that a text means; ok is false where it means none.
	Sought(text string) (p Predicate, ok bool)
}

// SearchPath is a text of other records that a search looks into. A record is found with those whose column There is equal to its
// column Here.
type SearchPath struct {
	Of          *Type
	Field       Field
	Here, There string
	ByStart     bool // it is found by its beginning alone
}

// Begins is a field whose text most texts can't be the beginning of. A search leaves it out for these.
type Begins interface {
	Field
	MayBegin(text string) bool
}

// MayFind reports whether a text may be found there.
func (p SearchPath) MayFind(text string) bool {
	f, ok := p.Field.(Begins)
	return !p.ByStart || !ok || f.MayBegin(text)
}

// SearchFields returns the fields of the record itself that a search looks into.
func (t *Type) SearchFields() []Field { return t.searchFields }

// SearchValues returns the fields of the record itself that a search finds by their value. Numbers are found in no other way: 47 does
// not find 4711.
func (t *Type) SearchValues() []FoundByValue { return t.searchValues }

// SearchPaths returns what a search looks into besides.
func (t *Type) SearchPaths() []SearchPath { return t.searchPaths }

// FoundByStart reports whether a search compares only the beginning of a text.
func (t *Type) FoundByStart(f Field) bool { return slices.Contains(t.SearchStart, f.Info().Name) }

// SearchIndexed reports whether the texts of the type's own fields have an index. Changes and deliveries have none: there are too
// many of them, and each would cost more to write.
func (t *Type) SearchIndexed() bool { return len(t.searchFields) > 0 && !t.ReadOnly }

var (
	forwardPath  = regexp.MustCompile(`^([a-z0-9_]+)\.([a-z0-9_]+)$`)
	backwardPath = regexp.MustCompile(`^\[([a-z0-9]+\.[a-z0-9]+)\.([a-z0-9_]+)\]\.([a-z0-9_]+)$`)
)

// buildSearch resolves Search. A name without a dot is a field of the record itself.
func (t *Type) buildSearch() error {
	for i, name := range t.Search {
		if slices.Contains(t.Search[:i], name) {
			return fmt.Errorf("its Search names %q twice", name)
		}
		if f := t.Field(name); f != nil {
			value, found := f.(FoundByValue)
			if found {
				t.searchValues = append(t.searchValues, value)
			}
			switch {
			case searchable(f):
				t.searchFields = append(t.searchFields, f)
			case !found:
				return fmt.Errorf("its Search names %q, which is neither a text nor a number", name)
			}
			continue
		}
		path, err := t.searchPath(name)
		if err != nil {
			return fmt.Errorf("its Search names %q: %w", name, err)
		}
		t.searchPaths = append(t.searchPaths, path)
	}
	for _, name := range t.SearchStart {
		if !slices.ContainsFunc(t.searchFields, func(f Field) bool { return f.Info().Name == name }) {
			return fmt.Errorf("its SearchStart names %q, which is not a text of its Search", name)
		}
	}
	return nil
}

// searchPath resolves "manufacturer.name", the name of the manufacturer that a record refers to, or
// "[dcim.inventoryitem.device].serial", the serial numbers of the inventory items that refer to it as their device.
func (t *Type) searchPath(name string) (SearchPath, error) {
	if step := forwardPath.FindStringSubmatch(name); step != nil {
		to := TargetOf(t.Field(step[1]))
		return searchPath(t.Field(step[1]), to, to, step[2])
	}
	if step := backwardPath.FindStringSubmatch(name); step != nil {
		of := t.reg.byKey[step[1]]
		if of == nil {
			return SearchPath{}, fmt.Errorf("there is no type %s", step[1])
		}
		path, err := searchPath(of.Field(step[2]), t, of, step[3])
		if err == nil && path.ByStart {
			err = fmt.Errorf("a text that is found by its beginning is searched in what a record refers to, and not in what refers to it")
		}
		path.Here, path.There = path.There, path.Here
		return path, err
	}
	return SearchPath{}, fmt.Errorf("there is no such field")
}

// searchPath returns the path to a text of a type, through a reference to one record of the type to. Only a text that the other type
// searches itself has an index.
func searchPath(ref Field, to, of *Type, text string) (SearchPath, error) {
	if r, ok := ReferenceOf(ref); !ok || r.Target != to || to == nil || r.Many || r.Loose {
		return SearchPath{}, fmt.Errorf("a path leads through a reference to one record")
	}
	if !slices.Contains(of.Search, text) || of.Field(text) == nil || of.ReadOnly {
		return SearchPath{}, fmt.Errorf("a path ends in a text that %s searches itself", of.Key())
	}
	return SearchPath{Of: of, Field: of.Field(text), Here: ref.Column().Name, There: "id", ByStart: slices.Contains(of.SearchStart, text)}, nil
}

// soughtAs returns the test whether a field has the value that a text means.
func soughtAs(f Field, text string) (Predicate, bool) {
	v, err := f.ParseText(text)
	if err != nil {
		return Predicate{}, false
	}
	if c, ok := f.(Compared); ok {
		p, err := c.Test(Exact, []string{text})
		return p, err == nil
	}
	return Predicate{Field: f, Values: []any{v}}, true
}
