package ledger

import (
	"context"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// takeOver sets the Follows fields of records that begin to refer to another leader: they take its values, unless the request gives
// others.
func (s *changeSet) takeOver(ctx context.Context, b *batch) error {
	type taking struct {
		d     *draft
		rule  record.Follows
		field int
	}
	var all []taking
	wanted := map[*record.Type]map[int64]bool{}
	for _, rule := range b.t.Follows {
		i := b.t.Index(rule.Of)
		target := record.TargetOf(b.t.Field(rule.Of))
		for _, d := range b.drafts {
			for _, name := range rule.Fields {
				field := b.t.Index(name)
				if !d.changed(i) || len(d.errs[rule.Of]) > 0 || len(d.errs[name]) > 0 || d.v.At(i) == nil || d.given.At(field) != nil {
					continue
				}
				if wanted[target] == nil {
					wanted[target] = map[int64]bool{}
				}
				wanted[target][d.v.Link(rule.Of).ID] = true
				all = append(all, taking{d, rule, field})
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	rows := map[*record.Type]*store.Promise[[]record.Values]{}
	for t, ids := range wanted {
		rows[t] = s.tx.Load(t, access.Machine(), slices.Sorted(maps.Keys(ids)), store.NoLock)
	}
	if err := s.tx.Flush(ctx); err != nil {
		return err
	}
	byID := map[*record.Type]map[int64]record.Values{}
	for t := range wanted {
		byID[t] = indexed(rows[t].Get())
	}
	here := map[int64]*draft{} // leaders that this request writes too
	for _, d := range b.drafts {
		here[d.v.ID()] = d
	}
	for range all { // a leader may follow another one
		settled := true
		for _, x := range all {
			target, id := record.TargetOf(b.t.Field(x.rule.Of)), x.d.v.Link(x.rule.Of).ID
			leader := byID[target][id]
			if d := here[id]; d != nil && target == b.t {
				leader = d.v
			}
			value := leader.Get(b.t.Infos()[x.field].Name)
			settled = settled && record.SameValue(x.d.v.At(x.field), value)
			x.d.set(x.field, value)
		}
		if settled {
			break
		}
	}
	return nil
}

// set gives a field a value, as if the caller had sent it.
func (d *draft) set(field int, value any) {
	d.given.SetAt(field, value)
	d.v.SetAt(field, value)
}
