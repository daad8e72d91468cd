package jinja

import (
	"strings"
	"unicode/utf8"
)

// maxWidth is the cap for widths and precisions while they are parsed, so that they don't overflow. It is beyond the limit, so it is
// refused later.
const maxWidth = maxText + 1

// spec is one conversion of % formatting or of str.format. The latter adds a fill, an alignment and a grouping.
type spec struct {
	left, plus, space, alternate, zero bool
	width, precision                   int // precision is -1 if there is none
	verb                               byte
}

// printf is Python's text % arguments.
func (r *run) printf(format string, arguments value) string {
	f := printfArguments{value: arguments}
	if t, ok := arguments.(*tuple); ok {
		f.items, f.isTuple = t.items, true
	}
	p := printer{run: r}
	r.scan(len(format))
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			p.write(format)
			break
		}
		r.step(1)
		p.write(format[:i])
		format = p.conversion(format[i+1:], &f)
	}
	f.end()
	return p.b.String()
}

// printfArguments returns the arguments of a % one by one.
type printfArguments struct {
	value   value
	items   []value
	isTuple bool
	used    int
	named   bool
}

func (f *printfArguments) next() value {
	f.used++
	if f.isTuple {
		if f.used > len(f.items) {
			fail("not enough arguments for the format")
		}
		return f.items[f.used-1]
	}
	if f.used > 1 || f.named {
		fail("not enough arguments for the format")
	}
	return f.value
}

// end fails if arguments are left over. A value with keys or items need not be used.
func (f *printfArguments) end() {
	if f.isTuple {
		if f.used < len(f.items) {
			fail("not all arguments are used in the format")
		}
		return
	}
	switch f.value.(type) {
	case *dict, *list, undefined, span:
		return
	}
	if f.used == 0 {
		fail("not all arguments are used in the format")
	}
}

// conversion parses what follows a %, writes the argument and returns the rest.
func (p *printer) conversion(s string, f *printfArguments) string {
	var c spec
	c.precision = -1
	var key *string
	if strings.HasPrefix(s, "(") {
		end := strings.IndexByte(s, ')')
		if end < 0 || strings.ContainsRune(s[1:end], '(') {
			refuse("a format key with parentheses")
		}
		name := s[1:end]
		key, s = &name, s[end+1:]
	}
	s = c.flags(s)
	c.width, s = formatNumber(s)
	if strings.HasPrefix(s, ".") {
		c.precision, s = formatNumber(s[1:])
	}
	if s != "" && strings.IndexByte("hlL", s[0]) >= 0 {
		s = s[1:]
	}
	if s == "" {
		fail("the format is incomplete")
	}
	c.verb = s[0]
	if c.verb == '%' {
		if key != nil || c != (spec{verb: '%', precision: -1}) {
			refuse("a format %%%% with options")
		}
		p.write("%")
		return s[1:]
	}
	var v value
	if key != nil {
		v = p.run.formatKey(f, *key)
	} else {
		v = f.next()
	}
	p.write(p.run.converted(c, v))
	return s[1:]
}

func (r *run) formatKey(f *printfArguments, key string) value {
	d, ok := f.value.(*dict)
	if !ok {
		noUndefined(f.value)
		fail("the format needs an object with names")
	}
	f.named = true
	v, ok := d.get(key)
	if !ok {
		fail("the format has no argument '%s'", key)
	}
	return v
}

func (c *spec) flags(s string) string {
	for s != "" {
		switch s[0] {
		case '-':
			c.left = true
		case '+':
			c.plus = true
		case ' ':
			c.space = true
		case '#':
			c.alternate = true
		case '0':
			c.zero = true
		default:
			return s
		}
		s = s[1:]
	}
	return s
}

// formatNumber parses a width or precision.
func formatNumber(s string) (int, string) {
	if strings.HasPrefix(s, "*") {
		refuse("* in a format")
	}
	n := 0
	for s != "" && isDigit(s[0]) {
		n = min(10*n+int(s[0]-'0'), maxWidth)
		s = s[1:]
	}
	return n, s
}

// converted returns one value, formatted by a conversion of %.
func (r *run) converted(c spec, v value) string {
	switch c.verb {
	case 's', 'r':
		s := r.str(v)
		if c.verb == 'r' {
			s = r.repr(v)
		}
		if c.precision >= 0 {
			r.scan(len(s))
			s = s[:byteOffset(s, c.precision)]
		}
		c.zero = false
		return r.pad(c, "", s)
	case 'd', 'i', 'u':
		i := r.wholeArgument(v)
		return r.integer(c, i, 10, "")
	case 'x', 'X', 'o':
		i, ok := asInt(v)
		if !ok {
			noUndefined(v)
			fail("%%%c needs an integer, not '%s'", c.verb, typeName(v))
		}
		base, prefix := 16, "0"+string(c.verb)
		if c.verb == 'o' {
			base = 8
		}
		return r.integer(c, i, base, prefix)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, ok := asFloat(v)
		if !ok {
			noUndefined(v)
			fail("%%%c needs a number, not '%s'", c.verb, typeName(v))
		}
		if c.alternate {
			refuse("# in a format of a float")
		}
		sign, digits := r.float(c, f)
		return r.pad(c, sign, digits)
	case 'c':
		return r.pad(spec{left: c.left, width: c.width}, "", formatCharacter(v))
	case 'a':
		refuse("%%a in a format")
	}
	fail("unknown format %%%c", c.verb)
	return ""
}

func formatCharacter(v value) string {
	if i, ok := asInt(v); ok {
		if i < 0 || i > utf8.MaxRune || !utf8.ValidRune(rune(i)) {
			fail("%%c needs the number of a character")
		}
		return string(rune(i))
	}
	s, _ := asText(v)
	if utf8.RuneCountInString(s) != 1 {
		noUndefined(v)
		fail("%%c needs an integer or a single character")
	}
	return s
}
