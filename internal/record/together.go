package record

import (
	"errors"
	"fmt"
	"slices"
)

// Together is a rule over the records that refer to the same one, its owner: the devices in a rack. Check gets the owner and all of its
// members as they are after a change, and returns what is wrong. It runs before the change is committed, and nobody else can change
// what it reads meanwhile. It does not run when a member leaves its owner or is deleted, so that must not break the rule.
type Together struct {
	Of string // the reference to the owner
	// Reads names the values of a member that Check needs: "position", or one reference further, "device_type.u_height".
	Reads []string
	// OwnerReads names those of the owner in the same way.
	OwnerReads []string
	// Check is a pure function. It runs only for owners that have members, which it gets in the order of their ids.
	Check func(owner Member, members []Member) []Clash
}

// Clash says what is wrong with a member. The error is reported on the record that was changed: on Field of the member or of With, or on
// the owner or a record that one of them reads. A clash of records that nobody has changed is not reported.
type Clash struct {
	Member  int64  // its id
	With    int64  // the id of another member that is wrong in the same way, 0 for none
	Field   string // of the member; the default is the reference to the owner
	Message string // a sentence that is true of both members
	Other   string // how Message begins: "Another device". Callers who may see the other member read its name instead
}

// Member is an owner or a member, as a Check sees it.
type Member struct {
	id     int64
	paths  []string
	values []any
}

// NewMember returns a member with these values, by path. They are as the database has them: a reference is an id.
func NewMember(id int64, paths []string, values []any) Member { return Member{id, paths, values} }

// ID returns the record's id.
func (m Member) ID() int64 { return m.id }

// Get returns the value at a path, nil if it is null. It panics on a path that the rule does not read.
func (m Member) Get(path string) any {
	i := slices.Index(m.paths, path)
	if i < 0 {
		panic(fmt.Sprintf("record: a Check asks for %q, which its Together does not read", path))
	}
	return m.values[i]
}

// Text returns a text or choice, "" if it is null.
func (m Member) Text(path string) string {
	s, _ := m.Get(path).(string)
	return s
}

// Int returns a whole number or the id of a reference, 0 if it is null.
func (m Member) Int(path string) int64 {
	n, _ := m.Get(path).(int64)
	return n
}

// Float returns a number, 0 if it is null.
func (m Member) Float(path string) float64 {
	n, _ := m.Get(path).(float64)
	return n
}

// Bool returns a boolean, false if it is null.
func (m Member) Bool(path string) bool {
	b, _ := m.Get(path).(bool)
	return b
}

// Ints returns a list of whole numbers.
func (m Member) Ints(path string) []int64 {
	n, _ := m.Get(path).([]int64)
	return n
}

// TogetherRule is a Together of a type, with its paths resolved to fields.
type TogetherRule struct {
	Together
	Type   *Type // the type of the members, which declares it
	Owner  *Type
	Mine   Read // what is read of a member
	Theirs Read // what is read of the owner
}

// Read is what a rule reads of a record.
type Read struct {
	Names []string // of the paths
	Paths []Path
	Hops  []string // the references that the paths lead through; each is among the paths too
}

// Key names the rule.
func (r *TogetherRule) Key() string { return r.Type.Key() + " " + r.Of }

// ReadsBeyond reports whether the rule reads records besides the owner and its members.
func (r *TogetherRule) ReadsBeyond() bool { return len(r.Mine.Hops)+len(r.Theirs.Hops) > 0 }

// TogetherWatch says that a change of some fields of a type can break a Together. The owner is on the side Theirs.
type TogetherWatch = Watching[*TogetherRule]

// togetherRules are the Together rules of a type, and those that its records can break.
type togetherRules struct {
	own     []*TogetherRule
	watches []TogetherWatch
}

// TogetherWatches returns the Together rules, of whatever type, that a change to a record of this type can break.
func (t *Type) TogetherWatches() []TogetherWatch { return t.together.watches }

func (t *Type) buildTogether(rule Together) error {
	ref, ok := ReferenceOf(t.Field(rule.Of))
	if !ok || ref.Many || ref.Target == nil {
		return fmt.Errorf("its Together is of %q, which is not a reference to one record", rule.Of)
	}
	if rule.Check == nil {
		return fmt.Errorf("its Together of %q has no Check", rule.Of)
	}
	r := &TogetherRule{Together: rule, Type: t, Owner: ref.Target}
	for _, other := range t.together.own {
		if other.Of == rule.Of {
			return fmt.Errorf("its Together of %q is declared twice", rule.Of)
		}
	}
	t.together.own = append(t.together.own, r)
	var err error
	if r.Mine, err = t.readOf(rule.Reads); err == nil {
		r.Theirs, err = ref.Target.readOf(rule.OwnerReads)
	}
	if err != nil {
		return fmt.Errorf("its Together of %q reads %w", rule.Of, err)
	}
	add := func(t *Type, side Side, f Field) {
		t.together.watches = watch(t.together.watches, r, side, t.Index(f.Info().Name))
	}
	add(t, Side{}, t.Field(rule.Of))
	for _, p := range r.Mine.Paths {
		watchPath(t, p, false, add)
	}
	for _, p := range r.Theirs.Paths {
		watchPath(ref.Target, p, true, add)
	}
	return nil
}

// Reads resolves paths, so that a few values of many records can be read: "position", "device_type.u_height".
func (t *Type) Reads(paths ...string) (Read, error) { return t.readOf(paths) }

// readOf resolves paths. A reference that one of them leads through is read too.
func (t *Type) readOf(paths []string) (r Read, err error) {
	add := func(name string) (Path, error) {
		path, err := t.pathTo(name)
		if err == nil && len(path) == 0 {
			err = errors.New(`"", which is not a path`)
		}
		if err != nil || slices.Contains(r.Names, name) {
			return path, err
		}
		if s := path[len(path)-1].Column().Storage; s == StoreMembers || s == StoreSealed {
			return nil, fmt.Errorf("%q, which no Check can read", name)
		}
		r.Names, r.Paths = append(r.Names, name), append(r.Paths, path)
		return path, nil
	}
	for _, name := range paths {
		path, err := add(name)
		if err != nil {
			return r, err
		}
		if len(path) == 1 {
			continue
		}
		hop := path[0].Info().Name
		if _, err := add(hop); err != nil {
			return r, err
		}
		if !slices.Contains(r.Hops, hop) {
			r.Hops = append(r.Hops, hop)
		}
	}
	return r, nil
}
