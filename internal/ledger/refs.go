package ledger

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// resolver turns the references of a change set into links: one statement per type
// referred to, and one per combination of attributes that references were written with. Those that are unclear are asked for once more.
type resolver struct {
	set *changeSet

	wanted  map[*record.Type]map[int64]bool
	matches map[*record.Type]map[string][]record.Predicate // by their key
	links   map[*record.Type]map[int64]record.Link
	matched map[*record.Type]map[string]outcome
}

// outcome is the result of looking for the one record that attributes or a text describe.
type outcome struct {
	links []record.Link
	cut   bool // there may be more
}

func newResolver(s *changeSet) *resolver {
	return &resolver{set: s,
		wanted: map[*record.Type]map[int64]bool{}, matches: map[*record.Type]map[string][]record.Predicate{},
		links: map[*record.Type]map[int64]record.Link{}, matched: map[*record.Type]map[string]outcome{}}
}

// resolve replaces every reference that a draft changes by the record that it means. The record must exist, and the caller must see it
// unless the draft has the reference already. Otherwise the draft gets an error. New records get their ids.
func (s *changeSet) resolve(ctx context.Context, b *batch) error {
	s.askCustoms(b)
	r := newResolver(s)
	fields := referenceFields(b.t)
	for _, d := range b.drafts {
		for _, f := range fields {
			if f.changed(d) {
				had := f.had(d)
				for _, link := range f.Links(d.v) {
					if _, kept := f.kept(had, link); !kept {
						r.want(f.Of(link), link)
					}
				}
			}
		}
	}
	if err := r.load(ctx); err != nil {
		return err
	}
	if err := r.narrow(ctx, b, fields); err != nil {
		return err
	}
	for _, d := range b.drafts {
		for _, f := range fields {
			if f.changed(d) {
				r.settle(d, f)
			}
		}
	}
	b.number()
	return nil
}

// number gives new records their ids.
func (b *batch) number() {
	if b.ids == nil {
		return
	}
	for i, id := range b.ids.Get() {
		b.drafts[i].v.SetID(id)
	}
}

func (r *resolver) want(t *record.Type, link record.Link) {
	if r.wanted[t] == nil {
		r.wanted[t], r.matches[t] = map[int64]bool{}, map[string][]record.Predicate{}
	}
	if link.Match == nil {
		r.wanted[t][link.ID] = true
		return
	}
	if link.Named != nil && link.Named.ID != 0 {
		r.wanted[t][link.Named.ID] = true
	}
	for _, match := range readings(link) {
		r.matches[t][matchKey(match)] = match
	}
}

// readings returns the attributes that a reference may mean: a text may be the slug or the name of a record.
func readings(link record.Link) (all [][]record.Predicate) {
	if len(link.Match) > 0 {
		all = append(all, link.Match)
	}
	if link.Named != nil && len(link.Named.Also) > 0 {
		all = append(all, link.Named.Also)
	}
	return all
}

// found returns the records that a reference by attributes or by a text may mean, except by the id in the text.
func (r *resolver) found(t *record.Type, link record.Link) (all outcome) {
	for _, match := range readings(link) {
		o := r.matched[t][matchKey(match)]
		all.cut = all.cut || o.cut
		for _, candidate := range o.links {
			if !slices.ContainsFunc(all.links, func(l record.Link) bool { return l.ID == candidate.ID }) {
				all.links = append(all.links, candidate)
			}
		}
	}
	return all
}

// matchKey returns a key for a combination of attributes and values.
func matchKey(match []record.Predicate) string {
	slices.SortFunc(match, func(a, b record.Predicate) int { return strings.Compare(shape(a), shape(b)) })
	var b strings.Builder
	for _, p := range match {
		fmt.Fprintf(&b, "%s=%q;", shape(p), fmt.Sprint(p.Values...))
	}
	return b.String()
}

// shape returns a key for what a test looks at, whatever the value.
func shape(p record.Predicate) string {
	var b strings.Builder
	for _, hop := range p.Via {
		b.WriteString(hop.Name + "__")
	}
	if p.Field != nil {
		b.WriteString(p.Field.Info().Name)
	}
	return b.String()
}

// load reads everything that is wanted in one round trip.
func (r *resolver) load(ctx context.Context) error {
	// All change sets lock in the order of types, so that they don't deadlock.
	types := slices.SortedFunc(maps.Keys(r.wanted), func(a, b *record.Type) int { return strings.Compare(a.Key(), b.Key()) })
	var found []func()
	for _, t := range types {
		scope := r.set.l.referable(r.set.caller, t)
		found = append(found, r.loadIDs(t, scope), r.loadMatches(t, scope))
	}
	if err := r.set.tx.Flush(ctx); err != nil {
		return err
	}
	for _, fill := range found {
		fill()
	}
	return nil
}

const userType = "users.user"

// loadIDs queues the query for the records named by id. It returns a function that reads the answer.
func (r *resolver) loadIDs(t *record.Type, scope access.Scope) func() {
	r.links[t] = map[int64]record.Link{}
	found := store.Answered([]store.Found(nil))
	if ids := slices.Sorted(maps.Keys(r.wanted[t])); len(ids) > 0 {
		found = r.set.tx.Resolve(t, scope, []record.Predicate{{Values: record.AnyOf(ids)}}, len(ids))
	}
	return func() {
		for _, f := range found.Get() {
			r.links[t][f.Link.ID] = f.Link
		}
	}
}

// groupLimit limits how many candidates are read for each match in a group. An attribute that fits half the table must not read all
// of that.
const groupLimit = 20

// loadMatches queues one query for all matches that test the same attributes. It returns a function that assigns the candidates to the
// matches.
func (r *resolver) loadMatches(t *record.Type, scope access.Scope) func() {
	r.matched[t] = map[string]outcome{}
	groups := map[string][]string{}
	for key, match := range r.matches[t] {
		var parts []string
		for _, p := range match {
			parts = append(parts, shape(p))
			if p.Field == nil || len(p.Via) > 0 || p.Lookup != record.Exact || p.Values[0] == nil {
				parts = append(parts, key) // not a plain column with a value: queried on its own
			}
		}
		group := strings.Join(parts, ",")
		groups[group] = append(groups[group], key)
	}
	order := slices.Sorted(maps.Keys(groups))
	found := make([]*store.Promise[[]store.Found], len(order))
	for n, group := range order {
		keys := groups[group]
		tests := slices.Clone(r.matches[t][keys[0]])
		for i := range tests {
			tests[i].Values = nil
			for _, key := range keys {
				tests[i].Values = append(tests[i].Values, r.matches[t][key][i].Values...)
			}
		}
		found[n] = r.set.tx.Resolve(t, scope, tests, groupLimit*len(keys))
	}
	return func() {
		for n, group := range order {
			rows := found[n].Get()
			for _, f := range rows {
				r.match(t, groups[group], f)
			}
			for _, key := range groups[group] {
				o := r.matched[t][key]
				o.cut = len(rows) == groupLimit*len(groups[group])
				r.matched[t][key] = o
			}
		}
	}
}

// match adds a candidate to every match that it fits.
func (r *resolver) match(t *record.Type, keys []string, f store.Found) {
	for _, key := range keys {
		if len(keys) == 1 || fits(r.matches[t][key], f.Asked) {
			r.matched[t][key] = outcome{links: append(r.matched[t][key].links, f.Link)}
		}
	}
}

func fits(match []record.Predicate, asked []any) bool {
	for i, p := range match {
		if !slices.ContainsFunc(p.Values, func(v any) bool { return record.SameValue(v, asked[i]) }) {
			return false
		}
	}
	return true
}

// settle sets the found links in a draft.
func (r *resolver) settle(d *draft, f reference) {
	if half := f.Missing(d.v); half != "" && len(d.errs[f.TypeField]) == 0 && len(d.errs[f.IDField]) == 0 {
		d.errs.Add(half, "%s and %s go together: give both, or null for both.", f.TypeField, f.IDField)
	}
	links, had := f.Links(d.v), f.had(d)
	settled := make([]record.Link, 0, len(links))
	for _, link := range links {
		if kept, ok := f.kept(had, link); ok {
			settled = append(settled, kept)
			continue
		}
		resolved, message := r.lookUp(f.Of(link), link, had)
		if message != "" {
			d.errs.Add(cmp.Or(f.IDField, f.Name), "%s", message)
			continue
		}
		resolved.Of = link.Of
		settled = append(settled, resolved)
	}
	switch {
	case f.Many:
		slices.SortFunc(settled, func(a, b record.Link) int { return cmp.Compare(a.ID, b.ID) })
		settled = slices.CompactFunc(settled, func(a, b record.Link) bool { return a.ID == b.ID })
		d.v.SetAt(f.Index, settled)
	case len(settled) == 1:
		d.v.SetAt(f.Index, settled[0])
	case f.TypeField != "": // both halves were emptied
		d.v.SetAt(f.Index, nil)
	}
}

// lookUp returns the record that a reference means, or the reason why there is none. A reference that the record has already may be to
// one that the caller can't see.
func (r *resolver) lookUp(t *record.Type, link record.Link, had map[int64]record.Link) (record.Link, string) {
	if link.Match == nil {
		if found, ok := r.links[t][link.ID]; ok {
			return found, ""
		}
		return link, fmt.Sprintf("Related object not found using the provided numeric ID: %d", link.ID)
	}
	o := r.found(t, link)
	if link.Named != nil {
		return r.lookUpNamed(t, link, o, had)
	}
	switch len(o.links) {
	case 0:
		return link, "Related object not found using the provided attributes: " + describe(link.Match)
	case 1:
		return o.links[0], ""
	default:
		return link, "Multiple objects match the provided attributes: " + describe(link.Match)
	}
}

func describe(match []record.Predicate) string {
	parts := make([]string, len(match))
	for i, p := range match {
		parts[i] = fmt.Sprintf("%s: %v", cmp.Or(shape(p), "id"), p.Values[0])
	}
	return strings.Join(parts, ", ")
}
