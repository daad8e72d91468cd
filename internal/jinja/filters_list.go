package jinja

import (
	"strings"
)

// path is an attribute in an argument, as Jinja2 writes it: names and numbers with points between them.
type path []value

func (r *run) path(attribute value) path {
	switch a := attribute.(type) {
	case nil, absent:
		return nil
	case string, markup:
		var p path
		r.scan(len(text(a)))
		for part := range strings.SplitSeq(text(a), ".") {
			r.alloc(64)
			if isDigitText(part) {
				i, ok := parseInt(r.plainDigits(part), 10)
				if !ok {
					fail("the attribute %q is not a number", part)
				}
				p = append(p, i)
			} else {
				p = append(p, part)
			}
		}
		return p
	}
	return path{attribute}
}

// follow returns an attribute of a value. A missing one is replaced by the default, unless that is none.
func (r *run) follow(v value, p path, otherwise value) value {
	for _, part := range p {
		r.step(1)
		v = r.item(v, part)
		if otherwise != nil && otherwise != missing && isUndefined(v) {
			v = otherwise
		}
	}
	return v
}

// folded returns a key to compare by. It ignores the case of texts unless caseSensitive is set.
func (r *run) folded(v value, caseSensitive bool) value {
	if s, ok := asText(v); ok && !caseSensitive {
		return r.lower(s)
	}
	return v
}

func joinFilter(r *run, v value, args []value) value {
	attribute := r.path(args[1])
	next := r.iterate(v)
	separator := r.str(given(args[0], ""))
	var parts []string
	for {
		item, ok := next()
		if !ok {
			return r.joined(parts, separator)
		}
		r.alloc(32)
		parts = append(parts, r.str(r.follow(item, attribute, nil)))
	}
}

func first(r *run, v value, _ []value) value {
	if item, ok := r.iterate(v)(); ok {
		return item
	}
	return undefined{"the first item"}
}

func last(r *run, v value, _ []value) value {
	next, ok := r.reversed(v)
	if !ok {
		fail("'%s' is not reversible", typeName(v))
	}
	if item, ok := next(); ok {
		return item
	}
	return undefined{"the last item"}
}

// reverseFilter returns a text, a list, or a generator, as Jinja2 does.
func reverseFilter(r *run, v value, _ []value) value {
	if s, ok := asText(v); ok {
		return like(v, r.substring(s, nil, nil, int64(-1)))
	}
	if next, ok := r.reversed(v); ok {
		return &stream{next}
	}
	items := r.copyAll(v)
	reverse(items)
	return &list{items: items}
}

func sum(r *run, v value, args []value) value {
	attribute := r.path(args[0])
	total := given(args[1], int64(0))
	next := r.iterate(v)
	if _, ok := asText(total); ok {
		fail("sum can't add texts")
	}
	for {
		item, ok := next()
		if !ok {
			return total
		}
		r.alloc(8)
		total = add(r, total, r.follow(item, attribute, nil))
	}
}

// batch returns lists with a number of items. The last one may be filled up.
func batch(r *run, v value, args []value) value {
	size := intArgument(args[0], 0)
	var next func() (value, bool)
	done := false
	var held []value // an item that was read ahead
	return &stream{func() (value, bool) {
		if next == nil {
			next = r.iterate(v)
		}
		items := held
		held = nil
		for !done {
			item, ok := next()
			if !ok {
				done = true
				break
			}
			r.alloc(32)
			if int64(len(items)) == size {
				held = []value{item}
				return &list{items: items}, true
			}
			items = append(items, item)
		}
		if len(items) == 0 {
			return nil, false
		}
		if fill := given(args[1], nil); fill != nil && int64(len(items)) < size {
			r.items(bounded(1, size))
			for int64(len(items)) < size {
				items = append(items, fill)
			}
		}
		return &list{items: items}, true
	}}
}

// sliceFilter returns a number of lists. If the items can't be divided evenly, the first lists have one more.
func sliceFilter(r *run, v value, args []value) value {
	slices := intArgument(args[0], 0)
	fill := given(args[1], nil)
	var items []value
	number, offset, read := int64(0), int64(0), false
	return &stream{func() (value, bool) {
		if !read {
			items, read = r.copyAll(v), true
		}
		if slices == 0 {
			fail("slice: division by zero")
		}
		if number >= slices {
			return nil, false
		}
		each, extra := int64(len(items))/slices, int64(len(items))%slices
		start := offset + number*each
		if number < extra {
			offset++
		}
		number++
		part := r.chain(items[start:offset+number*each], nil)
		if fill != nil && number > extra {
			r.alloc(32 + 32*len(part))
			part = append(part, fill)
		}
		return &list{items: part}, true
	}}
}

func itemsFilter(r *run, v value, _ []value) value {
	var next func() (value, bool)
	return &stream{func() (value, bool) {
		if next == nil {
			switch of := v.(type) {
			case undefined:
				next = r.over(nil)
			case *dict:
				next = r.overView(&view{of, "items"})
			default:
				fail("items needs an object, not '%s'", typeName(v))
			}
		}
		return next()
	}}
}
