package diff

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Separator is between the items of a printed list.
const Separator = ", "

// printed returns a value for people: texts without quotes, lists with commas, objects indented, numbers and booleans as they are
// written. Null and empty values give "".
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
		_ = json.Unmarshal(value, &items) // it is part of a text that was parsed already
		texts := make([]string, len(items))
		for i, item := range items {
			texts[i] = bare(item)
		}
		return strings.Join(texts, Separator)
	case '{':
		var b bytes.Buffer
		if json.Indent(&b, value, "", "  ") != nil || b.String() == "{}" {
			return ""
		}
		return b.String()
	}
	return string(value)
}

// bare returns a text without its quotes, and any other value as compact JSON.
func bare(value json.RawMessage) string {
	var s string
	if value[0] == '"' && json.Unmarshal(value, &s) == nil {
		return s
	}
	var b bytes.Buffer
	_ = json.Compact(&b, value) // it is part of a text that was parsed already
	return b.String()
}
