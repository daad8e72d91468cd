package diff

import (
	"bytes"
	"encoding/json"
	"strings"
)

// printed is a value for people: texts without quotes, nothing for null and for what is empty, lists with
// commas, objects indented, numbers and truth values as they are written.
func printed(value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	switch value[0] {
	case 'n':
		return ""
	case '"':
		return bare(value)
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(value, &items) // it is part of a text that was read
		texts := make([]string, len(items))
		for i, item := range items {
			texts[i] = bare(item)
		}
		return strings.Join(texts, ", ")
	case '{':
		var b bytes.Buffer
		if json.Indent(&b, value, "", "  ") != nil || b.String() == "{}" {
			return ""
		}
		return b.String()
	}
	return string(value)
}

// bare is a text without its quotes, and anything else as compact JSON.
func bare(value json.RawMessage) string {
	var s string
	if value[0] == '"' && json.Unmarshal(value, &s) == nil {
		return s
	}
	var b bytes.Buffer
	_ = json.Compact(&b, value) // it is part of a text that was read
	return b.String()
}
