package record

import (
	"slices"
	"strings"

	"terrier/internal/fault"
)

// Predicate is one test on a record. Filters and the constraints of permissions are lists of these. The store compiles both in the
// same way.
type Predicate struct {
	Via     []Hop // references followed before the test
	Field   Field // what is tested; nil is the id
	Lookup  Lookup
	Values  []any // any of them; nil among them means null
	Texts   int   // how many texts made the values, where each makes many
	All     bool  // Refs: every one of the values, not any
	OrNone  bool  // Via: also true if there is nothing to follow
	Subtree bool  // a reference into a tree: the record itself or any below it
	Seen    bool  // Via: only through records that the caller may see
	First   bool  // Via: what it leads to is looked up before the list is read
	Unless  Field // false for records with this flag, or with this reference
	// UnlessAt is how many steps of Via lead to the record that has the flag.
	UnlessAt int
	Indexed  bool   // there is an index for this test
	Fixed    bool   // Values are those of a declaration, and texts: PostgreSQL knows them when it plans
	Custom   string // the custom field tested; Field then says how its values compare
	Has      []Hop  // instead of Field: there are records that refer to this one through any of these steps back. Lookup may be Not
	// Exists is instead of Field: there is a record of this type with one of the ids in Values.
	Exists *Type
	// KeyOf says that Values are keys of records of this type: Field is the one field by which people name such a record.
	KeyOf *Type
	// Subnet is a reference beside Field, an address: it is in the subnet of that of a record with one of the ids in Values, which has the
	// same reference.
	Subnet Field
	// Did is instead of Field: one of the requests in Values took one of these actions on the record.
	Did []string

	// Asker is instead of Values: the id of the caller.
	Asker bool

	Any   []Predicate // instead of Lookup and Values: at least one of these. Lookup may be Not
	Every []Predicate // instead of Lookup and Values: all of these
}

// Always and Never are true and false for every record.
const (
	Always Lookup = "always"
	Never  Lookup = "never"
)

// Between tests whether a value is in one of the given ranges. Kinds of field use it for their own lookups.
const Between Lookup = "between"

// Range is all values of a column from one to another.
type Range struct {
	From, To any
	After    bool // From itself is not in it
}

// MaxSearched is how many texts one test may search for. Each is searched for in every row, whereas values that are compared for
// equality are looked up together.
const MaxSearched = 50

// searches are the lookups that search a text, and their negations.
var searches = []Lookup{Contains, NotContains, Starts, NotStarts, Ends, NotEnds, EqualFold, NotEqualFold,
	CaseContains, CaseStarts, CaseEnds, Between}

// Bounded refuses a test that searches for too many texts. Every test of a caller or a permission is checked here. The same text
// given twice counts once.
func (p Predicate) Bounded() error {
	for _, one := range p.Any {
		if err := one.Bounded(); err != nil {
			return err
		}
	}
	texts := p.Texts
	if len(p.Values) > MaxSearched && !p.Indexed && slices.Contains(searches, p.Lookup) {
		seen := map[any]bool{}
		for _, v := range p.Values {
			seen[v] = true
		}
		texts = len(seen)
	}
	if texts <= MaxSearched {
		return nil
	}
	return Invalid("Search for at most %d texts at once; %d were given.", MaxSearched, texts)
}

// Refers returns the type of the records whose ids the values of a test are, and those values. It returns nil if they are something else,
// or those of the tested record.
func (p Predicate) Refers() (*Type, []any) {
	switch {
	case p.Lookup != Exact && p.Lookup != Not:
		return nil, nil
	case len(p.Any) > 0: // the ways to the same record
		return p.Any[0].Refers()
	case p.Field != nil:
		return TargetOf(p.Field), p.Values
	case p.Exists != nil:
		return p.Exists, p.Values
	case len(p.Via) > 0 && p.Has == nil && p.Did == nil:
		return p.Via[len(p.Via)-1].Target, p.Values
	}
	return nil, nil
}

// AnyOf returns values in the form that a Predicate takes.
func AnyOf[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// filter is what a name in a query means.
type filter struct {
	lookups []Lookup
	make    func(lookup Lookup, values []string) (Predicate, error)
}

// buildFilters returns the filters by name: the id and every field. A reference has "region_id", and "region" for the slug. Tags have
// "tag".
func (t *Type) buildFilters() (map[string]filter, error) {
	m := map[string]filter{"id": plainFilter(Predicate{}, t.idField())}
	for _, f := range t.fields {
		t.addFilters(m, f)
	}
	t.addRequestFilters(m)
	for _, x := range t.Filters {
		if err := t.addDeclared(m, x); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// addFilters adds the filters of one field.
func (t *Type) addFilters(m map[string]filter, f Field) {
	in := f.Info()
	if in.Hidden || f.Lookups() == nil {
		return
	}
	if x, ok := f.(filtering); ok {
		x.addFilters(m, t)
	} else if ref, ok := ReferenceOf(f); ok {
		addLinkFilters(m, t, f, ref)
	} else {
		m[in.Name] = plainFilter(Predicate{Field: f}, f)
	}
}

// filtering is a field that adds its filters itself.
type filtering interface {
	addFilters(m map[string]filter, t *Type)
}

// addLinkFilters adds "region_id", and "region", which tests the natural key of the target.
func addLinkFilters(m map[string]filter, t *Type, f Field, ref Reference) {
	below := ref.IncludesBelow(t)
	m[ref.FilterName+"_id"] = plainFilter(Predicate{Field: f, Subtree: below}, f)
	if ref.Target.lookup != "" {
		// Tags narrow: ?tag=a&tag=b is both, and ?tag__n=a&tag__n=b neither.
		m[ref.FilterName] = linkFilter(Predicate{Via: []Hop{HopOf(f)}, Subtree: below, All: ref.Tags}, ref.Target)
	}
}

// plainFilter returns the filter for a field of the record itself.
func plainFilter(p Predicate, f Field) filter {
	return filter{lookups: f.Lookups(), make: func(l Lookup, values []string) (Predicate, error) {
		return p.test(f, l, values)
	}}
}

// test returns the test of a field with a lookup. The predicate says where the field is.
func (p Predicate) test(f Field, l Lookup, texts []string) (Predicate, error) {
	own, ok := f.(Compared)
	if !ok || l == Empty {
		p.Lookup = l
		var err error
		p.Values, err = parseTexts(f, l, texts)
		return p, err
	}
	if part, ok := own.PartOf(l); ok {
		p.Field = part
		return p.test(part, Exact, texts)
	}
	test, err := own.Test(l, texts)
	p.Field, p.Lookup, p.Values, p.Texts, p.Any = test.Field, test.Lookup, test.Values, test.Texts, test.Any
	return p, err
}

// linkFilter returns the filter for the natural key of the record referred to. "null" means that there is none.
func linkFilter(p Predicate, target *Type) filter {
	key := target.Field(target.lookup)
	return filter{lookups: equalLookups, make: func(l Lookup, values []string) (Predicate, error) {
		p := p
		p.Via, p.Field, p.All = slices.Clone(p.Via), key, p.All && l == Exact
		p.OrNone, p.KeyOf = slices.Contains(values, nullWord), target
		return p.test(key, l, slices.DeleteFunc(slices.Clone(values), func(s string) bool { return s == nullWord }))
	}}
}

func parseTexts(f Field, l Lookup, values []string) ([]any, error) {
	out := make([]any, 0, len(values))
	for _, s := range values {
		var v any
		var err error
		if x, ok := f.(lookupParser); l == Empty {
			v, err = Bool{}.ParseText(s)
		} else if ok {
			v, err = x.parseLookup(l, s)
		} else {
			v, err = f.ParseText(s)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// lookupParser is a field that parses the values of some lookups in another way, such as a part of a text.
type lookupParser interface {
	parseLookup(l Lookup, s string) (any, error)
}

// ParseFilter turns one query parameter into a test. ok is false when the type has no
// such filter.
func (t *Type) ParseFilter(key string, values []string) (p Predicate, ok bool, err error) {
	name, suffix, _ := strings.Cut(key, "__")
	f, ok := t.filters[name]
	if !ok || !slices.Contains(f.lookups, Lookup(suffix)) || strings.HasSuffix(key, "__") {
		return p, false, nil
	}
	if p, err = f.make(Lookup(suffix), values); err == nil {
		err = p.Bounded()
	}
	if err != nil {
		return p, true, fault.Field(key, "%s", err.Error())
	}
	return p, true, nil
}

// FilterNames lists every filter with every lookup, sorted.
func (t *Type) FilterNames() []string {
	var names []string
	for name, f := range t.filters {
		for _, l := range f.lookups {
			if l == Exact {
				names = append(names, name)
			} else {
				names = append(names, name+"__"+string(l))
			}
		}
	}
	slices.Sort(names)
	return names
}

// CustomFilter returns the test of a custom field. Its kind comes from the definition.
func CustomFilter(name string, kind Field, key string, l Lookup, values []string) (Predicate, error) {
	p := Predicate{Field: kind, Custom: name, Lookup: l}
	var err error
	if p.Values, err = parseTexts(kind, l, values); err == nil {
		err = p.Bounded()
	}
	if err != nil {
		return Predicate{}, fault.Field(key, "%s", err.Error())
	}
	return p, nil
}
