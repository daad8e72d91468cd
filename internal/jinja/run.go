package jinja

import (
	"strings"
	"time"
)

// run is one rendering of a template.
type run struct {
	meter
	context *dict
	slots   []value
	out     *strings.Builder
	line    int
	depth   int // nesting of values while they are printed or compared
}

// Render returns the output of a template, with the members of an object as its variables. The error is *Error.
func (t *Template) Render(context Value) (output string, err error) {
	return t.render(context, maxTime)
}

func (t *Template) render(context Value, limit time.Duration) (output string, err error) {
	variables, ok := context.v.(*dict)
	if !ok {
		return "", &Error{Message: "the context of a template must be an object"}
	}
	r := &run{context: variables, slots: make([]value, t.slots), out: &strings.Builder{}, line: 1}
	// A small template ends before the first look at the clock, so a pause of the machine can't fail it.
	r.nextLook = clockSteps
	r.looked, r.left = time.Now(), limit
	defer catch(&err, func() int { return r.line })
	r.enter(t.frame)
	r.exec(t.body)
	return r.out.String(), nil
}

// enter gives the variables of a scope their first values.
func (r *run) enter(f frame) {
	r.step(len(f))
	for _, l := range f {
		switch l.how {
		case fromContext:
			r.slots[l.slot] = r.resolve(l.name)
		case alias:
			r.slots[l.slot] = r.slots[l.from]
		default:
			r.slots[l.slot] = missing
		}
	}
}

func (r *run) resolve(name string) value {
	if v, ok := r.context.get(name); ok {
		return v
	}
	if _, ok := functions[name]; ok || name == "lipsum" || name == "cycler" || name == "joiner" {
		return builtin(name)
	}
	return missing
}

// write adds to the output.
func (r *run) write(s string) {
	have := r.out.Len()
	if have+len(s) > maxText {
		fail("the output grows too long (more than %d bytes)", maxText)
	}
	if have+len(s) > r.out.Cap() {
		// Grow at least doubles, so all copies together are about twice as large as the last one.
		r.alloc(2*r.out.Cap() + len(s))
		r.out.Grow(len(s))
	}
	r.step(len(s) >> 6)
	r.out.WriteString(s)
}

func (r *run) exec(body []statement) {
	for _, s := range body {
		r.step(1)
		s.exec(r)
	}
}

func (s *data) exec(r *run) { r.write(s.text) }

func (s *output) exec(r *run) {
	r.line = s.line
	r.write(r.str(s.value.eval(r)))
}

func (s *conditional) exec(r *run) {
	for i := range s.branches {
		b := &s.branches[i]
		r.step(1)
		if b.test != nil {
			r.line = b.line
			if !truth(b.test.eval(r)) {
				continue
			}
		}
		r.exec(b.body)
		return
	}
}

func (s *assign) exec(r *run) {
	r.line = s.line
	r.assign(s.target, s.value.eval(r), false)
}

// assign stores a value in a target, or its items in the parts of one.
func (r *run) assign(t *target, v value, test bool) {
	if t.parts == nil {
		slot := t.slot
		if test {
			slot = t.testSlot
		}
		r.slots[slot] = v
		return
	}
	next := r.iterate(v)
	var items []value
	for len(items) <= len(t.parts) {
		item, ok := next()
		if !ok {
			break
		}
		items = append(items, item)
	}
	if len(items) != len(t.parts) {
		fail("can't unpack the value into %d names", len(t.parts))
	}
	for i, part := range t.parts {
		r.assign(part, items[i], test)
	}
}

func (s *assignAttribute) exec(r *run) {
	r.line = s.line
	n, ok := r.slots[s.namespace.slot].(*namespace)
	if !ok {
		fail("can't set an attribute of something that is not a namespace")
	}
	v := s.value.eval(r)
	r.set(n.attributes, s.attribute, v)
}

func (s *assignBlock) exec(r *run) {
	r.line = s.line
	outer := r.out
	r.out = &strings.Builder{}
	r.enter(s.frame)
	r.exec(s.body)
	text := r.out.String()
	r.out = outer
	r.assign(s.target, text, false)
}

func (s *with) exec(r *run) {
	r.line = s.line
	for i, t := range s.targets {
		r.assign(t, s.values[i].eval(r), false)
	}
	r.enter(s.frame)
	r.exec(s.body)
}
