package jinja

import (
	"math"
	"math/big"
	"strings"
)

// arithmetic has Python's operators. Integers beyond 64 bits are refused. Python would compute with them.
var arithmetic = map[string]func(r *run, a, b value) value{
	"+":  add,
	"-":  subtract,
	"*":  multiply,
	"/":  divide,
	"//": floorDivide,
	"%":  remainder,
	"**": power,
}

func unsupportedOperands(operator string, a, b value) {
	for _, v := range []value{a, b} {
		switch v.(type) {
		case *view, *stream, *loop, builtin, markup: // the keys of a dict can be subtracted like sets
			refuse("%s on a %s", operator, typeName(v))
		}
	}
	noUndefined(a, b)
	fail("unsupported operand types for %s: '%s' and '%s'", operator, typeName(a), typeName(b))
}

func tooBig() { refuse("an integer beyond 64 bits") }

// finite returns a float, and refuses NaN.
func finite(f float64) value {
	if math.IsNaN(f) {
		refuse("a number that is not a number (NaN)")
	}
	return f
}

// numbers returns both operands as ints, or else both as floats.
func numbers(a, b value) (x, y int64, f, g float64, ints, ok bool) {
	x, isInt := asInt(a)
	y, alsoInt := asInt(b)
	if isInt && alsoInt {
		return x, y, 0, 0, true, true
	}
	f, isFloat := asFloat(a)
	g, alsoFloat := asFloat(b)
	return 0, 0, f, g, false, isFloat && alsoFloat
}

func add(r *run, a, b value) value {
	x, y, f, g, ints, ok := numbers(a, b)
	switch {
	case ints:
		sum := x + y
		if (sum > x) != (y > 0) {
			tooBig()
		}
		return sum
	case ok:
		return finite(f + g)
	}
	switch left := a.(type) {
	case string:
		if right, ok := b.(string); ok {
			r.text(len(left) + len(right))
			return left + right
		}
		if right, ok := b.(markup); ok {
			return markup(r.escape(left) + string(right))
		}
	case markup:
		switch right := b.(type) {
		case string:
			return markup(string(left) + r.escape(right))
		case markup:
			r.text(len(left) + len(right))
			return left + right
		}
	case *list:
		if right, ok := b.(*list); ok {
			return &list{items: r.chain(left.items, right.items)}
		}
	case *tuple:
		if right, ok := b.(*tuple); ok {
			return &tuple{items: r.chain(left.items, right.items)}
		}
	}
	unsupportedOperands("+", a, b)
	return nil
}

func (r *run) chain(a, b []value) []value {
	r.items(len(a) + len(b))
	return append(append(make([]value, 0, len(a)+len(b)), a...), b...)
}

func subtract(_ *run, a, b value) value {
	x, y, f, g, ints, ok := numbers(a, b)
	switch {
	case ints:
		difference := x - y
		if (difference < x) != (y > 0) {
			tooBig()
		}
		return difference
	case ok:
		return finite(f - g)
	}
	unsupportedOperands("-", a, b)
	return nil
}

func product(x, y int64) int64 {
	if x == 0 || y == 0 {
		return 0
	}
	p := x * y
	if p/y != x || x == -1 && y == math.MinInt64 || y == -1 && x == math.MinInt64 {
		tooBig()
	}
	return p
}

func multiply(r *run, a, b value) value {
	x, y, f, g, ints, ok := numbers(a, b)
	switch {
	case ints:
		return product(x, y)
	case ok:
		return finite(f * g)
	}
	if n, ok := asInt(a); ok {
		a, b = b, n
	}
	n, ok := asInt(b)
	if !ok {
		unsupportedOperands("*", a, b)
	}
	switch v := a.(type) {
	case string:
		return r.repeat(v, n)
	case markup:
		return markup(r.repeat(string(v), n))
	case *list:
		return &list{items: r.repeatItems(v.items, n)}
	case *tuple:
		return &tuple{items: r.repeatItems(v.items, n)}
	}
	unsupportedOperands("*", a, b)
	return nil
}

// repeat returns a text n times. It checks the size before it allocates anything.
func (r *run) repeat(s string, n int64) string {
	if n <= 0 || s == "" {
		return ""
	}
	r.text(bounded(len(s), n))
	return strings.Repeat(s, int(n))
}

func (r *run) repeatItems(items []value, n int64) []value {
	if n <= 0 || len(items) == 0 {
		return nil
	}
	r.items(bounded(len(items), n))
	all := make([]value, 0, len(items)*int(n))
	for range n {
		all = append(all, items...)
	}
	return all
}

// bounded returns the product of two sizes. A product that would overflow becomes a number that is still beyond every limit.
func bounded(size int, n int64) int {
	if n > math.MaxInt32 || int64(size) > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(min(int64(size)*n, math.MaxInt32))
}

// exact is the limit up to which a float represents every integer.
const exact = 1 << 53

func divide(r *run, a, b value) value {
	x, y, f, g, ints, ok := numbers(a, b)
	switch {
	case !ok:
		unsupportedOperands("/", a, b)
	case ints && y == 0, !ints && g == 0:
		fail("division by zero")
	case ints && (x > exact || x < -exact || y > exact || y < -exact):
		r.alloc(256)
		r.step(32)
		quotient, _ := big.NewRat(0, 1).SetFrac64(x, y).Float64()
		return quotient
	case ints:
		return float64(x) / float64(y)
	}
	return finite(f / g)
}

func floorDivide(_ *run, a, b value) value {
	x, y, f, g, ints, ok := numbers(a, b)
	switch {
	case !ok:
		unsupportedOperands("//", a, b)
	case ints && y == 0, !ints && g == 0:
		fail("division by zero")
	case ints:
		if x == math.MinInt64 && y == -1 {
			tooBig()
		}
		q := x / y
		if x%y != 0 && (x < 0) != (y < 0) {
			q--
		}
		return q
	}
	quotient, _ := floatDivmod(f, g)
	return finite(quotient)
}

// floatDivmod returns quotient and remainder as in Python, which rounds the quotient so that it fits the remainder.
func floatDivmod(f, g float64) (quotient, rest float64) {
	rest = math.Mod(f, g)
	quotient = (f - rest) / g
	if rest != 0 {
		if (g < 0) != (rest < 0) {
			rest += g
			quotient--
		}
	} else {
		rest = math.Copysign(0, g)
	}
	if quotient == 0 {
		return math.Copysign(0, f/g), rest
	}
	floor := math.Floor(quotient)
	if quotient-floor > 0.5 {
		floor++
	}
	return floor, rest
}

func remainder(r *run, a, b value) value {
	switch a := a.(type) {
	case string:
		return r.printf(a, b)
	case markup:
		refuse("%% on a text that counts as escaped")
	}
	x, y, f, g, ints, ok := numbers(a, b)
	switch {
	case !ok:
		unsupportedOperands("%", a, b)
	case ints && y == 0, !ints && g == 0:
		fail("division by zero")
	case ints:
		rest := x % y
		if rest != 0 && (rest < 0) != (y < 0) {
			rest += y
		}
		return rest
	}
	_, rest := floatDivmod(f, g)
	return finite(rest)
}
