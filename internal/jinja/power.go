package jinja

import "math"

// power returns powers of integers. It refuses others, because their last bit depends on the C library.
func power(_ *run, a, b value) value {
	x, y, f, g, ints, ok := numbers(a, b)
	if !ok {
		unsupportedOperands("**", a, b)
	}
	if !ints {
		if f == 0 && math.Signbit(f) {
			refuse("a power of negative zero")
		}
		if f != math.Trunc(f) || g != math.Trunc(g) || math.Abs(f) > exact || g < 0 || g > 64 {
			refuse("a power other than of whole numbers")
		}
		x, y = int64(f), int64(g)
	}
	if y < 0 {
		if x == 0 {
			fail("0 can't be raised to a negative power")
		}
		refuse("a negative power")
	}
	result := int64(1)
	switch {
	case x == 0 && y > 0:
		result = 0
	case x == -1 && y%2 != 0:
		result = -1
	case x != 1 && x != -1:
		for range y { // ends after 63 rounds at most
			result = product(result, x)
		}
	}
	if !ints {
		if result > exact || result < -exact {
			refuse("a power beyond what a float holds exactly")
		}
		return float64(result)
	}
	return result
}

func not(v value) value { return !truth(v) }

func negative(v value) value {
	if i, ok := asInt(v); ok {
		if i == math.MinInt64 {
			tooBig()
		}
		return -i
	}
	if f, ok := v.(float64); ok {
		return -f
	}
	noUndefined(v)
	fail("bad operand type for unary -: '%s'", typeName(v))
	return nil
}

func positive(v value) value {
	if i, ok := asInt(v); ok {
		return i
	}
	if f, ok := v.(float64); ok {
		return f
	}
	noUndefined(v)
	fail("bad operand type for unary +: '%s'", typeName(v))
	return nil
}
