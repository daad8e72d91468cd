package ledger

import (
	"context"
	"slices"

	"terrier/internal/record"
)

// unclear is a reference by attributes that several records have, with what tells them apart.
type unclear struct {
	d    *draft
	f    reference
	n    int // of the link in the field
	link record.Link
}

// narrow tells records with the same attributes apart by what else a draft refers to: of several racks called R1 it takes the one at the
// site of the device. It asks once more, and only if a reference is unclear.
func (r *resolver) narrow(ctx context.Context, b *batch, fields []reference) error {
	var all []unclear
	more := newResolver(r.set)
	for _, d := range b.drafts {
		for _, f := range fields {
			if !f.changed(d) || f.TypeField != "" {
				continue
			}
			for n, link := range f.Links(d.v) {
				if o := r.found(f.Of(link), link); len(o.links) < 2 && !o.cut {
					continue
				}
				shared := r.shared(d, fields, f.Of(link))
				if len(shared) == 0 {
					continue
				}
				link = narrowed(link, shared)
				more.want(f.Of(link), link)
				all = append(all, unclear{d, f, n, link})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	if err := more.load(ctx); err != nil {
		return err
	}
	for _, u := range all {
		t := u.f.Of(u.link)
		o := more.found(t, u.link)
		if len(o.links) != 1 {
			continue // what was found without narrowing says why
		}
		r.links[t][o.links[0].ID] = o.links[0]
		links := slices.Clone(u.f.Links(u.d.v))
		links[u.n] = record.Link{ID: o.links[0].ID, Of: u.link.Of}
		if u.f.Many {
			u.d.v.SetAt(u.f.Index, links)
		} else {
			u.d.v.SetAt(u.f.Index, links[0])
		}
	}
	return nil
}

// narrowed returns a reference to a record that passes more tests. Each of the readings of a text is narrowed.
func narrowed(link record.Link, tests []record.Predicate) record.Link {
	out := record.Link{Of: link.Of, Match: []record.Predicate{}}
	if len(link.Match) > 0 {
		out.Match = slices.Concat(link.Match, tests)
	}
	if link.Named != nil && len(link.Named.Also) > 0 {
		out.Named = &record.Named{Also: slices.Concat(link.Named.Also, tests)}
	}
	return out
}

// shared returns tests for the records of a type that must refer to what a draft refers to in the field of the same name.
func (r *resolver) shared(d *draft, fields []reference, t *record.Type) (tests []record.Predicate) {
	for _, theirs := range t.BelongsWith(d.v.Type()) {
		ours := fields[slices.IndexFunc(fields, func(f reference) bool { return f.Name == theirs.Name })]
		for _, link := range ours.Links(d.v) {
			id := link.ID
			if ours.changed(d) {
				found, problem := r.lookUp(theirs.Target, link, ours.had(d))
				if problem != "" {
					continue
				}
				id = found.ID
			}
			tests = append(tests, record.Predicate{Field: t.All()[theirs.Index], Values: []any{id}})
		}
	}
	return tests
}
