package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Template is a parsed template. It is safe for concurrent use.
type Template struct {
	body  []statement
	frame frame
	slots int // the number of variables in all scopes
}

// Parse checks and compiles a template. The error is *Error.
func Parse(source string) (t *Template, err error) {
	if len(source) > maxSource {
		return nil, &Error{Line: 1, Message: fmt.Sprintf("the template is longer than %d bytes", maxSource)}
	}
	if i := invalidUTF8(source); i >= 0 {
		return nil, &Error{Line: 1 + strings.Count(source[:i], "\n"), Message: "the template is not valid UTF-8"}
	}
	p := &parser{lexer: newLexer(source)}
	defer catch(&err, func() int { return p.token.line })
	p.token = p.lexer.next()
	t = &Template{body: p.statements()}
	resolve(t)
	return t, nil
}

func invalidUTF8(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// parser parses statements here and expressions in expression.go.
type parser struct {
	lexer *lexer
	token token  // the current one
	ahead *token // the one after it, if it was read already
	tags  int    // open tags
	depth int    // open brackets, signs and conditions
	names []*name
	loops int // how often the name loop was read
}

func (p *parser) fail(format string, args ...any) {
	panic(&Error{Line: p.token.line, Message: fmt.Sprintf(format, args...)})
}

func (p *parser) next() token {
	t := p.token
	if p.ahead != nil {
		p.token, p.ahead = *p.ahead, nil
	} else {
		p.token = p.lexer.next()
	}
	return t
}

func (p *parser) look() token {
	if p.ahead == nil {
		t := p.lexer.next()
		p.ahead = &t
	}
	return *p.ahead
}

func (t token) isName(names ...string) bool {
	if t.kind != tokenName {
		return false
	}
	for _, name := range names {
		if t.text == name {
			return true
		}
	}
	return false
}

func (t token) isOperator(operator string) bool {
	return t.kind == tokenOperator && t.text == operator
}

// describe returns the name of a token for a message.
func (t token) describe() string {
	switch t.kind {
	case tokenEnd:
		return "the end of the template"
	case tokenPrintEnd:
		return "}}"
	case tokenTagEnd:
		return "%}"
	case tokenString:
		return "a string"
	}
	return fmt.Sprintf("%q", t.text)
}

func (p *parser) skipName(name string) bool {
	if p.token.isName(name) {
		p.next()
		return true
	}
	return false
}

func (p *parser) skipOperator(operator string) bool {
	if p.token.isOperator(operator) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expectOperator(operator string) {
	if !p.skipOperator(operator) {
		p.fail("expected %q, got %s", operator, p.token.describe())
	}
}

func (p *parser) expectName() string {
	if p.token.kind != tokenName {
		p.fail("expected a name, got %s", p.token.describe())
	}
	return p.next().text
}

func (p *parser) expectEnd(kind tokenKind) {
	if p.token.kind != kind {
		p.fail("expected %s, got %s", token{kind: kind}.describe(), p.token.describe())
	}
	p.next()
}
