package ledger

import (
	"slices"

	"terrier/internal/record"
)

// reference is a field that refers to records.
type reference struct{ record.ReferenceField }

func referenceFields(t *record.Type) []reference {
	out := make([]reference, len(t.References()))
	for i, f := range t.References() {
		out[i] = reference{f}
	}
	return out
}

// changed reports whether a draft changes it.
func (f reference) changed(d *draft) bool { return slices.ContainsFunc(f.Written, d.changed) }

// had returns the links of the record before the change, by id.
func (f reference) had(d *draft) map[int64]record.Link {
	if d.creation() {
		return nil
	}
	had := map[int64]record.Link{}
	for _, link := range f.Links(d.pre) {
		had[link.ID] = link
	}
	return had
}

// kept finds a link, by its id or as it was read, among those that the record has. The record shows them even to a caller who may not
// see them, so that a caller who adds a member to a set can send the others back.
func (f reference) kept(had map[int64]record.Link, link record.Link) (record.Link, bool) {
	id := link.ID
	for _, p := range link.Match {
		if p.Field == nil && len(p.Via) == 0 {
			id, _ = p.Values[0].(int64)
		}
	}
	found, ok := had[id]
	return found, ok && found.Of == link.Of && !slices.ContainsFunc(link.Match, func(p record.Predicate) bool { return !f.shows(found, p) })
}

// shows reports whether the nested representation of a record passes a test.
func (f reference) shows(link record.Link, p record.Predicate) bool {
	if len(p.Via) > 0 || p.Lookup != record.Exact {
		return false
	}
	if p.Field == nil {
		return record.SameValue(p.Values[0], link.ID)
	}
	value, ok := f.ValueOf(link, p.Field.Info().Name)
	if nested, refers := value.(record.Link); refers {
		value = nested.ID
	}
	return ok && record.SameValue(p.Values[0], value)
}
