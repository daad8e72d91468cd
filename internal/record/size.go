package record

import "encoding/json"

// valueBytes is what a value takes in memory in addition to its text, and linkBytes what a reference takes: its name, its brief form and
// where it leads.
const (
	valueBytes = 32
	linkBytes  = 256
)

// Bytes returns about how much memory a record takes.
func (v Values) Bytes() int {
	n := valueBytes * len(v.vals)
	for _, value := range v.vals {
		n += TextBytes(value)
	}
	return n
}

// TextBytes returns how long the text in a value is, at any depth.
func TextBytes(value any) (n int) {
	switch x := value.(type) {
	case string:
		return len(x)
	case []byte:
		return len(x)
	case json.RawMessage:
		return len(x)
	case Link:
		return linkBytes
	case []Link:
		return linkBytes * len(x)
	case []string:
		for _, item := range x {
			n += valueBytes + len(item)
		}
	case []any:
		for _, item := range x {
			n += TextBytes(item)
		}
	case map[string]any:
		for key, item := range x {
			n += len(key) + TextBytes(item)
		}
	}
	return n
}
