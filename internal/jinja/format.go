package jinja

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// format is Python's "{}".format(…), with plain fields: no attributes, no subscripts, no fields in fields.
func (r *run) format(text string, args []value, keywords *dict) string {
	p := printer{run: r}
	r.scan(len(text))
	automatic, numbered := 0, false
	for text != "" {
		i := strings.IndexAny(text, "{}")
		if i < 0 {
			p.write(text)
			break
		}
		r.step(1)
		p.write(text[:i])
		rest := text[i+1:]
		if strings.HasPrefix(rest, text[i:i+1]) { // {{ or }}
			p.write(text[i : i+1])
			text = rest[1:]
			continue
		}
		end := strings.IndexAny(rest, "{}")
		switch {
		case text[i] == '}', end < 0:
			fail("a single brace in a format")
		case rest[end] == '{':
			refuse("a format field inside of a format field")
		}
		field, options, _ := strings.Cut(rest[:end], ":")
		field, conversion, converts := strings.Cut(field, "!")
		text = rest[end+1:]
		var v value
		switch index, err := strconv.Atoi(field); {
		case strings.ContainsAny(field, ".[]"):
			refuse("attributes and subscripts in a format field")
		case field == "":
			if numbered {
				fail("a format mixes numbered and unnumbered fields")
			}
			v = formatArgument(args, automatic)
			automatic++
		case err == nil && isDigit(field[0]):
			if automatic > 0 {
				fail("a format mixes numbered and unnumbered fields")
			}
			numbered = true
			v = formatArgument(args, index)
		default:
			v = formatKeyword(keywords, field)
		}
		if converts {
			v = r.formatConversion(v, conversion)
		}
		p.write(r.formatted(v, options))
	}
	return p.b.String()
}

func formatArgument(args []value, i int) value {
	if i >= len(args) {
		fail("the format has more fields than arguments")
	}
	return args[i]
}

func formatKeyword(keywords *dict, name string) value {
	if keywords != nil {
		if v, ok := keywords.get(name); ok {
			return v
		}
	}
	fail("the format has no argument '%s'", name)
	return nil
}

func (r *run) formatConversion(v value, conversion string) value {
	switch conversion {
	case "s":
		return r.str(v)
	case "r":
		return r.repr(v)
	case "a":
		refuse("!a in a format field")
	}
	fail("unknown conversion in a format field")
	return nil
}

// layout is what follows the colon of a field.
type layout struct {
	spec
	fill     string
	align    byte // < > ^ = or 0
	grouping byte // , _ or 0
}

func parseLayout(s string) layout {
	l := layout{fill: " ", spec: spec{precision: -1}}
	if first := firstRune(s); len(s) > len(first) && strings.IndexByte("<>=^", s[len(first)]) >= 0 {
		l.fill, l.align, s = first, s[len(first)], s[len(first)+1:]
	} else if s != "" && strings.IndexByte("<>=^", s[0]) >= 0 {
		l.align, s = s[0], s[1:]
	}
	if s != "" && strings.IndexByte("+- ", s[0]) >= 0 {
		l.plus, l.space = s[0] == '+', s[0] == ' '
		s = s[1:]
	}
	if strings.HasPrefix(s, "#") {
		l.alternate, s = true, s[1:]
	}
	if strings.HasPrefix(s, "0") {
		l.zero, s = true, s[1:]
	}
	l.width, s = formatNumber(s)
	if s != "" && (s[0] == ',' || s[0] == '_') {
		l.grouping, s = s[0], s[1:]
	}
	if len(s) > 1 && s[0] == '.' && isDigit(s[1]) {
		l.precision, s = formatNumber(s[1:])
	}
	switch {
	case len(s) == 1:
		l.verb = s[0]
	case len(s) > 1:
		fail("invalid format specifier")
	}
	return l
}

// formatted is Python's format(v, options).
func (r *run) formatted(v value, options string) string {
	if options == "" {
		return r.str(v)
	}
	l := parseLayout(options)
	if text, ok := asText(v); ok {
		return r.formatText(l, text)
	}
	if i, ok := asInt(v); ok {
		return r.formatInt(l, i)
	}
	if f, ok := v.(float64); ok {
		return r.formatFloat(l, f)
	}
	switch v.(type) {
	case bigInt, *loop, builtin, *stream:
		refuse("formatting a %s", typeName(v))
	}
	fail("'%s' takes no format options", typeName(v))
	return ""
}

func (r *run) formatText(l layout, text string) string {
	switch {
	case l.verb != 0 && l.verb != 's', l.plus, l.space, l.alternate, l.grouping != 0, l.align == '=':
		fail("the format options are not for a text")
	case l.zero && l.align == 0:
		l.fill, l.align = "0", '<'
	case l.zero && l.fill == " ":
		refuse("an alignment and 0 in a format field")
	}
	if l.precision >= 0 {
		r.scan(len(text))
		text = text[:byteOffset(text, l.precision)]
	}
	return r.layOut(l, "", text, '<')
}

func (r *run) formatInt(l layout, i int64) string {
	switch l.verb {
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		return r.formatFloat(l, float64(i))
	case 'd', 0, 'x', 'X', 'o', 'b':
	case 'c', 'n':
		refuse("the type %c in a format field", l.verb)
	default:
		fail("unknown format type %c for an integer", l.verb)
	}
	if l.precision >= 0 {
		fail("an integer has no precision in a format field")
	}
	base := map[byte]int{'x': 16, 'X': 16, 'o': 8, 'b': 2}[l.verb]
	if base == 0 {
		base = 10
	}
	digits := strings.TrimPrefix(strconv.FormatInt(i, base), "-")
	if l.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	sign := l.sign(i < 0)
	if l.alternate && base != 10 {
		sign += "0" + string(l.verb)
	}
	if l.grouping != 0 {
		if base != 10 {
			refuse("grouping of digits that are not decimal")
		}
		digits = grouped(digits, l.grouping)
	}
	return r.layOut(l, sign, digits, '>')
}

func (r *run) formatFloat(l layout, f float64) string {
	percent := l.verb == '%'
	switch l.verb {
	case 0:
		if l.precision >= 0 || l.grouping != 0 || l.alternate {
			refuse("a precision without a type in a format field")
		}
		digits := floatRepr(f)
		return r.layOut(l, l.sign(strings.HasPrefix(digits, "-")), strings.TrimPrefix(digits, "-"), '>')
	case '%':
		f *= 100
		l.verb = 'f'
	case 'e', 'E', 'f', 'F', 'g', 'G':
	case 'n':
		refuse("the type n in a format field")
	default:
		fail("unknown format type %c for a float", l.verb)
	}
	if l.alternate {
		refuse("# in a format of a float")
	}
	sign, digits := r.float(l.spec, f)
	if l.grouping != 0 {
		whole, fraction, dot := strings.Cut(digits, ".")
		if strings.ContainsAny(digits, "eEiI") {
			refuse("grouping of digits with an exponent")
		}
		digits = grouped(whole, l.grouping)
		if dot {
			digits += "." + fraction
		}
	}
	if percent {
		digits += "%"
	}
	return r.layOut(l, sign, digits, '>')
}

// grouped puts a separator between thousands.
func grouped(digits string, separator byte) string {
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(separator)
		}
		b.WriteByte(digits[i])
	}
	return b.String()
}

// layOut fills a field up to its width.
func (r *run) layOut(l layout, sign, s string, align byte) string {
	r.scan(len(s))
	missing := l.width - utf8.RuneCountInString(s) - len(sign)
	if missing <= 0 {
		return sign + s
	}
	if l.zero && l.align == 0 {
		l.fill, l.align = "0", '='
		if l.grouping != 0 {
			refuse("zeros before grouped digits")
		}
	} else if l.zero && l.fill == " " {
		refuse("an alignment and 0 in a format field")
	}
	if l.align != 0 {
		align = l.align
	}
	r.text(bounded(missing, int64(len(l.fill))) + len(s))
	fill := func(n int) string { return strings.Repeat(l.fill, n) }
	switch align {
	case '<':
		return sign + s + fill(missing)
	case '^':
		return fill(missing/2) + sign + s + fill(missing-missing/2)
	case '=':
		return sign + fill(missing) + s
	}
	return fill(missing) + sign + s
}
