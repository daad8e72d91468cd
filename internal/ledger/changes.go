package ledger

import (
	"context"
	"slices"

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

// note adds the change to an object to its entry.
func (s *changeSet) note(t *record.Type, pre, post record.Values) {
	id := pre.ID()
	if pre.Type() == nil {
		id = post.ID()
	}
	if e := s.touched[object{t, id}]; e != nil {
		e.post = post
		return
	}
	if s.touched == nil {
		s.touched = map[object]*entry{}
	}
	e := &entry{t, pre, post}
	s.touched[object{t, id}] = e
	s.entries = append(s.entries, e)
}

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
	counts := map[string]int{}
	changes := make([]store.Change, len(s.entries))
	for i, e := range s.entries {
		changes[i] = s.l.change(s, e)
		switch changes[i].Action {
		case store.Created:
			counts[e.t.Key()]++
		case store.Deleted:
			counts[e.t.Key()]--
		}
	}
	notified, err := s.notify(ctx, changes)
	if err != nil {
		return err
	}
	counts[store.ChangeType], counts[store.DeliveryType], counts[store.ConditionErrorType] = len(changes), len(notified.matches),
		len(notified.conditionErrors)
	if len(notified.matches) > 0 {
		s.tx.InsertDeliveries(changes, notified.matches)
	} else {
		s.tx.InsertChanges(changes)
	}
	if len(notified.conditionErrors) > 0 {
		s.tx.InsertConditionErrors(changes, notified.conditionErrors)
	}
	s.tx.AddCounts(counts)
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
	c.Data = l.Printer.Append(nil, shown, e.t.Plan(record.View{}))
	return c
}

// SampleChange returns the row of the change log for a record as if the caller updated it now
// without changing anything. Nothing is written.
func (l *Ledger) SampleChange(c Caller, v record.Values) store.Change {
	return l.change(&changeSet{at: l.Timestamp(), caller: c}, &entry{v.Type(), v, v})
}
