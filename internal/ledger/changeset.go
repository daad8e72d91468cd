package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/audit"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// changeSet is everything that one request changes, in one transaction. However often an object is changed, it has one entry: the
// state before the first change and the state after the last.
//
// Records are written in batches of one type: those that the caller names and those that change with them. Each step is one
// statement for each type, however many records there are.
type changeSet struct {
	l      *Ledger
	tx     *store.Tx
	caller Caller
	at     time.Time // when the last lock was taken
	mode
	items   []*draft // records that the caller names, in the order of the request; errors are reported by position
	derived []*draft // records that change with them
	gone    []deletion
	entries []*entry // in the order of the first change
	touched map[object]*entry
	created int                                           // how many records
	hooks   map[*record.Type]*store.Promise[[]store.Hook] // asked for so far
	visible *visibility                                   // only in a rehearsal
	holders []Holder                                      // of a deletion that is refused, only in a rehearsal
	others  []otherMember                                 // whose names are to be put into messages
	events  []audit.Event                                 // for the audit log
}

// mode says how a change set is run, after an earlier run has failed.
type mode struct {
	careful bool // look for clashes before the database finds them
	alone   bool // nobody else takes places of a Space within the same record meanwhile
}

// after returns the mode for the next run after one that failed. It is the same mode if another run would change nothing.
func (m mode) after(err error) mode {
	_, clash := errors.AsType[*store.ClashError](err)
	return mode{careful: m.careful || clash, alone: m.alone || errors.Is(err, errCrowded)}
}

// batch is a group of records of one type that are created or changed together.
type batch struct {
	t       *record.Type
	scope   access.Scope // every record must be in it after the write
	drafts  []*draft
	ids     *store.Promise[[]int64] // of new records; nil where they are changed
	customs *store.Promise[[]*record.Custom]
}

// write runs a change set and returns the written records. It relies on the constraints of the database to find values that are not
// unique. Only when they find one does it run again and look for clashes first, so that the answer names each of them by position
// and field. It also runs again, alone, when others are taking the free places. A second run may fail for the other reason.
// The transaction may also run again after a deadlock, so it works on copies.
func (l *Ledger) write(ctx context.Context, c Caller, items []*draft, fn func(*changeSet) error) ([]record.Values, error) {
	if l.Refuse != nil {
		if err := l.Refuse(); err != nil {
			return nil, err
		}
	}
	var set *changeSet
	rehearsal, transact := rehearsing(ctx), l.Store.Write
	if rehearsal != nil {
		transact = l.Store.Rehearse
	}
	run := func(m mode) error {
		return transact(ctx, c.Asker(), func(tx *store.Tx) error {
			set = &changeSet{l: l, tx: tx, caller: c, mode: m, items: make([]*draft, len(items))}
			for i, d := range items {
				set.items[i] = d.clone()
			}
			if rehearsal != nil {
				set.visible = &visibility{allOf: map[*record.Type]bool{}}
			}
			if err := fn(set); err != nil {
				return err
			}
			return set.record(ctx)
		})
	}
	var m mode
	err := run(m)
	for next := m.after(err); next != m; next = m.after(err) {
		m = next
		err = run(m)
	}
	if rehearsal != nil && (err == nil || len(set.holders) > 0) {
		rehearsal.note(set)
	}
	if err != nil {
		return nil, err
	}
	rows := valuesOf(set.items)
	if rehearsal != nil {
		return rows, nil
	}
	l.Audit.Write(set.events...)
	for i, d := range set.items {
		for name, plain := range d.reveal {
			rows[i] = rows[i].Clone()
			rows[i].Set(name, plain)
		}
	}
	if len(rows) > 0 {
		// The write is committed. A secret that can't be opened now stays hidden, and the request still succeeds.
		_ = l.Reveal(ctx, c, rows[0].Type(), rows)
	}
	return rows, nil
}

// create creates the records of a batch and their children.
func (s *changeSet) create(ctx context.Context, b *batch) error {
	shareTree(s.tx, b)
	b.ids = s.tx.NextIDs(b.t, len(b.drafts))
	if err := s.resolve(ctx, b); err != nil {
		return err
	}
	if err := s.takeDefaults(ctx, b); err != nil {
		return err
	}
	if err := s.takeOver(ctx, b); err != nil {
		return err
	}
	children, err := s.children(ctx, b)
	if err != nil {
		return err
	}
	if err := s.takeDefaults(ctx, children...); err != nil {
		return err
	}
	c := newConsequences(s)
	if err := c.ofCreations(ctx, b); err != nil {
		return err
	}
	return s.change(ctx, slices.Concat([]*batch{b}, children, c.derive()))
}

// edit changes the records of a batch, and those that follow them.
func (s *changeSet) edit(ctx context.Context, b *batch) error {
	if err := s.resolve(ctx, b); err != nil {
		return err
	}
	if err := s.takeOver(ctx, b); err != nil {
		return err
	}
	c := newConsequences(s)
	if err := c.ofEdits(ctx, b); err != nil {
		return err
	}
	return s.change(ctx, append([]*batch{b}, c.derive()...))
}

// change checks and writes batches. It sets the time of the change, now that every lock is held: with an earlier time, a change that
// had to wait would look older than the one it waited for.
func (s *changeSet) change(ctx context.Context, batches []*batch) error {
	if err := s.hold(ctx, batches); err != nil {
		return err
	}
	s.setTime()
	s.hooks = nil // an action may write several times: a webhook that was made in between is notified
	for _, b := range batches {
		if err := s.judge(ctx, b); err != nil {
			return err
		}
	}
	if err := s.checkWith(ctx, batches); err != nil {
		return err
	}
	if err := s.failed(); err != nil {
		return err
	}
	for _, b := range batches {
		if err := s.finish(ctx, b); err != nil {
			return err
		}
	}
	s.lockPlaces(ctx, batches)
	s.lockApart(ctx, batches)
	if err := s.put(batches); err != nil {
		return err
	}
	s.erase()
	if len(batches) == 0 {
		return nil
	}
	if err := s.checkTrees(ctx, batches); err != nil {
		return err
	}
	verify := s.verify(ctx, batches)
	settle := s.settle(batches)
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	if err := verify(); err != nil {
		return err
	}
	return settle()
}

// setTime sets the time of the change set, which stays the same if it writes several times. It is after the last change of every record
// that is locked: the clock of the server that made that change may be ahead of ours, and the change log must not run backwards for an
// object, nor from an object to those that refer to it.
func (s *changeSet) setTime() {
	if s.at.IsZero() {
		s.at = s.l.Timestamp()
	}
	if newest := s.tx.Newest(); !s.at.After(newest) {
		s.at = newest.Add(time.Microsecond)
	}
}

// judge checks the records of a batch before any is written: custom fields, rules between fields, uniqueness. It collects all
// errors.
func (s *changeSet) judge(ctx context.Context, b *batch) error {
	for _, d := range b.drafts {
		if d.derivedUpdate() {
			continue // it is not checked again only because a record that it depends on has changed
		}
		if b.customs != nil {
			if err := d.custom(ctx, b.t.Index("custom_fields"), b.customs.Get()); err != nil {
				return err
			}
		}
		d.check(b.t.Check, s.l.Rules[b.t.Key()])
	}
	return s.checkUnique(ctx, b)
}

// finish sets the fields that Terrier maintains itself, and seals the secrets.
func (s *changeSet) finish(ctx context.Context, b *batch) error {
	for _, d := range b.drafts {
		if d.derivedUpdate() {
			continue
		}
		if err := mayWrite(s.caller, b.t, d); err != nil {
			return err
		}
		if b.t.Derive != nil {
			b.t.Derive(d.before(b.t), d.v)
		}
		if d.creation() {
			d.v.Version = 1
			d.v.Set("created", s.at)
			d.v.Set("last_updated", s.at)
		}
		if err := s.l.sealLate(ctx, b.t, d); err != nil {
			return err
		}
		s.keepFiles(b.t, d)
	}
	return nil
}

// put queues the statements that write the batches: new records, and records that have changed.
func (s *changeSet) put(batches []*batch) error {
	for _, b := range batches {
		if b.ids == nil {
			b.dropUnchanged()
			s.askVisible(b.t, idsOf(b.drafts)) // for all batches before the first record is written
		}
	}
	for _, b := range batches {
		switch {
		case b.ids != nil:
			s.tx.Insert(b.t, valuesOf(b.drafts))
			s.askVisible(b.t, b.ids.Get())
			continue
		case len(b.drafts) == 0:
			continue
		}
		for _, d := range b.drafts {
			if s.touched[object{b.t, d.v.ID()}] == nil {
				d.v.Version++
			}
			d.v.Set("last_updated", s.at)
		}
		if err := update(s.tx, b.t, b.drafts); err != nil {
			return err
		}
	}
	return nil
}

// dropUnchanged removes the drafts of records that stay the same. They are not written.
func (b *batch) dropUnchanged() {
	b.drafts = slices.DeleteFunc(slices.Clone(b.drafts), func(d *draft) bool {
		same := d.v.Equal(d.pre)
		if same {
			d.v = d.pre
		}
		return same
	})
}

// settle checks the permission on the written records, reads them back as everybody will see them, and notes the changes. If there are
// many, those that the caller does not name are read back later, part by part. It queues the statements and returns a function that
// takes the answers.
func (s *changeSet) settle(batches []*batch) func() error {
	inside := make([]*store.Promise[int], len(batches))
	rows := make([]*store.Promise[[]record.Values], len(batches))
	total := 0
	for i, b := range batches {
		if len(b.drafts) == 0 {
			continue
		}
		ids := idsOf(b.drafts)
		inside[i] = s.tx.Inside(b.t, b.scope, ids)
		if total += len(ids); total <= recordedAtOnce || !b.drafts[0].derived() {
			rows[i] = s.tx.Load(b.t, access.Machine(), ids, store.NoLock)
		}
		s.askHooks(b.t)
	}
	return func() error {
		for i, b := range batches {
			if len(b.drafts) == 0 {
				continue
			}
			if inside[i].Get() != len(b.drafts) {
				return fault.ErrDenied
			}
			if rows[i] == nil {
				for _, d := range b.drafts {
					s.note(b.t, d.pre, d.v).unread = true
				}
				continue
			}
			if err := s.noteRead(b, rows[i].Get()); err != nil {
				return err
			}
		}
		return nil
	}
}

// noteRead notes the changes of a batch whose records were read back.
func (s *changeSet) noteRead(b *batch, rows []record.Values) error {
	byID := indexed(rows)
	if len(byID) != len(b.drafts) {
		return fmt.Errorf("read back %d of %d records of %s", len(byID), len(b.drafts), b.t.Key())
	}
	for _, d := range b.drafts {
		d.v = byID[d.v.ID()]
		s.note(b.t, d.pre, d.v)
	}
	return nil
}

// show fills in the counts of the answer, and what other records make up. The log has the true counts. The caller is shown counts of
// the records that they may see, which may be fewer.
func (s *changeSet) show(ctx context.Context, t *record.Type) error {
	if scope := s.l.Policy.Shown(s.caller.Subject); !scope.CountsAll(t) {
		rows := s.tx.Load(t, scope, idsOf(s.items), store.NoLock)
		if err := s.tx.Flush(ctx); err != nil {
			return err
		}
		byID := indexed(rows.Get())
		for _, d := range s.items {
			d.v = byID[d.v.ID()]
		}
	}
	return s.tx.Merge(ctx, t, valuesOf(s.items))
}

// failed returns the errors of the records that the caller names, by position. An error of a record that changes with one of them is
// reported on that one.
func (s *changeSet) failed() error {
	for _, d := range s.derived {
		if len(d.errs) > 0 {
			d.blame(s.sees(d.v.Type()) || d.template != nil && s.sees(d.template))
		}
	}
	return failed(s.items)
}
