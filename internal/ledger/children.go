package ledger

import (
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// childBatch is the children that the new records of a batch get from one declaration.
type childBatch struct {
	record.ChildRule
	batch
	templates []record.Values // of each child
	parents   []*draft        // of each child
}

// children returns drafts of the children of new records, one for each template. The children get their ids here, so that they can
// refer to each other.
func (s *changeSet) children(ctx context.Context, b *batch) ([]*batch, error) {
	declared := b.t.ChildRules()
	if len(declared) == 0 {
		return nil, nil
	}
	templates := make([]*store.Promise[[]record.Values], len(declared))
	for i, c := range declared {
		templates[i] = s.templates(b, c)
	}
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	byOwner, total := make([]map[int64][]record.Values, len(declared)), 0
	for i, c := range declared {
		byOwner[i] = map[int64][]record.Values{}
		for _, v := range templates[i].Get() {
			owner := v.Link(c.Where).ID
			byOwner[i][owner] = append(byOwner[i][owner], v)
		}
		for _, d := range b.drafts {
			total += len(byOwner[i][d.v.Link(c.Where).ID])
		}
		if total > s.l.Dependants.owned() {
			return nil, tooMany("Unable to create objects: more than %d records that belong to them, such as those of type %s, "+
				"would be created too. Create fewer in one request", s.l.Dependants.owned(), c.Type)
		}
	}
	all, batches := make([]*childBatch, len(declared)), make([]*batch, 0, len(declared))
	for i := range declared {
		c := draftChildren(b, declared[i], byOwner[i])
		all[i] = c
		if len(c.drafts) == 0 {
			continue
		}
		c.ids = s.tx.NextIDs(c.t, len(c.drafts))
		s.askCustoms(&c.batch)
		batches = append(batches, &c.batch)
		s.derived = append(s.derived, c.drafts...)
	}
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	for _, c := range batches {
		c.number()
	}
	linkChildren(all)
	return batches, nil
}

// templates queues the query for the templates of a batch's children.
func (s *changeSet) templates(b *batch, c record.ChildRule) *store.Promise[[]record.Values] {
	var ids []int64
	for _, d := range b.drafts {
		if id := d.v.Link(c.Where).ID; id != 0 && len(d.errs) == 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return store.Answered([]record.Values(nil))
	}
	tests := []record.Predicate{{Field: c.Shared, Values: record.AnyOf(ids)}}
	return s.tx.Find(c.Templates, access.Machine(), tests, s.l.Dependants.owned()+1, store.NoLock)
}

// draftChildren returns the drafts of children, complete except for their ids and the references to each other.
func draftChildren(b *batch, c record.ChildRule, templates map[int64][]record.Values) *childBatch {
	out := &childBatch{ChildRule: c, batch: batch{t: c.Type, scope: access.Machine()}}
	for _, parent := range b.drafts {
		for _, template := range templates[parent.v.Link(c.Where).ID] {
			d := &draft{given: c.Type.NewValues(), errs: fault.Fields{}, cause: parent, field: c.Where}
			d.complete(c.Type)
			d.v.Set(c.By, record.Link{ID: parent.v.ID()})
			for _, rule := range c.Type.Follows {
				if rule.Of == c.By {
					for _, name := range rule.Fields {
						d.v.Set(name, parent.v.Get(name))
					}
				}
			}
			for _, name := range c.Copy {
				d.v.Set(name, template.Get(name))
			}
			if c.Fill != nil {
				c.Fill(parent.v, template, d.v)
			}
			d.checkLengths()
			out.drafts, out.templates, out.parents = append(out.drafts, d), append(out.templates, template), append(out.parents, parent)
		}
	}
	return out
}

// checkLengths refuses texts that are too long: Fill and Copy may have made them so.
func (d *draft) checkLengths() {
	for i, info := range d.v.Type().Infos() {
		if err := info.TooLong(d.v.At(i)); err != nil {
			d.errs.Add(info.Name, "%s", err.Error())
		}
	}
}

// linkChildren turns references between templates into references between the children that were made from them.
func linkChildren(all []*childBatch) {
	type origin struct {
		parent   *draft
		template object
	}
	made := map[origin]int64{}
	for _, c := range all {
		for i, d := range c.drafts {
			made[origin{c.parents[i], object{c.Templates, c.templates[i].ID()}}] = d.v.ID()
		}
	}
	for _, c := range all {
		for _, name := range c.Refer {
			target := record.TargetOf(c.Templates.Field(name))
			for i, d := range c.drafts {
				template := c.templates[i].Link(name).ID
				if id, ok := made[origin{c.parents[i], object{target, template}}]; ok {
					d.v.Set(name, record.Link{ID: id})
				} else if template != 0 {
					d.errs.Add(name, "Its template refers to one of another %s.", c.Where)
				}
			}
		}
	}
}
