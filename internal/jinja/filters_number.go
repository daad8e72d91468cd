package jinja

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// toInt returns a value as an integer. A value that is not a number gives 0 or another default.
func toInt(r *run, v value, args []value) value {
	otherwise := given(args[0], int64(0))
	if s, ok := asText(v); ok {
		s = r.plainDigits(s)
		if i, ok := parseInt(s, intArgument(args[1], 10)); ok {
			return i
		}
		f, ok := parseFloat(s)
		if !ok || math.IsNaN(f) {
			return otherwise
		}
		v = f
	}
	switch n := v.(type) {
	case float64:
		if math.IsInf(n, 0) {
			fail("an infinite number can't be an integer")
		}
		return truncated(n)
	case bigInt:
		return n
	}
	if i, ok := asInt(v); ok {
		return i
	}
	noUndefined(v)
	return otherwise
}

// parseInt is Python's int() of a text.
func parseInt(s string, base int64) (int64, bool) {
	if base != 2 && base != 8 && base != 10 && base != 16 {
		refuse("int with the base %d", base)
	}
	s = strings.TrimFunc(s, isSpace)
	sign := ""
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, s = s[:1], s[1:]
	}
	if prefix := map[int64]string{2: "0b", 8: "0o", 16: "0x"}[base]; prefix != "" && len(s) > 2 && strings.EqualFold(s[:2], prefix) {
		s = strings.TrimPrefix(s[2:], "_")
	}
	if s == "" || digits(s, isHexOrWord) != len(s) {
		return 0, false
	}
	i, err := strconv.ParseInt(sign+strings.ReplaceAll(s, "_", ""), int(base), 64)
	if errors.Is(err, strconv.ErrRange) {
		tooBig()
	}
	return i, err == nil
}

// isHexOrWord reports whether a byte may be part of a number: ParseInt decides which letters the base allows, digits decides about
// underscores.
func isHexOrWord(c byte) bool { return isHex(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

// plainDigits returns a text with the digits of other scripts, which Python reads as numbers, replaced by ASCII digits. Unicode has them in
// rows of ten, from zero to nine.
func (r *run) plainDigits(s string) string {
	r.scan(len(s))
	if isASCII(s) {
		return s
	}
	r.text(len(s))
	r.step(len(s))
	return strings.Map(func(c rune) rune {
		if !unicode.Is(unicode.Nd, c) {
			return c
		}
		value := rune(0)
		for unicode.Is(unicode.Nd, c-value-1) {
			value++
		}
		return '0' + value%10
	}, s)
}

// parseFloat is Python's float() of a text.
func parseFloat(s string) (float64, bool) {
	s = strings.TrimFunc(s, isSpace)
	number := strings.TrimLeft(s, "+-")
	if len(s)-len(number) > 1 {
		return 0, false
	}
	switch strings.ToLower(number) {
	case "inf", "infinity":
		return math.Inf(map[bool]int{true: -1, false: 1}[strings.HasPrefix(s, "-")]), true
	case "nan":
		return math.NaN(), true
	}
	if number == "" || strings.ContainsAny(number, "xXpPiInN") || !underscoresBetweenDigits(number) {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	return f, err == nil || errors.Is(err, strconv.ErrRange)
}

func underscoresBetweenDigits(s string) bool {
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i+1 == len(s) || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return false
		}
	}
	return true
}

func toFloat(r *run, v value, args []value) value {
	if s, ok := asText(v); ok {
		if f, ok := parseFloat(r.plainDigits(s)); ok {
			return finite(f)
		}
		return given(args[0], 0.0)
	}
	if f, ok := asFloat(v); ok {
		return f
	}
	noUndefined(v)
	return given(args[0], 0.0)
}

func absolute(_ *run, v value, _ []value) value {
	if f, ok := v.(float64); ok {
		return math.Abs(f)
	}
	i, ok := asInt(v)
	if !ok {
		noUndefined(v)
		fail("bad operand type for abs(): '%s'", typeName(v))
	}
	if i < 0 {
		return negative(i)
	}
	return i
}

// round rounds a number. An int stays an int, and a float stays a float.
func round(r *run, v value, args []value) value {
	how, ok := given(args[1], "common").(string)
	if !ok || how != "common" && how != "ceil" && how != "floor" {
		fail("the method of round must be common, ceil or floor")
	}
	if args[0] == nil {
		refuse("round with the precision none")
	}
	precision := intArgument(args[0], 0)
	f, ok := asFloat(v)
	if !ok {
		noUndefined(v)
		fail("round needs a number, not '%s'", typeName(v))
	}
	if how != "common" {
		return r.roundTowards(v, f, precision, how)
	}
	if i, ok := asInt(v); ok {
		if precision < 0 {
			refuse("round with a negative precision")
		}
		return i
	}
	switch {
	case math.IsInf(f, 0):
		return f
	case precision < 0:
		refuse("round with a negative precision")
	case precision > 308:
		return f
	}
	r.alloc(1024)
	r.step(128)
	// The digits are those of the exact value, rounded half to even, as in Python.
	f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(precision), 64), 64)
	return f
}

func (r *run) roundTowards(v value, f float64, precision int64, how string) value {
	if precision < 0 || precision > 15 {
		refuse("round with the precision %d", precision)
	}
	if math.IsInf(f, 0) {
		fail("an infinite number can't be an integer")
	}
	scale := power(r, int64(10), precision)
	scaled := multiply(r, v, scale)
	if f, ok := scaled.(float64); ok {
		f = math.Floor(f)
		if how == "ceil" {
			f = math.Ceil(scaled.(float64))
		}
		if math.Abs(f) > exact {
			refuse("round of a number beyond %d", int64(exact))
		}
		scaled = int64(f)
	}
	return divide(r, scaled, scale)
}

func fileSize(r *run, v value, args []value) value {
	size, ok := asFloat(v)
	if s, isText := asText(v); isText {
		size, ok = parseFloat(r.plainDigits(s))
	}
	if !ok {
		noUndefined(v)
		fail("filesizeformat needs a number, not '%s'", typeName(v))
	}
	finite(size)
	base, units := 1000.0, []string{"kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"}
	if flag(args[0], false) {
		base, units = 1024.0, []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"}
	}
	switch {
	case size == 1:
		return "1 Byte"
	case math.IsInf(size, -1):
		fail("an infinite number can't be an integer")
	case size < base:
		return strconv.FormatInt(truncated(size), 10) + " Bytes"
	}
	r.alloc(512)
	r.step(128)
	unit := base
	for i, name := range units {
		unit *= base
		if size < unit || i == len(units)-1 {
			return formatTenths(base*size/unit) + " " + name
		}
	}
	return nil
}

func formatTenths(f float64) string {
	if math.IsInf(f, 0) {
		return "inf"
	}
	return strconv.FormatFloat(f, 'f', 1, 64)
}
