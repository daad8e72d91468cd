package record

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
)

var (
	pathStep = regexp.MustCompile(`^([a-z0-9_]+)(?:\[([a-z0-9.]+)\])?(?:\.|$)`)
	backStep = regexp.MustCompile(`^\[([a-z0-9]+\.[a-z0-9]+)\.([a-z0-9_]+)\](?:\.|$)`)
)

// route is a resolved path: the steps, and what it ends in. It ends in a field of at, in a reference to a record of at, or in the id.
type route struct {
	via   []Hop
	at    *Type
	field Field // nil for the id
	ref   bool  // the field is the reference that the last step follows
}

// route resolves a path. It names references one after the other, and may end in a field or in "id": "site.region",
// "site.region.name". For a reference to one of several types it names the type: "assigned_object[dcim.interface].device". It steps
// back to the records that refer to one by their type and field: "[dcim.interface.device].mac_address".
func (t *Type) route(path string) (r route, err error) {
	r.at = t
	for rest := path; rest != ""; {
		if r.field != nil && !r.ref {
			return r, fmt.Errorf("it leads nowhere from %q on", rest)
		}
		if step := backStep.FindStringSubmatch(rest); step != nil {
			hop, err := r.at.stepBack(step[1], step[2])
			if err != nil {
				return r, err
			}
			r.via, r.at, r.field, r.ref = append(r.via, hop), hop.Target, nil, false
			if rest = rest[len(step[0]):]; rest == "" {
				return r, fmt.Errorf("say behind %s which field is compared", step[0])
			}
			continue
		}
		step := pathStep.FindStringSubmatch(rest)
		switch {
		case step == nil:
			return r, fmt.Errorf("it leads nowhere from %q on", rest)
		case step[1] == "id" && step[0] == rest && len(r.via) > 0:
			r.field, r.ref = nil, false
			return r, nil
		}
		hop, field, err := r.at.step(step[1], step[2])
		if err != nil {
			return r, err
		}
		r.field, r.ref, rest = field, hop.Target != nil, rest[len(step[0]):]
		if r.ref {
			r.via, r.at = append(r.via, hop), hop.Target
		}
	}
	return r, nil
}

// addPathFilters adds the filters of a path. They only follow records that the caller may see. A path that ends in a reference makes
// two filters, as a reference does: Name, and Name with _id. Any other makes one.
func (t *Type) addPathFilters(m map[string]filter, f Filter) error {
	r, err := t.route(f.Path)
	if err != nil {
		return fmt.Errorf("has the path %q: %w", f.Path, err)
	}
	switch {
	case f.Exactly && (!r.ref || !r.at.Tree()):
		return fmt.Errorf("is Exactly, and the path %q does not end in a tree", f.Path)
	case f.Or != nil && r.ref:
		return errors.New("has an Or, so its path must end in a field or in id")
	}
	p := Predicate{Via: r.via, Field: r.field, Seen: true}
	switch {
	case r.field == nil:
		m[f.Name] = behindFilter(p, r.at.idField())
		return nil
	case !r.ref:
		m[f.Name] = behindFilter(p, r.field)
		if r.at.isKey(r.field) {
			m[f.Name] = keyFilter(m[f.Name], r.at)
		}
		if hop := r.via[0]; len(r.via) == 1 && !hop.Many && !hop.Back && hop.Name == f.Name { // it names the record in another way
			m[f.Name] = orNoneFilter(m[f.Name])
		}
		return nil
	}
	ref, _ := ReferenceOf(r.field)
	p.Subtree = !ref.Many && r.at.Tree() && !f.Exactly
	if r.at.lookup != "" {
		m[f.Name] = linkFilter(p, r.at)
	}
	if ref.TypeField != "" { // the id behind it
		p.Field = nil
		m[f.Name+"_id"] = behindFilter(p, r.at.idField())
		return nil
	}
	p.Via = p.Via[:len(p.Via)-1]
	m[f.Name+"_id"] = behindFilter(p, r.field)
	return nil
}

// keyFilter returns a filter by the field of a record that names it, which says so where it compares whole texts.
func keyFilter(x filter, t *Type) filter {
	inner := x.make
	x.make = func(l Lookup, texts []string) (Predicate, error) {
		p, err := inner(l, texts)
		if l == Exact || l == Not {
			p.KeyOf = t
		}
		return p, err
	}
	return x
}

// isKey reports whether people name a record of the type by a field.
func (t *Type) isKey(f Field) bool {
	return isText(f.Column().Storage) && (f.Info().Name == t.lookup || f.Info().Unique)
}

// orNoneFilter returns the filter for a field of the record behind a reference. "null" means that there is no such record.
func orNoneFilter(x filter) filter {
	inner := x.make
	x.make = func(l Lookup, texts []string) (Predicate, error) {
		p, err := inner(l, slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return s == nullWord }))
		p.OrNone = slices.Contains(texts, nullWord)
		return p, err
	}
	return x
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

// stepBack returns the hop from a record to those of another type that refer to it through a field.
func (t *Type) stepBack(key, name string) (Hop, error) {
	of := t.reg.byKey[key]
	if of == nil {
		return Hop{}, fmt.Errorf("there is no type %s", key)
	}
	ref, ok := ReferenceOf(of.Field(name))
	if !ok || !ref.refersTo(t) {
		return Hop{}, fmt.Errorf("%s has no field %q that refers to %s", key, name, t.Key())
	}
	return Hop{Name: name, Target: of, Many: ref.Many, Back: true}, nil
}
