package jinja

import (
	"strings"
	"unicode/utf8"
)

// stream is Python's generator: it computes each item when it is needed, and only once.
type stream struct {
	next func() (value, bool)
}

// iterate returns a function that returns the items of a value one after the other, and charges for each.
func (r *run) iterate(v value) func() (value, bool) {
	r.alloc(64)
	switch of := v.(type) {
	case *list:
		return r.over(of.items)
	case *tuple:
		return r.over(of.items)
	case *dict:
		return r.over(of.keys)
	case *view:
		return r.overView(of)
	case span:
		i := int64(0)
		return func() (value, bool) {
			r.alloc(8)
			if i >= of.count {
				return nil, false
			}
			i++
			return of.start + (i-1)*of.step, true
		}
	case string:
		return r.characters(of)
	case markup:
		return r.characters(string(of))
	case *stream:
		return of.next
	case undefined:
		return func() (value, bool) { return nil, false }
	case *loop:
		refuse("iterating over loop")
	}
	fail("'%s' is not iterable", typeName(v))
	return nil
}

func (r *run) over(items []value) func() (value, bool) {
	i := 0
	return func() (value, bool) {
		r.step(1)
		if i >= len(items) {
			return nil, false
		}
		i++
		return items[i-1], true
	}
}

func (r *run) overView(v *view) func() (value, bool) {
	switch v.what {
	case "keys":
		return r.over(v.of.keys)
	case "values":
		return r.over(v.of.values)
	}
	i := 0
	return func() (value, bool) {
		if i >= v.of.len() {
			r.step(1)
			return nil, false
		}
		i++
		return r.pair(v.of.keys[i-1], v.of.values[i-1]), true
	}
}

func (r *run) pair(a, b value) *tuple {
	r.items(2)
	return &tuple{items: []value{a, b}}
}

func (r *run) characters(s string) func() (value, bool) {
	return func() (value, bool) {
		r.alloc(16)
		if s == "" {
			return nil, false
		}
		_, n := utf8.DecodeRuneInString(s)
		c := s[:n]
		s = s[n:]
		return c, true
	}
}

// gather returns the remaining items.
func (r *run) gather(next func() (value, bool)) []value {
	items := []value{}
	for {
		item, ok := next()
		if !ok {
			return items
		}
		if len(items) >= maxItems {
			fail("a list grows too long (more than %d items)", maxItems)
		}
		if len(items) == cap(items) {
			r.alloc(32 * (len(items) + 1)) // append at most doubles
		}
		items = append(items, item)
	}
}

// all returns the items of a value as a slice that must not be changed.
func (r *run) all(v value) []value {
	if items, ok := asItems(v); ok {
		r.step(1)
		return items
	}
	return r.gather(r.iterate(v))
}

// copyAll returns the items of a value as a slice of its own.
func (r *run) copyAll(v value) []value {
	if items, ok := asItems(v); ok {
		r.items(len(items))
		return append(make([]value, 0, len(items)), items...)
	}
	return r.gather(r.iterate(v))
}

// length is Python's len(). It returns false if the value has no length.
func (r *run) length(v value) (int, bool) {
	switch of := v.(type) {
	case string, markup:
		text, _ := asText(of)
		r.scan(len(text))
		return utf8.RuneCountInString(text), true
	case *list:
		return len(of.items), true
	case *tuple:
		return len(of.items), true
	case *dict:
		return of.len(), true
	case *view:
		return of.of.len(), true
	case span:
		return int(of.count), true
	case undefined:
		return 0, true
	}
	return 0, false
}

// index returns the position of a number in a range, or -1.
func (s span) index(i int64) int64 {
	if s.count == 0 || i > exact || i < -exact {
		return -1
	}
	distance := i - s.start
	if distance%s.step != 0 || distance/s.step < 0 || distance/s.step >= s.count {
		return -1
	}
	return distance / s.step
}

// reversed returns a function that returns the items of a value from its end. It returns false if Python can't do that.
func (r *run) reversed(v value) (func() (value, bool), bool) {
	switch of := v.(type) {
	case *list, *tuple:
		items, _ := asItems(of)
		return r.backwards(items), true
	case *dict:
		return r.backwards(of.keys), true
	case *view:
		return r.backwards(r.gather(r.overView(of))), true
	case span:
		return r.iterate(span{start: of.start + (of.count-1)*of.step, step: -of.step, count: of.count}), true
	case string, markup:
		text, _ := asText(of)
		items := r.gather(r.characters(text))
		for i, c := range items {
			items[i] = like(of, c.(string))
		}
		return r.backwards(items), true
	case undefined:
		return r.backwards(nil), true
	}
	return nil, false
}

func (r *run) backwards(items []value) func() (value, bool) {
	i := len(items)
	return func() (value, bool) {
		r.step(1)
		if i == 0 {
			return nil, false
		}
		i--
		return items[i], true
	}
}

func join(parts []string, separator string) string { return strings.Join(parts, separator) }
