package jinja

import (
	"fmt"
	"slices"
)

// reserved are words that Jinja2 would read as variables in some places, which is never what is meant.
var reserved = map[string]bool{
	"if": true, "else": true, "elif": true, "for": true, "in": true, "is": true, "and": true, "or": true, "not": true,
	"self": true, "super": true, "caller": true, "varargs": true, "kwargs": true,
	"true": true, "false": true, "none": true, "True": true, "False": true, "None": true,
}

// node returns the common part of an expression with these children.
func (p *parser) node(line int, children ...expression) node {
	height := 0
	for _, child := range children {
		if child != nil {
			height = max(height, child.tall())
		}
	}
	if height >= maxHeight {
		panic(&Error{Line: line, Message: fmt.Sprintf("an expression has more than %d operators on top of each other", maxHeight)})
	}
	return node{line, height + 1}
}

func (p *parser) deeper() {
	p.depth++
	if p.depth > maxDepth {
		p.fail("an expression is nested deeper than %d", maxDepth)
	}
}

// tuple parses an expression, or several with commas between them.
func (p *parser) tuple(condition bool, until ...string) expression {
	line := p.token.line
	var items []expression
	several := false
	for {
		if len(items) > 0 && p.tupleEnds(until) {
			break
		}
		items = append(items, p.expression(condition))
		if !p.skipOperator(",") {
			break
		}
		several = true
	}
	if !several {
		return items[0]
	}
	return &sequence{p.node(line, items...), items, true}
}

func (p *parser) tupleEnds(until []string) bool {
	return p.token.kind == tokenPrintEnd || p.token.kind == tokenTagEnd || p.token.isOperator(")") || p.token.isName(until...)
}

// expression parses one expression, with or without `a if b else c`.
func (p *parser) expression(condition bool) expression {
	p.deeper()
	defer func() { p.depth-- }()
	e := p.or()
	for condition && p.token.isName("if") {
		line := p.next().line
		test := p.or()
		var otherwise expression
		if p.skipName("else") {
			otherwise = p.expression(true)
		}
		e = &choice{p.node(line, test, e, otherwise), test, e, otherwise}
	}
	return e
}

func (p *parser) or() expression {
	left := p.and()
	for p.token.isName("or") {
		line := p.next().line
		right := p.and()
		left = &logical{p.node(line, left, right), left, right, true}
	}
	return left
}

func (p *parser) and() expression {
	left := p.not()
	for p.token.isName("and") {
		line := p.next().line
		right := p.not()
		left = &logical{p.node(line, left, right), left, right, false}
	}
	return left
}

func (p *parser) not() expression {
	if !p.token.isName("not") {
		return p.comparison()
	}
	p.deeper()
	line := p.next().line
	operand := p.not()
	p.depth--
	return &unary{p.node(line, operand), operand, not}
}

func (p *parser) comparison() expression {
	line := p.token.line
	first := p.sum()
	var rest []comparand
	var all []expression
	for {
		var holds func(r *run, a, b value) bool
		switch {
		case p.token.kind == tokenOperator && comparisons[p.token.text] != nil:
			holds = comparisons[p.next().text]
		case p.token.isName("in"):
			p.next()
			holds = contained
		case p.token.isName("not") && p.look().isName("in"):
			p.next()
			p.next()
			holds = func(r *run, a, b value) bool { return !contained(r, a, b) }
		default:
			if rest == nil {
				return first
			}
			return &comparison{p.node(line, append(all, first)...), first, rest}
		}
		operand := p.sum()
		rest = append(rest, comparand{holds, operand})
		all = append(all, operand)
	}
}

// operation parses operators of one precedence, from left to right.
func (p *parser) operation(operand func() expression, operators ...string) expression {
	left := operand()
	for p.token.kind == tokenOperator && slices.Contains(operators, p.token.text) {
		operator := p.next()
		right := operand()
		left = &binary{p.node(operator.line, left, right), left, right, arithmetic[operator.text]}
	}
	return left
}

func (p *parser) sum() expression { return p.operation(p.concat, "+", "-") }

func (p *parser) concat() expression {
	line := p.token.line
	first := p.product()
	if !p.token.isOperator("~") {
		return first
	}
	parts := []expression{first}
	for p.skipOperator("~") {
		parts = append(parts, p.product())
	}
	return &concat{p.node(line, parts...), parts}
}

func (p *parser) product() expression { return p.operation(p.power, "*", "/", "//", "%") }

func (p *parser) power() expression {
	return p.operation(p.filtered, "**")
}

func (p *parser) filtered() expression { return p.unary(true) }

// unary parses a sign, an operand and what follows it. As in Jinja2 a filter applies to the sign as well.
func (p *parser) unary(filters bool) expression {
	var e expression
	switch line := p.token.line; {
	case p.token.isOperator("-"), p.token.isOperator("+"):
		apply := negative
		if p.next().text == "+" {
			apply = positive
		}
		p.deeper()
		operand := p.unary(false)
		p.depth--
		e = &unary{p.node(line, operand), operand, apply}
	default:
		e = p.primary()
	}
	e = p.postfix(e)
	for filters {
		switch {
		case p.token.isOperator("|"):
			p.next()
			e = p.filter(e)
		case p.token.isName("is"):
			e = p.test(e)
		case p.token.isOperator("("):
			p.fail("only functions and methods can be called")
		default:
			return e
		}
	}
	return e
}
