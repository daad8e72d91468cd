package access

import (
	"slices"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Scope is the set of records of one type that a subject may touch with one action. Its zero value is empty.
type Scope struct {
	all   bool
	parts []Part
	by    Asker
	view  func(*record.Type) Scope // what else the subject may see; nil for everything
}

// Part is a list of alternatives, each a list of tests: a record passes it if it passes every test of one
// alternative.
type Part [][]record.Predicate

// limited returns a scope of one part.
func limited(alternatives ...[]record.Predicate) Scope { return Scope{parts: []Part{alternatives}} }

// By returns whom the scope was made for.
func (s Scope) By() Asker { return s.by }

// All reports whether the scope contains every record of its type.
func (s Scope) All() bool { return s.all }

// Empty reports whether the scope contains no record, whatever records there are.
func (s Scope) Empty() bool {
	return !s.all && slices.ContainsFunc(s.Parts(), func(p Part) bool { return len(p) == 0 })
}

// Parts returns what limits a scope that does not contain all records: a record belongs to it if it passes every
// part.
func (s Scope) Parts() []Part {
	if !s.all && len(s.parts) == 0 {
		return []Part{nil}
	}
	return s.parts
}

// Sees returns which records of another type the subject may view: those that a Count counts, a Borrowed shows, and a
// filter follows through a tree. So no answer reveals records that the subject may not see.
func (s Scope) Sees(other *record.Type) Scope {
	if s.view == nil {
		return Scope{all: true}
	}
	return s.view(other)
}

// CountsAll reports whether the counts that a record of a type shows, and what it is called, leave nothing out: its own, and
// those of the records that it refers to.
func (s Scope) CountsAll(t *record.Type) bool {
	for _, f := range t.All() {
		if !s.tellsAll(f) {
			return false
		}
		ref, _ := record.ReferenceOf(f)
		for _, target := range ref.Types() {
			for _, i := range target.BriefIndex() {
				if !s.tellsAll(target.All()[i]) {
					return false
				}
			}
		}
	}
	return true
}

func (s Scope) tellsAll(f record.Field) bool {
	if named, ok := f.(record.NamedBy); ok {
		return !slices.ContainsFunc(named.NamedBy(), func(t *record.Type) bool { return !s.Sees(t).all })
	}
	c, ok := f.(record.Counting)
	return !ok || !slices.ContainsFunc(c.Counts(), func(t *record.Type) bool { return !s.Sees(t).all })
}

// And narrows a scope by one more test.
func (s Scope) And(test record.Predicate) Scope {
	out := limited([]record.Predicate{test})
	if !s.all {
		out.parts = slices.Clone(s.Parts())
		first := make(Part, len(out.parts[0]))
		for i, all := range out.parts[0] {
			first[i] = append(slices.Clone(all), test)
		}
		out.parts[0] = first
	}
	out.by, out.view = s.by, s.view
	return out
}

// Machine returns the scope of what the program does itself, whoever the caller is: all records. It finds the dependants of a deleted
// record, for example.
func Machine() Scope { return Scope{all: true} }

// Policy is what the administrator configured for everybody.
type Policy struct {
	ExemptView    []string // types readable without permission; "*" for all that are not guarded
	LoginRequired bool     // nothing is exempt for an anonymous caller

	constraints constraints
}

// Scope decides what a subject may do with records of a type. It returns an error when
// that is nothing: the caller is unknown, or has no permission at all.
func (p *Policy) Scope(s *Subject, t *record.Type, action string) (Scope, error) {
	scope, err := p.decide(s, t, action)
	if err == nil {
		scope.by, scope.view = s.Asker(), p.view(s)
	}
	return scope, err
}

// Shown returns the scope in which a writer is shown what they wrote: all of it, but no count of records they may not
// see.
func (p *Policy) Shown(s *Subject) Scope { return Scope{all: true, by: s.Asker(), view: p.view(s)} }

// view returns what a subject may see of any type: without permission, nothing.
func (p *Policy) view(s *Subject) func(*record.Type) Scope {
	if s.Superuser {
		return nil
	}
	return func(t *record.Type) Scope {
		scope, _ := p.decide(s, t, View)
		return scope
	}
}

// decide returns the scope of an action. A write of a record that has an owner also needs the right to act for that
// owner. The scope is checked before and after a write, so both the old and the new owner count.
func (p *Policy) decide(s *Subject, t *record.Type, action string) (Scope, error) {
	scope, err := p.granted(s, t, action)
	if err == nil && t.Owner != "" && t.Shared == "" && !s.Superuser && slices.Contains([]string{Add, Change, Delete}, action) {
		scope = scope.both(p.owners(s, t))
	}
	return scope, err
}

// granted returns what permissions, exemptions and the defaults for everybody give.
func (p *Policy) granted(s *Subject, t *record.Type, action string) (Scope, error) {
	if s.Superuser { // before LoginRequired: the command line has no account
		return Scope{all: true}, nil
	}
	if s.Anonymous() && p.LoginRequired {
		return Scope{}, fault.ErrNoCreds
	}
	var alternatives Part
	granted := action == View && p.exempt(t)
	if granted {
		scope := exemptScope(t)
		if scope.all || s.Anonymous() {
			return scope, nil
		}
		alternatives = scope.parts[0]
	}
	if s.Anonymous() {
		return Scope{}, fault.ErrNoCreds
	}
	key := t.Key()
	for _, g := range s.Grants {
		if !slices.Contains(g.Actions, action) || !slices.Contains(g.Types, key) {
			continue
		}
		constraints, err := p.constraints.parse(t, g.Constraints, s.UserID)
		if err != nil {
			continue // saved for an earlier form of the type: it grants nothing rather than too much
		}
		granted = true
		if constraints == nil {
			return Scope{all: true}, nil
		}
		for _, tests := range constraints {
			alternatives = append(alternatives, slices.Concat(tests, untested(t)))
		}
	}
	if own := ownScope(s, t, action); own != nil {
		granted = true
		alternatives = append(alternatives, own...)
	}
	if !granted {
		return Scope{}, fault.ErrDenied
	}
	return limited(alternatives...), nil
}

// untested leaves out tests of webhooks. They repeat the record they were made with under another name, so a
// constraint that names types would not recognise it.
func untested(t *record.Type) []record.Predicate {
	if t.About == "" {
		return nil
	}
	return []record.Predicate{{Field: t.Field(t.About), Lookup: record.NotStarts, Values: []any{record.TestApp + "."}}}
}

// ownScope is the permission that everybody has by default: their own tokens, and what may be Shared. Making and changing tokens can be
// taken away; seeing and revoking them can't.
func ownScope(s *Subject, t *record.Type, action string) Part {
	if t.Owner == "" {
		return nil
	}
	own := record.Predicate{Field: t.Field(t.Owner), Values: []any{s.UserID}}
	if t.Shared != "" {
		return sharedScope(t, own, action)
	}
	switch action {
	case View, Delete:
	case Add, Change:
		if !s.ManageToken {
			return nil
		}
	default:
		return nil
	}
	return Part{{own}}
}

// sharedScope is what everybody may do with records of which some are shared: see their own and those, and write their own as long as
// they are private. They are private after the write too, because the scope is checked again.
func sharedScope(t *record.Type, own record.Predicate, action string) Part {
	shared := func(is bool) record.Predicate { return record.Predicate{Field: t.Field(t.Shared), Values: []any{is}} }
	switch action {
	case View:
		return Part{{own}, {shared(true)}}
	case Add, Change, Delete:
		return Part{{own, shared(false)}}
	}
	return nil
}

// owners returns the scope of records for whose owners a subject may act: themselves and, with the action "grant",
// others. Only superusers may act for a superuser, since such records open everything.
func (p *Policy) owners(s *Subject, t *record.Type) Scope {
	owner := t.Field(t.Owner)
	target := record.TargetOf(owner)
	scope := limited([]record.Predicate{{Field: owner, Values: []any{s.UserID}}})
	granted, err := p.granted(s, t, Grants)
	if err != nil {
		return scope
	}
	if flag := target.Elevated; flag != "" {
		granted = granted.And(record.Predicate{Via: []record.Hop{record.HopOf(owner)}, Field: target.Field(flag), Values: []any{false}})
	}
	return scope.Or(granted)
}

// exemptScope returns what an exemption opens: everything but records about sensitive types, such as the change log
// of users.
func exemptScope(t *record.Type) Scope {
	if t.About == "" {
		return Scope{all: true}
	}
	about := record.Predicate{Field: t.Field(t.About), Lookup: record.Not}
	for _, other := range t.Registry().Types() {
		if other.Sensitive {
			about.Values = append(about.Values, other.Key())
		}
	}
	return Scope{all: true}.And(about)
}

func (p *Policy) exempt(t *record.Type) bool {
	for _, name := range p.ExemptView {
		if name == t.Key() || (name == "*" && !t.Sensitive) {
			return true
		}
	}
	return false
}

// Or returns the union of two scopes of one type and one subject.
func (s Scope) Or(other Scope) Scope {
	out := Scope{all: s.all || other.all, by: s.by, view: s.view}
	if out.all {
		return out
	}
	for _, one := range s.Parts() {
		for _, two := range other.Parts() {
			out.parts = append(out.parts, slices.Concat(one, two))
		}
	}
	return out
}

// both returns the intersection of two scopes of one type and one subject.
func (s Scope) both(other Scope) Scope {
	switch {
	case s.all:
		return other
	case other.all:
		return s
	}
	return Scope{parts: slices.Concat(s.Parts(), other.Parts()), by: s.by, view: s.view}
}

// Themselves returns the scope of users that contains the subject alone.
func (p *Policy) Themselves(s *Subject) Scope {
	scope := limited([]record.Predicate{{Values: []any{s.UserID}}})
	scope.by, scope.view = s.Asker(), p.view(s)
	return scope
}
