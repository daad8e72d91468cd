package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// checkUnique looks for clashes between the drafts and, where there is something to
// report anyway, with what is in the database.
func (l *Ledger) checkUnique(ctx context.Context, tx *store.Tx, t *record.Type, set *changeSet, drafts []*draft) error {
	rules := t.Rules()
	if len(rules) == 0 {
		return nil
	}
	var asked []*draft
	for _, d := range drafts {
		for _, rule := range rules {
			if d.touches(t, rule) {
				asked = append(asked, d)
				break
			}
		}
	}
	if set.careful || failed(set.drafts) != nil {
		var clashes []store.Clash
		tx.Clashes(t, ruleValues(t, asked), &clashes)
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		for _, clash := range clashes {
			asked[clash.Row].clash(t, rules[clash.Rule])
		}
	}
	for _, rule := range rules {
		seen := map[string]bool{}
		for _, d := range asked {
			key, unlike := keyOf(d.v, rule)
			if unlike {
				continue
			}
			if seen[key] {
				d.clash(t, rule)
			}
			seen[key] = true
		}
	}
	return nil
}

// ruleValues returns the drafts as rows that can be compared, even those with errors:
// where a field is missing, no record is like it.
func ruleValues(t *record.Type, drafts []*draft) []record.Values {
	rows := make([]record.Values, len(drafts))
	for i, d := range drafts {
		v := t.NewValues()
		v.SetID(d.v.ID())
		for _, rule := range t.Rules() {
			for _, name := range rule.Fields {
				value := d.v.Get(name)
				switch x := value.(type) {
				case record.Link:
					if x.Match != nil {
						value = nil
					}
				case record.Plain: // refused, so never sealed
					value = nil
				}
				v.Set(name, value)
			}
		}
		rows[i] = v
	}
	return rows
}

// keyOf is what a rule compares of a record. unlike says that no record can be equal.
func keyOf(v record.Values, rule record.Unique) (key string, unlike bool) {
	for _, name := range rule.Fields {
		value := v.Get(name)
		switch x := value.(type) {
		case nil:
			unlike = unlike || rule.NullsDiffer
		case record.Link:
			value = x.ID
		case record.Sealed:
			value = string(x)
		case string:
			if rule.FoldCase {
				value = strings.ToLower(x)
			}
		}
		key += fmt.Sprintf("%q", fmt.Sprint(value))
	}
	return key, unlike
}

// touches tells whether a draft changes what a rule is about, and is fit to be judged.
func (d *draft) touches(t *record.Type, rule record.Unique) bool {
	changed := d.creation()
	for _, name := range rule.Fields {
		if len(d.errs[name]) > 0 {
			return false
		}
		changed = changed || d.changed(t.Index(name))
	}
	return changed
}

func (d *draft) clash(t *record.Type, rule record.Unique) {
	if !d.touches(t, rule) {
		return
	}
	for field, messages := range store.UniqueMessage(t, rule) {
		d.errs[field] = append(d.errs[field], messages...)
	}
}

// checkWithin holds that, say, a location's parent is in the same site, for what was
// written and for what hangs on it.
func (l *Ledger) checkWithin(ctx context.Context, tx *store.Tx, t *record.Type, set *changeSet, written []*draft) error {
	if len(t.Within) == 0 {
		return nil
	}
	byID := map[int64]*draft{}
	ids := make([]int64, len(written))
	for i, d := range written {
		byID[d.v.ID()], ids[i] = d, d.v.ID()
	}
	for _, w := range t.Within {
		var astray []store.Astray
		tx.Astray(t, w, ids, &astray)
		if err := tx.Flush(ctx); err != nil {
			return err
		}
		for _, pair := range astray {
			if d := byID[pair.ID]; d != nil {
				d.errs.Add(w.Ref, "The %s must belong to the same %s.", w.Ref, w.Same)
			} else {
				byID[pair.Of].errs.Add(w.Same, "Record %d refers to this one and belongs to another %s: move it in the same request.", pair.ID, w.Same)
			}
		}
	}
	return failed(set.drafts)
}

// checkOwned holds how many records an owner may have. Owners are locked before they are counted, so that two change sets
// can't exceed it together. Who has too many already is refused only what adds to them.
func (l *Ledger) checkOwned(ctx context.Context, tx *store.Tx, t *record.Type, set *changeSet, written []*draft) error {
	if t.MaxOwned == 0 {
		return nil
	}
	gains := map[int64]*draft{} // the last one that adds to an owner
	for _, d := range written {
		owner := d.v.Link(t.Owner).ID
		if lives(d.v, set.at) && (d.creation() || !lives(d.pre, set.at) || d.pre.Link(t.Owner).ID != owner) {
			gains[owner] = d
		}
	}
	if len(gains) == 0 {
		return nil
	}
	owners := slices.Sorted(maps.Keys(gains))
	var owned map[int64]int
	tx.Lock(record.TargetOf(t.Field(t.Owner)), []record.Predicate{{Values: record.AnyOf(owners)}}, len(owners), store.LockWrite)
	tx.Owned(t, owners, set.at, &owned)
	if err := tx.Flush(ctx); err != nil {
		return err
	}
	for owner, d := range gains {
		if owned[owner] > t.MaxOwned {
			d.errs.Add(fault.General, "A user can have at most %d %s that have not expired. Delete those that are no longer used.", t.MaxOwned, t.Plural)
		}
	}
	return failed(set.drafts)
}

// lives tells whether a record has not expired.
func lives(v record.Values, now time.Time) bool {
	expiry, limited := v.Get(v.Type().Expiry).(time.Time)
	return !limited || expiry.After(now)
}

// lockTree lets nobody else move records of a tree while this change set does.
func lockTree(tx *store.Tx, t *record.Type, drafts []*draft) {
	if t.Tree() && slices.ContainsFunc(drafts, func(d *draft) bool { return d.given.Has("parent") }) {
		tx.LockTree(t)
	}
}

// checkTree refuses a move that makes a record its own ancestor.
func (l *Ledger) checkTree(ctx context.Context, tx *store.Tx, t *record.Type, set *changeSet, changed []*draft) error {
	if !t.Tree() {
		return nil
	}
	var ids []int64
	for _, d := range changed {
		if d.changed(t.Index("parent")) {
			ids = append(ids, d.v.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var cyclic []int64
	tx.Cyclic(t, ids, &cyclic)
	if err := tx.Flush(ctx); err != nil || len(cyclic) == 0 {
		return err
	}
	bad := map[int64]bool{}
	for _, id := range cyclic {
		bad[id] = true
	}
	for _, d := range changed {
		if bad[d.v.ID()] {
			d.errs = fault.Fields{}
			d.errs.Add("parent", "A %s can't be below itself.", t.Title())
		}
	}
	return failed(set.drafts)
}
