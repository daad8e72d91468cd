package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"time"
)

// Values is one record, or a part of one. It has a value for each field of its type, by position, and whether the field is present.
// Absent is not null. The accessors panic on a name that the type does not declare, because that is a mistake in the program.
type Values struct {
	Version int64

	id   int64
	t    *Type
	vals []any
	set  []bool
	hide []bool // fields that may not be read, nil for none: see Hiding
}

// NewValues returns Values with nothing present.
func (t *Type) NewValues() Values {
	n := len(t.fields)
	return Values{t: t, vals: make([]any, n), set: make([]bool, n)}
}

// Type returns the type of the record.
func (v Values) Type() *Type { return v.t }

// ID returns the record's id.
func (v Values) ID() int64 { return v.id }

// SetID gives the record its id.
func (v *Values) SetID(id int64) { v.id = id }

// Clone returns a copy that shares nothing that is ever changed in place.
func (v Values) Clone() Values {
	v.vals, v.set = slices.Clone(v.vals), slices.Clone(v.set)
	return v
}

func (v Values) at(name string) int {
	i, ok := v.t.index[name]
	if !ok {
		panic(fmt.Sprintf("record: %s has no field %q", v.t.Key(), name))
	}
	return i
}

// Has reports whether a field is present, null or not.
func (v Values) Has(name string) bool { return v.set[v.at(name)] }

// Get returns a field's value, nil when it is null or absent.
func (v Values) Get(name string) any { return v.At(v.at(name)) }

// Set makes a field present.
func (v Values) Set(name string, value any) { v.SetAt(v.at(name), value) }

// At returns the value at a position.
func (v Values) At(i int) any {
	if len(v.hide) > 0 && v.hide[i] {
		panic(hiddenRead{})
	}
	return v.vals[i]
}

// hiddenRead ends a function that reads a hidden field.
type hiddenRead struct{}

// Hiding calls a function with the record and ends it when it reads one of the named fields: a rule can't judge a value that is not valid.
func (v Values) Hiding(names iter.Seq[string], do func(Values)) {
	for name := range names {
		if i, declared := v.t.index[name]; declared {
			if v.hide == nil {
				v.hide = make([]bool, len(v.vals))
			}
			v.hide[i] = true
		}
	}
	defer func() {
		r := recover()
		if _, ended := r.(hiddenRead); r != nil && !ended {
			panic(r)
		}
	}()
	do(v)
}

// HasAt reports whether the field at a position is present.
func (v Values) HasAt(i int) bool { return v.set[i] }

// SetAt makes the field at a position present.
func (v Values) SetAt(i int, value any) { v.vals[i], v.set[i] = value, true }

// UnsetAt makes the field at a position absent.
func (v Values) UnsetAt(i int) { v.vals[i], v.set[i] = nil, false }

// Text returns a text or choice, "" when null.
func (v Values) Text(name string) string {
	s, _ := v.Get(name).(string)
	return s
}

// Int returns a number, 0 when null.
func (v Values) Int(name string) int64 {
	n, _ := v.Get(name).(int64)
	return n
}

// Float returns a number with a fraction, 0 when null.
func (v Values) Float(name string) float64 {
	x, _ := v.Get(name).(float64)
	return x
}

// Bool returns a boolean, false when null.
func (v Values) Bool(name string) bool {
	b, _ := v.Get(name).(bool)
	return b
}

// Link returns a reference, the zero Link when null.
func (v Values) Link(name string) Link {
	l, _ := v.Get(name).(Link)
	return l
}

// Links returns a set of references.
func (v Values) Links(name string) []Link {
	l, _ := v.Get(name).([]Link)
	return l
}

// List returns a list of texts.
func (v Values) List(name string) []string {
	l, _ := v.Get(name).([]string)
	return l
}

// Raw returns a JSON value, nil when null.
func (v Values) Raw(name string) json.RawMessage {
	r, _ := v.Get(name).(json.RawMessage)
	return r
}

// Merge sets the present fields of over in v.
func (v Values) Merge(over Values) {
	for i, set := range over.set {
		if set {
			v.SetAt(i, over.vals[i])
		}
	}
}

// MergeInput merges one input into another. Custom fields merge by name, as they do with those of a record.
func (v Values) MergeInput(over Values) {
	for i, set := range over.set {
		if !set {
			continue
		}
		if _, custom := v.t.fields[i].(CustomFields); custom && v.set[i] {
			v.vals[i] = mergeObjects(v.vals[i].(json.RawMessage), over.vals[i].(json.RawMessage))
			continue
		}
		v.SetAt(i, over.vals[i])
	}
}

func mergeObjects(a, b json.RawMessage) json.RawMessage {
	m := map[string]json.RawMessage{}
	// Both were encoded by Parse, so neither can fail.
	if json.Unmarshal(a, &m) != nil || json.Unmarshal(b, &m) != nil {
		return b
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return b
	}
	return raw
}

// MergeChanged is like Merge, but leaves equal values in place: a reference keeps the brief fields of its target.
func (v Values) MergeChanged(over Values) {
	for i, set := range over.set {
		if set && !SameValue(v.vals[i], over.vals[i]) {
			v.SetAt(i, over.vals[i])
		}
	}
}

// Same reports whether a field has the same value in another record of the type.
func (v Values) Same(other Values, name string) bool { return SameValue(v.Get(name), other.Get(name)) }

// Differing returns the names of the fields that differ between two states of a record, without those that nobody sets.
func (v Values) Differing(other Values) []string {
	var names []string
	for i, info := range v.t.infos {
		if !info.ReadOnly && v.t.fields[i].Column().Storage != NoStorage && !SameValue(v.vals[i], other.vals[i]) {
			names = append(names, info.Name)
		}
	}
	return names
}

// SameValue reports whether two values of one field are equal.
func SameValue(a, b any) bool {
	switch x := a.(type) {
	case Link:
		y, ok := b.(Link)
		return ok && sameLink(x, y)
	case []Link:
		y, ok := b.([]Link)
		return ok && slices.EqualFunc(x, y, sameLink)
	case []string:
		y, ok := b.([]string)
		return ok && slices.Equal(x, y)
	case []int64:
		y, ok := b.([]int64)
		return ok && slices.Equal(x, y)
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	case json.RawMessage:
		y, ok := b.(json.RawMessage)
		return ok && sameJSON(x, y)
	}
	return a == b
}

// sameLink reports whether two links are known to mean the same record. Links by attributes are not, because they may mean any record.
func sameLink(a, b Link) bool {
	return a.ID == b.ID && a.Of == b.Of && a.Match == nil && b.Match == nil
}

// sameJSON reports whether two JSON texts have the same meaning.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := decodeJSON(a)
	y, errY := decodeJSON(b)
	return errX == nil && errY == nil && equalJSON(x, y)
}

// equalJSON reports whether two decoded values are equal. Numbers are compared by value, because the database does not keep how they
// were written.
func equalJSON(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok || x == y {
			return ok
		}
		m, okM := new(big.Rat).SetString(x.String())
		n, okN := new(big.Rat).SetString(y.String())
		return okM && okN && m.Cmp(n) == 0
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equalJSON)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, equalJSON)
	}
	return a == b
}

func decodeJSON(raw json.RawMessage) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// Equal reports whether two records of one type have the same stored values.
func (v Values) Equal(w Values) bool {
	for i, f := range v.t.fields {
		if f.Column().Storage != NoStorage && !SameValue(v.vals[i], w.vals[i]) {
			return false
		}
	}
	return true
}
