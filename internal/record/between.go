package record

import (
	"fmt"
	"slices"
	"strings"
)

// Follows means that some fields take their values from the record that Of refers to. One that is null is set when the record begins to
// refer to it, or when a request empties the field. One that has a value keeps it: a Same decides whether it may. Whenever they change
// there, they change here. If two rules of a type set one field, the first one counts.
type Follows struct {
	Fields []string // of both types
	Of     string   // a reference to one record
}

// Path leads from a record to one of its fields, or to a field of a record that it refers to.
type Path []Field

// Side is one of the records that a rule looks at: the one that has the reference, the one behind it, or one that these refer to.
type Side struct {
	Theirs bool   // the record behind the reference, or one that it refers to
	Hop    string // the references through which it is reached; "" for the record itself
}

// Refers reports whether it is the record that has the reference.
func (s Side) Refers() bool { return s == Side{} }

// Watching says that a change of some fields of a type can break a rule.
type Watching[R comparable] struct {
	Rule   R
	Side   Side // the side that records of the type are on
	Fields []int
}

// Watch says that a change of some fields of a type can break a Same.
type Watch = Watching[*SameRule]

// Watches returns the Same rules, of whatever type, that a change to a record of this type can break.
func (t *Type) Watches() []Watch { return t.watches }

// Follower is a type whose records follow those of another one.
type Follower struct {
	Type *Type
	Follows
}

// Followers returns the types whose records follow those of this type.
func (t *Type) Followers() []Follower { return t.followers }

// buildBetween resolves the fields that the rules between records name.
func (t *Type) buildBetween() error {
	for _, d := range t.Defaults {
		if err := t.buildDefault(d); err != nil {
			return err
		}
	}
	for _, rule := range t.Same {
		if err := t.buildSame(rule); err != nil {
			return err
		}
	}
	for i, rule := range t.Follows {
		if err := t.buildFollows(rule); err != nil {
			return err
		}
		if later := t.setLater(t.Follows[i:]); later != "" {
			return fmt.Errorf("its Follows of %q takes %q from its own type before another one sets it: declare it after that one", rule.Of, later)
		}
	}
	for _, rule := range t.Together {
		if err := t.buildTogether(rule); err != nil {
			return err
		}
	}
	for _, rule := range t.Gives {
		if err := t.buildGives(rule); err != nil {
			return err
		}
	}
	for _, c := range t.Children {
		if err := t.buildChildren(c); err != nil {
			return err
		}
	}
	return t.checkWith()
}

// pathTo finds the fields that a path of at most two names leads through.
func (t *Type) pathTo(path string) (Path, error) {
	if path == "" {
		return nil, nil
	}
	var fields Path
	at := t
	for name := range strings.SplitSeq(path, ".") {
		if len(fields) == 2 || at == nil || at.Field(name) == nil || at.Field(name).Column().Storage == NoStorage {
			return nil, fmt.Errorf("%q, which leads from %s to no column", path, t.Key())
		}
		f := at.Field(name)
		ref, refers := ReferenceOf(f)
		if refers && ref.Many {
			return nil, fmt.Errorf("%q, which leads to many records", path)
		}
		fields, at = append(fields, f), ref.Target
	}
	return fields, nil
}

// watchPath adds the fields on a path, with the types and the sides that they are on.
func watchPath(from *Type, p Path, theirs bool, add func(*Type, Side, Field)) {
	if len(p) == 0 {
		return
	}
	add(from, Side{Theirs: theirs}, p[0])
	if len(p) == 2 {
		add(TargetOf(p[0]), Side{Theirs: theirs, Hop: p[0].Info().Name}, p[1])
	}
}

// watch notes that a change of a field, in records on one side of a rule, can break it.
func watch[R comparable](watches []Watching[R], rule R, side Side, field int) []Watching[R] {
	for i, w := range watches {
		if w.Rule == rule && w.Side == side {
			if !slices.Contains(w.Fields, field) {
				watches[i].Fields = append(watches[i].Fields, field)
			}
			return watches
		}
	}
	return append(watches, Watching[R]{rule, side, []int{field}})
}

func (t *Type) buildFollows(rule Follows) error {
	ref, ok := ReferenceOf(t.Field(rule.Of))
	if !ok || ref.Many || ref.Target == nil {
		return fmt.Errorf("its Follows names %q, which is not a reference to one record", rule.Of)
	}
	if len(rule.Fields) == 0 {
		return fmt.Errorf("its Follows of %q names no fields", rule.Of)
	}
	for _, name := range rule.Fields {
		mine, theirs := t.Field(name), ref.Target.Field(name)
		if why := notTaken(mine, theirs, ref.Target); why != "" {
			return fmt.Errorf("its Follows names %q, which %s", name, why)
		}
	}
	ref.Target.followers = append(ref.Target.followers, Follower{t, rule})
	return nil
}

// setLater returns a field that the first rule takes from a record of this same type, and that a later rule sets; "" if there is none. In
// one request the leader could get it from the later rule, too late for its followers.
func (t *Type) setLater(rules []Follows) string {
	first := rules[0]
	if TargetOf(t.Field(first.Of)) != t {
		return ""
	}
	for _, rule := range rules[1:] {
		for _, name := range rule.Fields {
			if slices.Contains(first.Fields, name) {
				return name
			}
		}
	}
	return ""
}

// notTaken returns the reason why the value of a field of another type can't be taken over, "" if it can.
func notTaken(mine, theirs Field, from *Type) string {
	if why := notCopied(mine, theirs, from); why != "" {
		return why
	}
	if mine.Info().Immutable != "" {
		return "can't change"
	}
	return ""
}

// notCopied returns the reason why a new record can't have the value that a field has in a record of another type, "" if it can.
func notCopied(mine, theirs Field, from *Type) string {
	switch {
	case mine == nil || theirs == nil || !alike(mine, theirs):
		return "is not the same kind of field in " + from.Key()
	case mine.Info().ReadOnly:
		return "is read-only"
	case theirs.Info().Null && !mine.Info().Null:
		return "can be null in " + from.Key() + " and not here"
	}
	return ""
}

// alike reports whether a value of one field can be copied into another. Both need one column of the same form. References must be to
// one record of the same type.
func alike(a, b Field) bool {
	if a.Info().HalfOf != "" || b.Info().HalfOf != "" || a.Column().Storage == StoreMembers {
		return false // half of a reference means nothing alone, and custom fields differ from type to type
	}
	ra, refersA := ReferenceOf(a)
	rb, refersB := ReferenceOf(b)
	return a.Column().Storage != NoStorage && a.Column().Storage == b.Column().Storage &&
		refersA == refersB && ra.Target == rb.Target && !ra.Many && !rb.Many && ra.TypeField == "" && rb.TypeField == ""
}
