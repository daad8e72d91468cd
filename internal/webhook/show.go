package webhook

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"terrier/internal/record"
)

// shownLength is how much of a value a reason shows.
const shownLength = 60

// show writes a value for people, cut off if it is long.
func show(v any) string { return string(appendShown(nil, v)) }

func appendShown(dst []byte, v any) []byte {
	start := len(dst)
	dst = appendSome(dst, start, v)
	if len(dst)-start <= shownLength+2 { // with its quotes
		return dst
	}
	end := start + shownLength
	for end > start && !utf8.RuneStart(dst[end]) {
		end--
	}
	return append(dst[:end], "…"...)
}

// appendSome may stop once it has written more than is shown.
func appendSome(dst []byte, start int, v any) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, x)
	case json.Number:
		return append(dst, x...)
	case string:
		return record.AppendString(dst, x[:min(len(x), shownLength+utf8.UTFMax)])
	case []any:
		dst = append(dst, '[')
		for i, item := range x {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if len(dst)-start > shownLength {
				return dst
			}
			dst = appendSome(dst, start, item)
		}
		return append(dst, ']')
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(x)) {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if len(dst)-start > shownLength {
				return dst
			}
			dst = append(record.AppendString(dst, name), ": "...)
			dst = appendSome(dst, start, x[name])
		}
		return append(dst, '}')
	}
	return dst
}
