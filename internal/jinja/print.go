package jinja

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// str is Python's str().
func (r *run) str(v value) string {
	switch v := v.(type) {
	case string:
		return v
	case markup:
		return string(v)
	case undefined:
		return ""
	case int64:
		r.text(20)
		return strconv.FormatInt(v, 10)
	}
	return r.repr(v)
}

// repr is Python's repr().
func (r *run) repr(v value) string {
	p := printer{run: r}
	p.value(v)
	return p.b.String()
}

// printer writes a text piece by piece and charges for it.
type printer struct {
	run *run
	b   strings.Builder
}

func (p *printer) write(s string) {
	have := p.b.Len()
	if have+len(s) > maxText {
		fail("a text grows too long (more than %d bytes)", maxText)
	}
	if have+len(s) > p.b.Cap() {
		p.run.alloc(2*p.b.Cap() + len(s))
		p.b.Grow(len(s))
	}
	p.run.step(len(s) >> 5)
	p.b.WriteString(s)
}

func (p *printer) value(v value) {
	p.run.step(1)
	switch v := v.(type) {
	case nil:
		p.write("None")
	case bool:
		if v {
			p.write("True")
		} else {
			p.write("False")
		}
	case int64:
		p.write(strconv.FormatInt(v, 10))
	case bigInt:
		p.write(string(v))
	case float64:
		p.write(floatRepr(v))
	case string:
		p.quoted(v)
	case markup:
		p.write("Markup(")
		p.quoted(string(v))
		p.write(")")
	case undefined:
		p.write("Undefined")
	case *list:
		p.items("[", v.items, "]")
	case *tuple:
		if len(v.items) == 1 {
			p.items("(", v.items, ",)")
		} else {
			p.items("(", v.items, ")")
		}
	case *dict:
		p.dict(v)
	case *view:
		p.write("dict_" + v.what + "(")
		p.items("[", p.run.gather(p.run.overView(v)), "])")
	case span:
		p.write("range(" + strconv.FormatInt(v.start, 10) + ", " + strconv.FormatInt(v.stop, 10))
		if v.step != 1 {
			p.write(", " + strconv.FormatInt(v.step, 10))
		}
		p.write(")")
	case *namespace:
		p.write("<Namespace ")
		p.dict(v.attributes)
		p.write(">")
	default:
		refuse("printing a %s; a generator needs |list", typeName(v))
	}
}

func (p *printer) items(open string, items []value, end string) {
	p.run.deeper()
	p.write(open)
	for i, item := range items {
		if i > 0 {
			p.write(", ")
		}
		p.value(item)
	}
	p.write(end)
	p.run.depth--
}

func (p *printer) dict(d *dict) {
	p.run.deeper()
	p.write("{")
	for i, key := range d.keys {
		if i > 0 {
			p.write(", ")
		}
		p.value(key)
		p.write(": ")
		p.value(d.values[i])
	}
	p.write("}")
	p.run.depth--
}

// floatRepr returns the shortest digits that give the same float, in Python's format.
func floatRepr(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

const hexDigits = "0123456789abcdef"

// quoted writes a string literal as Python would: in single quotes, unless it contains single quotes and no double quotes.
func (p *printer) quoted(s string) {
	p.run.scan(len(s) >> 1)
	quote := "'"
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = `"`
	}
	p.write(quote)
	plain := 0 // the beginning of the part that needs no escape
	for i, c := range s {
		escaped := ""
		switch {
		case c == '\\':
			escaped = `\\`
		case c == '\n':
			escaped = `\n`
		case c == '\r':
			escaped = `\r`
		case c == '\t':
			escaped = `\t`
		case string(c) == quote:
			escaped = `\` + quote
		case ' ' <= c && c < 0x7f:
			continue
		case c >= 0x80 && unicode.IsPrint(c):
			continue
		case c < 0x100:
			escaped = hexEscape(`\x`, c, 2)
		case c < 0x10000:
			escaped = hexEscape(`\u`, c, 4)
		default:
			escaped = hexEscape(`\U`, c, 8)
		}
		p.run.step(1)
		p.write(s[plain:i])
		p.write(escaped)
		plain = i + utf8.RuneLen(c)
	}
	p.write(s[plain:])
	p.write(quote)
}

func hexEscape(prefix string, c rune, digits int) string {
	b := []byte(prefix)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, hexDigits[c>>shift&15])
	}
	return string(b)
}
