package jinja

import (
	"strings"
	"unicode/utf8"
)

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;")

// escape returns a text that is safe in HTML. A character becomes at most five.
func (r *run) escape(s string) string {
	if !strings.ContainsAny(s, `&<>'"`) {
		r.scan(len(s))
		return s
	}
	grown := 0
	for i := range len(s) {
		if strings.IndexByte(`&<>'"`, s[i]) >= 0 {
			grown += 4
		}
	}
	r.text(len(s) + grown)
	r.step(len(s) >> 2)
	return htmlEscapes.Replace(s)
}

// replace is Python's str.replace. A negative count means all.
func (r *run) replace(s, old, replacement string, count int64) string {
	r.scan(len(s))
	n := strings.Count(s, old)
	if count >= 0 {
		n = int(min(count, int64(n)))
	}
	if n == 0 {
		return s
	}
	r.text(len(s) + max(0, bounded(n, int64(len(replacement)))-n*len(old)))
	r.step(n)
	return strings.Replace(s, old, replacement, n)
}

// joined is Python's separator.join. It checks the size before it allocates anything.
func (r *run) joined(parts []string, separator string) string {
	size := 0
	for _, part := range parts {
		size += len(part)
	}
	size += bounded(max(0, len(parts)-1), int64(len(separator)))
	r.text(size)
	r.step(len(parts))
	return strings.Join(parts, separator)
}

// splitFields is str.split without a separator: it splits at white space. A negative count means all.
func (r *run) splitFields(s string, count int64) []string {
	r.scan(len(s))
	var fields []string
	s = strings.TrimLeftFunc(s, isSpace)
	for s != "" {
		end := strings.IndexFunc(s, isSpace)
		if count >= 0 && int64(len(fields)) == count {
			end = -1 // the rest keeps the white space at its end
		}
		if end < 0 {
			end = len(s)
		}
		r.alloc(64)
		fields = append(fields, s[:end])
		s = strings.TrimLeftFunc(s[end:], isSpace)
	}
	return fields
}

// rsplitFields does the same from the right.
func (r *run) rsplitFields(s string, count int64) []string {
	r.scan(len(s))
	var fields []string
	s = strings.TrimRightFunc(s, isSpace)
	for s != "" {
		start := strings.LastIndexFunc(s, isSpace)
		if count >= 0 && int64(len(fields)) == count {
			start = -1
		}
		begin := 0
		if start >= 0 {
			_, n := utf8.DecodeRuneInString(s[start:])
			begin = start + n
		}
		r.alloc(64)
		fields = append(fields, s[begin:])
		s = strings.TrimRightFunc(s[:max(start, 0)], isSpace)
	}
	reverse(fields)
	return fields
}

func reverse[T any](s []T) {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
}

// splitAt is str.split and rsplit with a separator.
func (r *run) splitAt(s, separator string, count int64, right bool) []string {
	if separator == "" {
		fail("empty separator")
	}
	r.scan(len(s))
	n := strings.Count(s, separator)
	if count >= 0 {
		n = int(min(count, int64(n)))
	}
	r.items(2 * (n + 1))
	if !right {
		return strings.SplitN(s, separator, n+1)
	}
	fields := make([]string, 0, n+1)
	for range n {
		i := strings.LastIndex(s, separator)
		fields = append(fields, s[i+len(separator):])
		s = s[:i]
	}
	fields = append(fields, s)
	reverse(fields)
	return fields
}

// lines is Python's str.splitlines, which knows more line ends than other languages.
func (r *run) lines(s string, keepEnds bool) []string {
	r.scan(len(s))
	var lines []string
	for s != "" {
		end := strings.IndexFunc(s, isLineEnd)
		next := len(s)
		if end < 0 {
			end = next
		} else {
			_, n := utf8.DecodeRuneInString(s[end:])
			if strings.HasPrefix(s[end:], "\r\n") {
				n = 2
			}
			next = end + n
		}
		if keepEnds {
			end = next
		}
		r.alloc(64)
		lines = append(lines, s[:end])
		s = s[next:]
	}
	return lines
}

func isLineEnd(c rune) bool {
	return '\n' <= c && c <= '\r' || 0x1c <= c && c <= 0x1e || c == 0x85 || c == 0x2028 || c == 0x2029
}

// strip is str.strip, lstrip and rstrip. Without characters it removes white space.
func (r *run) strip(s string, chars value, left, right bool) string {
	r.scan(len(s))
	in := isSpace
	switch chars := chars.(type) {
	case nil, absent:
	case string, markup:
		set, _ := asText(chars)
		r.step(bounded(len(s), int64(len(set))) >> 4)
		in = func(c rune) bool { return strings.ContainsRune(set, c) }
	default:
		noUndefined(chars)
		fail("strip needs a text, not '%s'", typeName(chars))
	}
	if left {
		s = strings.TrimLeftFunc(s, in)
	}
	if right {
		s = strings.TrimRightFunc(s, in)
	}
	return s
}

// padded is str.ljust, rjust and center: left and right say on which sides the fill is.
func (r *run) padded(s string, width int64, fill string, left, right bool) string {
	r.scan(len(s))
	if utf8.RuneCountInString(fill) != 1 {
		fail("the fill must be one character")
	}
	size := int64(utf8.RuneCountInString(s))
	if width <= size {
		return s
	}
	r.text(bounded(len(fill), width-size) + len(s))
	n := int(width - size)
	before := 0
	switch {
	case left && right:
		before = n/2 + n&int(width)&1 // Python's way to divide an odd number
	case left:
		before = n
	}
	return strings.Repeat(fill, before) + s + strings.Repeat(fill, n-before)
}

// texts returns a list of texts, of the same type as the text that they come from.
func (r *run) texts(of value, parts []string) value {
	r.alloc(16 * len(parts))
	r.items(len(parts))
	items := make([]value, len(parts))
	for i, part := range parts {
		items[i] = like(of, part)
	}
	return &list{items: items}
}
