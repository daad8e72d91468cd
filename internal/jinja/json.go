package jinja

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// toJSON is the filter tojson: Python's json.dumps with sorted keys, and < > & ' written as escapes.
func toJSON(r *run, v value, args []value) value {
	j := jsonPrinter{printer: printer{run: r}}
	switch indent := args[0].(type) {
	case absent, nil:
	case string:
		if strings.ContainsAny(indent, "<>&'") {
			refuse("tojson with an indent of < > & or '")
		}
		j.pretty, j.indent = true, indent
	default:
		n, ok := asInt(indent)
		if !ok {
			fail("tojson: indent must be a number")
		}
		j.pretty, j.indent = true, r.repeat(" ", n)
	}
	j.value(v)
	return markup(j.b.String())
}

type jsonPrinter struct {
	printer
	pretty bool
	indent string
	level  int
}

func (j *jsonPrinter) value(v value) {
	j.run.step(1)
	switch v := v.(type) {
	case nil:
		j.write("null")
	case bool:
		j.write(strconv.FormatBool(v))
	case int64:
		j.write(strconv.FormatInt(v, 10))
	case bigInt:
		j.write(string(v))
	case float64:
		j.write(jsonFloat(v))
	case string:
		j.text(v)
	case markup:
		j.text(string(v))
	case *list:
		j.list(v.items)
	case *tuple:
		j.list(v.items)
	case *dict:
		j.dict(v)
	default:
		fail("a %s can't be written as JSON", typeName(v))
	}
}

func jsonFloat(f float64) string {
	switch s := floatRepr(f); s {
	case "inf":
		return "Infinity"
	case "-inf":
		return "-Infinity"
	default:
		return s
	}
}

// line begins a new line if the output is indented.
func (j *jsonPrinter) line() {
	if !j.pretty {
		return
	}
	j.run.step(j.level)
	j.write("\n")
	for range j.level {
		j.write(j.indent)
	}
}

// between writes the separator of two items.
func (j *jsonPrinter) between(i int) {
	switch {
	case i > 0 && j.pretty:
		j.write(",")
	case i > 0:
		j.write(", ")
	}
	j.line()
}

func (j *jsonPrinter) list(items []value) {
	if len(items) == 0 {
		j.write("[]")
		return
	}
	j.run.deeper()
	j.level++
	j.write("[")
	for i, item := range items {
		j.between(i)
		j.value(item)
	}
	j.level--
	j.line()
	j.write("]")
	j.run.depth--
}

func (j *jsonPrinter) dict(d *dict) {
	if d.len() == 0 {
		j.write("{}")
		return
	}
	j.run.deeper()
	j.run.alloc(8 * d.len())
	order := make([]int, d.len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return j.run.compare(d.keys[a], d.keys[b], "<") })
	j.level++
	j.write("{")
	for i, at := range order {
		j.between(i)
		j.key(d.keys[at])
		j.write(": ")
		j.value(d.values[at])
	}
	j.level--
	j.line()
	j.write("}")
	j.run.depth--
}

func (j *jsonPrinter) key(key value) {
	switch key := key.(type) {
	case string, markup:
		text, _ := asText(key)
		j.text(text)
	case nil:
		j.write(`"null"`)
	case bool:
		j.write(strconv.Quote(strconv.FormatBool(key)))
	case int64:
		j.write(strconv.Quote(strconv.FormatInt(key, 10)))
	case float64:
		j.write(strconv.Quote(jsonFloat(key)))
	default:
		fail("a %s can't be a key in JSON", typeName(key))
	}
}

var jsonEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`, '\f': `\f`,
}

func (j *jsonPrinter) text(s string) {
	j.run.scan(len(s) >> 1)
	j.write(`"`)
	plain := 0
	for i, c := range s {
		if ' ' <= c && c < 0x7f && !strings.ContainsRune(`"\<>&'`, c) {
			continue
		}
		j.run.step(1)
		j.write(s[plain:i])
		plain = i + utf8.RuneLen(c)
		switch escaped, ok := jsonEscapes[c]; {
		case ok:
			j.write(escaped)
		case c < 0x10000:
			j.write(hexEscape(`\u`, c, 4))
		default: // a surrogate pair
			c -= 0x10000
			j.write(hexEscape(`\u`, 0xd800+c>>10, 4))
			j.write(hexEscape(`\u`, 0xdc00+c&0x3ff, 4))
		}
	}
	j.write(s[plain:])
	j.write(`"`)
}
