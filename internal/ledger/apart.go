package ledger

import (
	"context"
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// apart is a group of records of one type that may come to overlap others.
type apart struct {
	t      *record.Type
	drafts map[int64]*draft
	ids    []int64
	within []int64
}

// keptApart returns the records that may come to overlap others, by type. All change sets go through the types in the same order.
func keptApart(batches []*batch) []*apart {
	byType := map[*record.Type]*apart{}
	var all []*apart
	for _, b := range batches {
		rule := b.t.Apart
		if rule == nil {
			continue
		}
		for _, d := range b.drafts {
			if !d.creation() && !slices.ContainsFunc(rule.Reads(), func(name string) bool { return !d.v.Same(d.pre, name) }) {
				continue
			}
			a := byType[b.t]
			if a == nil {
				a = &apart{t: b.t, drafts: map[int64]*draft{}}
				byType[b.t], all = a, append(all, a)
			}
			a.drafts[d.v.ID()] = d
			a.ids, a.within = append(a.ids, d.v.ID()), append(a.within, rule.WithinOf(d.v))
		}
	}
	slices.SortFunc(all, func(a, b *apart) int { return strings.Compare(a.t.Key(), b.t.Key()) })
	return all
}

// lockApart makes change sets wait for each other that could make records overlap together.
func (s *changeSet) lockApart(ctx context.Context, batches []*batch) {
	if rehearsing(ctx) != nil {
		return
	}
	for _, a := range keptApart(batches) {
		s.tx.LockSpace(a.t, true, a.within...)
	}
}

// checkApart looks for records that overlap the written ones. It queues the query and returns a function that reads the answer.
func (s *changeSet) checkApart(ctx context.Context, batches []*batch) (answers []func() error) {
	for _, a := range keptApart(batches) {
		overlaps := s.tx.Overlaps(a.t, a.ids)
		answers = append(answers, func() error {
			others := s.laterOf(a.drafts, overlaps.Get())
			names, err := s.namesOf(ctx, a.t, others)
			for d, id := range others {
				on, other := a.t.Apart.Of, names[id]
				if a.t.Apart.To != "" {
					on = fault.General
				}
				if other == "" {
					other = "another " + a.t.Title()
				}
				d.errs.Add(on, "It overlaps with %s. Two of these must have no address in common.", other)
			}
			return err
		})
	}
	return answers
}

// laterOf returns for each record that was written and clashes with another one the id of that one. Of two that were both written, it
// is the later one in the request.
func (s *changeSet) laterOf(drafts map[int64]*draft, clashes []store.PlaceClash) map[*draft]int64 {
	others, position := map[*draft]int64{}, s.positions()
	for _, c := range clashes {
		d, other := drafts[c.ID], drafts[c.Other]
		if other != nil && position(other) > position(d) {
			others[other] = c.ID
			continue
		}
		if others[d] == 0 {
			others[d] = c.Other
		}
	}
	return others
}
