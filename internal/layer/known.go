package layer

import "encoding/json"

// known is what a stack has worked out.
type known struct {
	size     int                    // bytes, about
	objects  map[int]map[string]any // the data of sources, by position
	matching map[string][]int
	merged   map[string]merged
	values   map[string]*value
}

// mostKnown is how many bytes of what it has worked out a stack keeps.
const mostKnown = 32 << 20

// learn counts bytes that are about to be kept, and forgets all before if there are too many.
func (k *known) learn(bytes int) {
	if k.size += bytes; k.size > mostKnown || k.matching == nil {
		*k = known{bytes, map[int]map[string]any{}, map[string][]int{}, map[string]merged{}, map[string]*value{}}
	}
}

// What decoded values take in memory besides their text, about, on machines of 64 bits.
const (
	entryBytes  = 128 // something that is kept, with its place in a map
	objectBytes = 48  // an object
	memberBytes = 40  // a member of an object, with the room that the map has left
	fewMembers  = 8   // an object that is not empty has room for as many
	itemBytes   = 16  // any value, where it is referred to
	textBytes   = 16  // a text or number, besides its characters
)

// bytesOf returns how many bytes a decoded value takes in memory, about.
func bytesOf(v any) int {
	size := itemBytes
	switch v := v.(type) {
	case map[string]any:
		size += objectBytes
		if len(v) > 0 {
			size += max(len(v), fewMembers) * memberBytes
		}
		for key, member := range v {
			size += len(key) + bytesOf(member)
		}
	case []any:
		for _, item := range v {
			size += bytesOf(item)
		}
		size += 2 * textBytes
	case string:
		size += textBytes + len(v)
	case json.Number:
		size += textBytes + len(v)
	}
	return size
}
