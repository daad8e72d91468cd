package jinja

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// primary parses a literal, a variable or brackets.
func (p *parser) primary() expression {
	t := p.token
	leaf := node{t.line, 1}
	switch {
	case t.isName("true", "True", "false", "False"):
		p.next()
		return &constant{leaf, strings.EqualFold(t.text, "true")}
	case t.isName("none", "None"):
		p.next()
		return &constant{leaf, nil}
	case t.kind == tokenName:
		return p.variable()
	case t.kind == tokenString:
		var b strings.Builder
		for p.token.kind == tokenString {
			b.WriteString(p.next().text)
		}
		return &constant{leaf, b.String()}
	case t.kind == tokenInteger:
		return &constant{leaf, p.integer()}
	case t.kind == tokenFloat:
		f, err := strconv.ParseFloat(strings.ReplaceAll(t.text, "_", ""), 64)
		if err != nil {
			p.fail("the number %s is out of range", t.text)
		}
		p.next()
		return &constant{leaf, f}
	case p.skipOperator("("):
		if p.skipOperator(")") {
			return &sequence{leaf, nil, true}
		}
		e := p.tuple(true)
		p.expectOperator(")")
		return e
	case p.skipOperator("["):
		var items []expression
		for !p.token.isOperator("]") {
			items = append(items, p.expression(true))
			if !p.skipOperator(",") {
				break
			}
		}
		p.expectOperator("]")
		return &sequence{p.node(t.line, items...), items, false}
	case p.skipOperator("{"):
		return p.dictionary(t.line)
	}
	p.fail("expected an expression, got %s", t.describe())
	return nil
}

func (p *parser) variable() *name {
	t := p.next()
	if reserved[t.text] || strings.HasPrefix(t.text, "__") || !isASCII(t.text) {
		panic(&Error{Line: t.line, Message: fmt.Sprintf("the variable name %q is not supported", t.text)})
	}
	if t.text == "loop" {
		p.loops++
	}
	n := &name{node{t.line, 1}, t.text, -1}
	p.names = append(p.names, n)
	return n
}

// integer parses an integer. Go and Python write integers in the same way, except for several zeros, which mean 0 in Python.
func (p *parser) integer() int64 {
	t := p.next()
	text := strings.ReplaceAll(t.text, "_", "")
	if strings.Trim(text, "0") == "" {
		return 0
	}
	i, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		panic(&Error{Line: t.line, Message: fmt.Sprintf("the number %.40s is out of range", t.text)})
	}
	return i
}

func (p *parser) dictionary(line int) expression {
	d := &dictionary{}
	for !p.token.isOperator("}") {
		d.keys = append(d.keys, p.expression(true))
		p.expectOperator(":")
		d.values = append(d.values, p.expression(true))
		if !p.skipOperator(",") {
			break
		}
	}
	p.expectOperator("}")
	d.node = p.node(line, append(slices.Clone(d.keys), d.values...)...)
	return d
}

// postfix parses attributes, subscripts and calls.
func (p *parser) postfix(e expression) expression {
	for {
		line := p.token.line
		switch {
		case p.skipOperator("."):
			e = p.attribute(line, e)
		case p.skipOperator("["):
			e = p.subscript(line, e)
		case p.token.isOperator("("):
			e = p.call(e)
		default:
			return e
		}
	}
}

func (p *parser) attribute(line int, of expression) expression {
	if p.token.kind == tokenInteger {
		index := &constant{node{line, 1}, p.integer()}
		return &subscript{p.node(line, of), of, index}
	}
	text := p.expectName()
	if strings.HasPrefix(text, "__") {
		panic(&Error{Line: line, Message: fmt.Sprintf("the attribute %q is not supported", text)})
	}
	if p.token.isOperator("(") {
		return p.method(line, of, text)
	}
	if dictMethods[text] {
		panic(&Error{Line: line, Message: fmt.Sprintf("%q without () is a method of objects; write ['%s'] for a key of that name", text, text)})
	}
	return &attribute{p.node(line, of), of, text}
}

func (p *parser) subscript(line int, of expression) expression {
	var parts [3]expression
	at := 0
	for ; at < 3; at++ {
		if !p.token.isOperator(":") && !p.token.isOperator("]") {
			parts[at] = p.expression(true)
		}
		if !p.skipOperator(":") {
			break
		}
	}
	if at == 0 && p.token.isOperator(",") {
		items := []expression{parts[0]}
		for p.skipOperator(",") {
			items = append(items, p.expression(true))
		}
		parts[0] = &sequence{p.node(line, items...), items, true}
	}
	p.expectOperator("]")
	switch {
	case at == 3:
		p.fail("a slice has more than three parts")
	case at > 0:
		return &slicing{p.node(line, of, parts[0], parts[1], parts[2]), of, parts[0], parts[1], parts[2]}
	case parts[0] == nil:
		p.fail("a subscript is empty")
	}
	return &subscript{p.node(line, of, parts[0]), of, parts[0]}
}
