package ledger

import (
	"context"
	"errors"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Create makes records: all of them or none. The answer has the order of the inputs.
func (l *Ledger) Create(ctx context.Context, c Caller, t *record.Type, inputs []Input) ([]record.Values, error) {
	scope, err := l.WriteScope(c, t, access.Add)
	if err != nil {
		return nil, err
	}
	drafts := make([]*draft, len(inputs))
	for i, in := range inputs {
		d := parse(t, in)
		if t.Owner != "" && !d.given.Has(t.Owner) && len(d.errs[t.Owner]) == 0 {
			d.given.Set(t.Owner, record.Link{ID: c.UserID})
		}
		d.checkWords(t)
		d.require(t)
		d.complete(t)
		drafts[i] = d
	}
	if err := l.sealEarly(ctx, t, drafts); err != nil {
		return nil, err
	}
	return l.write(ctx, c, drafts, func(tx *store.Tx, set *changeSet, drafts []*draft) error {
		tx.NextIDs(t, len(drafts), &set.ids)
		if err := l.prepare(ctx, c, tx, t, set, drafts); err != nil {
			return err
		}
		tx.Insert(t, valuesOf(drafts))
		set.look(tx, t, set.ids)
		if err := l.checkWithin(ctx, tx, t, set, drafts); err != nil {
			return err
		}
		if err := l.checkOwned(ctx, tx, t, set, drafts); err != nil {
			return err
		}
		if err := l.settle(ctx, tx, t, scope, set, drafts); err != nil {
			return err
		}
		return l.show(ctx, tx, t, c, drafts)
	})
}

// Edit is a change to one record.
type Edit struct {
	ID    int64
	Input Input
	Whole bool    // every required field must be given, as PUT demands
	Match []int64 // the versions it may have, nil for any
}

// Update changes records: all of them or none. A record that stays as it was is not
// written, and nobody is told.
func (l *Ledger) Update(ctx context.Context, c Caller, t *record.Type, edits []Edit) ([]record.Values, error) {
	scope, err := l.WriteScope(c, t, access.Change)
	if err != nil {
		return nil, err
	}
	drafts := make([]*draft, len(edits))
	for i, e := range edits {
		d := parse(t, e.Input)
		if e.Whole {
			d.require(t)
		}
		drafts[i] = d
	}
	if err := l.sealEarly(ctx, t, drafts); err != nil {
		return nil, err
	}
	return l.write(ctx, c, drafts, func(tx *store.Tx, set *changeSet, drafts []*draft) error {
		lockTree(tx, t, drafts)
		if err := loadEdited(ctx, tx, t, scope, edits, drafts); err != nil {
			return err
		}
		merged := mergeSame(drafts)
		if err := l.prepare(ctx, c, tx, t, set, merged); err != nil {
			return err
		}
		if err := l.rewrite(ctx, tx, t, scope, set, merged); err != nil {
			return err
		}
		final := map[int64]*draft{}
		for _, d := range merged {
			final[d.v.ID()] = d
		}
		for _, d := range drafts {
			d.v = final[d.v.ID()].v
		}
		return l.show(ctx, tx, t, c, drafts)
	})
}

// rewrite puts back those records that have changed.
func (l *Ledger) rewrite(ctx context.Context, tx *store.Tx, t *record.Type, scope access.Scope, set *changeSet, drafts []*draft) error {
	var changed []*draft
	for _, d := range drafts {
		if d.v.Equal(d.pre) {
			d.v = d.pre
			continue
		}
		d.v.Version++
		d.v.Set("last_updated", set.at)
		changed = append(changed, d)
	}
	if len(changed) == 0 {
		return nil
	}
	set.look(tx, t, idsOf(changed))
	if err := update(tx, t, changed); err != nil {
		return err
	}
	if err := l.checkTree(ctx, tx, t, set, changed); err != nil {
		return err
	}
	if err := l.checkWithin(ctx, tx, t, set, changed); err != nil {
		return err
	}
	if err := l.checkOwned(ctx, tx, t, set, changed); err != nil {
		return err
	}
	return l.settle(ctx, tx, t, scope, set, changed)
}

// write runs a change set. It trusts the constraints of the database to find what is not
// unique; only when they did, it runs again and looks first, for an answer that names
// every clash by position and field. The transaction may also run again after a
// deadlock, so it works on copies.
func (l *Ledger) write(ctx context.Context, c Caller, drafts []*draft, fn func(*store.Tx, *changeSet, []*draft) error) ([]record.Values, error) {
	var done []*draft
	var set *changeSet
	rehearsal, through := rehearsing(ctx), l.Store.Write
	if rehearsal != nil {
		through = l.Store.Rehearse
	}
	run := func(careful bool) error {
		return through(ctx, func(tx *store.Tx) error {
			done = make([]*draft, len(drafts))
			for i, d := range drafts {
				done[i] = d.clone()
			}
			set = &changeSet{caller: c, drafts: done, careful: careful}
			if rehearsal != nil {
				set.sight = &sight{policy: l.Policy, whole: map[*record.Type]bool{}}
			}
			if err := fn(tx, set, done); err != nil {
				return err
			}
			return l.record(ctx, tx, set)
		})
	}
	err := run(false)
	if _, clash := errors.AsType[*store.ClashError](err); clash {
		err = run(true)
	}
	if err != nil {
		return nil, err
	}
	rows := valuesOf(done)
	if rehearsal != nil {
		rehearsal.note(set)
		return rows, nil
	}
	for i, d := range done {
		for name, plain := range d.reveal {
			rows[i] = rows[i].Clone()
			rows[i].Set(name, plain)
		}
	}
	if len(rows) > 0 {
		// It is committed: what can't be shown now stays hidden, and the answer is still yes.
		_ = l.Reveal(ctx, c, rows[0].Type(), rows)
	}
	return rows, nil
}

// prepare does everything that must be right before a row is written: references, custom
// fields, rules, uniqueness, secrets. It returns all errors of all drafts together.
func (l *Ledger) prepare(ctx context.Context, c Caller, tx *store.Tx, t *record.Type, set *changeSet, drafts []*draft) error {
	var defs []*record.Custom
	custom := t.Index("custom_fields")
	if custom >= 0 {
		tx.CustomFields(t, &defs)
	}
	if err := l.resolve(ctx, c, tx, t, drafts); err != nil {
		return err
	}
	// The locks are held now. Time taken before would let a change that had to wait look
	// older than the one it waited for.
	set.at = l.Timestamp()
	for i, id := range set.ids {
		drafts[i].v.SetID(id)
	}
	if custom >= 0 {
		for _, d := range drafts {
			if err := d.custom(ctx, custom, defs); err != nil {
				return err
			}
		}
	}
	for _, d := range drafts {
		d.check(t.Check, l.Rules[t.Key()])
	}
	if err := l.checkUnique(ctx, tx, t, set, drafts); err != nil {
		return err
	}
	if err := failed(set.drafts); err != nil {
		return err
	}
	for _, d := range drafts {
		if err := mayWrite(c, t, d); err != nil {
			return err
		}
		if t.Derive != nil {
			t.Derive(d.before(t), d.v)
		}
		if d.creation() {
			d.v.Version = 1
			d.v.Set("created", set.at)
			d.v.Set("last_updated", set.at)
		}
		if err := l.sealLate(ctx, t, d); err != nil {
			return err
		}
	}
	return nil
}

// mayWrite holds what no permission can give: superusers are made and changed by
// superusers.
func mayWrite(c Caller, t *record.Type, d *draft) error {
	if t.Elevated != "" && !c.Superuser && (d.v.Bool(t.Elevated) || d.before(t).Bool(t.Elevated)) {
		return fault.ErrDenied
	}
	return nil
}

func loadEdited(ctx context.Context, tx *store.Tx, t *record.Type, scope access.Scope, edits []Edit, drafts []*draft) error {
	ids := make([]int64, len(edits))
	for i, e := range edits {
		ids[i] = e.ID
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var rows []record.Values
	tx.Load(t, scope, ids, store.LockWrite, &rows)
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	byID := indexed(rows)
	for i, e := range edits {
		v, ok := byID[e.ID]
		if !ok {
			drafts[i].errs.Add("id", "No object with ID %d was found.", e.ID)
			v = t.NewValues()
		}
		if ok && e.Match != nil && !slices.Contains(e.Match, v.Version) {
			return fault.New(fault.Precondition, "The object was changed since you read it: it is at version %d now. Read it again.", v.Version)
		}
		drafts[i].pre = v
		drafts[i].v = v.Clone()
		drafts[i].v.MergeChanged(drafts[i].given)
		drafts[i].checkWords(t)
	}
	for _, d := range drafts {
		if len(d.errs["id"]) == 0 {
			continue
		}
		if len(drafts) == 1 {
			return &MissingError{failed(drafts)}
		}
		return failed(drafts)
	}
	return nil
}

// MissingError says that the only record to be changed was not found, or is none that the
// caller may change. It is fault.ErrNotFound, unless the record was one of a list.
type MissingError struct{ Listed error }

func (e *MissingError) Error() string { return e.Unwrap().Error() }

// Unwrap is the error for a caller who named the record in an address.
func (e *MissingError) Unwrap() error { return fault.ErrNotFound }

// mergeSame makes one draft of several edits to one record in one request. Errors stay
// with the edit that has them.
func mergeSame(drafts []*draft) []*draft {
	first := map[int64]*draft{}
	var merged []*draft
	for _, d := range drafts {
		if same, ok := first[d.v.ID()]; ok {
			same.given.MergeInput(d.given)
			same.v.MergeChanged(same.given)
			continue
		}
		first[d.v.ID()] = d
		merged = append(merged, d)
	}
	return merged
}

func (d *draft) clone() *draft {
	c := &draft{pre: d.pre, given: d.given.Clone(), errs: fault.Fields{}, reveal: d.reveal}
	if d.v.Type() != nil {
		c.v = d.v.Clone()
	}
	for field, messages := range d.errs {
		c.errs[field] = slices.Clone(messages)
	}
	return c
}

// indexed finds records by their id.
func indexed(rows []record.Values) map[int64]record.Values {
	byID := make(map[int64]record.Values, len(rows))
	for _, v := range rows {
		byID[v.ID()] = v
	}
	return byID
}

func idsOf(drafts []*draft) []int64 {
	ids := make([]int64, len(drafts))
	for i, d := range drafts {
		ids[i] = d.v.ID()
	}
	return ids
}

func valuesOf(drafts []*draft) []record.Values {
	rows := make([]record.Values, len(drafts))
	for i, d := range drafts {
		rows[i] = d.v
	}
	return rows
}
