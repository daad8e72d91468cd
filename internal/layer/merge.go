package layer

import (
	"encoding/json"
	"maps"
	"slices"
)

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
	objects, having := make(map[int]map[string]any, len(at)), map[string][]int{} // the sources that have a key
	for _, i := range at {
		object, err := s.object(i)
		if err != nil {
			return merged{}, err
		}
		objects[i] = object
		for key := range object {
			having[key] = append(having[key], i)
		}
	}
	out := merged{keys: slices.Sorted(maps.Keys(having))}
	for _, key := range out.keys {
		v, err := s.value(objects, key, having[key])
		if err != nil {
			return out, err
		}
		out.values = append(out.values, v)
	}
	var err error
	if out.text, err = out.under(nil); err == nil {
		s.learn(len(all) + len(out.text) + len(out.keys)*memberBytes + entryBytes)
		s.merged[all] = out
	}
	return out, err
}

// object returns the data of a source.
func (s *Stack) object(i int) (map[string]any, error) {
	if known, ok := s.objects[i]; ok {
		return known, nil
	}
	object, err := decode(s.data[i])
	if err == nil {
		s.learn(bytesOf(object) + entryBytes)
		s.objects[i] = object
	}
	return object, err
}

// value returns what the sources at some positions, which all have a key, come to there.
func (s *Stack) value(objects map[int]map[string]any, key string, at []int) (*value, error) {
	known := string(appendInts(append([]byte(key), 0), at))
	if v, ok := s.values[known]; ok {
		return v, nil
	}
	v := &value{decoded: objects[at[0]][key]}
	for _, i := range at[1:] {
		v.decoded = layValue(v.decoded, objects[i][key])
	}
	var err error
	if v.text, err = encodeMember(key, v.decoded); err == nil {
		size := len(known) + len(v.text) + entryBytes
		if len(at) > 1 { // what one source alone has is a part of its object
			size += bytesOf(v.decoded)
		}
		s.learn(size)
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
