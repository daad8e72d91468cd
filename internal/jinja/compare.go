package jinja

import (
	"cmp"
	"math/big"
	"strings"
)

// comparisons has the operators that compare.
var comparisons = map[string]func(r *run, a, b value) bool{
	"==": func(r *run, a, b value) bool { return r.equal(a, b) },
	"!=": func(r *run, a, b value) bool { return !r.equal(a, b) },
	"<":  func(r *run, a, b value) bool { return r.less(a, b, "<") },
	">":  func(r *run, a, b value) bool { return r.less(b, a, ">") },
	"<=": func(r *run, a, b value) bool { return r.lessOrEqual(a, b, "<=") },
	">=": func(r *run, a, b value) bool { return r.lessOrEqual(b, a, ">=") },
}

// deeper limits the recursion into values.
func (r *run) deeper() {
	r.depth++
	if r.depth > maxValueDepth {
		refuse("values nested deeper than %d", maxValueDepth)
	}
	r.step(1)
}

// compareNumbers compares ints and floats exactly, as Python does.
func (r *run) compareNumbers(a, b value) (int, bool) {
	x, y, f, g, ints, ok := numbers(a, b)
	if ints {
		return cmp.Compare(x, y), true
	}
	if !ok {
		return 0, false
	}
	x, isInt := asInt(a)
	y, alsoInt := asInt(b)
	if isInt && (x > exact || x < -exact) || alsoInt && (y > exact || y < -exact) {
		r.alloc(256)
		r.step(16)
		return bigFloat(a, x, f).Cmp(bigFloat(b, y, g)), true
	}
	return cmp.Compare(f, g), true
}

func bigFloat(v value, i int64, f float64) *big.Float {
	if _, ok := v.(float64); ok {
		return new(big.Float).SetFloat64(f)
	}
	return new(big.Float).SetPrec(64).SetInt64(i)
}

// equal is Python's ==.
func (r *run) equal(a, b value) bool {
	r.step(1)
	if order, ok := r.compareNumbers(a, b); ok {
		return order == 0
	}
	if left, ok := asText(a); ok {
		right, ok := asText(b)
		if ok && len(left) == len(right) {
			r.scan(len(left) >> 3)
		}
		return ok && left == right
	}
	switch left := a.(type) {
	case *list:
		right, ok := b.(*list)
		return ok && r.equalItems(left.items, right.items)
	case *tuple:
		right, ok := b.(*tuple)
		return ok && r.equalItems(left.items, right.items)
	case *dict:
		right, ok := b.(*dict)
		return ok && r.equalDicts(left, right)
	case undefined:
		return isUndefined(b)
	case span:
		right, ok := b.(span)
		return ok && left.count == right.count && (left.count == 0 || left.start == right.start) &&
			(left.count < 2 || left.step == right.step)
	case *view:
		if _, ok := b.(*view); ok {
			refuse("comparing keys(), values() or items()")
		}
		return false
	case bigInt:
		if right, ok := b.(bigInt); ok {
			return left == right
		}
		if _, ok := b.(float64); ok {
			refuse("comparing an integer beyond 64 bits with a float")
		}
		return false
	}
	if _, ok := b.(bigInt); ok {
		return r.equal(b, a)
	}
	return a == b
}

func (r *run) equalItems(a, b []value) bool {
	if len(a) != len(b) {
		return false
	}
	r.deeper()
	defer func() { r.depth-- }()
	for i := range a {
		if !r.equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func (r *run) equalDicts(a, b *dict) bool {
	if a.len() != b.len() {
		return false
	}
	r.deeper()
	defer func() { r.depth-- }()
	for i, key := range a.keys {
		hash, _ := r.hash(key)
		other, ok := b.get(hash)
		if !ok || !r.equal(a.values[i], other) {
			return false
		}
	}
	return true
}

// compare returns the order of two values. It fails if they have no order in Python. The operator is for the message.
func (r *run) compare(a, b value, operator string) int {
	r.step(1)
	if order, ok := r.compareNumbers(a, b); ok {
		return order
	}
	left, isText := asText(a)
	right, alsoText := asText(b)
	if isText && alsoText {
		r.scan(min(len(left), len(right)) >> 3)
		return strings.Compare(left, right)
	}
	var x, y []value
	switch a := a.(type) {
	case *list:
		if b, ok := b.(*list); ok {
			x, y = a.items, b.items
			return r.compareItems(x, y, operator)
		}
	case *tuple:
		if b, ok := b.(*tuple); ok {
			x, y = a.items, b.items
			return r.compareItems(x, y, operator)
		}
	}
	unsupportedOperands(operator, a, b)
	return 0
}

// compareItems compares lists by the first items that differ. Only those need an order.
func (r *run) compareItems(a, b []value, operator string) int {
	r.deeper()
	defer func() { r.depth-- }()
	for i := range min(len(a), len(b)) {
		if !r.equal(a[i], b[i]) {
			return r.compare(a[i], b[i], operator)
		}
	}
	return cmp.Compare(len(a), len(b))
}

func (r *run) less(a, b value, operator string) bool { return r.compare(a, b, operator) < 0 }

func (r *run) lessOrEqual(a, b value, operator string) bool { return r.compare(a, b, operator) <= 0 }

// contained is Python's `a in b`.
func contained(r *run, a, b value) bool {
	switch in := b.(type) {
	case string, markup:
		text, _ := asText(in)
		part, ok := asText(a)
		if !ok {
			fail("'in' on a text needs a text, not '%s'", typeName(a))
		}
		r.scan(len(text))
		return strings.Contains(text, part)
	case *dict:
		return r.has(in, a)
	case *view:
		if in.what == "keys" {
			return r.has(in.of, a)
		}
	case span:
		if i, ok := asInt(a); ok {
			return in.index(i) >= 0
		}
	}
	next := r.iterate(b)
	for {
		item, ok := next()
		if !ok {
			return false
		}
		if r.equal(item, a) {
			return true
		}
	}
}

func (r *run) has(d *dict, key value) bool {
	hash, ok := r.hash(key)
	if !ok {
		noUndefinedKey(key)
		fail("unhashable type: '%s'", typeName(key))
	}
	_, found := d.get(hash)
	return found
}
