package jinja

// function is a function that a template can call by its name.
type function struct {
	params parameters
	apply  func(r *run, args []value) value
}

var functions = map[string]function{
	"range": {takes("start", "stop?", "step?"), makeRange},
	"dict":  {takes("*", "**"), func(r *run, args []value) value { return r.makeDict(args) }},
	"namespace": {takes("*", "**"), func(r *run, args []value) value {
		return &namespace{attributes: r.makeDict(args)}
	}},
}

// makeRange is Python's range(), with the limit of Jinja2's sandbox.
func makeRange(_ *run, args []value) value {
	start, stop, step := int64(0), intArgument(args[0], 0), int64(1)
	if args[1] != missing {
		start, stop = stop, intArgument(args[1], 0)
	}
	step = intArgument(args[2], step)
	for _, n := range []int64{start, stop, step} {
		if n > exact || n < -exact {
			refuse("a range with numbers beyond %d", int64(exact))
		}
	}
	s := span{start: start, stop: stop, step: step}
	switch {
	case step == 0:
		fail("the step of a range can't be zero")
	case step > 0 && stop > start:
		s.count = (stop-start-1)/step + 1
	case step < 0 && stop < start:
		s.count = (start-stop-1)/-step + 1
	}
	if s.count > maxItems {
		fail("the range is longer than %d", maxItems)
	}
	return s
}

// makeDict is Python's dict(): from another dict or from pairs, and from keywords, which arrive as the last dict.
func (r *run) makeDict(args []value) *dict {
	r.alloc(96)
	d := newDict(0)
	if n := len(args); n > 2 || n == 2 && !isType[named](args[1]) {
		fail("dict takes one argument and names")
	}
	for _, arg := range args {
		if names, ok := arg.(named); ok {
			arg = names.dict
		}
		if from, ok := arg.(*dict); ok {
			for i, key := range from.keys {
				r.set(d, key, from.values[i])
			}
			continue
		}
		noUndefined(arg)
		if _, ok := arg.(*namespace); ok {
			fail("a namespace is not iterable")
		}
		for _, item := range r.all(arg) {
			pair := r.all(item)
			if len(pair) != 2 {
				fail("dict needs pairs")
			}
			r.set(d, pair[0], pair[1])
		}
	}
	return d
}
