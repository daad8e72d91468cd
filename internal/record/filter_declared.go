package record

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Filter is a filter besides those of the fields, or instead of one: a filter about a field may have the name of that field's own.
// Exactly one of Field, Path, Has, Set, Common, UsedBy, Usable, Is, Ignored and Never says what it tests.
type Filter struct {
	Name string

	Field   string   // a field of the record: ?devicetype_id= for the id of its device type
	Path    string   // what references lead to: "site.region", "[dcim.interface.device].mac_address". See route
	Has     []string // yes or no: there are records that refer to this one, by their types and fields: "dcim.interface.device"
	Set     string   // yes or no: this field has a value; of a First, one of its references. An AnyRef gets an index with all records
	Common  *Common  // the id of another record: both have a place in common
	UsedBy  bool     // the types of records that refer to this one: ?content_type=dcim.site
	Usable  string   // yes or no: this flag is set, and the record is the caller's own or shared (Owner, Shared)
	Is      string   // a value that every record has, for clients that ask for what none of ours can be set to
	Ignored bool     // accepted without effect, for clients that send what no list has
	Never   bool     // accepted, and no record matches

	// Secret says that the values are secrets: no form asks for them, and no link to another page has them. Field can be the key of a token:
	// who asks replaces the keys by their digests.
	Secret bool

	Lookup  Lookup              // Field: one of its lookups, which the plain name means. EqualFold needs an index, as drafted
	Words   map[string][]string // Field: what a word stands for. Any other word finds nothing
	OneOf   []string            // Field: yes or no, it has one of these values
	TypeIDs bool                // Field or UsedBy: types are given by their ids in the list of content types, not by name
	Subnet  string              // Path to an address: the id of a record with an address, in whose subnet it is. Both have this reference
	End     string              // Field, an address: the other field with which it makes a run of addresses. Lookup is a Run…
	Exactly bool                // Field or Path into a tree: that record alone, and nothing below it
	Or      []Or                // Field or Path that makes one filter: also what leads elsewhere
}

// addDeclared adds the filters of one declared Filter.
func (t *Type) addDeclared(m map[string]filter, x Filter) (err error) {
	if err := x.checkParts(); err != nil {
		return fmt.Errorf("its filter %s %w", x.Name, err)
	}
	switch {
	case x.Common != nil:
		m[x.Name], err = t.commonFilter(*x.Common)
	case x.Subnet != "":
		m[x.Name], err = t.subnetFilter(x)
	case x.Path != "":
		err = t.addPathFilters(m, x)
	case x.Has != nil:
		m[x.Name], err = t.hasFilter(x)
	case x.Set != "":
		m[x.Name], err = t.setFilter(x)
	case x.UsedBy:
		m[x.Name] = t.usedByFilter()
	case x.Usable != "":
		m[x.Name], err = t.usableFilter(x.Usable)
	case x.Is != "":
		m[x.Name] = isFilter(x.Is)
	case x.Ignored:
		m[x.Name] = constantFilter(Always)
	case x.Never:
		m[x.Name] = constantFilter(Never)
	case x.End != "":
		m[x.Name], err = t.runFilter(x)
	case x.Secret:
		m[x.Name], err = t.keyFilter(x)
	default:
		m[x.Name], err = t.fieldFilter(x)
	}
	if err == nil && x.TypeIDs {
		m[x.Name] = t.typeIDFilter(m[x.Name])
	}
	if err == nil && x.Or != nil {
		m[x.Name], err = t.orFilter(m[x.Name], x.Or)
	}
	if err != nil {
		return fmt.Errorf("its filter %s %w", x.Name, err)
	}
	return nil
}

// checkParts refuses parts of a declaration that say two things, or that don't go together.
func (x Filter) checkParts() error {
	tests := 0
	for _, said := range []bool{
		x.Field != "", x.Path != "", x.Has != nil, x.Set != "", x.Common != nil, x.UsedBy, x.Usable != "", x.Is != "",
		x.Ignored, x.Never,
	} {
		if said {
			tests++
		}
	}
	switch {
	case tests != 1:
		return errors.New("must have exactly one of Field, Path, Has, Set, Common, UsedBy, Usable, Is, Ignored and Never")
	case x.Field == "" && (x.Lookup != Exact || x.Words != nil || x.OneOf != nil):
		return errors.New("has a Lookup, Words or OneOf, which belong to a Field")
	case x.OneOf != nil && (x.Lookup != Exact || x.Words != nil || x.TypeIDs || x.End != "" || x.Or != nil):
		return errors.New("has a OneOf, which goes with nothing but its Field")
	case x.End != "" && (x.Field == "" || x.Words != nil || x.TypeIDs):
		return errors.New("has an End, which belongs to a Field without Words and TypeIDs")
	case x.Lookup != Exact && x.Words != nil:
		return errors.New("has a Lookup and Words, and needs only one of them")
	case x.TypeIDs && (x.Field == "" && !x.UsedBy || x.Lookup != Exact || x.Words != nil):
		return errors.New("has TypeIDs, which belong to a Field without Lookup and Words, or to UsedBy")
	case x.Subnet != "" && (x.Path == "" || x.Exactly || x.Or != nil):
		return errors.New("has a Subnet, which belongs to a Path and goes with nothing else")
	case (x.Exactly || x.Or != nil) && x.Field == "" && x.Path == "":
		return errors.New("is Exactly or has an Or, which belong to a Field or a Path")
	}
	return nil
}

// about returns the field of the record that the filter is about, whose own filter it may replace.
func (x Filter) about() string {
	first, _, _ := strings.Cut(x.Path, ".")
	first, _, _ = strings.Cut(first, "[")
	return cmp.Or(x.Field, x.Set, first, x.Name)
}

// keyFilter returns the filter for the tokens with a key. Its values are Plain until they are replaced by digests.
func (t *Type) keyFilter(x Filter) (filter, error) {
	f, ok := t.Field(x.Field).(Secret)
	if !ok || f.Seal != TokenKey {
		return filter{}, fmt.Errorf("is Secret, and %q is not the key of a token", x.Field)
	}
	return filter{lookups: []Lookup{Exact}, make: func(_ Lookup, values []string) (Predicate, error) {
		if len(values) > 1 { // links to further pages do not repeat keys, so there must be none
			return Predicate{}, Invalid("give one key")
		}
		return Predicate{Field: f, Values: []any{Plain(values[0])}}, nil
	}}, nil
}

// SecretFilters lists the filters whose values are secrets.
func (t *Type) SecretFilters() (names []string) {
	for _, x := range t.Filters {
		if x.Secret {
			names = append(names, x.Name)
		}
	}
	return names
}

// fieldFilter returns the filter for a field by another name, lookup or words.
func (t *Type) fieldFilter(x Filter) (filter, error) {
	f := t.Field(x.Field)
	if f == nil || !slices.Contains(f.Lookups(), x.Lookup) {
		return filter{}, fmt.Errorf("asks for %q by %q, and there is no such field or lookup", x.Field, x.Lookup)
	}
	ref, _ := ReferenceOf(f)
	tree := ref.Target != nil && !ref.Many && ref.Target.Tree()
	if x.Exactly && !tree {
		return filter{}, fmt.Errorf("is Exactly, and %s does not refer to a tree", x.Field)
	}
	p := Predicate{Field: f, Subtree: ref.IncludesBelow(t) && !x.Exactly}
	switch {
	case x.Words != nil:
		return wordsFilter(p, f, x.Words)
	case x.OneOf != nil:
		return oneOfFilter(p, f, x.OneOf)
	case x.Lookup == Exact:
		return plainFilter(p, f), nil
	}
	if own, ok := f.(Compared); ok {
		if part, ok := own.PartOf(x.Lookup); ok { // it has every lookup of a number
			return plainFilter(Predicate{Field: part}, part), nil
		}
	}
	out := plainFilter(p, f)
	ask := out.make
	if x.Lookup == EqualFold { // it keeps its other lookups
		out.make = func(l Lookup, values []string) (Predicate, error) {
			if other, ok := foldedLookups[l]; ok {
				l = other
			}
			test, err := ask(l, values)
			test.Indexed = l == EqualFold
			return test, err
		}
		return out, nil
	}
	out.lookups, out.make = []Lookup{Exact}, func(_ Lookup, values []string) (Predicate, error) { return ask(x.Lookup, values) }
	return out, nil
}

var foldedLookups = map[Lookup]Lookup{Exact: EqualFold, Not: NotEqualFold}

// wordsFilter returns the filter by words that stand for several values of a field.
func wordsFilter(p Predicate, f Field, words map[string][]string) (filter, error) {
	means := map[string][]any{}
	for word, texts := range words {
		values, err := parseTexts(f, Exact, texts)
		if err != nil {
			return filter{}, fmt.Errorf("says that %q means a value that %s can't have: %w", word, f.Info().Name, err)
		}
		means[word] = values
	}
	return filter{lookups: equalLookups, make: func(l Lookup, given []string) (Predicate, error) {
		p := p
		p.Lookup = l
		for _, word := range given {
			p.Values = append(p.Values, means[word]...)
		}
		return p, nil
	}}, nil
}

// oneOfFilter returns the filter by whether a field has one of some values.
func oneOfFilter(p Predicate, f Field, texts []string) (filter, error) {
	var err error
	if p.Values, err = parseTexts(f, Exact, texts); err != nil {
		return filter{}, fmt.Errorf("has in its OneOf what %s can't be: %w", f.Info().Name, err)
	}
	p.Fixed = f.Column().Storage == StoreText
	no := p
	if no.Lookup = Not; f.Info().HalfOf != "" { // it has one of a few types or none, and the index finds those
		no.Lookup, no.Values = Exact, []any{nil}
		for _, option := range f.Info().Choices {
			if !slices.Contains(p.Values, any(option.Value)) {
				no.Values = append(no.Values, option.Value)
			}
		}
	}
	return yesNoFilter(p, no), nil
}

// hasFilter returns the filter by whether records refer to this one.
func (t *Type) hasFilter(x Filter) (filter, error) {
	var hops []Hop
	for _, name := range x.Has {
		at := max(strings.LastIndex(name, "."), 0)
		hop, err := t.stepBack(name[:at], strings.TrimPrefix(name[at:], "."))
		if err != nil {
			return filter{}, fmt.Errorf("names %q: %w", name, err)
		}
		hops = append(hops, hop)
	}
	if len(hops) == 0 {
		return filter{}, errors.New("has an empty list of those that it Has")
	}
	return yesNoFilter(Predicate{Has: hops, Seen: true}, Predicate{Has: hops, Seen: true, Lookup: Not}), nil
}

// usedByFilter returns the filter by the types of the records that refer to this one.
func (t *Type) usedByFilter() filter {
	return filter{lookups: []Lookup{Exact}, make: func(_ Lookup, keys []string) (Predicate, error) {
		var hops []Hop
		for _, r := range t.reg.Referrers(t) {
			if slices.ContainsFunc(keys, func(key string) bool { return strings.EqualFold(key, r.Type.Key()) }) {
				hops = append(hops, Hop{Name: r.Field.Info().Name, Target: r.Type, Many: r.Many, Back: true})
			}
		}
		if hops == nil {
			return Predicate{Lookup: Never}, nil
		}
		return Predicate{Has: hops, Seen: true}, nil
	}}
}

// typeIDFilter returns a filter by the ids of types, from one by their names. An id that no type has finds nothing.
func (t *Type) typeIDFilter(named filter) filter {
	lookups := slices.DeleteFunc(slices.Clone(equalLookups), func(l Lookup) bool { return !slices.Contains(named.lookups, l) })
	return filter{lookups: lookups, make: func(l Lookup, texts []string) (Predicate, error) {
		ids, err := parseTexts(Int{}, l, texts)
		if err != nil {
			return Predicate{}, err
		}
		var keys []string
		for _, typ := range t.reg.types {
			if slices.Contains(ids, any(typ.ContentTypeID())) {
				keys = append(keys, typ.Key())
			}
		}
		switch {
		case keys != nil:
			return named.make(l, keys)
		case l == Not:
			return Predicate{Lookup: Always}, nil
		}
		return Predicate{Lookup: Never}, nil
	}}
}

// isFilter returns the filter by a value that every record has.
func isFilter(value string) filter {
	return filter{lookups: []Lookup{Exact}, make: func(_ Lookup, texts []string) (Predicate, error) {
		flag, err := Bool{}.ParseText(value)
		for _, text := range texts {
			given, bad := Bool{}.ParseText(text)
			if text == value || err == nil && bad == nil && given == flag {
				return Predicate{Lookup: Always}, nil
			}
		}
		return Predicate{Lookup: Never}, nil
	}}
}

// setFilter returns the filter by whether a field has a value. Neither an empty text nor JSON's null is one.
func (t *Type) setFilter(x Filter) (filter, error) {
	f := t.Field(x.Set)
	if first, ok := f.(First); ok {
		return first.set(t), nil
	}
	if ref, _ := ReferenceOf(f); ref.TypeField != "" {
		f = t.Field(ref.TypeField)
		return yesNoFilter(Predicate{Field: f, Lookup: NotNull}, Predicate{Field: f, Values: []any{nil}}), nil
	}
	if f == nil || f.Info().Hidden || f.Column().Storage == NoStorage || f.Column().Storage == StoreSealed {
		return filter{}, fmt.Errorf("asks whether %q is set, and there is no such field", x.Set)
	}
	return yesNoFilter(Predicate{Field: f, Lookup: Empty, Values: []any{false}}, Predicate{Field: f, Lookup: Empty, Values: []any{true}}), nil
}

// yesNoFilter returns the filter that takes true and false, with a test for each.
func yesNoFilter(yes, no Predicate) filter {
	return filter{lookups: []Lookup{Exact}, make: func(_ Lookup, texts []string) (Predicate, error) {
		values, err := parseTexts(Bool{}, Exact, texts)
		switch {
		case err != nil:
			return Predicate{}, err
		case slices.Contains(values, any(true)) && slices.Contains(values, any(false)):
			return Predicate{Lookup: Always}, nil
		case slices.Contains(values, any(true)):
			return yes, nil
		}
		return no, nil
	}}
}

// constantFilter returns a filter that takes any value.
func constantFilter(l Lookup) filter {
	return filter{lookups: []Lookup{Exact}, make: func(Lookup, []string) (Predicate, error) { return Predicate{Lookup: l}, nil }}
}
