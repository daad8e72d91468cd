package ledger

import (
	"slices"
	"strings"

	"terrier/internal/record"
)

// checkSame refuses what breaks a Same: of the records that were written, and of others that refer to them.
func (s *changeSet) checkSame(b *batch) (answers []func()) {
	byID := map[int64]*draft{}
	for _, d := range b.drafts {
		byID[d.v.ID()] = d
	}
	for _, w := range b.t.Watches() {
		var ids []int64
		for _, d := range b.drafts {
			if d.moves(w) {
				ids = append(ids, d.v.ID())
			}
		}
		if len(ids) == 0 {
			continue
		}
		slices.Sort(ids)
		astray := s.tx.Astray(w.Rule, w.Side, ids)
		answers = append(answers, func() {
			for _, pair := range astray.Get() {
				own := b.t == w.Rule.Type && byID[pair.ID] != nil // it is reported on the record that refers, where that is written too
				if w.Side == (record.Side{}) || !own {
					byID[pair.Asked].strays(w, pair.ID)
				}
			}
		})
	}
	return answers
}

// moves reports whether a draft changes what a rule looks at. Nobody refers to a new record but those that are written with it.
func (d *draft) moves(w record.Watch) bool {
	if d.creation() {
		return w.Side == record.Side{}
	}
	return slices.ContainsFunc(w.Fields, func(i int) bool { return !record.SameValue(d.pre.At(i), d.v.At(i)) })
}

// strays reports that a record breaks a rule.
func (d *draft) strays(w record.Watch, id int64) {
	last := w.Rule.Path[strings.LastIndex(w.Rule.Path, ".")+1:]
	if w.Side == (record.Side{}) {
		d.errs.Add(w.Rule.Ref, "The %s must belong to the same %s.", w.Rule.Ref, last)
		return
	}
	field := d.v.Type().Infos()[w.Fields[0]].Name
	switch {
	case w.Side.Hop != "":
		d.errs.Add(field, "The %s %d and its %s must belong to the same %s: change them first.", w.Rule.Type.Title(), id, w.Rule.Ref, last)
	case w.Rule.Type == d.v.Type():
		d.errs.Add(field, "Record %d refers to this one and belongs to another %s: move it in the same request.", id, last)
	default:
		d.errs.Add(field, "The %s %d refers to this one and belongs to another %s: change it first.", w.Rule.Type.Title(), id, last)
	}
}

// watched are the records of a batch that change what others must share with them.
func watched(b *batch) (ids []int64) {
	for _, d := range b.drafts {
		for _, w := range b.t.Watches() {
			if w.Side != (record.Side{}) && d.moves(w) {
				ids = append(ids, d.v.ID())
				break
			}
		}
	}
	slices.Sort(ids)
	return ids
}
