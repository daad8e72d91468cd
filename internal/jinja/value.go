package jinja

import (
	"math"
	"strings"
)

// Value is a JSON value: null, a boolean, a number, a text, a list or an object that keeps the order of its keys.
// The zero Value is null. Values never change, so that many renderings may share one.
type Value struct{ v value }

// value is what expressions compute with. The dynamic types, and what they are in Python:
//
//	nil          None                    *list      list
//	bool         bool                    *tuple     tuple
//	int64        int                     *dict      dict
//	bigInt       int beyond 64 bits      *view      dict.keys(), .values(), .items()
//	float64      float                   span       range
//	string       str                     *stream    generator
//	markup       markupsafe.Markup       *namespace namespace()
//	undefined    jinja2.Undefined        *loop      the variable loop
//	builtin      a function as a value
type value = any

type (
	bigInt    string // its decimal digits; it can be printed, nothing else
	markup    string // a text that counts as escaped HTML: the result of escape, safe and tojson
	undefined struct{ name string }
	builtin   string
	list      struct{ items []value }
	tuple     struct {
		items []value
		group bool // made by groupby: the items have the names grouper and list
	}
	view struct {
		of   *dict
		what string // keys, values or items
	}
	span      struct{ start, stop, step, count int64 }
	namespace struct{ attributes *dict }
	absent    struct{}
	named     struct{ *dict } // the keywords of a call, as its last argument
)

// missing means an argument that was not given and a variable that has no value.
var missing value = absent{}

// Null is Python's None.
func Null() Value { return Value{} }

func Bool(b bool) Value { return Value{b} }

func Int(i int64) Value { return Value{i} }

// Float returns a number that is printed with a point. NaN does not exist in JSON and becomes null.
func Float(f float64) Value {
	if math.IsNaN(f) {
		return Value{}
	}
	return Value{f}
}

// String returns a text. Bytes that are not UTF-8 become U+FFFD.
func String(s string) Value { return Value{strings.ToValidUTF8(s, "\uFFFD")} }

func List(items ...Value) Value {
	l := &list{items: make([]value, len(items))}
	for i, item := range items {
		l.items[i] = item.v
	}
	return Value{l}
}

// Member is one key of an Object.
type Member struct {
	Name  string
	Value Value
}

// Object returns an object with the members in this order. Of two with the same name the last one counts.
func Object(members ...Member) Value {
	d := newDict(len(members))
	for _, m := range members {
		d.put(strings.ToValidUTF8(m.Name, "\uFFFD"), m.Value.v)
	}
	return Value{d}
}

// asText returns a str or a Markup as a string.
func asText(v value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case markup:
		return string(v), true
	}
	return "", false
}

// like returns a text with the type of the text that it was made from.
func like(v value, s string) value {
	if _, ok := v.(markup); ok {
		return markup(s)
	}
	return s
}

// asInt returns what Python takes as an int, which includes bool.
func asInt(v value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// asFloat returns a number of any kind as a float.
func asFloat(v value) (float64, bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	i, ok := asInt(v)
	return float64(i), ok
}

// asItems returns the items of a list or tuple.
func asItems(v value) ([]value, bool) {
	switch v := v.(type) {
	case *list:
		return v.items, true
	case *tuple:
		return v.items, true
	}
	return nil, false
}

func isUndefined(v value) bool {
	_, ok := v.(undefined)
	return ok
}

// truth is Python's bool().
func truth(v value) bool {
	switch v := v.(type) {
	case nil, undefined:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case markup:
		return v != ""
	case *list:
		return len(v.items) > 0
	case *tuple:
		return len(v.items) > 0
	case *dict:
		return v.len() > 0
	case *view:
		return v.of.len() > 0
	case span:
		return v.count > 0
	}
	return true
}

// typeName returns Python's name of a value's type, for messages.
func typeName(v value) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case int64, bigInt:
		return "int"
	case float64:
		return "float"
	case string, markup:
		return "str"
	case *list:
		return "list"
	case *tuple:
		return "tuple"
	case *dict:
		return "dict"
	case *view:
		return "dict_" + v.what
	case span:
		return "range"
	case *stream:
		return "generator"
	case *namespace:
		return "Namespace"
	case *loop:
		return "loop"
	case undefined:
		return "undefined value"
	}
	return "function"
}

// noUndefined fails, as Jinja2 does, if an undefined value is used for more than printing.
func noUndefined(values ...value) {
	for _, v := range values {
		if u, ok := v.(undefined); ok {
			fail("%s", u.message())
		}
		if _, ok := v.(bigInt); ok {
			refuse("calculating with an integer beyond 64 bits")
		}
	}
}

func (u undefined) message() string {
	if u.name == "" {
		return "a value is undefined"
	}
	return "'" + u.name + "' is undefined"
}
