package access

import (
	"slices"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Scope is the set of records of one type that a subject may touch with one action. Its
// zero value holds nothing.
type Scope struct {
	all bool
	any [][]record.Predicate
}

// All tells whether the scope holds every record of its type.
func (s Scope) All() bool { return s.all }

// Any returns the alternatives of a scope that is limited: a record belongs to it when
// every test of one alternative holds. None and not All means that nothing belongs.
func (s Scope) Any() [][]record.Predicate { return s.any }

// Machine is the scope of work the program does on its own account, such as following
// the dependants of a deleted record.
func Machine() Scope { return Scope{all: true} }

// Policy is what the administrator configured for everybody.
type Policy struct {
	ExemptView    []string // types readable without permission; "*" for all that are not guarded
	LoginRequired bool     // nothing is exempt for an anonymous caller
}

// Scope decides what a subject may do with records of a type. It returns an error when
// that is nothing: the caller is unknown, or has no permission at all.
func (p *Policy) Scope(s *Subject, t *record.Type, action string) (Scope, error) {
	if s.Superuser { // before LoginRequired: the command line is nobody's account
		return Scope{all: true}, nil
	}
	if s.Anonymous() && p.LoginRequired {
		return Scope{}, fault.ErrNoCreds
	}
	if action == View && p.exempt(t) {
		return Scope{all: true}, nil
	}
	if s.Anonymous() {
		return Scope{}, fault.ErrNoCreds
	}
	var scope Scope
	granted := false
	for _, g := range s.Grants {
		if !slices.Contains(g.Types, t.Key()) || !slices.Contains(g.Actions, action) {
			continue
		}
		alternatives, err := record.ParseConstraints(t, g.Constraints, s.UserID)
		if err != nil {
			continue // saved for another shape of the type: it grants nothing rather than too much
		}
		granted = true
		if alternatives == nil {
			return Scope{all: true}, nil
		}
		scope.any = append(scope.any, alternatives...)
	}
	if own := ownScope(s, t, action); own != nil {
		granted = true
		scope.any = append(scope.any, own)
	}
	if !granted {
		return Scope{}, fault.ErrDenied
	}
	return scope, nil
}

// ownScope is the permission everybody has by default: their own tokens. Making and
// changing them can be taken away; seeing and revoking them can't.
func ownScope(s *Subject, t *record.Type, action string) []record.Predicate {
	if t.Owner == "" {
		return nil
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
	return []record.Predicate{{Field: t.Field(t.Owner), Values: []any{s.UserID}}}
}

func (p *Policy) exempt(t *record.Type) bool {
	for _, name := range p.ExemptView {
		if name == t.Key() || (name == "*" && !t.Guarded) {
			return true
		}
	}
	return false
}

// Or joins two scopes of one type.
func (s Scope) Or(other Scope) Scope {
	return Scope{all: s.all || other.all, any: slices.Concat(s.any, other.any)}
}

// Themselves is the scope of users that holds the subject alone.
func Themselves(s *Subject) Scope {
	return Scope{any: [][]record.Predicate{{{Values: []any{s.UserID}}}}}
}
