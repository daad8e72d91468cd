package jinja

// loop is the variable loop inside of a for.
type loop struct {
	run          *run
	next         func() (value, bool)
	known        int // the length, or -1
	index        int // from 0
	ahead        value
	peeked, more bool
	before, now  value
	changed      *tuple
}

func (s *repeat) exec(r *run) {
	r.line = s.line
	over := s.iter.eval(r)
	next := r.iterate(over)
	known := -1
	if s.test != nil {
		next = s.selected(r, next)
	} else if n, ok := r.length(over); ok {
		known = n
	}
	l := &loop{run: r, next: next, known: known, index: -1}
	for {
		item, ok := l.advance()
		if !ok {
			break
		}
		r.assign(s.target, item, false)
		if s.usesLoop {
			r.slots[s.loopSlot] = l
		}
		r.enter(s.frame)
		r.exec(s.body)
		r.line = s.line
	}
	if l.index < 0 && s.otherwise != nil {
		r.enter(s.elseFrame)
		r.exec(s.otherwise)
	}
}

// selected returns only the items for which the test is true. As in Jinja2 several names become a tuple.
func (s *repeat) selected(r *run, next func() (value, bool)) func() (value, bool) {
	entered := false
	return func() (value, bool) {
		if !entered {
			r.enter(s.testFrame)
			entered = true
		}
		for {
			item, ok := next()
			if !ok {
				return nil, false
			}
			r.assign(s.target, item, true)
			if truth(s.test.eval(r)) {
				return r.packed(s.target), true
			}
		}
	}
}

func (r *run) packed(t *target) value {
	if t.parts == nil {
		return r.slots[t.testSlot]
	}
	r.items(len(t.parts))
	items := make([]value, len(t.parts))
	for i, part := range t.parts {
		items[i] = r.packed(part)
	}
	return &tuple{items: items}
}

func (l *loop) advance() (value, bool) {
	l.peek()
	if !l.more {
		return nil, false
	}
	l.peeked = false
	l.index++
	l.before, l.now = l.now, l.ahead
	return l.now, true
}

func (l *loop) peek() {
	if !l.peeked {
		l.ahead, l.more = l.next()
		l.peeked = true
	}
}

// length returns the number of items. If it is not known, it counts the remaining ones.
func (l *loop) length() int {
	if l.known < 0 {
		rest := l.run.gather(l.next)
		l.known = l.index + 1 + len(rest)
		if l.peeked && l.more {
			l.known++
		}
		l.next = l.run.iterate(&list{items: rest})
	}
	return l.known
}

func (l *loop) attribute(name string) (value, bool) {
	switch name {
	case "index":
		return int64(l.index + 1), true
	case "index0":
		return int64(l.index), true
	case "revindex":
		return int64(l.length() - l.index), true
	case "revindex0":
		return int64(l.length() - l.index - 1), true
	case "first":
		return l.index == 0, true
	case "last":
		l.peek()
		return !l.more, true
	case "length":
		return int64(l.length()), true
	case "depth":
		return int64(1), true
	case "depth0":
		return int64(0), true
	case "previtem":
		if l.index == 0 {
			return undefined{"loop.previtem"}, true
		}
		return l.before, true
	case "nextitem":
		l.peek()
		if !l.more {
			return undefined{"loop.nextitem"}, true
		}
		return l.ahead, true
	}
	return nil, false
}

func (l *loop) cycle(args []value) value {
	if len(args) == 0 {
		fail("loop.cycle needs at least one argument")
	}
	return args[l.index%len(args)]
}

// change reports whether the values differ from those of the previous call.
func (l *loop) change(args []value) value {
	now := &tuple{items: args}
	if l.changed != nil && l.run.equal(l.changed, now) {
		return false
	}
	l.changed = now
	return true
}
