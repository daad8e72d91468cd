package jinja

// expression is a node of an expression. It knows the height of the tree below it, which limits the recursion.
type expression interface {
	eval(r *run) value
	tall() int
}

// node is what all composite expressions have in common.
type node struct {
	line   int
	height int
}

func (n *node) tall() int { return n.height }

type (
	constant struct {
		node
		value value
	}
	name struct {
		node
		text string
		slot int // filled in by resolve
	}
	sequence struct { // a list or tuple
		node
		items []expression
		tuple bool
	}
	dictionary struct {
		node
		keys, values []expression
	}
	binary struct {
		node
		left, right expression
		apply       func(r *run, a, b value) value
	}
	logical struct { // and, or
		node
		left, right expression
		or          bool
	}
	unary struct {
		node
		operand expression
		apply   func(v value) value
	}
	concat struct {
		node
		parts []expression
	}
	comparison struct {
		node
		first expression
		rest  []comparand
	}
	comparand struct {
		holds   func(r *run, a, b value) bool
		operand expression
	}
	choice struct { // a if b else c
		node
		test, then, otherwise expression
	}
	attribute struct {
		node
		of   expression
		name string
	}
	subscript struct {
		node
		of, index expression
	}
	slicing struct {
		node
		of                expression
		start, stop, step expression // nil where left out
	}
	functionCall struct {
		node
		function  *name
		arguments []expression
		apply     func(r *run, args []value) value
	}
	methodCall struct {
		node
		of        expression
		name      string
		arguments []expression // by position
		keywords  []keyword
	}
	keyword struct {
		name  string
		value expression
	}
	namedArguments struct { // the keywords of a call that takes any keyword
		dictionary
	}
	filterCall struct {
		node
		of        expression
		arguments []expression // by parameter; nil where left out
		apply     func(r *run, v value, args []value) value
		stream    bool // gives a generator, whatever the value
	}
	testCall struct {
		node
		of        expression
		arguments []expression
		apply     func(r *run, v value, args []value) bool
	}
)

// statement is a node of the template.
type statement interface {
	exec(r *run)
}

type (
	data   struct{ text string }
	output struct { // {{ … }}
		line  int
		value expression
		names []*name
	}
	branch struct {
		line  int
		test  expression // nil for else
		names []*name
		body  []statement
	}
	conditional struct {
		branches []branch
	}
	repeat struct { // for
		line                 int
		target               *target
		iter                 expression
		iterNames, testNames []*name
		test                 expression // nil without if
		body, otherwise      []statement
		usesLoop             bool
		loopSlot             int
		frame, testFrame     frame
		elseFrame            frame
	}
	assign struct { // set a, b = …
		line   int
		target *target
		value  expression
		names  []*name
	}
	assignAttribute struct { // set ns.a = …
		line      int
		namespace *name
		attribute string
		value     expression
		names     []*name
	}
	assignBlock struct { // set a … endset
		line   int
		target *target
		body   []statement
		frame  frame
	}
	with struct {
		line    int
		targets []*target
		values  []expression
		names   []*name
		body    []statement
		frame   frame
	}
)

// target is what a statement assigns to: a name, or several.
type target struct {
	line           int
	name           string
	slot, testSlot int
	parts          []*target // nil for a name
}

// each calls f for every name of the target.
func (t *target) each(f func(*target)) {
	if t.parts == nil {
		f(t)
	}
	for _, part := range t.parts {
		part.each(f)
	}
}
