package ledger

import (
	"context"
	"maps"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// placing is a group of records of one type that are given places.
type placing struct {
	t      *record.Type
	drafts map[int64]*draft
	places []store.Place
}

// placings returns the records that are given places, by type. All change sets go through the types in the same order.
func placings(batches []*batch) []*placing {
	byType := map[*record.Type]*placing{}
	var all []*placing
	for _, b := range batches {
		space := b.t.Space
		if space == nil {
			continue
		}
		for _, d := range b.drafts {
			if d.v.Get(space.Of) == nil || !d.moves(space) {
				continue
			}
			p := byType[b.t]
			if p == nil {
				p = &placing{t: b.t, drafts: map[int64]*draft{}}
				byType[b.t], all = p, append(all, p)
			}
			p.drafts[d.v.ID()] = d
			p.places = append(p.places, store.Place{ID: d.v.ID(), Within: space.WithinOf(d.v), At: d.v.Get(space.Of),
				Shared: space.Shared != "" && slices.Contains(space.SharedBy, d.v.Text(space.Shared))})
		}
	}
	slices.SortFunc(all, func(a, b *placing) int { return strings.Compare(a.t.Key(), b.t.Key()) })
	return all
}

// moves reports whether a draft gives its record a place, or changes whether others may have the same.
func (d *draft) moves(space *record.Space) bool {
	return d.creation() || slices.ContainsFunc(space.Reads(), func(name string) bool { return !d.v.Same(d.pre, name) })
}

// lockPlaces keeps others from taking the places that the batches take. It queues its statements before those that write the records. A
// rehearsal takes no place, so it waits for nobody.
func (s *changeSet) lockPlaces(ctx context.Context, batches []*batch) {
	if rehearsing(ctx) != nil {
		return
	}
	for _, p := range placings(batches) {
		s.tx.LockPlaces(p.t, p.places, s.alone)
	}
}

// checkPlaces looks for other records at the places of the written ones, where each may have only one. It queues the query and returns a
// function that reads the answer.
func (s *changeSet) checkPlaces(ctx context.Context, batches []*batch) (answers []func() error) {
	for _, p := range placings(batches) {
		clashes := s.tx.PlaceClashes(p.t, p.places, s.l.EnforceGlobalUnique)
		answers = append(answers, func() error { return s.reportPlaces(ctx, p, clashes.Get()) })
	}
	return answers
}

// reportPlaces puts each clash on the record that was written, the later one of two in a request. It names the other record to those who
// may see it.
func (s *changeSet) reportPlaces(ctx context.Context, p *placing, clashes []store.PlaceClash) error {
	others := s.laterOf(p.drafts, clashes)
	names, err := s.namesOf(ctx, p.t, others)
	for d, id := range others {
		d.addPlaceError(p.t, names[id], p.drafts[id] != nil)
	}
	return err
}

// namesOf returns what the other records are called that the caller may see.
func (s *changeSet) namesOf(ctx context.Context, t *record.Type, others map[*draft]int64) (map[int64]string, error) {
	names := map[int64]string{}
	scope, err := s.l.Policy.Scope(s.caller.Subject, t, access.View)
	if len(others) == 0 || err != nil {
		return names, nil // there are none to name, or the caller may see none
	}
	ids := slices.Sorted(maps.Values(others))
	rows := s.tx.Load(t, scope, slices.Compact(ids), store.NoLock)
	if err := s.tx.Flush(ctx); err != nil {
		return names, err
	}
	for _, v := range rows.Get() {
		names[v.ID()] = v.Display()
	}
	return names, nil
}

func (d *draft) addPlaceError(t *record.Type, other string, listed bool) {
	where := "The global table"
	if ref := t.Space.Within; d.v.Get(ref) != nil {
		where = "The " + record.TargetOf(t.Field(ref)).Title() + " " + record.TargetOf(t.Field(ref)).DisplayLink(d.v.Link(ref))
	}
	switch {
	case listed:
		d.errs.Add(t.Space.Of, "%s may have each %s only once, and this request has it twice.", where, t.Title())
	case other != "":
		d.errs.Add(t.Space.Of, "%s may have each %s only once, and has %s already.", where, t.Title(), other)
	default:
		d.errs.Add(t.Space.Of, "%s may have each %s only once, and has this one already.", where, t.Title())
	}
}
