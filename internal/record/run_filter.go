package record

import (
	"fmt"
	"slices"
)

// The lookups of a run of addresses, from one field to another of the same record.
const (
	RunCovers Lookup = "run_covers" // an address is in the run
	RunWithin Lookup = "run_within" // both ends are in a network
)

// runFilter returns the filter of a run of addresses.
func (t *Type) runFilter(x Filter) (filter, error) {
	start, end := t.Field(x.Field), t.Field(x.End)
	for _, f := range []Field{start, end} {
		if f == nil || f.Column().Key.From != HostKey || f.Column().Null {
			return filter{}, fmt.Errorf("asks for a run from %q to %q, which are not two addresses that are always there", x.Field, x.End)
		}
	}
	if !slices.Contains([]Lookup{RunCovers, RunWithin}, x.Lookup) {
		return filter{}, fmt.Errorf("asks for a run by %q, and needs RunCovers or RunWithin", x.Lookup)
	}
	return filter{lookups: []Lookup{Exact}, make: func(_ Lookup, texts []string) (Predicate, error) {
		runs := []Predicate{{Lookup: Never}}
		for _, s := range texts {
			net, ok := parseNet(s)
			if !ok {
				continue // it finds nothing
			}
			host, within := []any{single(net.Addr()).String()}, []any{Range{From: single(net.Masked().Addr()).String(), To: last(net).String()}}
			both := []Predicate{{Field: key{start}, Lookup: AtMost, Values: host}, {Field: key{end}, Lookup: AtLeast, Values: host}}
			if x.Lookup == RunWithin {
				both = []Predicate{{Field: key{start}, Lookup: Between, Values: within}, {Field: key{end}, Lookup: Between, Values: within}}
			}
			runs = append(runs, Predicate{Every: both})
		}
		return Predicate{Any: runs, Texts: len(runs) - 1}, nil
	}}, nil
}

// subnetFilter returns the filter by another address, in whose subnet one is that a path leads to.
func (t *Type) subnetFilter(x Filter) (filter, error) {
	r, err := t.route(x.Path)
	if err != nil {
		return filter{}, fmt.Errorf("has the path %q: %w", x.Path, err)
	}
	beside := r.at.Field(x.Subnet)
	if r.field == nil || r.field.Column().Key.From != HostKey || TargetOf(beside) == nil {
		return filter{}, fmt.Errorf("asks for the subnet of %q by %q, which are not an address and a reference beside it", x.Path, x.Subnet)
	}
	p := Predicate{Via: r.via, Field: r.field, Subnet: beside, Seen: true}
	return filter{lookups: []Lookup{Exact}, make: func(_ Lookup, texts []string) (Predicate, error) {
		p := p
		p.Values, err = parseTexts(r.at.idField(), Exact, texts)
		return p, err
	}}, nil
}
