package jinja

// test is a test, which follows `is`.
type test struct {
	params parameters
	apply  func(r *run, v value, args []value) bool
}

var tests = map[string]test{
	"defined":     is(func(v value) bool { return !isUndefined(v) }),
	"undefined":   is(isUndefined),
	"none":        is(func(v value) bool { return v == nil }),
	"boolean":     is(isType[bool]),
	"true":        is(func(v value) bool { return v == true }),
	"false":       is(func(v value) bool { return v == false }),
	"integer":     is(func(v value) bool { return isType[int64](v) || isType[bigInt](v) }),
	"float":       is(isType[float64]),
	"number":      is(func(v value) bool { _, ok := asFloat(v); return ok || isType[bigInt](v) }),
	"string":      is(func(v value) bool { _, ok := asText(v); return ok }),
	"mapping":     is(isType[*dict]),
	"escaped":     is(isType[markup]),
	"callable":    is(func(v value) bool { return isType[builtin](v) || isType[undefined](v) || isType[*loop](v) }),
	"sequence":    is(isSequence),
	"iterable":    is(isIterable),
	"upper":       {takes(), func(r *run, v value, _ []value) bool { return isUpperText(r.scanned(v)) }},
	"lower":       {takes(), func(r *run, v value, _ []value) bool { return isLowerText(r.scanned(v)) }},
	"even":        {takes(), func(r *run, v value, _ []value) bool { return r.divisible(v, int64(2), 0) }},
	"odd":         {takes(), func(r *run, v value, _ []value) bool { return r.divisible(v, int64(2), 1) }},
	"divisibleby": {takes("num"), func(r *run, v value, args []value) bool { return r.divisible(v, args[0], 0) }},
	"sameas":      {takes("other"), func(_ *run, v value, args []value) bool { return same(v, args[0]) }},
	"in":          {takes("seq"), func(r *run, v value, args []value) bool { return contained(r, v, args[0]) }},
	"==":          compares("=="),
	"eq":          compares("=="),
	"equalto":     compares("=="),
	"!=":          compares("!="),
	"ne":          compares("!="),
	">":           compares(">"),
	"gt":          compares(">"),
	"greaterthan": compares(">"),
	">=":          compares(">="),
	"ge":          compares(">="),
	"<":           compares("<"),
	"lt":          compares("<"),
	"lessthan":    compares("<"),
	"<=":          compares("<="),
	"le":          compares("<="),
}

func is(f func(v value) bool) test {
	return test{takes(), func(_ *run, v value, _ []value) bool { return f(v) }}
}

func isType[T any](v value) bool {
	_, ok := v.(T)
	return ok
}

func compares(operator string) test {
	holds := comparisons[operator]
	return test{takes("other"), func(r *run, v value, args []value) bool { return holds(r, v, args[0]) }}
}

// scanned returns the text of a value, and charges for reading all of it.
func (r *run) scanned(v value) string {
	s := r.str(v)
	r.step(1 + len(s)>>1)
	return s
}

// divisible reports whether the division leaves this remainder.
func (r *run) divisible(v, by value, rest int64) bool {
	return r.equal(remainder(r, v, by), rest)
}

// same is Python's `is`, for values that exist only once, such as None.
func same(a, b value) bool {
	for _, v := range []value{a, b} {
		switch v.(type) {
		case nil, bool:
			return a == b
		}
	}
	refuse("the test sameas other than with true, false and none")
	return false
}

func isSequence(v value) bool {
	switch v.(type) {
	case string, markup, *list, *tuple, *dict, span, undefined:
		return true
	}
	return false
}

func isIterable(v value) bool {
	switch v.(type) {
	case *view, *stream, *loop:
		return true
	}
	return isSequence(v)
}
