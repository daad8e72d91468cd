package ledger

import (
	"context"
	"fmt"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// changeSet is everything one request changes. However often an object is touched, it
// has one entry: the state before the first touch and the state after the last.
type changeSet struct {
	at      time.Time // when the last lock was taken
	caller  Caller
	drafts  []*draft // one per item of the request
	ids     []int64  // of the records to be created
	careful bool     // look for clashes before the database finds them
	entries []*entry
	hooks   map[*record.Type]*[]store.Hook // asked for so far
	sight   *sight                         // only in a rehearsal
}

type entry struct {
	t         *record.Type
	pre, post record.Values // of no type where there is none
}

func (e *entry) action() string {
	switch {
	case e.pre.Type() == nil:
		return store.Created
	case e.post.Type() == nil:
		return store.Deleted
	}
	return store.Updated
}

func (s *changeSet) add(t *record.Type, pre, post record.Values) {
	s.entries = append(s.entries, &entry{t, pre, post})
}

// record puts the change rows, what follows from them and the counts into the transaction.
func (l *Ledger) record(ctx context.Context, tx *store.Tx, set *changeSet) error {
	if len(set.entries) == 0 {
		return nil
	}
	if err := l.knowHooks(ctx, tx, set); err != nil {
		return err
	}
	counts := map[string]int{}
	changes := make([]store.Change, len(set.entries))
	for i, e := range set.entries {
		changes[i] = l.change(set, e)
		switch changes[i].Action {
		case store.Created:
			counts[e.t.Key()]++
		case store.Deleted:
			counts[e.t.Key()]--
		}
	}
	told, err := l.tell(ctx, set, changes)
	if err != nil {
		return err
	}
	counts[store.ChangeType], counts[store.DeliveryType], counts[store.ConditionErrorType] = len(changes), len(told.matches), len(told.conditionErrors)
	if len(told.matches) > 0 {
		tx.InsertDeliveries(changes, told.matches)
	} else {
		tx.InsertChanges(changes)
	}
	if len(told.conditionErrors) > 0 {
		tx.InsertConditionErrors(changes, told.conditionErrors)
	}
	tx.AddCounts(counts)
	return nil
}

// change makes the row of the change log.
func (l *Ledger) change(set *changeSet, e *entry) store.Change {
	c := store.Change{At: set.at, UserID: set.caller.UserID, UserName: set.caller.Username, RequestID: set.caller.RequestID, Action: e.action(), Type: e.t}
	shown := e.post
	if c.Action == store.Deleted {
		shown = e.pre
		shown.Version++ // a delete is a change too: the sequence has no gap
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

// settle checks the permission on what was written, reads it back as everybody will
// see it, and notes the changes.
func (l *Ledger) settle(ctx context.Context, tx *store.Tx, t *record.Type, scope access.Scope, set *changeSet, drafts []*draft) error {
	ids := idsOf(drafts)
	inside := len(ids)
	if !scope.All() {
		tx.Inside(t, scope, ids, &inside)
	}
	var rows []record.Values
	tx.Load(t, access.Machine(), ids, store.NoLock, &rows)
	set.askHooks(tx, t)
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	if inside != len(ids) {
		return fault.ErrDenied
	}
	if len(rows) != len(ids) {
		return fmt.Errorf("read back %d of %d records of %s", len(rows), len(ids), t.Key())
	}
	byID := indexed(rows)
	for _, d := range drafts {
		d.v = byID[d.v.ID()]
		set.add(t, d.pre, d.v)
	}
	return nil
}

// show gives the answer its numbers. The log holds what is true; the writer is shown
// counts of what they may see, where that is less.
func (l *Ledger) show(ctx context.Context, tx *store.Tx, t *record.Type, c Caller, drafts []*draft) error {
	scope := l.Policy.Shown(c.Subject)
	if scope.CountsAll(t) {
		return nil
	}
	ids := idsOf(drafts)
	var rows []record.Values
	tx.Load(t, scope, ids, store.NoLock, &rows)
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	byID := indexed(rows)
	for _, d := range drafts {
		d.v = byID[d.v.ID()]
	}
	return nil
}
