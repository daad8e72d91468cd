package ledger

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// togetherQuestion is what a change set touches of one Together rule.
type togetherQuestion struct {
	rule    *record.TogetherRule
	touched map[place]touch
	owners  map[int64]bool // of the members that are written, and those that are changed themselves
	fresh   map[int64]bool // owners that are created in the same change set: nobody else knows them
}

// place is a record on one side of a rule. A member has the side that refers, and the owner the other one.
type place struct {
	side record.Side
	id   int64
}

// touch is a written record, with the field of it that a rule reads.
type touch struct {
	d     *draft
	field string
}

// checkTogether checks the Together rules of the owners that the written records touch. It queues the queries and returns functions that
// read the answers.
func (s *changeSet) checkTogether(batches []*batch) (answers []func()) {
	for _, q := range togetherQuestions(batches) {
		groups := s.askTogether(q)
		answers = append(answers, func() { s.reportClashes(q, groups.Get()) })
	}
	return answers
}

// togetherQuestions returns a question for each rule that the written records may break, in the order of their keys.
func togetherQuestions(batches []*batch) []*togetherQuestion {
	asked := map[*record.TogetherRule]*togetherQuestion{}
	for _, b := range batches {
		for _, w := range b.t.TogetherWatches() {
			for _, d := range b.drafts {
				field, ok := d.touchesTogether(w)
				if !ok {
					continue
				}
				q := asked[w.Rule]
				if q == nil {
					q = &togetherQuestion{w.Rule, map[place]touch{}, map[int64]bool{}, map[int64]bool{}}
					asked[w.Rule] = q
				}
				q.add(w.Side, touch{d, field})
			}
		}
	}
	for _, q := range asked {
		for _, b := range batches {
			for _, d := range b.drafts {
				if b.t == q.rule.Owner && d.creation() {
					q.fresh[d.v.ID()] = true
				}
			}
		}
	}
	byKey := func(a, b *togetherQuestion) int { return strings.Compare(a.rule.Key(), b.rule.Key()) }
	return slices.SortedFunc(maps.Values(asked), byKey)
}

// touchesTogether reports whether a draft changes what a rule reads, and names the field. A new record counts only as a member: others
// that are new too and refer to it count themselves.
func (d *draft) touchesTogether(w record.TogetherWatch) (field string, ok bool) {
	switch isMember := w.Side.Refers(); {
	case isMember && d.v.Get(w.Rule.Of) == nil:
		return "", false
	case d.creation():
		return w.Rule.Of, isMember
	}
	for _, i := range w.Fields {
		if !record.SameValue(d.pre.At(i), d.v.At(i)) {
			return d.v.Type().Infos()[i].Name, true
		}
	}
	return "", false
}

func (q *togetherQuestion) add(side record.Side, x touch) {
	q.touched[place{side, x.d.v.ID()}] = x
	switch {
	case side.Refers():
		q.owners[x.d.v.Link(q.rule.Of).ID] = true
	case side.Hop == "":
		q.owners[x.d.v.ID()] = true
	}
}

// askTogether locks what the rule reads and queues the query for it. All change sets take these locks in the order of the rules, after
// every other lock.
func (s *changeSet) askTogether(q *togetherQuestion) *store.Promise[[]store.Group] {
	beyond := map[record.Side][]int64{}
	for at := range q.touched {
		if at.side.Hop != "" {
			beyond[at.side] = append(beyond[at.side], at.id)
		}
	}
	known := slices.Sorted(maps.Keys(q.owners))
	s.tx.LockTogether(q.rule, slices.DeleteFunc(slices.Clone(known), func(id int64) bool { return q.fresh[id] }), len(beyond) > 0)
	touched := []store.Touched{{Side: record.Side{Theirs: true}, IDs: known}}
	bySide := func(a, b record.Side) int {
		return cmp.Or(strings.Compare(a.Hop, b.Hop), boolOrder(a.Theirs, b.Theirs))
	}
	for _, side := range slices.SortedFunc(maps.Keys(beyond), bySide) { // in one order, so that it is one statement
		touched = append(touched, store.Touched{Side: side, IDs: beyond[side]})
	}
	return s.tx.Together(q.rule, touched)
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// reportClashes puts each clash on the record that was changed.
func (s *changeSet) reportClashes(q *togetherQuestion, groups []store.Group) {
	reported, position := map[touch]bool{}, s.positions() // one message is enough for a field
	for _, g := range groups {
		for _, clash := range q.rule.Check(g.Owner, g.Members) {
			x, member := q.changedOf(g, clash, position)
			if x.d == nil || reported[x] {
				continue
			}
			reported[x] = true
			if member == 0 {
				x.d.errs.Add(x.field, "%s", clash.Message)
				if other := clash.With; clash.Other != "" {
					if x.d.v.ID() == other {
						other = clash.Member
					}
					s.others = append(s.others, otherMember{x, len(x.d.errs[x.field]) - 1, q.rule.Type, other, clash.Other})
				}
				continue
			}
			x.d.errs.Add(x.field, "%s: %s", s.nameOf(x.d.v.Type(), q.rule.Type, member), clash.Message)
		}
	}
}

// otherMember is a record that a message names: the message of a draft's field at a position, which begins with a word for it.
type otherMember struct {
	touch
	at   int
	t    *record.Type
	id   int64
	word string
}

// nameOthers puts the full names of records into messages, as far as the caller may see them.
func (s *changeSet) nameOthers(ctx context.Context) error {
	others, read := s.others, map[*record.Type]*store.Promise[[]record.Values]{}
	s.others = nil
	for _, o := range others {
		scope, err := s.l.Policy.Scope(s.caller.Subject, o.t, access.View)
		if err != nil || read[o.t] != nil {
			continue
		}
		var ids []int64
		for _, same := range others {
			if same.t == o.t {
				ids = append(ids, same.id)
			}
		}
		read[o.t] = s.tx.Find(o.t, scope, []record.Predicate{{Values: record.AnyOf(ids)}}, len(ids), store.NoLock)
	}
	if len(read) == 0 {
		return nil
	}
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	for _, o := range others {
		if read[o.t] == nil {
			continue
		}
		for _, v := range read[o.t].Get() {
			if text, ok := strings.CutPrefix(o.d.errs[o.field][o.at], o.word); ok && v.ID() == o.id {
				o.d.errs[o.field][o.at] = v.FullName() + text
			}
		}
	}
	return nil
}

// changedOf returns the changed record that a clash comes from: of two members the one that is later in the request, or else the owner, or
// a record that a member or the owner refers to. There is none if the records clashed before. The member that the error names is 0 if it is
// the changed record itself.
func (q *togetherQuestion) changedOf(g store.Group, clash record.Clash, position func(*draft) int) (x touch, named int64) {
	member, with := q.touched[place{record.Side{}, clash.Member}], q.touched[place{record.Side{}, clash.With}]
	if member.d == nil || with.d != nil && position(with.d) > position(member.d) {
		member = with
	}
	if member.d != nil {
		return touch{member.d, cmp.Or(clash.Field, q.rule.Of)}, 0
	}
	if owner := q.touched[place{record.Side{Theirs: true}, g.Owner.ID()}]; owner.d != nil {
		return owner, clash.Member
	}
	for _, m := range g.Members {
		if m.ID() != clash.Member && m.ID() != clash.With {
			continue
		}
		for _, hop := range q.rule.Mine.Hops {
			if beyond := q.touched[place{record.Side{Hop: hop}, m.Int(hop)}]; beyond.d != nil {
				return beyond, m.ID()
			}
		}
	}
	for _, hop := range q.rule.Theirs.Hops {
		if beyond := q.touched[place{record.Side{Theirs: true, Hop: hop}, g.Owner.Int(hop)}]; beyond.d != nil {
			return beyond, clash.Member
		}
	}
	return touch{}, 0
}

// positions returns a function that tells the place of a record in the request, -1 for none. A record that changes with another one has
// the place of that one.
func (s *changeSet) positions() func(*draft) int {
	places := sync.OnceValue(func() map[*draft]int { // few requests clash
		places := make(map[*draft]int, len(s.items))
		for i, d := range s.items {
			places[d] = i
		}
		return places
	})
	return func(d *draft) int {
		if i, ok := places()[d.root()]; ok {
			return i
		}
		return -1
	}
}
