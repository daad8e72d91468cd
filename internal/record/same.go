package record

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Same requires that the record behind Ref has the same value as this one: a location's parent is in the location's site. A change to
// any of the records is refused if it would break the rule.
type Same struct {
	Ref string // the reference, to one record or to many
	// Path leads to the value in the record behind it: "site", or through references, "assigned_object[dcim.interface].device".
	Path string
	Here string  // where the value is in this record; the default is Path, and "id" is the record itself
	Is   int64   // instead of Here: the number that the value must be
	Or   []Equal // it is enough if the values of one of these are equal
	// OrNone also allows the record behind Ref to have no value.
	OrNone bool
	// HereOnly checks the rule when this record is written, and not when another one changes.
	HereOnly bool

	On    string // the field that errors of this record are on; the default is Ref
	Says  string // what such an error says; the default names Ref and the value
	There string // what an error of another record says; %s is the name of this one
}

// Equal is two values that may be equal instead: at Path in the record behind the reference, and at Here in this one, or at Path too.
type Equal struct {
	Path, Here string
	Unless     string // a path in the record behind the reference, to a flag: with it the values do not count
}

// SameRule is a Same of a type, with its paths resolved. A reference to one of several types makes a rule for each of them.
type SameRule struct {
	Same
	ReferenceField
	Type  *Type // the type that declares it
	To    *Type // the type behind the reference
	Pairs []SamePair
}

// SamePair is two values of a rule that may be equal. That of this record is nil where it must be a given number.
type SamePair struct {
	Mine, Theirs *Track
	Unless       *Track
}

// Track leads from a record, through references to one record each, to a value.
type Track struct {
	Steps []Step
	At    *Type  // the type of the record that has the value
	Value Column // its id, if it has no name
	field int    // where the value is written in At; -1 for the id
}

// Step is one reference on a Track.
type Step struct {
	From *Type
	By   ReferenceField
	To   *Type
	Hop  string // all references so far
}

// Key names the rule.
func (r *SameRule) Key() string {
	key := r.Type.Key() + " " + r.Ref + " " + r.Path
	if r.TypeField != "" {
		key += " " + r.To.Key()
	}
	return key
}

// Concerns reports whether a record refers to one that the rule compares it with.
func (r *SameRule) Concerns(v Values) bool {
	return slices.ContainsFunc(r.Links(v), func(l Link) bool { return r.Of(l) == r.To })
}

func (t *Type) buildSame(rule Same) error {
	i := slices.IndexFunc(t.references, func(f ReferenceField) bool { return f.Name == rule.Ref })
	if i < 0 {
		return fmt.Errorf("its Same names %q, which is not a reference", rule.Ref)
	}
	ref := t.references[i]
	rule.On = cmp.Or(rule.On, ref.IDField, ref.Name)
	if t.Field(rule.On) == nil {
		return fmt.Errorf("its Same reports errors on %q, and there is no such field", rule.On)
	}
	for _, to := range ref.Types() {
		if err := t.buildSameTo(rule, ref, to); err != nil {
			return err
		}
	}
	return nil
}

func (t *Type) buildSameTo(rule Same, ref ReferenceField, to *Type) error {
	r := &SameRule{Same: rule, ReferenceField: ref, Type: t, To: to}
	for i, e := range append([]Equal{{Path: rule.Path, Here: rule.Here}}, rule.Or...) {
		pair := SamePair{}
		var err error
		if pair.Theirs, err = to.track(e.Path); err == nil && (i > 0 || rule.Is == 0) {
			pair.Mine, err = t.track(cmp.Or(e.Here, e.Path))
		}
		if err == nil && e.Unless != "" {
			pair.Unless, err = to.track(e.Unless)
		}
		switch {
		case err != nil:
			return fmt.Errorf("its Same names %w", err)
		case pair.Unless != nil && pair.Unless.Value.Storage != StoreBool:
			return fmt.Errorf("its Same has an Unless %q, which is not a yes or no", e.Unless)
		}
		r.Pairs = append(r.Pairs, pair)
	}
	add := func(t *Type, side Side, field int) {
		if side.Refers() || !rule.HereOnly {
			t.watches = watch(t.watches, r, side, field)
		}
	}
	addWritten := func(t *Type, side Side, by ReferenceField) {
		for _, i := range slices.Backward(by.Written) { // the id before the type, which is what people change
			add(t, side, i)
		}
	}
	addWritten(t, Side{}, ref)
	for _, pair := range r.Pairs {
		for i, track := range []*Track{pair.Mine, pair.Theirs, pair.Unless} {
			if track == nil {
				continue
			}
			side := Side{Theirs: i > 0}
			for _, s := range track.Steps {
				addWritten(s.From, side, s.By)
				side.Hop = s.Hop
			}
			if track.field >= 0 {
				add(track.At, side, track.field)
			}
		}
	}
	return nil
}

// partial is a field that shows a part of another one's column.
type partial interface {
	partOf() (field string, part Column)
}

// track resolves a path from a record of the type to a value.
func (t *Type) track(path string) (*Track, error) {
	wrong := fmt.Errorf("%q, which leads from %s to no column", path, t.Key())
	track := &Track{At: t, Value: Column{Name: "id", Storage: StoreInt}, field: -1}
	for rest := path; ; {
		step := pathStep.FindStringSubmatch(rest)
		if step == nil {
			return nil, wrong
		}
		name, to := step[1], step[2]
		if rest = rest[len(step[0]):]; rest == "" && name == "id" {
			return track, nil
		}
		f := track.At.Field(name)
		ref, refers := ReferenceOf(f)
		switch part, isPart := f.(partial); {
		case refers && ref.Many:
			return nil, fmt.Errorf("%q, which leads to many records", path)
		case rest == "" && isPart:
			name, track.Value = part.partOf()
			track.field = track.At.Index(name)
			return track, nil
		case f == nil || rest == "" && f.Column().Storage == NoStorage || rest != "" && !refers:
			return nil, wrong
		case rest == "":
			track.Value, track.field = f.Column(), track.At.Index(name)
			return track, nil
		}
		hop, _, err := track.At.step(name, to)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", path, err)
		}
		by, _ := track.At.reference(name)
		track.Steps = append(track.Steps, Step{track.At, by, hop.Target, strings.TrimSuffix(path[:len(path)-len(rest)], ".")})
		track.At = hop.Target
	}
}
