package ledger

import (
	"context"
	"maps"
	"slices"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// giving is records that give values to others by one rule.
type giving struct {
	rule *record.GiveRule
	// givers by the record that gets the values. They are as they will be.
	givers  map[int64]record.Values
	targets *store.Promise[[]record.Values]
	sources *store.Promise[[]record.Values]
}

// ofCreations finds the records that new ones give values to.
func (c *consequences) ofCreations(ctx context.Context, b *batch) error {
	if len(b.t.GiveRules()) == 0 {
		return nil
	}
	for _, d := range b.drafts {
		c.keep(d)
	}
	return c.walk(ctx, event{t: b.t, changed: b.drafts})
}

// gifts returns what changed records give: to another record than before, or from another one.
func (c *consequences) gifts(e event) (all []*giving) {
	for _, rule := range e.t.GiveRules() {
		g := &giving{rule: rule, givers: map[int64]record.Values{}}
		for _, d := range e.changed {
			if d.begins(rule) {
				g.givers[d.v.Link(rule.To).ID] = d.v
			}
		}
		if len(g.givers) > 0 {
			all = append(all, g)
		}
	}
	return all
}

// begins reports whether a draft begins to give values by a rule.
func (d *draft) begins(rule *record.GiveRule) bool {
	switch {
	case d.v.Get(rule.To) == nil || len(d.errs) > 0:
		return false
	case d.creation():
		return true
	}
	return !rule.OnCreation && (!d.pre.Same(d.v, rule.To) || rule.Of != "" && !d.pre.Same(d.v, rule.Of))
}

// giveOn returns what records give on of others that have changed.
func (c *consequences) giveOn(q *question, rows []record.Values) event {
	g := &giving{rule: q.gives, givers: map[int64]record.Values{}}
	for _, v := range rows {
		if d := c.edited[q.Type][v.ID()]; d != nil {
			v = d.v // the request changes it too
		}
		if to := v.Link(q.gives.To).ID; to != 0 && slices.Contains(q.ids, v.Link(q.gives.Of).ID) {
			g.givers[to] = v
		}
	}
	if len(g.givers) == 0 {
		return event{}
	}
	return event{t: q.Type, gifts: []*giving{g}}
}

// askTargets locks and reads the records that get values, and those that have them. The latter are locked against changes of what is
// given: whoever changes that waits, and then finds the giver.
func (c *consequences) askTargets(all []*giving) {
	for _, g := range all {
		g.sources = store.Answered([]record.Values(nil))
		if g.rule.Of != "" {
			var sources []int64
			for _, v := range g.givers {
				sources = append(sources, v.Link(g.rule.Of).ID)
			}
			slices.Sort(sources)
			g.sources = c.set.tx.Load(g.rule.Source, access.Machine(), slices.Compact(sources), store.LockKeep)
		}
		g.targets = c.set.tx.Load(g.rule.Target, access.Machine(), slices.Sorted(maps.Keys(g.givers)), store.LockWrite)
	}
}

// give sets the values of the records that get some.
func (c *consequences) give(g *giving) event {
	next, sources := event{t: g.rule.Target}, indexed(g.sources.Get())
	for _, v := range g.targets.Get() {
		if _, gone := c.gone[g.rule.Target][v.ID()]; gone {
			continue
		}
		giver := g.givers[v.ID()]
		source := record.Values{}
		if g.rule.Of != "" {
			source = sources[giver.Link(g.rule.Of).ID]
			if d := c.edited[g.rule.Source][source.ID()]; d != nil {
				source = d.v
			}
		}
		d := c.draft(v, c.set.items[0])
		if d.derived() {
			d.cause, d.field = c.causeOf(g.rule, giver, source)
		}
		changes := false
		g.rule.Apply(d.v, giver, source, func(field int, value any) {
			if given := !d.derived() && d.given.At(field) != nil; !given && !record.SameValue(d.v.At(field), value) {
				d.set(field, value)
				changes = true
			}
		})
		if changes {
			c.keep(d)
			next.changed = append(next.changed, d)
		}
	}
	return next
}

// causeOf returns the record of the request because of which another one gets values, and its field that errors are on.
func (c *consequences) causeOf(rule *record.GiveRule, giver, source record.Values) (cause *draft, field string) {
	if d := c.edited[rule.Type][giver.ID()]; d != nil && !d.derived() {
		return d, rule.To
	}
	fallback := c.draft(giver, c.set.items[0])
	if source.Type() != nil {
		fallback = c.draft(source, c.set.items[0])
	}
	return fallback.root(), fault.General
}
