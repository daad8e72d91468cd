package jinja

import (
	"fmt"
	"slices"
	"strings"
)

// parameters says which arguments a filter, test, function or method takes.
type parameters struct {
	names    []string
	required int
	variadic bool // takes more arguments than it has names
	keywords bool // takes any keyword; they arrive as a *dict after the other arguments
}

// takes returns parameters with these names. Those with a question mark may be left out, and * means any number.
func takes(names ...string) parameters {
	var p parameters
	for _, name := range names {
		switch {
		case name == "*":
			p.variadic = true
		case name == "**":
			p.keywords = true
		case strings.HasSuffix(name, "?"):
			p.names = append(p.names, strings.TrimSuffix(name, "?"))
		default:
			p.names = append(p.names, name)
			p.required++
		}
	}
	return p
}

// arguments parses the parentheses of a call, if there are any.
func (p *parser) arguments() (positional []expression, keywords []keyword) {
	if !p.skipOperator("(") {
		return nil, nil
	}
	for !p.token.isOperator(")") {
		switch {
		case p.token.isOperator("*"), p.token.isOperator("**"):
			p.fail("%s in a call is not supported", p.token.text)
		case p.token.kind == tokenName && p.look().isOperator("="):
			keyword := keyword{name: p.next().text}
			p.next()
			keyword.value = p.expression(true)
			keywords = append(keywords, keyword)
		case len(keywords) > 0:
			p.fail("an argument without a name follows one with a name")
		default:
			positional = append(positional, p.expression(true))
		}
		if !p.skipOperator(",") {
			break
		}
	}
	p.expectOperator(")")
	return positional, keywords
}

// bind returns the arguments of a call in the order of the parameters. nil means one that was left out.
func (p *parser) bind(line int, what string, params parameters, positional []expression, keywords []keyword) []expression {
	refuse := func(format string, args ...any) {
		panic(&Error{Line: line, Message: what + " " + fmt.Sprintf(format, args...)})
	}
	if len(positional) > len(params.names) && !params.variadic {
		refuse("takes at most %d arguments", len(params.names))
	}
	bound := slices.Clone(positional)
	for len(bound) < len(params.names) {
		bound = append(bound, nil)
	}
	rest := &namedArguments{}
	rest.height = 1
	for _, keyword := range keywords {
		switch i := slices.Index(params.names, keyword.name); {
		case i >= 0 && bound[i] != nil:
			refuse("gets the argument %q twice", keyword.name)
		case i >= 0:
			bound[i] = keyword.value
		case params.keywords:
			rest.keys = append(rest.keys, &constant{node{line, 1}, keyword.name})
			rest.values = append(rest.values, keyword.value)
		default:
			refuse("does not take the argument %q", keyword.name)
		}
	}
	for i := range params.required {
		if bound[i] == nil {
			refuse("needs the argument %q", params.names[i])
		}
	}
	if len(rest.keys) > 0 {
		rest.node = p.node(line, rest.values...)
		bound = append(bound, rest)
	}
	return bound
}

// call parses a call of a function by its name. Values can't be called.
func (p *parser) call(callee expression) expression {
	n, ok := callee.(*name)
	if !ok {
		p.fail("only functions and methods can be called")
	}
	f, ok := functions[n.text]
	if !ok {
		panic(&Error{Line: n.line, Message: fmt.Sprintf("unknown function %q", n.text)})
	}
	positional, keywords := p.arguments()
	arguments := p.bind(n.line, fmt.Sprintf("the function %q", n.text), f.params, positional, keywords)
	return &functionCall{p.node(n.line, arguments...), n, arguments, f.apply}
}

// method parses a call of a method. The type that it belongs to is known only when it is rendered.
func (p *parser) method(line int, of expression, text string) expression {
	known, ok := methods[text]
	if !ok {
		panic(&Error{Line: line, Message: fmt.Sprintf("unknown method %q", text)})
	}
	positional, keywords := p.arguments()
	all := append([]expression{of}, positional...)
	for _, keyword := range keywords {
		all = append(all, keyword.value)
	}
	most := 0
	for _, m := range known {
		most = max(most, len(m.params.names))
		if m.params.variadic {
			most = max(most, len(positional))
		}
		for _, keyword := range keywords {
			if !m.params.keywords && (!m.named || !slices.Contains(m.params.names, keyword.name)) {
				panic(&Error{Line: line, Message: fmt.Sprintf("the method %q does not take the argument %q", text, keyword.name)})
			}
		}
	}
	if len(positional) > most {
		panic(&Error{Line: line, Message: fmt.Sprintf("the method %q takes at most %d arguments", text, most)})
	}
	return &methodCall{p.node(line, all...), of, text, positional, keywords}
}

func (p *parser) filter(of expression) expression {
	line := p.token.line
	text := p.expectName()
	if p.token.isOperator(".") {
		p.fail("unknown filter %q", text+".")
	}
	positional, keywords := p.arguments()
	return p.filterCall(line, of, text, positional, keywords)
}

func (p *parser) filterCall(line int, of expression, text string, positional []expression, keywords []keyword) expression {
	call := &filterCall{of: of}
	if p.perItem(line, call, text, positional, keywords) {
		return call
	}
	f, ok := filters[text]
	if !ok {
		panic(&Error{Line: line, Message: fmt.Sprintf("unknown filter %q", text)})
	}
	call.arguments = p.bind(line, fmt.Sprintf("the filter %q", text), f.params, positional, keywords)
	call.apply, call.stream = f.apply, f.stream
	call.node = p.node(line, append([]expression{of}, call.arguments...)...)
	return call
}

// test parses `is name` or `is not name`, with arguments in parentheses, or one argument without.
func (p *parser) test(of expression) expression {
	line := p.next().line
	negated := p.skipName("not")
	text := p.expectName()
	var positional []expression
	var keywords []keyword
	switch t := p.token; {
	case t.isOperator("."):
		p.fail("unknown test %q", text+".")
	case t.isOperator("("):
		positional, keywords = p.arguments()
	case t.isName("is"):
		p.fail("tests can't be chained")
	case t.isName("else", "or", "and"):
	case t.kind == tokenName, t.kind == tokenString, t.kind == tokenInteger, t.kind == tokenFloat,
		t.isOperator("["), t.isOperator("{"):
		p.deeper()
		positional = []expression{p.postfix(p.primary())}
		p.depth--
	}
	apply, arguments := p.testNamed(line, text, positional, keywords)
	var e expression = &testCall{p.node(line, append([]expression{of}, arguments...)...), of, arguments, apply}
	if negated {
		e = &unary{p.node(line, e), e, not}
	}
	return e
}

func (p *parser) testNamed(line int, text string, positional []expression, keywords []keyword) (func(*run, value, []value) bool,
	[]expression) {
	t, ok := tests[text]
	if !ok {
		panic(&Error{Line: line, Message: fmt.Sprintf("unknown test %q", text)})
	}
	return t.apply, p.bind(line, fmt.Sprintf("the test %q", text), t.params, positional, keywords)
}
