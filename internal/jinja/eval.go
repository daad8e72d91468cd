package jinja

func (e *constant) eval(*run) value { return e.value }

func (e *name) eval(r *run) value {
	r.step(1)
	v := r.slots[e.slot]
	if v == missing {
		return undefined{e.text}
	}
	return v
}

func (e *sequence) eval(r *run) value {
	r.items(len(e.items))
	items := make([]value, len(e.items))
	for i, item := range e.items {
		items[i] = item.eval(r)
	}
	if e.tuple {
		return &tuple{items: items}
	}
	return &list{items: items}
}

func (e *dictionary) eval(r *run) value {
	r.alloc(96)
	d := newDict(len(e.keys))
	for i, key := range e.keys {
		k := key.eval(r)
		r.set(d, k, e.values[i].eval(r))
	}
	return d
}

func (e *namedArguments) eval(r *run) value { return named{e.dictionary.eval(r).(*dict)} }

func (e *binary) eval(r *run) value {
	left := e.left.eval(r)
	right := e.right.eval(r)
	r.line = e.line
	r.alloc(8)
	return e.apply(r, left, right)
}

func (e *logical) eval(r *run) value {
	r.step(1)
	left := e.left.eval(r)
	if truth(left) == e.or {
		return left
	}
	return e.right.eval(r)
}

func (e *unary) eval(r *run) value {
	r.alloc(8)
	v := e.operand.eval(r)
	r.line = e.line
	return e.apply(v)
}

func (e *concat) eval(r *run) value {
	size := 0
	parts := make([]string, len(e.parts))
	for i, part := range e.parts {
		parts[i] = r.str(part.eval(r))
		size += len(parts[i])
	}
	r.alloc(16 * len(parts))
	r.text(size)
	return join(parts, "")
}

func (e *comparison) eval(r *run) value {
	left := e.first.eval(r)
	for _, c := range e.rest {
		r.step(1)
		right := c.operand.eval(r)
		r.line = e.line
		if !c.holds(r, left, right) {
			return false
		}
		left = right
	}
	return true
}

func (e *choice) eval(r *run) value {
	r.step(1)
	switch {
	case truth(e.test.eval(r)):
		return e.then.eval(r)
	case e.otherwise == nil:
		return undefined{}
	}
	return e.otherwise.eval(r)
}

func (e *attribute) eval(r *run) value {
	v := e.of.eval(r)
	r.line = e.line
	r.step(1)
	return r.attribute(v, e.name)
}

func (e *subscript) eval(r *run) value {
	v := e.of.eval(r)
	index := e.index.eval(r)
	r.line = e.line
	r.step(1)
	return r.item(v, index)
}

func (e *slicing) eval(r *run) value {
	v := e.of.eval(r)
	parts := [3]value{}
	for i, part := range []expression{e.start, e.stop, e.step} {
		if part != nil {
			parts[i] = part.eval(r)
		}
	}
	r.line = e.line
	r.step(1)
	return r.slice(v, parts[0], parts[1], parts[2])
}

// arguments returns the values of expressions. Those that were left out are missing.
func (r *run) arguments(expressions []expression) []value {
	if len(expressions) == 0 {
		return nil
	}
	r.alloc(16 * len(expressions))
	values := make([]value, len(expressions))
	for i, e := range expressions {
		if e == nil {
			values[i] = missing
		} else {
			values[i] = e.eval(r)
		}
	}
	return values
}

func (e *functionCall) eval(r *run) value {
	if r.slots[e.function.slot] != builtin(e.function.text) {
		fail("'%s' is not a function", e.function.text)
	}
	args := r.arguments(e.arguments)
	r.line = e.line
	r.alloc(64)
	return e.apply(r, args)
}

func (e *filterCall) eval(r *run) value {
	v := e.of.eval(r)
	args := r.arguments(e.arguments)
	r.line = e.line
	r.alloc(32)
	return e.apply(r, v, args)
}

func (e *testCall) eval(r *run) value {
	v := e.of.eval(r)
	args := r.arguments(e.arguments)
	r.line = e.line
	r.step(1)
	return e.apply(r, v, args)
}

func (e *methodCall) eval(r *run) value {
	v := e.of.eval(r)
	r.line = e.line
	m := r.method(v, e.name)
	if len(e.arguments) > len(m.params.names) && !m.params.variadic {
		fail("the method %q takes at most %d arguments here", e.name, len(m.params.names))
	}
	args := r.arguments(e.arguments)
	for len(args) < len(m.params.names) {
		args = append(args, missing)
	}
	var rest *dict
	for _, keyword := range e.keywords {
		argument := keyword.value.eval(r)
		if m.params.keywords {
			if rest == nil {
				rest = newDict(len(e.keywords))
			}
			r.set(rest, keyword.name, argument)
			continue
		}
		for i, name := range m.params.names {
			if name == keyword.name {
				args[i] = argument
			}
		}
	}
	for i := range m.params.required {
		if args[i] == missing {
			fail("the method %q needs the argument %q", e.name, m.params.names[i])
		}
	}
	if m.params.keywords {
		args = append(args, named{rest})
	}
	r.line = e.line
	r.alloc(32 + 16*len(args))
	return m.apply(r, v, args)
}
