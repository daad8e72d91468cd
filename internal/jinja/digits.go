package jinja

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// wholeArgument returns the integer that %d makes of a number.
func (r *run) wholeArgument(v value) int64 {
	if f, ok := v.(float64); ok {
		if math.IsInf(f, 0) {
			fail("an infinite number can't be an integer")
		}
		return truncated(f)
	}
	i, ok := asInt(v)
	if !ok {
		noUndefined(v)
		fail("%%d needs a number, not '%s'", typeName(v))
	}
	return i
}

// truncated is Python's int() of a finite float.
func truncated(f float64) int64 {
	f = math.Trunc(f)
	if f < -1<<63 || f >= 1<<63 {
		tooBig()
	}
	return int64(f)
}

func (c spec) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case c.plus:
		return "+"
	case c.space:
		return " "
	}
	return ""
}

func (r *run) integer(c spec, i int64, base int, prefix string) string {
	digits := strings.TrimPrefix(strconv.FormatInt(i, base), "-")
	if c.precision > len(digits) {
		r.text(c.precision)
		digits = strings.Repeat("0", c.precision-len(digits)) + digits
	}
	if c.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	sign := c.sign(i < 0)
	if c.alternate {
		sign += prefix
	}
	return r.pad(c, sign, digits)
}

// float returns a float's sign and digits. Without a precision there are six.
func (r *run) float(c spec, f float64) (sign, digits string) {
	sign = c.sign(math.Signbit(f))
	f = math.Abs(f)
	precision := c.precision
	if precision < 0 {
		precision = 6
	}
	switch {
	case math.IsInf(f, 0):
		digits = "inf"
	default:
		if precision > 1000 {
			refuse("a precision of more than 1000 digits")
		}
		r.text(400 + 2*precision)
		digits = floatDigits(c.verb|0x20, f, precision)
	}
	if c.verb == 'E' || c.verb == 'F' || c.verb == 'G' {
		digits = strings.ToUpper(digits)
	}
	return sign, digits
}

func floatDigits(verb byte, f float64, precision int) string {
	if verb != 'g' {
		return strconv.FormatFloat(f, verb, precision, 64)
	}
	precision = max(precision, 1)
	s := strconv.FormatFloat(f, 'e', precision-1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	x, _ := strconv.Atoi(exponent)
	if x >= -4 && x < precision {
		return trimZeros(strconv.FormatFloat(f, 'f', precision-1-x, 64))
	}
	return trimZeros(mantissa) + "e" + exponent
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// pad fills a text up to the width, with zeros between sign and digits, or with spaces.
func (r *run) pad(c spec, sign, s string) string {
	r.scan(len(s))
	missing := c.width - utf8.RuneCountInString(s) - len(sign)
	if missing <= 0 {
		return sign + s
	}
	r.text(c.width + len(s))
	switch {
	case c.left:
		return sign + s + strings.Repeat(" ", missing)
	case c.zero:
		return sign + strings.Repeat("0", missing) + s
	}
	return strings.Repeat(" ", missing) + sign + s
}
