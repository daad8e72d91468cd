package record

import (
	"fmt"
	"slices"
)

// Or is another path of a filter: a record is found if one of them leads to the value.
type Or struct {
	Path string // it ends in a field or in "id"
	// Unless is a flag of the record, or of one that the path passes through, written with the steps to it:
	// "assigned_object[dcim.interface].mgmt_only". Records with it are found by the first path alone.
	Unless string
}

// orFilter returns the filter that finds what another one finds, or what one of some paths leads from.
func (t *Type) orFilter(first filter, ors []Or) (filter, error) {
	all := []filter{first}
	for _, or := range ors {
		other, err := t.orPath(or)
		if err != nil {
			return filter{}, err
		}
		all = append(all, other)
	}
	return filter{lookups: equalLookups, make: func(l Lookup, values []string) (Predicate, error) {
		p := Predicate{Lookup: l}
		for _, f := range all {
			one, err := f.make(Exact, values)
			if err != nil {
				return Predicate{}, err
			}
			one.First = true
			p.Any = append(p.Any, one)
		}
		sameKey := func(one Predicate) bool { return one.KeyOf == p.Any[0].KeyOf && sameField(one.Field, p.Any[0].Field) }
		differ := slices.ContainsFunc(p.Any, func(one Predicate) bool { return !sameKey(one) })
		for i := range p.Any {
			if differ { // a text that names no record at the end of one path may name one at the end of another
				p.Any[i].KeyOf = nil
			}
		}
		return p, nil
	}}, nil
}

// orPath returns the filter of one of the paths.
func (t *Type) orPath(or Or) (filter, error) {
	r, err := t.route(or.Path)
	switch {
	case err != nil:
		return filter{}, fmt.Errorf("has in its Or the path %q: %w", or.Path, err)
	case r.ref || len(r.via) == 0:
		return filter{}, fmt.Errorf("has in its Or the path %q, which must lead to another record and end in a field or in id", or.Path)
	}
	p := Predicate{Via: r.via, Field: r.field, Seen: true}
	if or.Unless != "" {
		flag, err := t.route(or.Unless)
		if err != nil || flag.field == nil || flag.field.Column().Storage != StoreBool ||
			len(flag.via) > len(r.via) || !slices.Equal(flag.via, r.via[:len(flag.via)]) {
			return filter{}, fmt.Errorf("has in its Or an Unless %q, which is not a yes or no of a record on the path", or.Unless)
		}
		p.Unless, p.UnlessAt = flag.field, len(flag.via)
	}
	end := r.field
	if end == nil {
		end = r.at.idField()
	}
	if r.field != nil && r.at.isKey(r.field) {
		return keyFilter(plainFilter(p, end), r.at), nil
	}
	return plainFilter(p, end), nil
}

// sameField reports whether two tests of records of one type look at the same field. No field is the id.
func sameField(a, b Field) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a.Info().Name == b.Info().Name
}
