package jinja

// Jinja2 decides before rendering which variable a name means. Its rules have visible effects: a name that is set anywhere in a scope
// belongs to the whole scope, so a loop before the set does not see the variable of the context. Each scope is a frame. Each of its
// names has a slot.

// frame says how the slots of a scope get their first values, each time it is entered.
type frame []load

type load struct {
	slot int
	how  loadKind
	name string // resolve
	from int    // alias
}

type loadKind int

const (
	parameter loadKind = iota // the statement assigns it
	fromContext
	alias   // begins as a copy of the outer scope's
	unset   // has no value
	maxVars = 4096
)

// symbols are the names of one scope while it is analysed. A branch of an if has only the symbols that it adds, on top of those before it:
// copies would make long templates slow.
type symbols struct {
	parent *symbols       // of the outer scope
	under  *symbols       // for a branch: the symbols before it, of the same scope
	count  *int           // of slots, in the whole template
	slots  map[string]int // every name of this scope, shared by its branches
	order  *[]string      // the same names, in the order in which they were seen
	loads  map[string]load
	stores map[string]bool
}

func newSymbols(parent *symbols, count *int) *symbols {
	return &symbols{parent: parent, count: count, slots: map[string]int{}, order: new([]string)}
}

func (s *symbols) branch() *symbols {
	return &symbols{parent: s.parent, under: s, count: s.count, slots: s.slots, order: s.order}
}

func (s *symbols) define(name string, l load) {
	slot, ok := s.slots[name]
	if !ok {
		slot = *s.count
		*s.count++
		if slot >= maxVars {
			fail("the template has more than %d variables", maxVars)
		}
		s.slots[name] = slot
		*s.order = append(*s.order, name)
	}
	l.slot = slot
	s.setLoad(name, l)
}

func (s *symbols) setLoad(name string, l load) {
	if s.loads == nil {
		s.loads = map[string]load{}
	}
	s.loads[name] = l
}

func (s *symbols) setStored(name string) {
	if s.stores == nil {
		s.stores = map[string]bool{}
	}
	s.stores[name] = true
}

// here reports whether the scope itself has a name.
func (s *symbols) here(name string) bool {
	for ; s != nil; s = s.under {
		if _, ok := s.loads[name]; ok {
			return true
		}
	}
	return false
}

func (s *symbols) stored(name string) bool {
	for ; s != nil; s = s.under {
		if s.stores[name] {
			return true
		}
	}
	return false
}

// ref returns the slot of a name in this scope.
func (s *symbols) ref(name string) (int, bool) {
	for ; s != nil; s = s.parent {
		if s.here(name) {
			return s.slots[name], true
		}
	}
	return 0, false
}

func (s *symbols) load(names []*name) {
	for _, n := range names {
		if _, ok := s.ref(n.text); !ok {
			s.define(n.text, load{how: fromContext, name: n.text})
		}
	}
}

func (s *symbols) store(t *target) {
	t.each(func(t *target) {
		s.setStored(t.name)
		if s.here(t.name) {
			return
		}
		if slot, ok := s.parent.ref(t.name); ok {
			s.define(t.name, load{how: alias, from: slot})
			return
		}
		s.define(t.name, load{how: unset})
	})
}

func (s *symbols) parameter(t *target) {
	t.each(func(t *target) {
		s.setStored(t.name)
		s.define(t.name, load{how: parameter})
	})
}

// merge joins the three branches of an if. A name that not all of them set keeps the value it had before.
func (s *symbols) merge(branches ...*symbols) {
	stores := map[string]int{}
	for _, b := range branches {
		for name := range b.stores {
			if !s.stored(name) {
				stores[name]++
			}
		}
	}
	for _, b := range branches {
		for name, l := range b.loads {
			s.setLoad(name, l)
		}
		for name := range b.stores {
			s.setStored(name)
		}
	}
	for name, n := range stores {
		if n == len(branches) {
			continue
		}
		l := load{slot: s.slots[name], how: fromContext, name: name}
		if slot, ok := s.parent.ref(name); ok {
			l = load{slot: l.slot, how: alias, from: slot}
		}
		s.setLoad(name, l)
	}
}

// frame returns the loads, in the order in which the names were first seen.
func (s *symbols) frame() frame {
	var f frame
	for _, name := range *s.order {
		if l, ok := s.loads[name]; ok && l.how != parameter {
			f = append(f, l)
		}
	}
	return f
}

// visit analyses the statements of one scope, without entering the scopes in it.
func (s *symbols) visit(body []statement) {
	for _, st := range body {
		switch st := st.(type) {
		case *output:
			s.load(st.names)
		case *assign:
			s.load(st.names)
			s.store(st.target)
		case *assignAttribute:
			s.load(st.names)
		case *assignBlock:
			s.store(st.target)
		case *repeat:
			s.load(st.iterNames)
		case *with:
			s.load(st.names)
		case *conditional:
			s.visitConditional(st.branches)
		}
	}
}

// visitConditional analyses an if. As in Jinja2 it has three branches, and the second has all of its elifs.
func (s *symbols) visitConditional(branches []branch) {
	s.load(branches[0].names)
	then, middle, last := s.branch(), s.branch(), s.branch()
	then.visit(branches[0].body)
	for _, b := range branches[1:] {
		if b.test == nil {
			last.visit(b.body)
			continue
		}
		middle.load(b.names)
		elif := middle.branch()
		elif.visit(b.body)
		middle.merge(elif, middle.branch(), middle.branch())
	}
	s.merge(then, middle, last)
}

// resolve gives every name of a template its slot.
func resolve(t *Template) {
	s := newSymbols(nil, &t.slots)
	s.visit(t.body)
	s.settle(t.body)
	t.frame = s.frame()
}

func (s *symbols) use(names []*name) {
	for _, n := range names {
		n.slot, _ = s.ref(n.text)
	}
}

func (s *symbols) assign(t *target) {
	t.each(func(t *target) { t.slot, _ = s.ref(t.name) })
}

// settle sets the slots of statements whose scope has been analysed, and enters the scopes in it.
func (s *symbols) settle(body []statement) {
	for _, st := range body {
		switch st := st.(type) {
		case *output:
			s.use(st.names)
		case *assign:
			s.use(st.names)
			s.assign(st.target)
		case *assignAttribute:
			s.use(st.names)
		case *assignBlock:
			s.assign(st.target)
			inner := newSymbols(s, s.count)
			inner.visit(st.body)
			inner.settle(st.body)
			st.frame = inner.frame()
		case *repeat:
			s.settleRepeat(st)
		case *with:
			s.use(st.names)
			inner := newSymbols(s, s.count)
			for _, t := range st.targets {
				inner.parameter(t)
				inner.assign(t)
			}
			inner.visit(st.body)
			inner.settle(st.body)
			st.frame = inner.frame()
		case *conditional:
			for _, b := range st.branches {
				s.use(b.names)
				s.settle(b.body)
			}
		}
	}
}

func (s *symbols) settleRepeat(st *repeat) {
	s.use(st.iterNames)
	inner := newSymbols(s, s.count)
	if st.usesLoop {
		inner.parameter(&target{name: "loop"})
		st.loopSlot, _ = inner.ref("loop")
	}
	inner.parameter(st.target)
	inner.assign(st.target)
	inner.visit(st.body)
	inner.settle(st.body)
	st.frame = inner.frame()

	otherwise := newSymbols(s, s.count)
	otherwise.visit(st.otherwise)
	otherwise.settle(st.otherwise)
	st.elseFrame = otherwise.frame()

	if st.test != nil {
		test := newSymbols(s, s.count)
		test.parameter(st.target)
		test.load(st.testNames)
		test.use(st.testNames)
		st.target.each(func(t *target) { t.testSlot, _ = test.ref(t.name) })
		st.testFrame = test.frame()
	}
}
