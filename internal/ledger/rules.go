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

// checkUnique looks for clashes between the drafts. If there are errors to report anyway, or the database has found a clash, it looks
// for clashes with stored records too.
func (s *changeSet) checkUnique(ctx context.Context, b *batch) error {
	rules := b.t.Rules()
	if len(rules) == 0 {
		return nil
	}
	var asked []*draft
	for _, d := range b.drafts {
		for _, rule := range rules {
			if d.touches(b.t, rule) {
				asked = append(asked, d)
				break
			}
		}
	}
	if s.careful || s.failed() != nil {
		clashes := s.tx.Clashes(b.t, ruleValues(b.t, asked))
		if err := s.tx.Flush(ctx); err != nil {
			return err
		}
		for _, clash := range clashes.Get() {
			asked[clash.Row].clash(b.t, rules[clash.Rule])
		}
	}
	for _, rule := range rules {
		seen := map[string]bool{}
		for _, d := range asked {
			key, ok := keyOf(d.v, rule)
			if !ok {
				continue
			}
			if seen[key] {
				d.clash(b.t, rule)
			}
			seen[key] = true
		}
	}
	return nil
}

// ruleValues returns the drafts, even those with errors, as rows that can be compared. A row that lacks a field equals no other.
func ruleValues(t *record.Type, drafts []*draft) []record.Values {
	rows := make([]record.Values, len(drafts))
	for i, d := range drafts {
		v := t.NewValues()
		v.SetID(d.v.ID())
		for _, rule := range t.Rules() {
			for _, name := range rule.Reads() {
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

// keyOf returns the values of a record that a rule compares. ok is false if no other record can be equal, because a value is null.
func keyOf(v record.Values, rule record.Unique) (key string, ok bool) {
	ok = rule.Where == "" || v.Get(rule.Where) != nil
	for _, name := range rule.Fields {
		value := v.Get(name)
		switch x := value.(type) {
		case nil:
			ok = ok && !rule.NullsDiffer
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
	return key, ok
}

// touches reports whether a draft changes a field of a rule, and has no error in these fields.
func (d *draft) touches(t *record.Type, rule record.Unique) bool {
	changed := d.creation()
	for _, name := range rule.Reads() {
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

// checkTrees refuses moves that make a record its own ancestor. It needs a round trip if there are moves: in a broken tree the other checks
// mean nothing, and records can't be read back.
func (s *changeSet) checkTrees(ctx context.Context, batches []*batch) error {
	var answers []func()
	for _, b := range batches {
		answers = append(answers, s.checkTree(b)...)
	}
	if len(answers) == 0 {
		return nil
	}
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	for _, take := range answers {
		take()
	}
	return s.failed()
}

// verify makes the other checks that are possible only when the records are written. It queues the statements and returns a function that
// takes the answers.
func (s *changeSet) verify(ctx context.Context, batches []*batch) func() error {
	var answers []func()
	for _, b := range batches {
		answers = append(answers, s.checkOwned(b)...)
		answers = append(answers, s.checkSources(ctx, b)...)
		answers = append(answers, s.checkDepth(b)...)
	}
	answers = append(answers, s.checkSame(ctx, batches)...)
	answers = append(answers, s.checkTogether(batches)...)
	places := append(s.checkPlaces(ctx, batches), s.checkApart(ctx, batches)...)
	return func() error {
		for _, take := range answers {
			take()
		}
		for _, take := range places {
			if err := take(); err != nil {
				return err
			}
		}
		if err := s.nameOthers(ctx); err != nil {
			return err
		}
		return s.failed()
	}
}

// checkOwned limits how many records an owner may have. It locks the owners before it counts, so that two change sets can't exceed the
// limit together. An owner who has too many already is only refused more.
func (s *changeSet) checkOwned(b *batch) []func() {
	if b.t.MaxOwned == 0 {
		return nil
	}
	gains := map[int64]*draft{} // the last draft that adds to an owner's records
	for _, d := range b.drafts {
		owner := d.v.Link(b.t.Owner).ID
		if owner != 0 && unexpired(d.v, s.at) && (d.creation() || !unexpired(d.pre, s.at) || d.pre.Link(b.t.Owner).ID != owner) {
			gains[owner] = d
		}
	}
	if len(gains) == 0 {
		return nil
	}
	owners := slices.Sorted(maps.Keys(gains))
	s.tx.Lock(record.TargetOf(b.t.Field(b.t.Owner)), []record.Predicate{{Values: record.AnyOf(owners)}}, len(owners), store.LockWrite)
	owned := s.tx.Owned(b.t, owners, s.at)
	return []func(){func() {
		for owner, d := range gains {
			if owned.Get()[owner] > b.t.MaxOwned {
				d.errs.Add(fault.General, "%s", tooManyOwned(b.t))
			}
		}
	}}
}

// tooManyOwned says how many records of a type one owner may have.
func tooManyOwned(t *record.Type) string {
	expire := ""
	if t.Expiry != "" {
		expire = " that have not expired"
	}
	return fmt.Sprintf("A user can have at most %d %s%s. Delete those that are no longer used.", t.MaxOwned, t.PluralTitle(), expire)
}

// unexpired reports whether a record has not expired yet.
func unexpired(v record.Values, now time.Time) bool {
	if v.Type().Expiry == "" {
		return true
	}
	expiry, limited := v.Get(v.Type().Expiry).(time.Time)
	return !limited || expiry.After(now)
}

// lockTree locks a tree, so that nobody else moves its records while this change set does.
func lockTree(tx *store.Tx, b *batch) {
	if b.t.Tree() && slices.ContainsFunc(b.drafts, func(d *draft) bool { return d.given.Has("parent") }) {
		tx.LockTree(b.t)
	}
}

// shareTree locks a tree, so that nobody else moves its records while this change set creates some below others.
func shareTree(tx *store.Tx, b *batch) {
	if b.t.Tree() && slices.ContainsFunc(b.drafts, func(d *draft) bool { return d.v.Get("parent") != nil }) {
		tx.ShareTree(b.t)
	}
}

// one names a record of a type at the beginning of a sentence: "A region", "An inventory item".
func one(t *record.Type) string {
	title := t.Title()
	if strings.ContainsRune("aeiou", rune(title[0])) {
		return "An " + title
	}
	return "A " + title
}

// checkTree refuses a move that makes a record its own ancestor.
func (s *changeSet) checkTree(b *batch) []func() {
	if !b.t.Tree() {
		return nil
	}
	var ids []int64
	for _, d := range b.drafts {
		if !d.creation() && d.changed(b.t.Index("parent")) {
			ids = append(ids, d.v.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	cyclic := s.tx.Cyclic(b.t, ids)
	return []func(){func() {
		for _, d := range b.drafts {
			if slices.Contains(cyclic.Get(), d.v.ID()) {
				d.errs.Add("parent", "%s can't be below itself.", one(b.t))
			}
		}
	}}
}

// mostAbove is how many records of a tree may be above one. Depths and counts are worked out step by step, for each row of a list.
const mostAbove = 100

// checkDepth refuses new records that are too deep, and moves that leave the moved branch too deep, even if it was deeper before. It takes
// trees without cycles.
func (s *changeSet) checkDepth(b *batch) []func() {
	if !b.t.Tree() {
		return nil
	}
	var ids []int64
	for _, d := range b.drafts {
		if d.v.Get("parent") != nil && (d.creation() || d.changed(b.t.Index("parent"))) {
			ids = append(ids, d.v.ID())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	deep := s.tx.TooDeep(b.t, ids, mostAbove)
	return []func(){func() {
		for _, d := range b.drafts {
			if slices.Contains(deep.Get(), d.v.ID()) {
				d.errs.Add("parent", "%s can be below at most %d others.", one(b.t), mostAbove)
			}
		}
	}}
}
