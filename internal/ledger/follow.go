package ledger

import (
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// takeOver applies the Follows rules to records that begin to refer to another leader, or lose a value of their own: they take the
// leader's values where they have none.
func (s *changeSet) takeOver(ctx context.Context, b *batch) error {
	for _, rule := range b.t.Follows {
		var followers []*draft
		for _, d := range b.drafts {
			if len(d.takes(rule)) > 0 {
				followers = append(followers, d)
			}
		}
		if len(followers) == 0 {
			continue
		}
		leaders, err := s.leaders(ctx, b, rule, followers)
		if err != nil {
			return err
		}
		if record.TargetOf(b.t.Field(rule.Of)) == b.t {
			followers = leadersFirst(followers, rule)
		}
		for _, d := range followers {
			leader := leaders[d.v.Link(rule.Of).ID]
			for _, name := range d.takes(rule) {
				d.set(b.t.Index(name), leader.Get(name))
			}
		}
	}
	return nil
}

// takes returns the fields that a draft takes over by a rule: those that are null, if the request sets either the field or the leader.
func (d *draft) takes(rule record.Follows) (fields []string) {
	if d.v.Get(rule.Of) == nil || len(d.errs[rule.Of]) > 0 {
		return nil
	}
	t := d.v.Type()
	for _, name := range rule.Fields {
		if d.v.Get(name) == nil && len(d.errs[name]) == 0 && (d.changed(t.Index(rule.Of)) || d.changed(t.Index(name))) {
			fields = append(fields, name)
		}
	}
	return fields
}

// leaders returns the records that the followers refer to, by id. Those that the request changes too have their new values.
func (s *changeSet) leaders(ctx context.Context, b *batch, rule record.Follows, followers []*draft) (map[int64]record.Values, error) {
	t := record.TargetOf(b.t.Field(rule.Of))
	ids := make([]int64, len(followers))
	for i, d := range followers {
		ids[i] = d.v.Link(rule.Of).ID
	}
	slices.Sort(ids)
	rows := s.tx.Load(t, access.Machine(), slices.Compact(ids), store.NoLock)
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	leaders := indexed(rows.Get())
	if t == b.t {
		for _, d := range b.drafts {
			leaders[d.v.ID()] = d.v
		}
	}
	return leaders, nil
}

// leadersFirst orders records that follow others of their own type: one that is a leader too comes before its followers. In a cycle, any
// may be the first.
func leadersFirst(followers []*draft, rule record.Follows) (ordered []*draft) {
	left := map[int64]*draft{}
	for _, d := range followers {
		left[d.v.ID()] = d
	}
	var add func(id int64)
	add = func(id int64) {
		if d := left[id]; d != nil {
			delete(left, id)
			add(d.v.Link(rule.Of).ID)
			ordered = append(ordered, d)
		}
	}
	for _, d := range followers {
		add(d.v.ID())
	}
	return ordered
}

// follow takes the values of a leader, unless the caller gives others, and reports whether that changes anything.
func (d *draft) follow(leader record.Values, rule record.Follows) (changes bool) {
	for _, name := range rule.Fields {
		field := d.v.Type().Index(name)
		given := !d.derived() && d.given.At(field) != nil
		if !given && !record.SameValue(d.v.At(field), leader.Get(name)) {
			d.set(field, leader.Get(name))
			changes = true
		}
	}
	return changes
}

// set gives a field a value, as if the caller had sent it.
func (d *draft) set(field int, value any) {
	d.given.SetAt(field, value)
	d.v.SetAt(field, value)
}
