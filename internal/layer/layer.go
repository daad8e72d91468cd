// Package layer merges JSON objects: those whose selectors match a thing are laid over each other in their order. It knows nothing of
// records and databases.
package layer

import (
	"encoding/binary"
	"encoding/json"
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

	mu sync.Mutex
	known
}

// want is a selector that names something.
type want struct {
	selector int
	ids      []int64 // sorted
}

// NewStack returns a stack of sources, which are in the order in which they are laid over each other.
func NewStack(sources []Source) *Stack {
	s := &Stack{wanted: make([][]want, len(sources)), data: make([]json.RawMessage, len(sources))}
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
	s.learn(len(key) + 8*len(found) + entryBytes)
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
