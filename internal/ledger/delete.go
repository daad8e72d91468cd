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

// maxFallout is how many records one request may change or delete besides those it names.
const maxFallout = 1000

// Delete removes records, all or none, and with them what hangs on them: a reference is
// emptied or its record goes too, as its declaration says, each as a change of its own.
func (l *Ledger) Delete(ctx context.Context, c Caller, t *record.Type, edits []Edit) error {
	scope, err := l.WriteScope(c, t, access.Delete)
	if err != nil {
		return err
	}
	drafts := make([]*draft, len(edits))
	for i := range edits {
		drafts[i] = parse(t, nil)
	}
	_, err = l.write(ctx, c, drafts, func(tx *store.Tx, set *changeSet, drafts []*draft) error {
		if err := loadEdited(ctx, tx, t, scope, edits, drafts); err != nil {
			return err
		}
		f := &fall{l: l, c: c, tx: tx, gone: map[*record.Type]map[int64]record.Values{}, emptied: map[*record.Type]map[int64]*draft{}}
		var roots []record.Values
		for _, d := range mergeSame(drafts) {
			if t.Elevated != "" && !c.Superuser && d.pre.Bool(t.Elevated) {
				return fault.ErrDenied
			}
			roots = append(roots, d.pre)
		}
		if err := f.fell(ctx, t, roots); err != nil {
			return err
		}
		err := f.apply(ctx, set)
		if clash, ok := errors.AsType[*store.ClashError](err); ok {
			return fault.New(fault.Held, "Unable to delete object: records that refer to it would no longer be unique: %s", clash.Fault)
		}
		return err
	})
	if dangling, ok := errors.AsType[*store.DanglingError](err); ok {
		return fault.New(fault.Held, "Unable to delete object: a record in %s refers to it.", dangling.Table)
	}
	return err
}

// fall follows the dependants of deleted records.
type fall struct {
	l       *Ledger
	c       Caller
	tx      *store.Tx
	gone    map[*record.Type]map[int64]record.Values
	emptied map[*record.Type]map[int64]*draft
	fallout int
}

// fell marks records as deleted and looks for everything that refers to them.
func (f *fall) fell(ctx context.Context, t *record.Type, rows []record.Values) error {
	rows = slices.DeleteFunc(slices.Clone(rows), func(v record.Values) bool {
		_, known := f.gone[t][v.ID()]
		return known
	})
	if len(rows) == 0 {
		return nil
	}
	if f.gone[t] == nil {
		f.gone[t] = map[int64]record.Values{}
	}
	ids := make([]int64, len(rows))
	for i, v := range rows {
		f.gone[t][v.ID()] = v
		ids[i] = v.ID()
	}
	slices.Sort(ids)
	// From here on nobody can begin to refer to them.
	f.tx.Lock(t, []record.Predicate{{Values: record.AnyOf(ids)}}, len(ids), store.LockErase)
	referrers := t.Registry().Referrers(t)
	found := make([][]record.Values, len(referrers))
	for i, r := range referrers {
		// Those that go anyway are found too, and are no reason to miss one.
		limit := maxFallout + 1 + len(f.gone[r.Type])
		f.tx.Find(r.Type, access.Machine(), r.Tests(ids), limit, store.LockWrite, &found[i])
	}
	if err := f.tx.Flush(ctx); err != nil {
		return err
	}
	for i, r := range referrers {
		if err := f.follow(ctx, r, found[i], ids); err != nil {
			return err
		}
	}
	return nil
}

// follow decides what becomes of the records that refer to deleted ones.
func (f *fall) follow(ctx context.Context, r record.Referrer, rows []record.Values, ids []int64) error {
	rows = slices.DeleteFunc(rows, func(v record.Values) bool {
		_, known := f.gone[r.Type][v.ID()]
		return known
	})
	if len(rows) == 0 {
		return nil
	}
	if r.OnDelete == record.Protect {
		return f.held(ctx, r.Type, rows)
	}
	if f.fallout += len(rows); f.fallout > maxFallout {
		return fault.New(fault.Held, "Unable to delete object: more than %d dependent objects would change. Change or delete those of type %s first.", maxFallout, r.Type.Key())
	}
	if r.OnDelete == record.Cascade {
		return f.fell(ctx, r.Type, rows)
	}
	if f.emptied[r.Type] == nil {
		f.emptied[r.Type] = map[int64]*draft{}
	}
	for _, v := range rows {
		d, ok := f.emptied[r.Type][v.ID()]
		if !ok {
			d = &draft{pre: v, v: v.Clone(), given: r.Type.NewValues()}
			f.emptied[r.Type][v.ID()] = d
		}
		r.Forget(d.v, ids)
	}
	return nil
}

// held refuses the delete, and names the dependants that the caller may see.
func (f *fall) held(ctx context.Context, t *record.Type, rows []record.Values) error {
	scope, err := f.l.Policy.Scope(f.c.Subject, t, access.View)
	if err != nil {
		scope = access.Scope{}
	}
	ids := make([]int64, len(rows))
	for i, v := range rows {
		ids[i] = v.ID()
	}
	var seen []record.Values
	f.tx.Load(t, scope, ids, store.NoLock, &seen)
	if err := f.tx.Flush(ctx); err != nil {
		return err
	}
	if len(seen) == 0 {
		return fault.New(fault.Held, "Unable to delete object. Dependent objects of type %s were found, which you may not see.", t.Key())
	}
	return fault.New(fault.Held, "Unable to delete object. %d dependent objects were found: %s", len(seen), names(t, seen))
}

// names lists a few records for a message.
func names(t *record.Type, rows []record.Values) string {
	text := ""
	for i, v := range rows {
		if i == 3 {
			return text + ", …"
		}
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s (%s %d)", v.Display(), t.Key(), v.ID())
	}
	return text
}

// apply empties references first, then deletes, dependants before what they hang on. The records of a type are logged in
// the order of their ids.
func (f *fall) apply(ctx context.Context, set *changeSet) error {
	set.at = f.l.Timestamp() // every lock is held: what waited for them is not older than what they waited for
	f.look(set)
	for _, t := range f.l.Store.Types() {
		var drafts []*draft
		for _, id := range slices.Sorted(maps.Keys(f.emptied[t])) {
			if _, gone := f.gone[t][id]; !gone {
				d := f.emptied[t][id]
				d.v.Version++
				d.v.Set("last_updated", set.at)
				drafts = append(drafts, d)
			}
		}
		if len(drafts) == 0 {
			continue
		}
		if err := update(f.tx, t, drafts); err != nil {
			return err
		}
		if err := f.l.settle(ctx, f.tx, t, access.Machine(), set, drafts); err != nil {
			return err
		}
	}
	for _, t := range f.order() {
		ids := slices.Sorted(maps.Keys(f.gone[t]))
		for _, id := range ids {
			set.add(t, f.gone[t][id], record.Values{})
		}
		f.tx.Delete(t, ids)
	}
	return nil
}

// order lists the types to delete from, each after those that refer to it.
func (f *fall) order() []*record.Type {
	var left, order []*record.Type
	for _, t := range f.l.Store.Types() {
		if f.gone[t] != nil {
			left = append(left, t)
		}
	}
	for len(left) > 0 {
		next := max(0, slices.IndexFunc(left, func(t *record.Type) bool {
			return !slices.ContainsFunc(t.Registry().Referrers(t), func(r record.Referrer) bool {
				return r.Type != t && slices.Contains(left, r.Type)
			})
		}))
		order, left = append(order, left[next]), slices.Delete(left, next, next+1)
	}
	return order
}
