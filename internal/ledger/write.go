package ledger

import (
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// Create creates records, all or none, and returns them in the order of the inputs.
func (l *Ledger) Create(ctx context.Context, c Caller, t *record.Type, inputs []Input) ([]record.Values, error) {
	scope, release, err := l.admit(ctx, c, t, access.Add, inputs)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := l.checkRoom(ctx, c, t, inputs); err != nil {
		return nil, err
	}
	drafts, err := l.draftNew(ctx, c, t, inputs)
	if err != nil {
		return nil, err
	}
	return l.write(ctx, c, drafts, func(set *changeSet) error {
		if err := set.create(ctx, &batch{t: t, scope: scope, drafts: set.items}); err != nil {
			return err
		}
		return set.show(ctx, t)
	})
}

// draftNew returns drafts of new records, from what was given and the defaults.
func (l *Ledger) draftNew(ctx context.Context, c Caller, t *record.Type, inputs []Input) ([]*draft, error) {
	drafts := make([]*draft, len(inputs))
	for i, in := range inputs {
		d := parse(t, in)
		d.own(c)
		d.sign(c)
		d.checkWords(t)
		d.require(t)
		d.complete(t)
		drafts[i] = d
	}
	return drafts, l.sealEarly(ctx, t, drafts)
}

// Edit is a change to one record.
type Edit struct {
	ID    int64
	Input Input
	Whole bool    // every required field must be given, as for PUT
	Match []int64 // the versions that the record may have, nil for any
}

func inputsOf(edits []Edit) []Input {
	inputs := make([]Input, len(edits))
	for i, e := range edits {
		inputs[i] = e.Input
	}
	return inputs
}

// Update changes records, all or none, and returns them. A record that stays the same is not written, and no webhook is notified.
func (l *Ledger) Update(ctx context.Context, c Caller, t *record.Type, edits []Edit) ([]record.Values, error) {
	scope, release, err := l.admit(ctx, c, t, access.Change, inputsOf(edits))
	if err != nil {
		return nil, err
	}
	defer release()
	drafts, err := l.draftEdits(ctx, t, edits)
	if err != nil {
		return nil, err
	}
	return l.write(ctx, c, drafts, func(set *changeSet) error {
		if err := set.update(ctx, &batch{t: t, scope: scope, drafts: set.items}, edits); err != nil {
			return err
		}
		return set.show(ctx, t)
	})
}

// update reads the records of the items and changes them. Several edits to one record are one change.
func (s *changeSet) update(ctx context.Context, b *batch, edits []Edit) error {
	lockTree(s.tx, b)
	if err := s.load(ctx, b, edits); err != nil {
		return err
	}
	b.drafts = mergeSame(s.items)
	final := map[int64]*draft{}
	for _, d := range b.drafts {
		final[d.v.ID()] = d
	}
	if err := s.edit(ctx, b); err != nil {
		return err
	}
	for _, d := range s.items {
		d.v = final[d.v.ID()].v
	}
	return nil
}

// draftEdits returns drafts of changes. Their records are read later.
func (l *Ledger) draftEdits(ctx context.Context, t *record.Type, edits []Edit) ([]*draft, error) {
	drafts := make([]*draft, len(edits))
	for i, e := range edits {
		d := parse(t, e.Input)
		if e.Whole {
			d.require(t)
		}
		drafts[i] = d
	}
	return drafts, l.sealEarly(ctx, t, drafts)
}

// mayWrite refuses what no permission can allow: only superusers create and change superusers, and a caller with a token writes no token
// that has more than it.
func mayWrite(c Caller, t *record.Type, d *draft) error {
	if t.Elevated != "" && !c.Superuser && (d.v.Bool(t.Elevated) || d.before(t).Bool(t.Elevated)) {
		return fault.ErrDenied
	}
	if t.Limited == nil || c.TokenID == 0 {
		return nil
	}
	if !d.creation() {
		if err := within(c.Limits, t.Limited, d.pre); err != nil {
			return err
		}
	}
	return within(c.Limits, t.Limited, d.v)
}

// load locks and reads the edited records, and merges the given values into them.
func (s *changeSet) load(ctx context.Context, b *batch, edits []Edit) error {
	ids := make([]int64, len(edits))
	for i, e := range edits {
		ids[i] = e.ID
	}
	slices.Sort(ids)
	rows := s.tx.Load(b.t, b.scope, slices.Compact(ids), store.LockWrite)
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	byID := indexed(rows.Get())
	for i, e := range edits {
		d := b.drafts[i]
		v, ok := byID[e.ID]
		if !ok {
			d.errs.Add("id", "No object with ID %d was found.", e.ID)
			v = b.t.NewValues()
		}
		if ok && e.Match != nil && !slices.Contains(e.Match, v.Version) {
			return fault.New(fault.Precondition, "The object was changed since you read it: it is at version %d now. Read it again.", v.Version)
		}
		d.pre = v
		d.v = v.Clone()
		d.v.MergeChanged(d.given)
		d.checkWords(b.t)
	}
	for _, d := range b.drafts {
		if len(d.errs["id"]) == 0 {
			continue
		}
		if len(b.drafts) == 1 {
			return &MissingError{failed(b.drafts)}
		}
		return failed(b.drafts)
	}
	return nil
}

// MissingError means that the only record to be changed was not found, or that the caller may not change it. It is fault.ErrNotFound,
// unless the record was sent in a list.
type MissingError struct{ Listed error }

func (e *MissingError) Error() string { return e.Unwrap().Error() }

// Unwrap returns the error for a caller who named the record in an address.
func (e *MissingError) Unwrap() error { return fault.ErrNotFound }

// mergeSame merges several edits of one record in one request into one draft. Errors stay with the edit that they are in.
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

// indexed returns the records by their id.
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
