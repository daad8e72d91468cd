package ledger

import (
	"context"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// maxCreated is how many records one request may create, children included.
const maxCreated = 50_000

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
		return nil, s.countCreated(len(b.drafts))
	}
	found := make([]*store.Promise[[]record.Values], len(rules))
	for i, rule := range rules {
		found[i] = s.findTemplates(b, rule)
	}
	reads := s.askParentReads(b)
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	parents := reads.parents(b)
	templates := make([]map[int64][]record.Values, len(rules))
	total := len(b.drafts)
	for i, rule := range rules {
		templates[i] = byOwner(found[i].Get(), rule)
		for _, p := range parents {
			total += len(templates[i][p.Link(rule.Where).ID])
		}
	}
	if err := s.countCreated(total); err != nil {
		return nil, err
	}
	var all []*childBatch
	for i, rule := range rules {
		c := draftChildren(parents, rule, templates[i])
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

// countCreated refuses to create more records than one request may.
func (s *changeSet) countCreated(n int) error {
	if s.created += n; s.created > maxCreated {
		return fault.New(fault.Invalid, "This request would create more than %d records, counting those that belong to others, such as the "+
			"components of a device. Send it in parts.", maxCreated)
	}
	return nil
}

// findTemplates queues the query for the templates of a batch's children.
func (s *changeSet) findTemplates(b *batch, rule record.ChildRule) *store.Promise[[]record.Values] {
	owners := linked(b.drafts, rule.Where)
	if len(owners) == 0 {
		return store.Answered([]record.Values(nil))
	}
	tests := []record.Predicate{{Field: rule.Shared, Values: record.AnyOf(owners)}}
	return s.tx.Find(rule.Templates, access.Machine(), tests, maxCreated, store.NoLock) // with their parents that is too many
}

// linked returns the ids of the records that drafts without errors refer to through a field.
func linked(drafts []*draft, field string) (ids []int64) {
	for _, d := range drafts {
		if id := d.v.Link(field).ID; id != 0 && len(d.errs) == 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
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

// parent is a new record that gets children.
type parent struct {
	record.Parent
	draft *draft
}

// parentReads is what the Reads of a type's Children name: the records that new records refer to, by the reference.
type parentReads struct {
	of   []record.ParentRead
	rows map[string]*store.Promise[[]record.Values]
}

// askParentReads queues one statement for each reference that the Reads of the batch's type lead through.
func (s *changeSet) askParentReads(b *batch) parentReads {
	reads := parentReads{rows: map[string]*store.Promise[[]record.Values]{}}
	for _, rule := range b.t.ChildRules() {
		for _, r := range rule.ParentReads {
			reads.of = append(reads.of, r)
			if reads.rows[r.Ref] != nil {
				continue
			}
			reads.rows[r.Ref] = store.Answered([]record.Values(nil))
			if ids := linked(b.drafts, r.Ref); len(ids) > 0 {
				reads.rows[r.Ref] = s.tx.Load(r.Target, access.Machine(), ids, store.NoLock)
			}
		}
	}
	return reads
}

// parents returns the new records of a batch that have no errors, with what was read for them.
func (r parentReads) parents(b *batch) (parents []parent) {
	rows := map[string]map[int64]record.Values{}
	for ref, read := range r.rows {
		rows[ref] = indexed(read.Get())
	}
	for _, d := range b.drafts {
		if len(d.errs) > 0 {
			continue
		}
		read := make(map[string]any, len(r.of))
		for _, x := range r.of {
			read[x.Path] = nil
			if v, ok := rows[x.Ref][d.v.Link(x.Ref).ID]; ok {
				read[x.Path] = v.Get(x.Field)
			}
		}
		parents = append(parents, parent{record.NewParent(d.v, read), d})
	}
	return parents
}

// draftChildren returns drafts of the children that new records get by a rule. templates has their templates by owner.
func draftChildren(parents []parent, rule record.ChildRule, templates map[int64][]record.Values) *childBatch {
	c := &childBatch{ChildRule: rule, batch: batch{t: rule.Type, scope: access.Machine()}}
	copies := newCopies(rule)
	for _, p := range parents {
		for _, template := range templates[p.Link(rule.Where).ID] {
			c.drafts = append(c.drafts, copies.child(p, template))
			c.templates, c.parents = append(c.templates, template), append(c.parents, p.draft)
		}
	}
	return c
}

// copies makes the children of one rule. Whatever does not depend on the parent is made once for each template.
type copies struct {
	record.ChildRule
	empty record.Values           // nothing is given for a child
	made  map[int64]record.Values // by template
}

func newCopies(rule record.ChildRule) *copies {
	return &copies{rule, rule.Type.NewValues(), map[int64]record.Values{}}
}

// child returns the draft of one child, complete except for its id and its references to other children.
func (c *copies) child(p parent, template record.Values) *draft {
	d := &draft{given: c.empty, v: c.copyOf(template).Clone(), errs: fault.Fields{}, cause: p.draft, field: c.Where, template: c.Templates}
	d.v.Set(c.By, record.Link{ID: p.ID()})
	for _, follows := range c.Type.Follows {
		if follows.Of == c.By {
			for _, name := range follows.Fields {
				d.v.Set(name, p.Get(name))
			}
		}
	}
	if c.Fill != nil {
		if err := c.Fill(p.Parent, template, d.v); err != nil {
			d.errs.Add(fault.General, "%s", err.Error())
		}
	}
	d.checkLengths()
	return d
}

// copyOf returns the defaults of a child with the fields that it copies from a template.
func (c *copies) copyOf(template record.Values) record.Values {
	v, ok := c.made[template.ID()]
	if ok {
		return v
	}
	d := &draft{given: c.empty}
	d.complete(c.Type)
	for _, name := range c.Copy {
		d.v.Set(name, template.Get(name))
	}
	c.made[template.ID()] = d.v
	return d.v
}

// checkLengths refuses texts that are too long. A template may hold a longer one, and Fill may make one.
func (d *draft) checkLengths() {
	for i, info := range d.v.Type().Infos() {
		if err := info.TooLong(d.v.At(i)); err != nil {
			d.errs.Add(info.Name, "%s", err.Error())
		}
	}
}

// origin is what a child was made from.
type origin struct {
	parent   *draft
	template object
}

// linkChildren turns references between templates into references between the children that were made from them.
func linkChildren(all []*childBatch) {
	if !slices.ContainsFunc(all, func(c *childBatch) bool { return len(c.Refer) > 0 }) {
		return
	}
	made := map[origin]object{}
	for _, c := range all {
		for i, d := range c.drafts {
			made[origin{c.parents[i], object{c.Templates, c.templates[i].ID()}}] = object{c.t, d.v.ID()}
		}
	}
	for _, c := range all {
		for _, refer := range c.ChildRefers {
			c.link(refer, made)
		}
	}
}

// link sets one reference of the children. made has the children by what they were made from.
func (c *childBatch) link(refer record.ChildRefer, made map[origin]object) {
	for i, d := range c.drafts {
		for _, l := range refer.Templates.Links(c.templates[i]) {
			child, ok := made[origin{c.parents[i], object{refer.Templates.Of(l), l.ID}}]
			if !ok {
				d.errs.Add(refer.Children.Name, "Its template refers to one of another %s.", c.Where)
				continue
			}
			refer.Children.SetLink(d.v, refer.Children.LinkTo(child.t, child.id))
		}
	}
}
