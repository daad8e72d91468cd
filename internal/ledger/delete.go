package ledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Delete removes records, all or none. A reference to a deleted record is emptied, or its record is deleted too, as the reference
// declares. Each of these is a change of its own.
func (l *Ledger) Delete(ctx context.Context, c Caller, t *record.Type, edits []Edit) error {
	scope, release, err := l.admit(ctx, c, t, access.Delete, inputsOf(edits))
	if err != nil {
		return err
	}
	defer release()
	drafts := make([]*draft, len(edits))
	for i := range edits {
		drafts[i] = parse(t, nil)
	}
	_, err = l.write(ctx, c, drafts, func(set *changeSet) error {
		return set.delete(ctx, &batch{t: t, scope: scope, drafts: set.items}, edits)
	})
	if dangling, ok := errors.AsType[*store.DanglingError](err); ok {
		return fault.New(fault.Held, "Unable to delete object: a record in %s refers to it.", dangling.Table)
	}
	return err
}

// delete removes the records of a batch. It first empties references to them. Then it deletes the records, dependants before the
// records that they depend on.
func (s *changeSet) delete(ctx context.Context, b *batch, edits []Edit) error {
	if err := s.load(ctx, b, edits); err != nil {
		return err
	}
	var roots []record.Values
	for _, d := range mergeSame(b.drafts) {
		if b.t.Elevated != "" && !s.caller.Superuser && d.pre.Bool(b.t.Elevated) {
			return fault.ErrDenied
		}
		roots = append(roots, d.pre)
	}
	c := newConsequences(s)
	c.markGone(b.t, roots)
	if err := c.walk(ctx, event{t: b.t, gone: roots}); err != nil {
		return err
	}
	if err := c.checkHeld(ctx); err != nil {
		if failed := c.noteHolders(ctx); failed != nil {
			return failed
		}
		return err
	}
	for t, rows := range c.gone {
		s.askVisible(t, slices.Sorted(maps.Keys(rows)))
	}
	for _, t := range c.deleteOrder() {
		s.gone = append(s.gone, deletion{t, slices.Sorted(maps.Keys(c.gone[t]))})
	}
	deleted := s.gone
	if err := s.change(ctx, c.derive()); err != nil {
		return notDeleted(err)
	}
	for _, x := range deleted {
		for _, id := range x.ids {
			s.note(x.t, c.gone[x.t][id], record.Values{})
		}
	}
	return nil
}

// deletion is records of one type that are deleted.
type deletion struct {
	t   *record.Type
	ids []int64
}

// erase queues the statements that delete records. They come after those that empty references, and before the rules between records are
// checked: what is deleted breaks none.
func (s *changeSet) erase() {
	for _, x := range s.gone {
		s.tx.Delete(x.t, x.ids)
		if len(x.t.Uploads()) > 0 {
			s.tx.DeleteFiles(x.t, x.ids)
		}
	}
	s.gone = nil
}

// notDeleted turns an error of the records that refer to deleted ones into a conflict: they can't be changed to do without them.
func notDeleted(err error) error {
	if _, ok := errors.AsType[*store.DanglingError](err); ok {
		return err
	}
	if clash, ok := errors.AsType[*store.ClashError](err); ok {
		return fault.New(fault.Held, "Unable to delete object: records that refer to it would no longer be unique: %s", clash.Fault)
	}
	if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.Invalid {
		for _, item := range e.Items {
			for _, messages := range item {
				return fault.New(fault.Held, "Unable to delete object: %s", messages[0])
			}
		}
	}
	return err
}

// checkHeld refuses the deletion if a protected reference to a deleted record would remain.
func (c *consequences) checkHeld(ctx context.Context) error {
	c.held = slices.DeleteFunc(c.held, func(r referring) bool {
		return !slices.ContainsFunc(r.ids, func(id int64) bool { return !c.isGone(r.t, id) })
	})
	if len(c.held) == 0 {
		return nil
	}
	r := c.held[0]
	return c.set.heldBy(ctx, r.t, slices.DeleteFunc(slices.Clone(r.ids), func(id int64) bool { return c.isGone(r.t, id) }))
}

func (c *consequences) isGone(t *record.Type, id int64) bool {
	_, gone := c.gone[t][id]
	return gone
}

// holdersNamed is how many records of a type a rehearsal names that prevent a deletion.
const holdersNamed = 10

// noteHolders notes for a rehearsal all that prevents the deletion, and what else it would change.
func (c *consequences) noteHolders(ctx context.Context) error {
	s := c.set
	if s.visible == nil {
		return nil
	}
	ids := map[*record.Type][]int64{}
	for _, r := range c.held {
		ids[r.t] = append(ids[r.t], slices.DeleteFunc(r.ids, func(id int64) bool { return c.isGone(r.t, id) })...)
	}
	type asked struct {
		Holder
		all  int
		seen *store.Promise[int]
		some *store.Promise[[]record.Values]
	}
	var holders []asked
	for _, t := range s.l.Store.Types() {
		if len(ids[t]) == 0 {
			continue
		}
		slices.Sort(ids[t])
		all := slices.Compact(ids[t])
		scope, err := s.l.Policy.Scope(s.caller.Subject, t, access.View)
		if err != nil {
			scope = access.Scope{}
		}
		holders = append(holders, asked{Holder{Type: t}, len(all), s.tx.Inside(t, scope, all),
			s.tx.Find(t, scope, []record.Predicate{{Values: record.AnyOf(all)}}, holdersNamed, store.NoLock)})
	}
	for _, d := range s.items { // the caller knows what these are
		delete(c.gone[d.v.Type()], d.v.ID())
	}
	for t, rows := range c.gone {
		s.askVisible(t, slices.Sorted(maps.Keys(rows)))
		for _, v := range rows {
			s.note(t, v, record.Values{})
		}
	}
	for _, b := range c.batches() {
		changed := make([]int64, len(b.drafts))
		for i, d := range b.drafts {
			changed[i] = d.v.ID()
			s.note(b.t, d.pre, d.v)
		}
		s.askVisible(b.t, changed)
	}
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	for _, h := range holders {
		h.Count, h.Some = h.seen.Get(), h.some.Get()
		h.Unseen = h.Count < h.all
		s.holders = append(s.holders, h.Holder)
	}
	return nil
}

// heldBy returns the error that refuses the delete. It names the dependants that the caller may see.
func (s *changeSet) heldBy(ctx context.Context, t *record.Type, ids []int64) error {
	scope, err := s.l.Policy.Scope(s.caller.Subject, t, access.View)
	if err != nil {
		scope = access.Scope{}
	}
	seen := s.tx.Inside(t, scope, ids)
	some := s.tx.Find(t, scope, []record.Predicate{{Values: record.AnyOf(ids)}}, namedAtMost+1, store.NoLock)
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	if seen.Get() == 0 {
		return fault.New(fault.Held, "Unable to delete object. Dependent objects of type %s were found, which you may not see.", t.Key())
	}
	return fault.New(fault.Held, "Unable to delete object. %d dependent objects were found: %s", seen.Get(), names(t, some.Get()))
}

// namedAtMost is how many records a message names.
const namedAtMost = 3

// names returns the names of a few records, for a message.
func names(t *record.Type, rows []record.Values) string {
	text := ""
	for i, v := range rows {
		if i == namedAtMost {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s (%s %d)", v.Display(), t.Key(), v.ID())
	}
	return text
}

// deleteOrder returns the types to delete from, each after the types that refer to it. Among types that refer to each other, a reference
// to one of several types does not count, because no foreign key enforces it: a device comes before its primary address, which is assigned
// to an interface of the device. Then the first one registered comes first.
func (c *consequences) deleteOrder() []*record.Type {
	var left, order []*record.Type
	for _, t := range c.set.l.Store.Types() {
		if c.gone[t] != nil {
			left = append(left, t)
		}
	}
	free := func(enforced bool) int {
		return slices.IndexFunc(left, func(t *record.Type) bool {
			return !slices.ContainsFunc(t.Registry().Referrers(t), func(r record.Referrer) bool {
				return r.Type != t && (r.TypeField == "" || !enforced) && slices.Contains(left, r.Type)
			})
		})
	}
	for len(left) > 0 {
		next := free(false)
		if next < 0 {
			next = max(0, free(true))
		}
		order, left = append(order, left[next]), slices.Delete(left, next, next+1)
	}
	return order
}
