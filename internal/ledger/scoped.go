package ledger

import (
	"maps"

	"terrier/internal/record"
)

// unscoped returns an input that gives a site as scope_type and scope_id with the site under its own name. Another scope is an error,
// because there is no place to keep it.
func (d *draft) unscoped(t *record.Type, in Input) Input {
	kind, id := in[record.ScopeType], in[record.ScopeID]
	_, hasKind := in[record.ScopeType]
	_, hasID := in[record.ScopeID]
	if t.Scoped == "" || !hasKind && !hasID {
		return in
	}
	target := record.TargetOf(t.Field(t.Scoped)).Key()
	given, both := in[t.Scoped]
	switch {
	case kind == nil && id != nil:
		d.errs.Add(record.ScopeType, "%s and %s go together: give both, or null for both.", record.ScopeType, record.ScopeID)
	case kind != nil && kind != target:
		d.errs.Add(record.ScopeType, "A %s can only have a scope of the type %s here.", t.Title(), target)
	case kind != nil && id == nil:
		d.errs.Add(record.ScopeID, "%s and %s go together: give both, or null for both.", record.ScopeType, record.ScopeID)
	case both && id != nil && givenID(given) != givenID(id):
		d.errs.Add(record.ScopeID, "This is another way to give %s, which has a different value here: give one of them.", t.Scoped)
	case !both:
		in = maps.Clone(in)
		in[t.Scoped] = id
		if d.aliases == nil {
			d.aliases = map[string]string{}
		}
		d.aliases[t.Scoped] = record.ScopeID
	}
	return in
}
