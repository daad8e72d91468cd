// Package layer merges JSON objects: those whose selectors match a thing are laid over each other in their order. It knows nothing of
// records and databases.
package layer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
)

// Source is a JSON object, and what it applies to.
type Source struct {
	// Selectors has the ids that each selector names. It matches a thing that has one of them. One that names nothing matches everything.
	Selectors [][]int64
	Data      json.RawMessage
}

// Stack is all sources in their order: the later one wins. It works each match and each merge out once, so it must be used by
// one goroutine at a time.
type Stack struct {
	wanted  [][]want // by source: its selectors that name something
	data    []json.RawMessage
	objects []map[string]any // the data of the sources that were needed so far

	matching map[string][]int
	merged   map[string]merged
}

// want is a selector that names something.
type want struct {
	selector int
	ids      []int64 // sorted
}

// merged is what some sources come to.
type merged struct {
	object map[string]any
	text   json.RawMessage
}

// NewStack returns a stack of sources, which are in the order in which they are laid over each other.
func NewStack(sources []Source) *Stack {
	s := &Stack{wanted: make([][]want, len(sources)), data: make([]json.RawMessage, len(sources)),
		objects: make([]map[string]any, len(sources)), matching: map[string][]int{}, merged: map[string]merged{}}
	for i, source := range sources {
		s.data[i] = source.Data
		for n, ids := range source.Selectors {
			if len(ids) > 0 {
				s.wanted[i] = append(s.wanted[i], want{n, slices.Sorted(slices.Values(ids))})
			}
		}
	}
	return s
}

// Matching returns the positions of the sources that match a thing, in their order. A thing has some ids for each selector.
func (s *Stack) Matching(has [][]int64) []int {
	key := keyOf(has)
	if known, ok := s.matching[key]; ok {
		return known
	}
	found := []int{}
	for i := range s.wanted {
		if matches(s.wanted[i], has) {
			found = append(found, i)
		}
	}
	s.matching[key] = found
	return found
}

func matches(wants []want, has [][]int64) bool {
	for _, w := range wants {
		if !slices.ContainsFunc(has[w.selector], w.names) {
			return false
		}
	}
	return true
}

func (w want) names(id int64) bool {
	_, found := slices.BinarySearch(w.ids, id)
	return found
}

// Merge returns what the matching sources of a thing come to, with its own object laid over them. It has none if own is empty or null.
// The result is shared, and must not be changed.
func (s *Stack) Merge(has [][]int64, own json.RawMessage) (json.RawMessage, error) {
	base, err := s.mergeAll(s.Matching(has))
	if err != nil {
		return nil, err
	}
	object, err := decode(own)
	if err != nil || len(object) == 0 {
		return base.text, err
	}
	return encode(Lay(base.object, object))
}

// mergeAll merges the sources at some positions.
func (s *Stack) mergeAll(at []int) (merged, error) {
	key := string(appendInts(nil, at))
	if known, ok := s.merged[key]; ok {
		return known, nil
	}
	out := merged{object: map[string]any{}}
	for _, i := range at {
		if s.objects[i] == nil {
			object, err := decode(s.data[i])
			if err != nil {
				return out, err
			}
			s.objects[i] = object
		}
		out.object = Lay(out.object, s.objects[i])
	}
	var err error
	if out.text, err = encode(out.object); err == nil {
		s.merged[key] = out
	}
	return out, err
}

// Lay lays one object over another, and changes neither. Where both have an object under the same key, and the upper one is not empty,
// they are merged in the same way. In every other case the upper value replaces the lower one: lists are not joined.
func Lay(under, over map[string]any) map[string]any {
	out := maps.Clone(under)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range over {
		above, isObject := value.(map[string]any)
		below, wasObject := out[key].(map[string]any)
		if isObject && wasObject && len(above) > 0 {
			value = Lay(below, above)
		}
		out[key] = value
	}
	return out
}

// Above returns an id and those above it, by the parent of each.
func Above(parents map[int64]int64, id int64) []int64 {
	ids := []int64{id}
	for len(ids) <= len(parents) { // a cycle would be longer
		parent, ok := parents[id]
		if !ok {
			break
		}
		ids, id = append(ids, parent), parent
	}
	return ids
}

// decode reads an object; none is empty.
func decode(raw json.RawMessage) (object map[string]any, err error) {
	if len(raw) == 0 {
		return map[string]any{}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	err = dec.Decode(&object)
	if object == nil {
		object = map[string]any{}
	}
	return object, err
}

func encode(object map[string]any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(object)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// keyOf returns a text that is the same for things that have the same.
func keyOf(has [][]int64) string {
	var b []byte
	for _, ids := range has {
		b = appendInts(binary.AppendVarint(b, int64(len(ids))), ids)
	}
	return string(b)
}

func appendInts[T int | int64](b []byte, ns []T) []byte {
	for _, n := range ns {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}
