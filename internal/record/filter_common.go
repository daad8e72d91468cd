package record

import (
	"fmt"
	"slices"
	"strings"
)

// Common finds the records that have a place in common with another record, whose id is given.
type Common struct {
	With   string // the type of the other record
	Places []CommonPlace
	OrNone []string // paths that end in references: a record from which none of them leads anywhere has every place
}

// CommonPlace is a place that two records have in common. In a tree, the place of this record may also be above the other one's.
type CommonPlace struct {
	Here   string // the path from this record to its place: "group.scope[dcim.region]"
	There  string // the path from the other record: "site.region"
	Unless string // a reference of the other record: the place counts only if it is empty
}

// commonFilter returns the filter by a place that a record has in common with another.
func (t *Type) commonFilter(x Common) (filter, error) {
	with := t.reg.byKey[x.With]
	if with == nil {
		return filter{}, fmt.Errorf("has a place in common with %q, which is not a type", x.With)
	}
	var places, none []Predicate
	for _, place := range x.Places {
		p, err := t.commonPlace(with, place)
		if err != nil {
			return filter{}, fmt.Errorf("has in common %q with %q: %w", place.Here, place.There, err)
		}
		places = append(places, p)
	}
	for _, path := range x.OrNone {
		p, err := t.leadsNowhere(path)
		if err != nil {
			return filter{}, fmt.Errorf("has in its OrNone the path %q: %w", path, err)
		}
		none = append(none, p)
	}
	return filter{lookups: []Lookup{Exact}, make: func(_ Lookup, texts []string) (Predicate, error) {
		ids, err := parseTexts(with.idField(), Exact, texts)
		if err != nil {
			return Predicate{}, err
		}
		p := Predicate{Any: slices.Clone(places)}
		for i := range p.Any {
			p.Any[i].Values = ids
		}
		if none != nil {
			p.Any = append(p.Any, Predicate{Every: append([]Predicate{{Exists: with, Values: ids}}, none...)})
		}
		return p, nil
	}}, nil
}

// commonPlace returns the test for a place, without the ids of the other records. It follows the path of the record to its place, and
// from there that of the other record back.
func (t *Type) commonPlace(with *Type, place CommonPlace) (Predicate, error) {
	here, err := t.route(place.Here)
	if err != nil {
		return Predicate{}, err
	}
	there, err := with.route(place.There)
	switch {
	case err != nil:
		return Predicate{}, err
	case !here.ref || !there.ref || here.at != there.at:
		return Predicate{}, fmt.Errorf("they do not end in references to the same type")
	}
	p := Predicate{Via: here.via, Seen: true}
	if here.at.Tree() {
		p.Via = append(p.Via, Hop{Target: here.at, Up: true})
	}
	for i := len(there.via) - 1; i >= 0; i-- {
		from := with
		if i > 0 {
			from = there.via[i-1].Target
		}
		p.Via = append(p.Via, Hop{Name: there.via[i].Name, Target: from, Many: there.via[i].Many, Back: true})
	}
	if place.Unless != "" {
		p.Unless, p.UnlessAt = with.Field(place.Unless), len(p.Via)
		if TargetOf(p.Unless) == nil {
			return Predicate{}, fmt.Errorf("its Unless %q is not a reference of %s", place.Unless, with.Key())
		}
	}
	return p, nil
}

// leadsNowhere returns the test that a path of references, each to one record, leads to no record.
func (t *Type) leadsNowhere(path string) (Predicate, error) {
	name, rest, further := strings.Cut(path, ".")
	f := t.Field(name)
	ref, refers := ReferenceOf(f)
	if !refers || ref.Many || further && ref.Target == nil {
		return Predicate{}, fmt.Errorf("%q is not a reference of %s to one record", name, t.Key())
	}
	if ref.TypeField != "" {
		f = t.Field(ref.IDField)
	}
	nothing := Predicate{Field: f, Lookup: Empty, Values: []any{true}}
	if !further {
		return nothing, nil
	}
	p, err := ref.Target.leadsNowhere(rest)
	p.Via, p.Seen = append([]Hop{HopOf(f)}, p.Via...), true
	return Predicate{Any: []Predicate{nothing, p}}, err
}
