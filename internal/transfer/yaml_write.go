package transfer

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"terrier/internal/record"
)

// member is one key of an object, whose order is kept.
type member struct {
	key   string
	value any
}

// decodeOrdered reads JSON into nil, bool, json.Number, string, []any and []member.
func decodeOrdered(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		items := []any{}
		for dec.More() {
			item, err := decodeOrdered(dec)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
		_, err = dec.Token()
		return items, err
	case json.Delim('{'):
		members := []member{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeOrdered(dec)
			if err != nil {
				return nil, err
			}
			members = append(members, member{key.(string), value})
		}
		_, err = dec.Token()
		return members, err
	}
	return token, nil
}

// appendYAML writes a value in block style. The first line continues what is there; the
// others are indented.
func appendYAML(dst []byte, v any, indent int) []byte {
	switch x := v.(type) {
	case nil:
		return append(dst, "null\n"...)
	case bool:
		if x {
			return append(dst, "true\n"...)
		}
		return append(dst, "false\n"...)
	case json.Number:
		return append(append(dst, x...), '\n')
	case string:
		return appendYAMLText(dst, x, indent)
	case []any:
		for i, item := range x {
			dst = appendIndent(dst, indent, i > 0)
			dst = append(dst, "- "...)
			dst = appendYAMLInside(dst, item, indent+1, false)
		}
		return dst
	case []member:
		for i, m := range x {
			dst = appendIndent(dst, indent, i > 0)
			dst = appendYAMLKey(dst, m.key, indent)
			dst = appendYAMLInside(dst, m.value, indent+1, true)
		}
		return dst
	}
	panic("transfer: a value that JSON does not have")
}

// appendYAMLInside writes a value behind "- " or behind a key, where lists and objects
// that hold something begin a line of their own.
func appendYAMLInside(dst []byte, v any, indent int, behindKey bool) []byte {
	empty := ""
	switch x := v.(type) {
	case []any:
		if len(x) == 0 {
			empty = "[]"
		}
	case []member:
		if len(x) == 0 {
			empty = "{}"
		}
	default:
		if behindKey {
			dst = append(dst, ' ')
		}
		return appendYAML(dst, v, indent)
	}
	if behindKey && empty != "" {
		dst = append(dst, ' ')
	}
	if empty != "" {
		return append(append(dst, empty...), '\n')
	}
	if behindKey {
		dst = appendIndent(append(dst, '\n'), indent, true)
	}
	return appendYAML(dst, v, indent)
}

func appendIndent(dst []byte, indent int, wanted bool) []byte {
	for range indent {
		if wanted {
			dst = append(dst, "  "...)
		}
	}
	return dst
}

// longestKey is what a key may measure without being marked as one.
const longestKey = 100

func appendYAMLKey(dst []byte, key string, indent int) []byte {
	long := len(key) > longestKey
	if long {
		dst = append(dst, "? "...)
	}
	if plainYAML(key) {
		dst = append(dst, key...)
	} else {
		dst = appendQuoted(dst, key)
	}
	if long {
		dst = appendIndent(append(dst, '\n'), indent, true)
	}
	return append(dst, ':')
}

var (
	plainPattern = regexp.MustCompile(`^[A-Za-z/][-A-Za-z0-9_./@]*( [-A-Za-z0-9_./@()]+)*$`)
	urlPattern   = regexp.MustCompile(`^https?://[-A-Za-z0-9_./:]*[-A-Za-z0-9_./]$`)
	otherWords   = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true,
		"y": true, "n": true}
)

// longestPlain bounds the texts that the patterns read: they take a second for a few megabytes.
const longestPlain = 1000

// plainYAML reports whether a text needs no quotes, whichever version of YAML reads it.
func plainYAML(s string) bool {
	if len(s) > longestPlain {
		return false
	}
	return urlPattern.MatchString(s) || plainPattern.MatchString(s) && !otherWords[strings.ToLower(s)]
}

func appendYAMLText(dst []byte, s string, indent int) []byte {
	switch {
	case plainYAML(s):
		return append(append(dst, s...), '\n')
	case !literalYAML(s):
		return append(appendQuoted(dst, s), '\n')
	}
	dst = append(dst, "|-\n"...)
	for line := range strings.SplitSeq(s, "\n") {
		dst = appendIndent(dst, max(indent, 1), line != "")
		dst = append(append(dst, line...), '\n')
	}
	return dst
}

// literalYAML reports whether a text of several lines can be written as it is.
func literalYAML(s string) bool {
	if !strings.Contains(s, "\n") || strings.TrimSpace(s) != s {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasSuffix(line, " ") {
			return false
		}
	}
	return strings.IndexFunc(s, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) < 0
}

// appendQuoted writes a text in double quotes. What JSON escapes, YAML reads; what only
// YAML can't have bare is escaped too.
func appendQuoted(dst []byte, s string) []byte {
	quoted := string(record.AppendString(nil, s))
	done := 0
	for i, r := range quoted {
		if unicode.IsPrint(r) {
			continue
		}
		dst = append(dst, quoted[done:i]...)
		done = i + utf8.RuneLen(r)
		if r < 0x10000 {
			dst = appendHex(append(dst, `\u`...), r, 4)
		} else {
			dst = appendHex(append(dst, `\U`...), r, 8)
		}
	}
	return append(dst, quoted[done:]...)
}

func appendHex(dst []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		dst = append(dst, "0123456789abcdef"[r>>shift&15])
	}
	return dst
}
