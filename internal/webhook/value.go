package webhook

import (
	"cmp"
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// found says how a path ended.
type found int

const (
	present found = iota
	missing       // there is nothing of that name
	blocked       // a plain value where an object was needed
)

// walk follows a path and returns the value at its end, or what blocked it. A list is followed in each of its
// elements, and the values become one flat list.
func walk(v any, path []string) (any, found) {
	for i, name := range path {
		switch x := v.(type) {
		case nil:
			return nil, missing
		case map[string]any:
			member, ok := x[name]
			if !ok {
				return nil, missing
			}
			v = member
		case []any:
			return walkEach(x, path[i:])
		default:
			return v, blocked
		}
	}
	return v, present
}

func walkEach(list []any, path []string) (any, found) {
	all := make([]any, 0, len(list))
	best := missing
	for _, item := range list {
		v, how := walk(item, path)
		switch how {
		case blocked:
			return v, blocked
		case present:
			best = present
		}
		if inner, ok := v.([]any); ok {
			all = append(all, inner...)
		} else {
			all = append(all, v)
		}
	}
	if best == present || len(list) == 0 {
		return all, present
	}
	return nil, missing
}

// bare returns the value of a choice, also in a list of them.
func bare(v any) any {
	if value, ok := choice(v); ok {
		return value
	}
	list, ok := v.([]any)
	if !ok {
		return v
	}
	var out []any
	for i, item := range list {
		if value, ok := choice(item); ok {
			if out == nil {
				out = slices.Clone(list)
			}
			out[i] = value
		}
	}
	if out == nil {
		return v
	}
	return out
}

func choice(v any) (any, bool) {
	object, ok := v.(map[string]any)
	if !ok || len(object) != 2 {
		return nil, false
	}
	value, ok := object["value"]
	_, labelled := object["label"]
	return value, ok && labelled
}

// equal compares deeply; numbers as numbers, and values of different kinds as unequal.
func equal(a, b any) bool {
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		if x == y {
			return true
		}
		order, ok := compareNumbers(x, y)
		return ok && order == 0
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, equal)
	}
	return a == b // of different kinds, or null, a boolean or a text
}

// compare orders two numbers or two texts; anything else has no order.
func compare(a, b any) (int, bool) {
	switch x := a.(type) {
	case json.Number:
		if y, ok := b.(json.Number); ok {
			return compareNumbers(x, y)
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), true
		}
	}
	return 0, false
}

// compareNumbers is exact: a float would take 9007199254740993 for its neighbour.
func compareNumbers(a, b json.Number) (int, bool) {
	x, errX := strconv.ParseInt(string(a), 10, 64)
	y, errY := strconv.ParseInt(string(b), 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y), true
	}
	p, okP := fraction(string(a))
	q, okQ := fraction(string(b))
	if !okP || !okQ {
		return 0, false
	}
	return p.Cmp(q), true
}

// fraction refuses numbers of absurd size: 1e999999999 has eleven characters here and a billion digits when it is
// written out.
func fraction(number string) (*big.Rat, bool) {
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		if n, err := strconv.Atoi(number[i+1:]); err != nil || n > 400 || n < -400 {
			return nil, false
		}
	}
	if len(number) > 400 {
		return nil, false
	}
	return new(big.Rat).SetString(number)
}
