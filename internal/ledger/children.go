package ledger

import (
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// childBatch is the children that the new records of a batch get by one rule.
type childBatch struct {
	record.ChildRule
	batch
	templates []record.Values // of each child
	parents   []*draft        // of each child
}

// children returns drafts of the children of new records, one for each template. The children get their ids here, so that they can
// refer to each other.
func (s *changeSet) children(ctx context.Context, b *batch) (batches []*batch, _ error) {
	rules := b.t.ChildRules()
	if len(rules) == 0 {
		return nil, nil
	}
	found := make([]*store.Promise[[]record.Values], len(rules))
	for i, rule := range rules {
		found[i] = s.findTemplates(b, rule)
	}
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	var all []*childBatch
	total, limit := 0, s.l.Dependants.owned()
	for i, rule := range rules {
		templates := byOwner(found[i].Get(), rule)
		for _, d := range b.drafts {
			total += len(templates[d.v.Link(rule.Where).ID])
		}
		if total > limit {
			return nil, tooMany("Unable to create objects: more than %d records that belong to them, such as those of type %s, "+
				"would be created too. Create fewer in one request", limit, rule.Type)
		}
		c := draftChildren(b, rule, templates)
		if len(c.drafts) == 0 {
			continue
		}
		c.ids = s.tx.NextIDs(c.t, len(c.drafts))
		s.askCustoms(&c.batch)
		s.derived = append(s.derived, c.drafts...)
		all, batches = append(all, c), append(batches, &c.batch)
	}
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	for _, c := range all {
		c.number()
	}
	linkChildren(all)
	return batches, nil
}

// findTemplates queues the query for the templates of a batch's children.
func (s *changeSet) findTemplates(b *batch, rule record.ChildRule) *store.Promise[[]record.Values] {
	var owners []int64
	for _, d := range b.drafts {
		if id := d.v.Link(rule.Where).ID; id != 0 && len(d.errs) == 0 {
			owners = append(owners, id)
		}
	}
	slices.Sort(owners)
	if owners = slices.Compact(owners); len(owners) == 0 {
		return store.Answered([]record.Values(nil))
	}
	tests := []record.Predicate{{Field: rule.Shared, Values: record.AnyOf(owners)}}
	return s.tx.Find(rule.Templates, access.Machine(), tests, s.l.Dependants.owned()+1, store.NoLock) // one more is too many
}

// byOwner groups templates by the record that they and the new records refer to.
func byOwner(templates []record.Values, rule record.ChildRule) map[int64][]record.Values {
	groups := map[int64][]record.Values{}
	for _, v := range templates {
		owner := v.Link(rule.Where).ID
		groups[owner] = append(groups[owner], v)
	}
	return groups
}

// draftChildren returns drafts of the children that new records get by a rule. templates has their templates by owner.
func draftChildren(b *batch, rule record.ChildRule, templates map[int64][]record.Values) *childBatch {
	c := &childBatch{ChildRule: rule, batch: batch{t: rule.Type, scope: access.Machine()}}
	for _, parent := range b.drafts {
		for _, template := range templates[parent.v.Link(rule.Where).ID] {
			c.drafts = append(c.drafts, draftChild(rule, parent, template))
			c.templates, c.parents = append(c.templates, template), append(c.parents, parent)
		}
	}
	return c
}

// draftChild returns the draft of one child, complete except for its id and its references to other children.
func draftChild(rule record.ChildRule, parent *draft, template record.Values) *draft {
	d := &draft{given: rule.Type.NewValues(), errs: fault.Fields{}, cause: parent, field: rule.Where}
	d.complete(rule.Type)
	d.v.Set(rule.By, record.Link{ID: parent.v.ID()})
	for _, follows := range rule.Type.Follows {
		if follows.Of == rule.By {
			for _, name := range follows.Fields {
				d.v.Set(name, parent.v.Get(name))
			}
		}
	}
	for _, name := range rule.Copy {
		d.v.Set(name, template.Get(name))
	}
	if rule.Fill != nil {
		rule.Fill(parent.v, template, d.v)
	}
	d.checkLengths()
	return d
}

// checkLengths refuses texts that are too long. A template may hold a longer one, and Fill may make one.
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
	made := map[origin]int64{} // the id of the child that a parent got from a template
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
