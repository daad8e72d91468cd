// Package layer merges JSON objects: those whose selectors match a thing are laid over each other in their order. It knows nothing of
// records and databases.
package layer

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"sync"
)

// Source is a JSON object, and what it applies to.
type Source struct {
	// Selectors has the ids that each selector names. It matches a thing that has one of them. One that names nothing matches everything.
	Selectors [][]int64
	Data      json.RawMessage
}

// Stack is all sources in their order: the later one wins. It keeps what it has worked out, up to some bytes, and may be used by several
// goroutines at once.
type Stack struct {
	wanted [][]want // by source: its selectors that name something
	data   []json.RawMessage

	mu      sync.Mutex
	objects []map[string]any // the data of the sources that were needed so far
	known
}

// known is what a stack has worked out.
type known struct {
	size     int // bytes, about
	matching map[string][]int
	merged   map[string]merged
	values   map[string]*value
}

// mostKnown is how many bytes of what it has worked out a stack keeps.
const mostKnown = 16 << 20

// learn counts bytes that are kept, and forgets all if there are too many.
func (k *known) learn(bytes int) {
	if k.size += bytes; k.size > mostKnown || k.matching == nil {
		*k = known{bytes, map[string][]int{}, map[string]merged{}, map[string]*value{}}
	}
}

// want is a selector that names something.
type want struct {
	selector int
	ids      []int64 // sorted
}

// merged is what some sources come to: a value for each key of the outermost object, in the order of the keys, and all of it.
type merged struct {
	keys   []string
	values []*value
	text   json.RawMessage
}

// value is what the sources that have a key come to there. Things that match other sources share it, if these do not have the key.
type value struct {
	decoded any
	text    json.RawMessage // with its key: "a":1
}

// NewStack returns a stack of sources, which are in the order in which they are laid over each other.
func NewStack(sources []Source) *Stack {
	s := &Stack{wanted: make([][]want, len(sources)), data: make([]json.RawMessage, len(sources)),
		objects: make([]map[string]any, len(sources))}
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.match(has)
}

func (s *Stack) match(has [][]int64) []int {
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
	s.learn(len(key) + 8*len(found))
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
	base, err := s.base(has)
	if err != nil {
		return nil, err
	}
	object, err := decode(own)
	if err != nil || len(object) == 0 {
		return base.text, err
	}
	return base.under(object)
}

// base returns what the matching sources of a thing come to.
func (s *Stack) base(has [][]int64) (merged, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mergeAll(s.match(has))
}

// mergeAll merges the sources at some positions.
func (s *Stack) mergeAll(at []int) (merged, error) {
	all := string(appendInts(nil, at))
	if known, ok := s.merged[all]; ok {
		return known, nil
	}
	having := map[string][]int{} // the sources that have a key
	for _, i := range at {
		if s.objects[i] == nil {
			object, err := decode(s.data[i])
			if err != nil {
				return merged{}, err
			}
			s.objects[i] = object
		}
		for key := range s.objects[i] {
			having[key] = append(having[key], i)
		}
	}
	out := merged{keys: slices.Sorted(maps.Keys(having))}
	for _, key := range out.keys {
		v, err := s.value(key, having[key])
		if err != nil {
			return out, err
		}
		out.values = append(out.values, v)
	}
	var err error
	if out.text, err = out.under(nil); err == nil {
		s.learn(len(all) + len(out.text))
		s.merged[all] = out
	}
	return out, err
}

// value returns what the sources at some positions, which all have a key, come to there.
func (s *Stack) value(key string, at []int) (*value, error) {
	known := string(appendInts(append([]byte(key), 0), at))
	if v, ok := s.values[known]; ok {
		return v, nil
	}
	v := &value{decoded: s.objects[at[0]][key]}
	for _, i := range at[1:] {
		v.decoded = layValue(v.decoded, s.objects[i][key])
	}
	var err error
	if v.text, err = encodeMember(key, v.decoded); err == nil {
		s.learn(len(known) + 2*len(v.text))
		s.values[known] = v
	}
	return v, err
}

// under writes the result with an object laid over it. Only the values of the keys that this has are laid and encoded again.
func (m merged) under(over map[string]any) (json.RawMessage, error) {
	size := 2
	for _, v := range m.values {
		size += len(v.text) + 1
	}
	out, separator := append(make([]byte, 0, size), '{'), ""
	add := func(text json.RawMessage) {
		out, separator = append(append(out, separator...), text...), ","
	}
	i, added := 0, slices.Sorted(maps.Keys(over))
	for i < len(m.keys) || len(added) > 0 {
		if len(added) == 0 || i < len(m.keys) && m.keys[i] < added[0] {
			add(m.values[i].text)
			i++
			continue
		}
		key, v := added[0], over[added[0]]
		if i < len(m.keys) && m.keys[i] == key {
			v = layValue(m.values[i].decoded, v)
			i++
		}
		text, err := encodeMember(key, v)
		if err != nil {
			return nil, err
		}
		add(text)
		added = added[1:]
	}
	return append(out, '}'), nil
}

// Lay lays one object over another, and changes neither. Where both have an object under the same key, and the upper one is not empty,
// they are merged in the same way. In every other case the upper value replaces the lower one: lists are not joined.
func Lay(under, over map[string]any) map[string]any {
	out := maps.Clone(under)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range over {
		if below, ok := out[key]; ok {
			value = layValue(below, value)
		}
		out[key] = value
	}
	return out
}

// layValue lays one value over another.
func layValue(under, over any) any {
	above, isObject := over.(map[string]any)
	below, wasObject := under.(map[string]any)
	if isObject && wasObject && len(above) > 0 {
		return Lay(below, above)
	}
	return over
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

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// encodeMember returns a member of an object: "a":1.
func encodeMember(key string, v any) (json.RawMessage, error) {
	text, err := encode(map[string]any{key: v})
	return bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("{")), []byte("}")), err
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
