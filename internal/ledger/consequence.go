package ledger

import (
	"context"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// consequences finds the records that change or are deleted because other records are, round by round. A reference to a deleted
// record is emptied, or its record is deleted too, as OnDelete says. A record that follows a changed one takes over its values.
type consequences struct {
	set    *changeSet
	gone   map[*record.Type]map[int64]record.Values
	edited map[*record.Type]map[int64]*draft // also the records that the caller edits
	held   []referring                       // records that forbid the deletion, unless they are deleted too
	owned  int                               // records that are deleted because they belong to others
}

func newConsequences(s *changeSet) *consequences {
	return &consequences{set: s, gone: map[*record.Type]map[int64]record.Values{}, edited: map[*record.Type]map[int64]*draft{}}
}

// event is a group of records of one type that are deleted or have changed.
type event struct {
	t       *record.Type
	gone    []record.Values
	changed []*draft
	gifts   []*giving // what records of the type give on
}

// question asks which records refer to those of an event.
type question struct {
	record.Referrer
	ids     []int64          // of the records of the event
	follows record.Follows   // set if the event is a change that other records follow
	gives   *record.GiveRule // set if the event is a change that the found records give on
	rows    *store.Promise[[]record.Values]
	held    *store.Promise[[]int64] // instead of rows, if they forbid the deletion
}

// forbids reports whether the found records forbid that the records of the event are deleted.
func (q *question) forbids() bool {
	return q.follows.Of == "" && q.gives == nil && q.OnDelete == record.Protect
}

// referring is a group of records that refer to deleted ones.
type referring struct {
	t   *record.Type
	ids []int64
}

// ofEdits finds the records that follow those that the caller edits.
func (c *consequences) ofEdits(ctx context.Context, b *batch) error {
	if len(b.t.Followers())+len(b.t.GiveRules())+len(b.t.SourceOf()) == 0 {
		return nil
	}
	e := event{t: b.t}
	for _, d := range b.drafts {
		c.keep(d)
		if len(d.errs) == 0 {
			e.changed = append(e.changed, d)
		}
	}
	return c.walk(ctx, e)
}

// walk goes from event to event until there are no further consequences.
func (c *consequences) walk(ctx context.Context, events ...event) error {
	for len(events) > 0 {
		var asked []*question
		var gifts []*giving
		for _, e := range events {
			asked = append(asked, c.ask(e)...)
			gifts = append(gifts, append(e.gifts, c.gifts(e)...)...)
		}
		c.askTargets(gifts)
		if err := c.set.tx.Flush(ctx); err != nil {
			return err
		}
		events = nil
		for _, q := range asked {
			next, err := c.apply(q)
			if err != nil {
				return err
			}
			if len(next.gone)+len(next.changed)+len(next.gifts) > 0 {
				events = append(events, next)
			}
		}
		for _, g := range gifts {
			if next := c.give(g); len(next.changed) > 0 {
				events = append(events, next)
			}
		}
		if err := c.checkOthers(); err != nil {
			return err
		}
	}
	return nil
}

// ask queues the statements that find the direct consequences of an event.
func (c *consequences) ask(e event) []*question {
	return slices.Concat(c.askReferrers(e), c.askFollowers(e), c.askGivers(e))
}

// askReferrers asks which records refer to those that are deleted.
func (c *consequences) askReferrers(e event) (asked []*question) {
	if len(e.gone) == 0 {
		return nil
	}
	ids := make([]int64, len(e.gone))
	for i, v := range e.gone {
		ids[i] = v.ID()
	}
	c.lock(e.t, ids) // from here on nobody can begin to refer to them
	for _, r := range e.t.Registry().Referrers(e.t) {
		asked = append(asked, c.find(&question{Referrer: r, ids: ids}))
	}
	return asked
}

// askFollowers asks which records follow those that have changed.
func (c *consequences) askFollowers(e event) (asked []*question) {
	for _, f := range e.t.Followers() {
		ids := e.changedIn(f.Fields)
		if len(ids) == 0 {
			continue
		}
		c.lock(e.t, ids) // from here on nobody can begin to follow them with their old values
		r := record.Referrer{Type: f.Type, Field: f.Type.Field(f.Of), To: e.t}
		asked = append(asked, c.find(&question{Referrer: r, ids: ids, follows: f.Follows}))
	}
	return asked
}

// askGivers asks which records give on what has changed.
func (c *consequences) askGivers(e event) (asked []*question) {
	for _, rule := range e.t.SourceOf() {
		ids := e.changedIn(rule.Reads)
		if len(ids) == 0 {
			continue
		}
		c.lock(e.t, ids) // from here on nobody can begin to give on their old values
		r := record.Referrer{Type: rule.Type, Field: rule.Type.Field(rule.Of), To: e.t}
		asked = append(asked, c.find(&question{Referrer: r, ids: ids, gives: rule}))
	}
	return asked
}

// changedIn returns the ids of the records of an event that have changed in one of the fields. A new record has not.
func (e event) changedIn(fields []string) (ids []int64) {
	for _, d := range e.changed {
		if !d.creation() && slices.ContainsFunc(fields, func(name string) bool { return !d.pre.Same(d.v, name) }) {
			ids = append(ids, d.v.ID())
		}
	}
	return ids
}

// lock sorts the ids and queues the statement that locks these records, even against new references to them.
func (c *consequences) lock(t *record.Type, ids []int64) {
	slices.Sort(ids)
	c.set.tx.Lock(t, []record.Predicate{{Values: record.AnyOf(ids)}}, len(ids), store.LockErase)
}

// find queues the statement of a question. Of records that forbid a deletion only the ids are read, because there may be thousands, and
// they are not locked: nobody can begin to refer to the deleted ones.
func (c *consequences) find(q *question) *question {
	// The limit leaves room for records that are known already: the statement finds them too.
	limit := 1 + len(c.gone[q.Type]) + len(c.edited[q.Type]) + c.set.l.Dependants.owned() + c.set.l.Dependants.others()
	if q.forbids() {
		q.held = c.set.tx.FindIDs(q.Type, q.Tests(q.ids), limit)
		return q
	}
	q.rows = c.set.tx.Find(q.Type, access.Machine(), q.Tests(q.ids), limit, store.LockWrite)
	return q
}

// apply applies a question's rule to the records that it found, and returns the event that follows from it.
func (c *consequences) apply(q *question) (event, error) {
	if q.forbids() {
		c.held = append(c.held, referring{q.Type, q.held.Get()})
		return event{}, nil
	}
	rows := slices.DeleteFunc(q.rows.Get(), func(v record.Values) bool {
		_, known := c.gone[q.Type][v.ID()]
		return known
	})
	switch {
	case len(rows) == 0:
		return event{}, nil
	case q.follows.Of != "":
		return c.follow(q, rows), nil
	case q.gives != nil:
		return c.giveOn(q, rows), nil
	case q.OnDelete == record.Cascade:
		return c.deleteOwned(q.Type, rows)
	}
	return c.emptyReferences(q, rows), nil
}

// deleteOwned deletes records that are owned by deleted ones.
func (c *consequences) deleteOwned(t *record.Type, rows []record.Values) (event, error) {
	if c.owned += len(rows); c.owned > c.set.l.Dependants.owned() {
		return event{}, tooMany("Unable to delete object: more than %d records that belong to it, such as those of type %s, would go too. "+
			"Delete some of these first", c.set.l.Dependants.owned(), t)
	}
	c.markGone(t, rows)
	return event{t: t, gone: rows}, nil
}

// emptyReferences removes references to deleted records from other records.
func (c *consequences) emptyReferences(q *question, rows []record.Values) event {
	next := event{t: q.Type}
	for _, v := range rows {
		d := c.draft(v, c.set.items[0])
		q.Forget(d.v, q.ids)
		c.keep(d)
		next.changed = append(next.changed, d)
	}
	return next
}

// follow gives records the values of those they follow.
func (c *consequences) follow(q *question, rows []record.Values) event {
	next := event{t: q.Type}
	for _, v := range rows {
		leader := c.edited[q.To][v.Link(q.follows.Of).ID]
		d := c.draft(v, leader.root())
		if d.v.Link(q.follows.Of).ID != leader.v.ID() {
			continue // the caller moves it elsewhere in the same request
		}
		if d.follow(leader.v, q.follows) {
			c.keep(d)
			next.changed = append(next.changed, d)
		}
	}
	return next
}

// markGone marks records as deleted.
func (c *consequences) markGone(t *record.Type, rows []record.Values) {
	if c.gone[t] == nil {
		c.gone[t] = map[int64]record.Values{}
	}
	for _, v := range rows {
		c.gone[t][v.ID()] = v
	}
}

// draft returns the draft of a record: the one that it has already, or a new one.
func (c *consequences) draft(v record.Values, cause *draft) *draft {
	t := v.Type()
	if d, ok := c.edited[t][v.ID()]; ok {
		return d
	}
	return &draft{pre: v, v: v.Clone(), given: t.NewValues(), errs: fault.Fields{}, cause: cause, field: fault.General}
}

// keep adds a draft to those that are written.
func (c *consequences) keep(d *draft) {
	t := d.v.Type()
	if c.edited[t] == nil {
		c.edited[t] = map[int64]*draft{}
	}
	c.edited[t][d.v.ID()] = d
}

// checkOthers refuses to change too many records besides those that the caller names.
func (c *consequences) checkOthers() error {
	total, limit := 0, c.set.l.Dependants.others()
	for _, b := range c.batches() {
		if total += len(b.drafts); total <= limit {
			continue
		}
		if len(c.gone) > 0 {
			return tooMany("Unable to delete object: more than %d records that refer to it, such as those of type %s, would change. "+
				"Change or delete some of these first", limit, b.t)
		}
		return tooMany("Unable to change object: more than %d records that follow it, such as those of type %s, would change too. "+
			"Let some of these refer to another one first", limit, b.t)
	}
	return nil
}

// derive adds the batches to the change set and returns them.
func (c *consequences) derive() []*batch {
	batches := c.batches()
	for _, b := range batches {
		c.set.derived = append(c.set.derived, b.drafts...)
	}
	return batches
}

// batches returns the records that change besides those that the caller edits. The records of a type are logged in the order of
// their ids.
func (c *consequences) batches() (batches []*batch) {
	for _, t := range c.set.l.Store.Types() {
		b := &batch{t: t, scope: access.Machine()}
		for _, id := range slices.Sorted(maps.Keys(c.edited[t])) {
			if _, gone := c.gone[t][id]; !gone && c.edited[t][id].derived() {
				b.drafts = append(b.drafts, c.edited[t][id])
			}
		}
		if len(b.drafts) > 0 {
			batches = append(batches, b)
		}
	}
	return batches
}
