package ledger

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// comparison compares the children of some records with the templates.
type comparison struct {
	rules []*matching
	made  map[origin]object // the child of a record for a template: one that it has, or one that is added
}

// matching compares the children that records have by one rule.
type matching struct {
	record.ChildRule
	copies   *copies
	identity record.Unique
	made     map[origin]object
	found    *store.Promise[[]record.Values]
	lacking  *childBatch
	pairs    []pair
	extra    []owned
}

// pair is a child that a record has, and one that is made from the template.
type pair struct {
	owned
	template, made record.Values
}

// owned is a child that a record has.
type owned struct {
	parent *draft
	child  record.Values
}

// compare adds the result of the comparison to the answer, and returns drafts of the children that the records of a batch lack. If
// somebody has deleted a child that one of these would refer to, it compares again.
func (s *syncSet) compare(ctx context.Context, b *batch) ([]*batch, error) {
	for {
		s.derived, s.created = nil, 0
		c, err := s.matchAll(ctx, b)
		if err != nil {
			return nil, err
		}
		batches, err := s.draftLacking(ctx, c)
		if err != nil {
			return nil, err
		}
		switch kept, err := s.keepReferred(ctx, c); {
		case err != nil:
			return nil, err
		case kept:
			return batches, s.report(ctx, c)
		}
	}
}

// matchAll matches the children of the records of a batch with the templates.
func (s *syncSet) matchAll(ctx context.Context, b *batch) (*comparison, error) {
	c := &comparison{made: map[origin]object{}}
	for _, rule := range s.run.t.ChildRules() {
		c.rules = append(c.rules, &matching{ChildRule: rule, copies: newCopies(rule), identity: rule.Identity(), made: c.made,
			found:   s.findChildren(rule, idsOf(b.drafts)),
			lacking: &childBatch{ChildRule: rule, batch: batch{t: rule.Type}}})
	}
	reads := s.askParentReads(b)
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	parents := reads.parents(b)
	for i, m := range c.rules {
		if len(m.found.Get()) > comparedAtOnce {
			return nil, errManyChildren
		}
		have := map[int64][]record.Values{}
		for _, v := range m.found.Get() {
			id := v.Link(m.By).ID
			have[id] = append(have[id], v)
		}
		for _, p := range parents {
			m.match(p, s.templates[i][p.Link(m.Where).ID], have[p.ID()])
		}
	}
	return c, nil
}

// findChildren queues the query for the children that records have by a rule. Those that came with another record, such as the interfaces
// of a module, are none of them.
func (s *syncSet) findChildren(rule record.ChildRule, parents []int64) *store.Promise[[]record.Values] {
	tests := []record.Predicate{{Field: rule.Type.Field(rule.By), Values: record.AnyOf(parents)}}
	for _, other := range rule.OtherOwners() {
		tests = append(tests, record.Predicate{Field: other, Values: []any{nil}})
	}
	return s.tx.Find(rule.Type, access.Machine(), tests, comparedAtOnce+1, store.NoLock)
}

// match finds the child for each template of a record. What a child's identity refers to is matched before it.
func (m *matching) match(p parent, templates, children []record.Values) {
	byKey := map[string][]record.Values{}
	for _, v := range children {
		key, _ := keyOf(v, m.identity)
		byKey[key] = append(byKey[key], v)
	}
	left := indexed(templates)
	var place func(template record.Values)
	place = func(template record.Values) {
		delete(left, template.ID())
		d := m.copies.child(p, template)
		d.field = m.Type.NamingField()
		known := true
		for _, refer := range m.ChildRefers {
			if !slices.Contains(m.identity.Fields, refer.Children.Name) {
				continue
			}
			for _, l := range refer.Templates.Links(template) {
				if other, ok := left[l.ID]; ok && refer.Templates.Of(l) == m.Templates {
					place(other)
				}
				child, ok := m.made[origin{p.draft, object{refer.Templates.Of(l), l.ID}}]
				known = known && ok
				refer.Children.SetLink(d.v, refer.Children.LinkTo(child.t, child.id))
			}
		}
		key, _ := keyOf(d.v, m.identity)
		if same := byKey[key]; known && len(same) > 0 {
			byKey[key] = same[1:]
			m.made[origin{p.draft, object{m.Templates, template.ID()}}] = object{m.Type, same[0].ID()}
			m.pairs = append(m.pairs, pair{owned{p.draft, same[0]}, template, d.v})
			return
		}
		c := m.lacking
		c.drafts, c.templates, c.parents = append(c.drafts, d), append(c.templates, template), append(c.parents, p.draft)
	}
	for _, template := range templates {
		if _, ok := left[template.ID()]; ok {
			place(template)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		for _, v := range byKey[key] {
			m.extra = append(m.extra, owned{p.draft, v})
		}
	}
}

// draftLacking completes the drafts of the children that are added: their ids, and their references to others.
func (s *syncSet) draftLacking(ctx context.Context, c *comparison) (batches []*batch, _ error) {
	for _, m := range c.rules {
		if n := len(m.lacking.drafts); n > 0 {
			if err := s.countCreated(n); err != nil {
				return nil, err
			}
			m.lacking.ids = s.tx.NextIDs(m.Type, n)
			s.askCustoms(&m.lacking.batch)
			s.derived = append(s.derived, m.lacking.drafts...)
			batches = append(batches, &m.lacking.batch)
		}
	}
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	for _, m := range c.rules {
		m.lacking.number()
		for i, d := range m.lacking.drafts {
			c.made[origin{m.lacking.parents[i], object{m.Templates, m.lacking.templates[i].ID()}}] = object{m.Type, d.v.ID()}
		}
	}
	for _, m := range c.rules {
		for _, refer := range m.ChildRefers {
			m.lacking.link(refer, c.made)
		}
	}
	return batches, nil
}

// keepReferred keeps the children that new ones refer to from being deleted: no foreign key holds a reference to one of several types. It
// reports whether all of them are still there.
func (s *syncSet) keepReferred(ctx context.Context, c *comparison) (bool, error) {
	if s.run.dry {
		return true, nil
	}
	has, referred := map[object]bool{}, map[*record.Type][]int64{}
	for _, m := range c.rules {
		for _, x := range m.pairs {
			has[object{m.Type, x.child.ID()}] = true
		}
		for _, refer := range m.ChildRefers {
			for _, d := range m.lacking.drafts {
				for _, l := range refer.Children.Links(d.v) {
					if of := refer.Children.Of(l); has[object{of, l.ID}] {
						referred[of] = append(referred[of], l.ID)
						delete(has, object{of, l.ID})
					}
				}
			}
		}
	}
	var kept []*store.Promise[[]store.Found]
	n := 0
	for _, m := range c.rules { // in the order of the rules, so that two change sets don't wait for each other
		if ids := referred[m.Type]; len(ids) > 0 {
			slices.Sort(ids)
			kept = append(kept, s.tx.Resolve(m.Type, access.Machine(), []record.Predicate{{Values: record.AnyOf(ids)}}, len(ids)))
			n += len(ids)
		}
	}
	if n == 0 {
		return true, nil
	}
	if err := s.tx.Flush(ctx); err != nil {
		return false, err
	}
	for _, found := range kept {
		n -= len(found.Get())
	}
	return n == 0, nil
}

// report adds the result of the comparison to the answer. Children that the caller may not see are left out.
func (s *syncSet) report(ctx context.Context, c *comparison) error {
	parents := map[*draft]json.RawMessage{}
	brief := s.run.t.Plan(record.View{Brief: true})
	for _, d := range s.items {
		parents[d] = s.l.Printer.Append(nil, d.v, brief)
	}
	for _, m := range c.rules {
		child := func(parent *draft, v record.Values, fields []string) SyncedChild {
			return SyncedChild{Type: m.Type, Name: v.Text(m.Type.NamingField()), Fields: fields, Parent: parent.v, by: m.By, parent: parents[parent]}
		}
		for i, d := range m.lacking.drafts {
			s.run.answer.Added = append(s.run.answer.Added, child(m.lacking.parents[i], d.v, nil))
		}
		var different, extra []SyncedChild
		var differentIDs, extraIDs []int64
		for _, x := range m.pairs {
			if fields := m.differences(x); len(fields) > 0 {
				different, differentIDs = append(different, child(x.parent, x.child, fields)), append(differentIDs, x.child.ID())
			}
		}
		for _, x := range m.extra {
			extra, extraIDs = append(extra, child(x.parent, x.child, nil)), append(extraIDs, x.child.ID())
		}
		seen, err := s.visibleTo(ctx, m.Type, slices.Concat(differentIDs, extraIDs))
		if err != nil {
			return err
		}
		for i, id := range differentIDs {
			if seen(id) {
				s.run.answer.Different = append(s.run.answer.Different, different[i])
			}
		}
		for i, id := range extraIDs {
			if seen(id) {
				s.run.answer.Extra = append(s.run.answer.Extra, extra[i])
			}
		}
	}
	return nil
}

// differences returns the fields in which a child differs from its template.
func (m *matching) differences(x pair) (fields []string) {
	for _, name := range m.Copy {
		if !record.SameValue(x.child.Get(name), x.made.Get(name)) {
			fields = append(fields, name)
		}
	}
	for _, refer := range m.ChildRefers {
		for _, l := range refer.Templates.Links(x.template) {
			want := m.made[origin{x.parent, object{refer.Templates.Of(l), l.ID}}]
			if !slices.ContainsFunc(refer.Children.Links(x.child), func(has record.Link) bool {
				return has.ID == want.id && refer.Children.Of(has) == want.t
			}) {
				fields = append(fields, refer.Children.Name)
			}
		}
	}
	return fields
}

// visibleTo returns a function that reports which of these records the caller may see.
func (s *syncSet) visibleTo(ctx context.Context, t *record.Type, ids []int64) (func(int64) bool, error) {
	scope, err := s.l.Policy.Scope(s.caller.Subject, t, access.View)
	switch {
	case err != nil || len(ids) == 0: // the caller may see none
		return func(int64) bool { return false }, nil
	case scope.All():
		return func(int64) bool { return true }, nil
	}
	rows := s.tx.Load(t, scope, ids, store.NoLock)
	if err := s.tx.Flush(ctx); err != nil {
		return nil, err
	}
	seen := indexed(rows.Get())
	return func(id int64) bool { _, ok := seen[id]; return ok }, nil
}
