package ledger

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// sameQuestion asks which of these records, on one side of a rule, break it.
type sameQuestion struct {
	record.Watch
	of  *batch
	ids []int64
}

// checkSame checks the Same rules, of the written records and of others that refer to them. It queues the queries and returns functions
// that read the answers.
func (s *changeSet) checkSame(ctx context.Context, batches []*batch) (answers []func()) {
	asked := sameQuestions(batches)
	if rehearsing(ctx) == nil { // which breaks nothing
		s.lockSame(asked)
	}
	reported := map[string]bool{}
	for _, q := range asked {
		broken := s.tx.BrokenSame(q.Rule, q.Side, q.ids)
		answers = append(answers, func() { s.reportBroken(q, broken.Get(), reported) })
	}
	return answers
}

// sameQuestions returns a question for each rule, and each side of it, that the written records may break.
func sameQuestions(batches []*batch) (asked []sameQuestion) {
	for _, b := range batches {
		for _, w := range b.t.Watches() {
			q := sameQuestion{Watch: w, of: b}
			for _, d := range b.drafts {
				if d.mayBreak(w) {
					q.ids = append(q.ids, d.v.ID())
				}
			}
			if len(q.ids) > 0 {
				slices.Sort(q.ids)
				asked = append(asked, q)
			}
		}
	}
	return asked
}

// lockSame locks the rules of the questions. All change sets take these locks in the same order, after every other lock.
func (s *changeSet) lockSame(asked []sameQuestion) {
	alone := map[*record.SameRule]bool{}
	for _, q := range asked {
		alone[q.Rule] = alone[q.Rule] || !q.Side.Refers()
	}
	byKey := func(a, b *record.SameRule) int { return strings.Compare(a.Key(), b.Key()) }
	var locks []store.SameLock
	for _, rule := range slices.SortedFunc(maps.Keys(alone), byKey) {
		locks = append(locks, store.SameLock{Rule: rule, Alone: alone[rule]})
	}
	if len(locks) > 0 {
		s.tx.LockSame(locks)
	}
}

// reportBroken reports the records that break a rule. The error is on the record that refers if it is written too, or else on the one that
// was changed.
func (s *changeSet) reportBroken(q sameQuestion, broken []store.BrokenSame, reported map[string]bool) {
	written := map[int64]*draft{}
	for _, d := range q.of.drafts {
		written[d.v.ID()] = d
	}
	for _, x := range broken {
		key := fmt.Sprint(q.Rule.Key(), " ", x.ID)
		if reported[key] {
			continue
		}
		reported[key] = true
		if d := written[x.ID]; d != nil && q.of.t == q.Rule.Type {
			d.errs.Add(q.Rule.On, "%s", cmp.Or(q.Rule.Says, fmt.Sprintf("The %s must belong to the same %s.", q.Rule.Ref, comparedName(q.Rule))))
			continue
		}
		written[x.Asked].addSameError(q.Watch, s.nameOf(q.of.t, q.Rule.Type, x.ID))
	}
}

// mayBreak reports whether a draft changes a field that a rule compares. A new record counts only as the one that refers: other records
// that refer to it are written with it, and are checked themselves.
func (d *draft) mayBreak(w record.Watch) bool {
	switch {
	case w.Side.Refers() && !w.Rule.Concerns(d.v):
		return false
	case d.creation():
		return w.Side.Refers()
	}
	return slices.ContainsFunc(w.Fields, d.differs)
}

// differs reports whether a draft changes a field.
func (d *draft) differs(i int) bool { return !record.SameValue(d.pre.At(i), d.v.At(i)) }

// comparedName returns the name of the value that a rule compares.
func comparedName(r *record.SameRule) string { return r.Path[strings.LastIndex(r.Path, ".")+1:] }

// addSameError adds the error that a change to this record makes another one break a rule.
func (d *draft) addSameError(w record.Watch, other string) {
	field := d.v.Type().Infos()[w.Fields[max(0, slices.IndexFunc(w.Fields, d.differs))]].Name
	switch {
	case w.Rule.There != "":
		d.errs.Add(field, w.Rule.There, other)
	case w.Side.Hop != "":
		d.errs.Add(field, "%s and its %s must belong to the same %s: change them first.", other, w.Rule.Ref, comparedName(w.Rule))
	case w.Rule.Type == d.v.Type():
		d.errs.Add(field, "%s refers to this one and belongs to another %s: move it in the same request.", other, comparedName(w.Rule))
	default:
		d.errs.Add(field, "%s refers to this one and belongs to another %s: change it first.", other, comparedName(w.Rule))
	}
}

// nameOf returns the name of a record that breaks a rule, for a message. It gives the id only to a caller who may see it.
func (s *changeSet) nameOf(edited, t *record.Type, id int64) string {
	switch {
	case !s.sees(t):
		return "A record of type " + t.Key()
	case t == edited:
		return fmt.Sprintf("Record %d", id)
	}
	return fmt.Sprintf("The %s %d", t.Title(), id)
}

// sees reports whether the caller may see every record of a type.
func (s *changeSet) sees(t *record.Type) bool {
	scope, err := s.l.Policy.Scope(s.caller.Subject, t, access.View)
	return err == nil && scope.All()
}
