package ledger

import (
	"context"
	"fmt"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// object identifies a record.
type object struct {
	t  *record.Type
	id int64
}

// entry is the change to one object.
type entry struct {
	t         *record.Type
	pre, post record.Values // the zero Values before a create and after a delete
	unread    bool          // post is as it was written, and must be read back
}

// action returns the change log's word for the change: create, update or delete.
func (e *entry) action() string {
	switch {
	case e.pre.Type() == nil:
		return store.Created
	case e.post.Type() == nil:
		return store.Deleted
	}
	return store.Updated
}

// note adds the change to an object to its entry, and returns the entry.
func (s *changeSet) note(t *record.Type, pre, post record.Values) *entry {
	id := pre.ID()
	if pre.Type() == nil {
		id = post.ID()
	}
	if e := s.touched[object{t, id}]; e != nil {
		e.post, e.unread = post, false
		return e
	}
	if s.touched == nil {
		s.touched = map[object]*entry{}
	}
	e := &entry{t: t, pre: pre, post: post}
	s.touched[object{t, id}] = e
	s.entries = append(s.entries, e)
	return e
}

// recordedAtOnce is how many changes are written with one statement. The texts of a change take a few kilobytes, and a request may make
// tens of thousands of changes.
const recordedAtOnce = 1000

// record adds the change rows, the deliveries and condition errors that follow from them, and the counts to the transaction.
func (s *changeSet) record(ctx context.Context) error {
	// What was created and deleted in the same change set is no change.
	s.entries = slices.DeleteFunc(s.entries, func(e *entry) bool { return e.pre.Type() == nil && e.post.Type() == nil })
	if len(s.entries) == 0 {
		return nil
	}
	if err := s.loadOtherHooks(ctx); err != nil {
		return err
	}
	if err := s.boundDeliveries(); err != nil {
		return err
	}
	s.derived = nil // there may be many, and they are needed no more
	sums := &notified{counts: map[string]int{}, failed: map[int64]int{}}
	for from := 0; from < len(s.entries); from += recordedAtOnce {
		if from > 0 {
			if err := s.tx.Flush(ctx); err != nil {
				return err
			}
		}
		part := s.entries[from:min(from+recordedAtOnce, len(s.entries))]
		if err := s.readBack(ctx, part); err != nil {
			return err
		}
		if err := s.recordPart(ctx, part, sums); err != nil {
			return err
		}
	}
	s.tx.AddCounts(sums.counts)
	return nil
}

// readBack reads the records of entries that were not read back when they were written.
func (s *changeSet) readBack(ctx context.Context, entries []*entry) error {
	unread := map[object]*entry{}
	ids := map[*record.Type][]int64{}
	for _, e := range entries {
		if e.unread {
			unread[object{e.t, e.post.ID()}] = e
			ids[e.t] = append(ids[e.t], e.post.ID())
		}
	}
	var rows []*store.Promise[[]record.Values]
	for t, of := range ids {
		rows = append(rows, s.tx.Load(t, access.Machine(), of, store.NoLock))
	}
	if len(rows) == 0 {
		return nil
	}
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	for _, read := range rows {
		for _, v := range read.Get() {
			e := unread[object{v.Type(), v.ID()}]
			e.post, e.unread = v, false
		}
	}
	for _, e := range unread {
		if e.unread {
			return fmt.Errorf("could not read back record %d of %s", e.post.ID(), e.t.Key())
		}
	}
	return nil
}

// recordPart adds the changes of some entries to the transaction.
func (s *changeSet) recordPart(ctx context.Context, entries []*entry, sums *notified) error {
	changes := make([]store.Change, len(entries))
	for i, e := range entries {
		changes[i] = s.l.change(s, e)
		switch changes[i].Action {
		case store.Created:
			sums.counts[e.t.Key()]++
		case store.Deleted:
			sums.counts[e.t.Key()]--
		}
	}
	matches, broken, err := s.notify(ctx, changes, sums)
	if err != nil {
		return err
	}
	sums.counts[store.ChangeType] += len(changes)
	sums.counts[store.DeliveryType] += len(matches)
	sums.counts[store.ConditionErrorType] += len(broken)
	if len(matches) > 0 {
		s.tx.InsertDeliveries(changes, matches)
	} else {
		s.tx.InsertChanges(changes)
	}
	if len(broken) > 0 {
		s.tx.InsertConditionErrors(changes, broken)
	}
	if events := s.audited(entries); len(events) > 0 {
		sums.counts[store.AuditType] += len(events)
		s.tx.InsertEvents(events)
		s.events = append(s.events, events...)
	}
	if s.visible == nil { // a rehearsal shows them
		for _, e := range entries {
			e.pre, e.post = record.Values{}, record.Values{}
		}
	}
	return nil
}

// change returns the row of the change log for an entry.
func (l *Ledger) change(set *changeSet, e *entry) store.Change {
	c := store.Change{At: set.at, UserID: set.caller.UserID, UserName: set.caller.Username, RequestID: set.caller.RequestID,
		Action: e.action(), Type: e.t}
	shown := e.post
	if c.Action == store.Deleted {
		shown = e.pre
		shown.Version++ // a delete is a change too: versions have no gap
	}
	if e.pre.Type() != nil {
		c.Prechange = record.AppendSnapshot(nil, e.pre)
	}
	if e.post.Type() != nil {
		c.Postchange = record.AppendSnapshot(nil, e.post)
	}
	c.ID, c.Version, c.Display = shown.ID(), shown.Version, shown.Display()
	c.Data = l.Printer.Append(nil, shown, e.t.LoggedPlan())
	return c
}

// SampleChange returns the row of the change log for a record as if the caller updated it now
// without changing anything. Nothing is written.
func (l *Ledger) SampleChange(c Caller, v record.Values) store.Change {
	return l.change(&changeSet{at: l.Timestamp(), caller: c}, &entry{t: v.Type(), pre: v, post: v})
}
