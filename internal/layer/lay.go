package layer

import (
	"bytes"
	"encoding/json"
	"maps"
)

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
