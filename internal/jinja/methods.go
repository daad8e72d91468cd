package jinja

import (
	"strings"
)

// method is a method of one of Python's types.
type method struct {
	params parameters
	named  bool // its arguments have names for callers
	apply  func(r *run, v value, args []value) value
}

// kinds of receivers a method can have.
const (
	onText = iota
	onDict
	onItems // lists and tuples
	onLoop
)

// methods has the methods that can be called, by name and receiver. Methods that change a value are left out.
var methods = map[string]map[int]method{
	"upper":      {onText: plain(func(r *run, s string) value { return r.upper(s) })},
	"lower":      {onText: plain(func(r *run, s string) value { return r.lower(s) })},
	"title":      {onText: plain(func(r *run, s string) value { return r.title(s) })},
	"capitalize": {onText: plain(func(r *run, s string) value { return r.capitalize(s) })},
	"isdigit":    {onText: asks(isDigitText)},
	"isdecimal":  {onText: asks(isDecimalText)},
	"isalpha":    {onText: asks(isAlphaText)},
	"isalnum":    {onText: asks(isAlnumText)},
	"isspace":    {onText: asks(isSpaceText)},
	"isupper":    {onText: asks(isUpperText)},
	"islower":    {onText: asks(isLowerText)},
	"isascii":    {onText: asks(isASCII)},
	"strip":      {onText: strips(true, true)},
	"lstrip":     {onText: strips(true, false)},
	"rstrip":     {onText: strips(false, true)},
	"center":     {onText: pads(true, true)},
	"ljust":      {onText: pads(false, true)},
	"rjust":      {onText: pads(true, false)},
	"zfill":      {onText: method{takes("width"), false, zfill}},
	"split":      {onText: splits(false)},
	"rsplit":     {onText: splits(true)},
	"splitlines": {onText: method{takes("keepends?"), true, func(r *run, v value, args []value) value {
		return r.texts(v, r.lines(text(v), args[0] != missing && truth(args[0])))
	}}},
	"join":         {onText: method{takes("iterable"), false, joinTexts}},
	"replace":      {onText: method{takes("old", "new", "count?"), false, replaceText}},
	"format":       {onText: method{takes("*", "**"), false, formatText}},
	"startswith":   {onText: begins(strings.HasPrefix)},
	"endswith":     {onText: begins(strings.HasSuffix)},
	"find":         {onText: finds(strings.Index, false)},
	"rfind":        {onText: finds(strings.LastIndex, false)},
	"index":        {onText: finds(strings.Index, true), onItems: method{takes("value"), false, indexItem}},
	"rindex":       {onText: finds(strings.LastIndex, true)},
	"count":        {onText: method{takes("sub"), false, countText}, onItems: method{takes("value"), false, countItem}},
	"partition":    {onText: parts(strings.Index, 0)},
	"rpartition":   {onText: parts(strings.LastIndex, 2)},
	"removeprefix": {onText: removes(strings.TrimPrefix)},
	"removesuffix": {onText: removes(strings.TrimSuffix)},
	"items":        {onDict: views("items")},
	"keys":         {onDict: views("keys")},
	"values":       {onDict: views("values")},
	"get":          {onDict: method{takes("key", "default?"), false, getKey}},
	"cycle": {onLoop: method{takes("*"), false, func(_ *run, v value, args []value) value {
		return v.(*loop).cycle(args)
	}}},
	"changed": {onLoop: method{takes("*"), false, func(_ *run, v value, args []value) value {
		return v.(*loop).change(args)
	}}},
}

// method returns a method of a value. Python looks for it before a key of that name, which could not be called.
func (r *run) method(v value, name string) method {
	kind := -1
	switch of := v.(type) {
	case undefined:
		fail("%s", of.message())
	case string:
		kind = onText
	case markup:
		if !plainMethods[name] {
			refuse("the method %q of a text that counts as escaped", name)
		}
		kind = onText
	case *dict:
		kind = onDict
	case *list, *tuple:
		kind = onItems
	case *loop:
		kind = onLoop
	case span, *view, *stream, builtin, bigInt:
		refuse("the method %q of a %s", name, typeName(v))
	}
	m, ok := methods[name][kind]
	if !ok {
		fail("'%s' has no method '%s'", typeName(v), name)
	}
	return m
}

// plainMethods are the methods that work the same on escaped text.
var plainMethods = words(`isdigit isdecimal isalpha isalnum isspace isupper islower isascii upper lower title capitalize
	splitlines startswith endswith find rfind index rindex count`)

func text(v value) string {
	s, _ := asText(v)
	return s
}

// textArgument returns an argument that must be a text.
func textArgument(v value) string {
	s, ok := asText(v)
	if !ok {
		fail("a text is needed, not '%s'", typeName(v))
	}
	return s
}

// intArgument returns an argument that must be an integer, or the other value if it was left out.
func intArgument(v value, otherwise int64) int64 {
	if v == missing {
		return otherwise
	}
	i, ok := asInt(v)
	if !ok {
		noUndefined(v)
		fail("an integer is needed, not '%s'", typeName(v))
	}
	return i
}

func indexItem(r *run, v value, args []value) value {
	for i, item := range r.all(v) {
		if r.equal(item, args[0]) {
			return int64(i)
		}
	}
	fail("the list does not hold that value")
	return nil
}

func countItem(r *run, v value, args []value) value {
	n := int64(0)
	for _, item := range r.all(v) {
		if r.equal(item, args[0]) {
			n++
		}
	}
	return n
}

func views(what string) method {
	return method{takes(), false, func(_ *run, v value, _ []value) value { return &view{v.(*dict), what} }}
}

func getKey(r *run, v value, args []value) value {
	d := v.(*dict)
	if !r.has(d, args[0]) {
		if args[1] == missing {
			return nil
		}
		return args[1]
	}
	hash, _ := r.hash(args[0])
	member, _ := d.get(hash)
	return member
}
