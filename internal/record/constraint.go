package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// djangoNames are the lookups that constraints written for NetBox use. Those that are case-sensitive there are so here: a looser test
// would widen a permission.
var djangoNames = map[string]Lookup{
	"exact": Exact, "in": Exact, "iexact": EqualFold,
	"contains": CaseContains, "icontains": Contains,
	"startswith": CaseStarts, "istartswith": Starts,
	"endswith": CaseEnds, "iendswith": Ends,
	"lt": Less, "lte": AtMost, "gt": Greater, "gte": AtLeast,
}

// userWord means the caller in a constraint.
const userWord = "$user"

// ParseConstraints reads the constraints of a permission: null, an object, or a list of
// objects. Keys of an object are ANDed, objects are ORed. A nil result means that
// nothing is constrained.
func ParseConstraints(t *Type, raw json.RawMessage, userID int64) ([][]Predicate, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	in, err := decodeJSON(raw)
	if err != nil {
		return nil, err
	}
	list, ok := in.([]any)
	if !ok {
		list = []any{in}
	}
	alternatives := make([][]Predicate, 0, len(list))
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("constraints must be an object or a list of objects")
		}
		all := make([]Predicate, 0, len(object))
		for _, key := range slices.Sorted(maps.Keys(object)) { // so that a permission always makes the same statement
			p, err := parseCondition(t, key, object[key], userID)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			all = append(all, p)
		}
		alternatives = append(alternatives, all)
	}
	return alternatives, nil
}

// MaxAlternatives is how many objects the constraints of a permission may list. Every row that is read is tested against each.
const MaxAlternatives = 100

// BoundConstraints refuses constraints that cost too much. It is called when they are written. Constraints that are stored already
// keep working.
func BoundConstraints(alternatives [][]Predicate) error {
	if len(alternatives) > MaxAlternatives {
		return Invalid("at most %d alternatives can be listed; %d were given. One key can have a list of values", MaxAlternatives,
			len(alternatives))
	}
	for _, all := range alternatives {
		for _, p := range all {
			if err := p.Bounded(); err != nil {
				return err
			}
		}
	}
	return nil
}

// parseCondition reads one key and value: references are followed with "__".
func parseCondition(t *Type, key string, value any, userID int64) (Predicate, error) {
	var p Predicate
	parts := strings.Split(key, "__")
	for len(parts) > 0 {
		name := parts[0]
		f := t.Field(name)
		if f == nil && strings.HasSuffix(name, "_id") {
			f = t.Field(strings.TrimSuffix(name, "_id"))
		}
		if name == "id" || name == "pk" {
			p.Field, parts = nil, parts[1:]
			return p.finish(t.idField(), parts, value, userID)
		}
		if f == nil || f.Info().Hidden || f.Column().Storage == NoStorage {
			return p, fmt.Errorf("%s has no field %q%s", t.Key(), name, nearestField(t, name))
		}
		parts = parts[1:]
		if hop := HopOf(f); hop.Target != nil && len(parts) > 0 && !isLookup(parts[0]) {
			p.Via = append(p.Via, hop)
			t = hop.Target
			continue
		}
		p.Field = f
		return p.finish(f, parts, value, userID)
	}
	return p, fmt.Errorf("the key ends in a reference")
}

// nearestField returns what else a name in a constraint may mean, for a message.
func nearestField(t *Type, name string) string {
	names := []string{"id"}
	for i, in := range t.infos {
		if !in.Hidden && t.fields[i].Column().Storage != NoStorage {
			names = append(names, in.Name)
		}
	}
	if near := Nearest(name, names); near != "" {
		return fmt.Sprintf(": did you mean %q?", near)
	}
	return ""
}

func isLookup(s string) bool {
	_, django := djangoNames[s]
	if django || s == "isnull" {
		return true
	}
	for _, list := range [][]Lookup{textLookups, orderedLookups} {
		for _, l := range list {
			if l != Exact && string(l) == s {
				return true
			}
		}
	}
	return false
}

func (p Predicate) finish(f Field, rest []string, value any, userID int64) (Predicate, error) {
	if len(rest) > 1 {
		return p, fmt.Errorf("%q can't be followed further", strings.Join(rest, "__"))
	}
	if len(rest) == 1 {
		switch {
		case rest[0] == "isnull":
			yes, ok := value.(bool)
			if !ok {
				return p, fmt.Errorf("isnull needs true or false")
			}
			p.Values = []any{nil}
			if !yes {
				p.Lookup, p.Values = NotNull, nil
			}
			return p, nil
		case isLookup(rest[0]):
			var ok bool
			if p.Lookup, ok = djangoNames[rest[0]]; !ok {
				p.Lookup = Lookup(rest[0])
			}
		case slices.Contains(f.Lookups(), Lookup(rest[0])):
			p.Lookup = Lookup(rest[0])
		default:
			return p, fmt.Errorf("%q is not a lookup", rest[0])
		}
	}
	if !allows(f, p.Lookup) {
		return p, fmt.Errorf("%s can't be compared that way", f.Info().Name)
	}
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	if own, ok := f.(Compared); ok {
		return p.finishOwn(own, list, true)
	}
	for _, item := range list {
		if item == nil && p.Lookup != Exact && p.Lookup != Not {
			return p, errNullCompared
		}
		v, err := conditionValue(f, p.Lookup, item, userID)
		if err != nil {
			return p, err
		}
		p.Values = append(p.Values, v)
	}
	return p, nil
}

var errNullCompared = errors.New("null can only be equal or not equal")

// finishOwn tests a field by a lookup of its own. What can't be compared is refused: a permission would find nothing by it. An
// equal value is meant as a whole: an address without a length is that of a single address, or a permission would grant more.
func (p Predicate) finishOwn(f Compared, list []any, whole bool) (Predicate, error) {
	texts := make([]string, len(list))
	for i, item := range list {
		if item == nil {
			if p.Lookup != Exact && p.Lookup != Not {
				return p, errNullCompared
			}
			texts[i] = nullWord
			continue
		}
		s, err := textOf(item)
		if err != nil {
			return p, err
		}
		texts[i] = s
		if _, part := f.PartOf(p.Lookup); part {
			continue
		}
		v, err := f.ParseText(s)
		if err != nil {
			return p, err
		}
		if normal, ok := v.(string); ok && whole && (p.Lookup == Exact || p.Lookup == Not) {
			texts[i] = normal
		}
	}
	test, err := p.test(f, p.Lookup, texts)
	if err == nil && len(test.Values) == 0 && len(test.Any) == 0 {
		err = fmt.Errorf("nothing can be found by %s", strings.Join(texts, ", "))
	}
	return test, err
}

// allows reports whether a field can be tested with a lookup in a constraint.
func allows(f Field, l Lookup) bool {
	switch l {
	case CaseContains, CaseStarts, CaseEnds:
		l = Contains
	}
	return slices.Contains(f.Lookups(), l)
}

func conditionValue(f Field, l Lookup, item any, userID int64) (any, error) {
	switch x := item.(type) {
	case nil:
		return nil, nil
	case bool:
		item = fmt.Sprint(x)
	case string:
		if x == userWord {
			switch f.(type) {
			case Ref, Refs, Int:
				return userID, nil
			}
			return nil, fmt.Errorf("%s means a user's id and can't be compared with this field", userWord)
		}
	}
	s, err := textOf(item)
	if err != nil {
		return nil, err
	}
	values, err := parseTexts(f, l, []string{s})
	if err != nil {
		return nil, err
	}
	return values[0], nil
}
