package jinja

import (
	"fmt"
	"strings"
)

// statements parses up to a tag with one of the names, which becomes the current token. Without names it parses to the end.
func (p *parser) statements(until ...string) []statement {
	var body []statement
	for {
		switch p.token.kind {
		case tokenData:
			body = append(body, &data{p.next().text})
		case tokenPrintBegin:
			line := p.next().line
			names := p.collect()
			v := p.tuple(true)
			if f, ok := v.(*filterCall); ok && f.stream {
				p.fail("the filter gives a generator, which can't be printed: add |list or |join")
			}
			body = append(body, &output{line, v, names()})
			p.expectEnd(tokenPrintEnd)
		case tokenTagBegin:
			p.next()
			if p.token.isName(until...) {
				return body
			}
			body = append(body, p.statement())
			p.expectEnd(tokenTagEnd)
		default:
			if len(until) > 0 {
				p.fail("the template ends before %s", strings.Join(until, " or "))
			}
			return body
		}
	}
}

// block parses the body of a tag, from the end of its opening to the name of its closing.
func (p *parser) block(until ...string) []statement {
	p.expectEnd(tokenTagEnd)
	p.tags++
	if p.tags > maxTags {
		p.fail("tags are nested deeper than %d", maxTags)
	}
	body := p.statements(until...)
	p.tags--
	return body
}

// collect starts collecting the names that are parsed. The function that it returns stops and returns them.
func (p *parser) collect() func() []*name {
	outer := p.names
	p.names = nil
	return func() []*name {
		names := p.names
		p.names = outer
		return names
	}
}

var refusedTags = map[string]bool{
	"include": true, "import": true, "from": true, "extends": true, "block": true, "macro": true, "call": true,
	"filter": true, "autoescape": true, "do": true, "trans": true, "break": true, "continue": true, "debug": true,
}

func (p *parser) statement() statement {
	line := p.token.line
	tag := p.expectName()
	switch tag {
	case "if":
		return p.conditional(line)
	case "for":
		return p.repeat(line)
	case "set":
		return p.set(line)
	case "with":
		return p.with(line)
	}
	if refusedTags[tag] {
		panic(&Error{Line: line, Message: fmt.Sprintf("the tag %q is not supported", tag)})
	}
	panic(&Error{Line: line, Message: fmt.Sprintf("unknown tag %q", tag)})
}

func (p *parser) conditional(line int) statement {
	c := &conditional{}
	for {
		b := branch{line: line}
		names := p.collect()
		b.test = p.tuple(false)
		b.names = names()
		b.body = p.block("elif", "else", "endif")
		c.branches = append(c.branches, b)
		line = p.token.line
		switch p.next().text {
		case "endif":
			return c
		case "else":
			c.branches = append(c.branches, branch{line: line, body: p.block("endif")})
			p.next()
			return c
		}
	}
}

func (p *parser) repeat(line int) statement {
	f := &repeat{line: line, target: p.target("in")}
	if !p.skipName("in") {
		p.fail("expected \"in\", got %s", p.token.describe())
	}
	names := p.collect()
	f.iter = p.tuple(false, "recursive")
	f.iterNames = names()
	if p.skipName("if") {
		names := p.collect()
		f.test = p.expression(true)
		f.testNames = names()
	}
	if p.token.isName("recursive") {
		p.fail("recursive loops are not supported")
	}
	before := p.loops
	f.body = p.block("endfor", "else")
	f.usesLoop = p.loops > before
	if p.next().text == "else" {
		f.otherwise = p.block("endfor")
		p.next()
	}
	return f
}

func (p *parser) set(line int) statement {
	if p.token.kind == tokenName && p.look().isOperator(".") {
		names := p.collect()
		namespace := p.variable()
		p.next()
		attribute := p.expectName()
		if strings.HasPrefix(attribute, "_") {
			p.fail("an attribute that begins with _ is not supported")
		}
		p.expectOperator("=")
		return &assignAttribute{line, namespace, attribute, p.tuple(true), names()}
	}
	t := p.target()
	if p.skipOperator("=") {
		names := p.collect()
		return &assign{line, t, p.tuple(true), names()}
	}
	if p.token.isOperator("|") {
		p.fail("a filter on a set block is not supported")
	}
	s := &assignBlock{line: line, target: t, body: p.block("endset")}
	p.next()
	return s
}

func (p *parser) with(line int) statement {
	w := &with{line: line}
	names := p.collect()
	for p.token.kind != tokenTagEnd {
		if len(w.targets) > 0 {
			p.expectOperator(",")
		}
		w.targets = append(w.targets, p.target())
		p.expectOperator("=")
		w.values = append(w.values, p.expression(true))
	}
	w.names = names()
	w.body = p.block("endwith")
	p.next()
	return w
}

// target parses the target of an assignment: names with commas, in parentheses or not.
func (p *parser) target(until ...string) *target {
	t := &target{line: p.token.line}
	several := false
	for {
		if len(t.parts) > 0 && (p.token.isName(until...) || p.token.isOperator("=") || p.token.isOperator(")") ||
			p.token.kind == tokenTagEnd) {
			break
		}
		if p.skipOperator("(") {
			p.deeper()
			t.parts = append(t.parts, p.target(until...))
			p.depth--
			p.expectOperator(")")
		} else {
			line, text := p.token.line, p.expectName()
			if reserved[text] || text == "loop" || strings.HasPrefix(text, "__") || !isASCII(text) {
				panic(&Error{Line: line, Message: fmt.Sprintf("can't assign to %q", text)})
			}
			t.parts = append(t.parts, &target{line: line, name: text})
		}
		if !p.skipOperator(",") {
			break
		}
		several = true
	}
	if !several {
		return t.parts[0]
	}
	return t
}
