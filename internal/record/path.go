package record

import (
	"fmt"
	"regexp"
	"slices"
)

var pathStep = regexp.MustCompile(`^([a-z0-9_]+)(?:\[([a-z0-9.]+)\])?(?:\.|$)`)

// addPathFilters adds the filters of a path through references. They only follow records that the caller may see.
//
// A path names references one after the other, and may end in a field: "site.region", "site.region.name". For a reference to one of
// several types the path names the type: "assigned_object[dcim.interface].device". A path that ends in a reference makes two
// filters, as a reference does: Name, and Name with _id. One that ends in "id" makes one.
func (t *Type) addPathFilters(m map[string]filter, f Filter) error {
	p := Predicate{Seen: true}
	at, field, rest := t, Field(nil), f.Path
	for rest != "" {
		step := pathStep.FindStringSubmatch(rest)
		switch {
		case step == nil || at == nil:
			return fmt.Errorf("its filter %s has the path %q, which leads nowhere from %q on", f.Name, f.Path, rest)
		case step[1] == "id" && step[0] == rest && len(p.Via) > 0:
			m[f.Name] = behindFilter(p, at.idField())
			return nil
		}
		hop, next, err := at.step(step[1], step[2])
		if err != nil {
			return fmt.Errorf("its filter %s has the path %q: %w", f.Name, f.Path, err)
		}
		if rest, field, at = rest[len(step[0]):], next, hop.Target; at != nil {
			p.Via = append(p.Via, hop)
		}
	}
	if at == nil {
		p.Field = field
		m[f.Name] = behindFilter(p, field)
		return nil
	}
	ref, _ := ReferenceOf(field)
	p.Subtree = !ref.Many && at.Tree()
	if at.lookup != "" {
		m[f.Name] = linkFilter(p, at)
	}
	if ref.TypeField != "" { // the id behind it
		m[f.Name+"_id"] = behindFilter(Predicate{Via: p.Via, Subtree: p.Subtree, Seen: true}, at.idField())
		return nil
	}
	m[f.Name+"_id"] = behindFilter(Predicate{Via: p.Via[:len(p.Via)-1], Field: field, Subtree: p.Subtree, Seen: true}, field)
	return nil
}

// behindFilter returns the filter for a field of the record behind the path. It can't test whether the field is empty, because there
// may be no such record.
func behindFilter(p Predicate, f Field) filter {
	x := plainFilter(p, f)
	x.lookups = slices.DeleteFunc(slices.Clone(x.lookups), func(l Lookup) bool { return l == Empty })
	return x
}

// step returns the hop from a type through one of its fields. to names the type if there are several. The hop of a field that is no
// reference has no target.
func (t *Type) step(name, to string) (Hop, Field, error) {
	f := t.Field(name)
	ref, refers := ReferenceOf(f)
	switch {
	case f == nil || f.Info().Hidden || !refers && f.Lookups() == nil:
		return Hop{}, nil, fmt.Errorf("%s has no field %q to look for", t.Key(), name)
	case ref.TypeField == "" && to != "":
		return Hop{}, nil, fmt.Errorf("%s does not refer to one of several types", name)
	case ref.TypeField == "":
		return HopOf(f), f, nil
	}
	i := slices.IndexFunc(ref.Targets, func(target *Type) bool { return target.Key() == to })
	if i < 0 {
		return Hop{}, nil, fmt.Errorf("%s does not refer to %q: say to which type in brackets behind it", name, to)
	}
	return Hop{Name: name, Target: ref.Targets[i]}, f, nil
}
