package jinja

import (
	"math"
	"strings"
	"unicode/utf8"
)

// The names of Python's own attributes. For x.name Jinja2 finds them before the keys of a dict, for x['name'] after them. They are methods,
// which can't be printed, so these names are refused.
var (
	dictMethods = words("clear copy fromkeys get items keys pop popitem setdefault update values")
	textMethods = words(`capitalize casefold center count encode endswith expandtabs find format format_map index isalnum
		isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower
		lstrip maketrans partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split
		splitlines startswith strip swapcase title translate upper zfill escape unescape striptags`)
	listMethods  = words("append clear copy count extend index insert pop remove reverse sort")
	tupleMethods = words("count index grouper list")
	intMethods   = words("as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real to_bytes")
	floatMethods = words("as_integer_ratio conjugate fromhex hex imag is_integer real")
)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, word := range strings.Fields(s) {
		m[word] = true
	}
	return m
}

// noMethod refuses a name that is an attribute of the value in Python.
func noMethod(v value, name string) {
	var known map[string]bool
	switch v.(type) {
	case *dict:
		known = dictMethods
	case string, markup:
		known = textMethods
	case *list:
		known = listMethods
	case *tuple:
		known = tupleMethods
	case int64, bool, bigInt:
		known = intMethods
	case float64:
		known = floatMethods
	case nil, *namespace:
	default:
		refuse("the attribute %q of a %s", name, typeName(v))
	}
	if known[name] || strings.HasPrefix(name, "__") {
		refuse("the attribute %q of a %s, which is a method", name, typeName(v))
	}
}

// attribute returns x.name.
func (r *run) attribute(v value, name string) value {
	switch of := v.(type) {
	case undefined:
		fail("%s", of.message())
	case *dict:
		if !dictMethods[name] {
			if member, ok := of.get(name); ok {
				return member
			}
		}
	case *namespace:
		if member, ok := of.attributes.get(name); ok {
			return member
		}
	case *loop:
		if member, ok := of.attribute(name); ok {
			return member
		}
	case *tuple:
		if of.group && (name == "grouper" || name == "list") {
			return of.items[map[string]int{"grouper": 0, "list": 1}[name]]
		}
	}
	noMethod(v, name)
	return undefined{name}
}

// item returns x[index]. If there is no such item, it is undefined and not an error.
func (r *run) item(v, index value) value {
	switch of := v.(type) {
	case undefined:
		fail("%s", of.message())
	case *dict:
		hash, ok := r.hash(index)
		if !ok {
			noUndefinedKey(index)
			return undefined{"a key"}
		}
		if member, ok := of.get(hash); ok {
			return member
		}
	case *list:
		if i, ok := position(index, len(of.items)); ok {
			return of.items[i]
		}
	case *tuple:
		if i, ok := position(index, len(of.items)); ok {
			return of.items[i]
		}
	case span:
		if i, ok := position(index, int(of.count)); ok {
			return of.start + int64(i)*of.step
		}
	case string:
		if c, ok := r.character(of, index); ok {
			return c
		}
	case markup:
		if c, ok := r.character(string(of), index); ok {
			return markup(c)
		}
	}
	if name, ok := asText(index); ok {
		if _, ok := v.(*dict); ok {
			noMethod(v, name)
			return undefined{name}
		}
		return r.attribute(v, name)
	}
	if _, ok := index.(bigInt); ok {
		refuse("an index beyond 64 bits")
	}
	return undefined{"an item"}
}

// position turns a Python index, which may be negative, into one from 0.
func position(index value, length int) (int, bool) {
	i, ok := asInt(index)
	if !ok {
		return 0, false
	}
	if i < 0 {
		i += int64(length)
	}
	return int(i), 0 <= i && i < int64(length)
}

func (r *run) character(s string, index value) (string, bool) {
	r.scan(len(s))
	i, ok := position(index, utf8.RuneCountInString(s))
	if !ok {
		return "", false
	}
	s = s[byteOffset(s, i):]
	return firstRune(s), true
}

// byteOffset returns the offset at which the character with this number begins.
func byteOffset(s string, character int) int {
	if isASCII(s) {
		return min(character, len(s))
	}
	for i := range s {
		if character == 0 {
			return i
		}
		character--
	}
	return len(s)
}

// slice returns x[start:stop:step].
func (r *run) slice(v, start, stop, step value) value {
	noUndefined(v)
	switch of := v.(type) {
	case *list:
		from, by, n := slicePositions(start, stop, step, len(of.items))
		return &list{items: r.pick(of.items, from, by, n)}
	case *tuple:
		from, by, n := slicePositions(start, stop, step, len(of.items))
		return &tuple{items: r.pick(of.items, from, by, n)}
	case string:
		return r.substring(of, start, stop, step)
	case markup:
		return markup(r.substring(string(of), start, stop, step))
	case span:
		refuse("a slice of a range: add |list before it")
	}
	// Jinja2 fails too, except for a constant: it slices that while it compiles, and gets undefined.
	refuse("a slice of a %s", typeName(v))
	return nil
}

func (r *run) pick(items []value, from, by, n int) []value {
	r.items(n)
	picked := make([]value, n)
	for i := range picked {
		picked[i] = items[from+i*by]
	}
	return picked
}

func (r *run) substring(s string, start, stop, step value) string {
	r.scan(len(s))
	from, by, n := slicePositions(start, stop, step, utf8.RuneCountInString(s))
	if by == 1 {
		s = s[byteOffset(s, from):]
		return s[:byteOffset(s, n)]
	}
	r.text(5 * len(s))
	runes := []rune(s)
	picked := make([]rune, n)
	for i := range picked {
		picked[i] = runes[from+i*by]
	}
	return string(picked)
}

// slicePositions returns the first position, the step, and the number of items of a slice, as in Python.
func slicePositions(start, stop, step value, length int) (from, by, n int) {
	by = sliceIndex(step, 1)
	if by == 0 {
		fail("a slice step can't be zero")
	}
	by = max(by, -math.MaxInt32) // any step beyond the length gives the same result
	low, high := 0, length
	if by < 0 {
		low, high = -1, length-1
	}
	clamp := func(v value, otherwise int) int {
		if v == nil {
			return otherwise
		}
		i := sliceIndex(v, 0)
		if i < 0 {
			i += length
		}
		return min(max(i, low), high)
	}
	if by > 0 {
		from = clamp(start, low)
		if end := clamp(stop, high); end > from {
			n = (end-from-1)/by + 1
		}
		return from, by, n
	}
	from = clamp(start, high)
	if end := clamp(stop, low); from > end {
		n = (from-end-1)/-by + 1
	}
	return from, by, n
}

func sliceIndex(v value, otherwise int) int {
	if v == nil {
		return otherwise
	}
	i, ok := asInt(v)
	if !ok {
		noUndefined(v)
		fail("a slice needs integers, not '%s'", typeName(v))
	}
	return int(i)
}
