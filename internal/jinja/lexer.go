package jinja

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenData
	tokenPrintBegin // {{
	tokenPrintEnd
	tokenTagBegin // {%
	tokenTagEnd
	tokenName
	tokenString
	tokenInteger
	tokenFloat
	tokenOperator
)

type token struct {
	kind tokenKind
	text string // the name, the decoded string, the digits, the operator, the data
	line int
}

// lexer splits a template into tokens, one at a time, so that a long template needs no memory for them.
type lexer struct {
	source string
	at     int
	line   int
	inside tokenKind // tokenPrintBegin or tokenTagBegin inside of a tag, tokenData outside
	begin  tokenKind // a tag that was found while looking for the end of the data, or tokenData
	braces []byte    // the closing brackets that are expected
}

// newLexer returns a lexer. As in Jinja2 all line ends become \n, and the last one is removed.
func newLexer(source string) *lexer {
	if strings.Contains(source, "\r") {
		source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	}
	return &lexer{source: strings.TrimSuffix(source, "\n"), line: 1, inside: tokenData, begin: tokenData}
}

func (l *lexer) fail(format string, args ...any) {
	panic(&Error{Line: l.line, Message: fmt.Sprintf(format, args...)})
}

// take moves on by n bytes and returns them.
func (l *lexer) take(n int) string {
	s := l.source[l.at : l.at+n]
	l.at += n
	l.line += strings.Count(s, "\n")
	return s
}

func (l *lexer) rest() string { return l.source[l.at:] }

func (l *lexer) next() token {
	for {
		switch {
		case l.begin != tokenData:
			l.inside, l.begin = l.begin, tokenData
			return token{l.inside, "", l.line}
		case l.inside != tokenData:
			return l.nextInside()
		case l.at == len(l.source):
			return token{tokenEnd, "", l.line}
		}
		line := l.line
		if data := l.data(); data != "" {
			return token{tokenData, data, line}
		}
	}
}

// data reads text up to the next tag, and the beginning of that tag. It also skips comments and reads raw blocks.
func (l *lexer) data() string {
	rest := l.rest()
	end := 0
	for {
		i := strings.IndexByte(rest[end:], '{')
		if i < 0 || end+i+1 == len(rest) {
			return l.take(len(rest))
		}
		end += i
		if c := rest[end+1]; c == '{' || c == '%' || c == '#' {
			break
		}
		end++
	}
	data := l.take(end)
	opening := l.take(2)
	if control := l.control(); control == '-' {
		data = strings.TrimRightFunc(data, isSpace)
	}
	switch opening {
	case "{{":
		l.begin = tokenPrintBegin
	case "{%":
		if n, ok := l.matchTag("raw", false); ok {
			l.take(n)
			return data + l.raw()
		}
		l.begin = tokenTagBegin
	case "{#":
		i := strings.Index(l.rest(), "#}")
		if i < 0 {
			l.fail("a comment has no end: #}")
		}
		comment := l.take(i + 2)
		if i > 0 && comment[i-1] == '-' {
			l.spaces()
		}
	}
	return data
}

// control reads the + or - that may follow the beginning of a tag.
func (l *lexer) control() byte {
	if rest := l.rest(); rest != "" && (rest[0] == '-' || rest[0] == '+') {
		return l.take(1)[0]
	}
	return 0
}

// matchTag reports whether the rest of a tag is only this word, and returns its length.
func (l *lexer) matchTag(word string, plus bool) (int, bool) {
	rest := l.rest()
	s := strings.TrimLeftFunc(rest, isSpace)
	s, ok := strings.CutPrefix(s, word)
	if !ok {
		return 0, false
	}
	s = strings.TrimLeftFunc(s, isSpace)
	switch {
	case strings.HasPrefix(s, "%}"):
		s = s[2:]
	case strings.HasPrefix(s, "-%}"):
		s = strings.TrimLeftFunc(s[3:], isSpace)
	case plus && strings.HasPrefix(s, "+%}"):
		s = s[3:]
	default:
		return 0, false
	}
	return len(rest) - len(s), true
}

// raw reads up to the end of a raw block.
func (l *lexer) raw() string {
	rest := l.rest()
	for end := 0; ; end += 2 {
		i := strings.Index(rest[end:], "{%")
		if i < 0 {
			l.fail("a raw block has no end: {%% endraw %%}")
		}
		end += i
		tail := lexer{source: rest, at: end + 2}
		control := tail.control()
		n, ok := tail.matchTag("endraw", true)
		if !ok {
			continue
		}
		text := l.take(end)
		l.take(tail.at - end + n)
		if control == '-' {
			text = strings.TrimRightFunc(text, isSpace)
		}
		return text
	}
}

func (l *lexer) spaces() {
	rest := l.rest()
	l.take(len(rest) - len(strings.TrimLeftFunc(rest, isSpace)))
}

// operatorLength returns the length of the operator that a text begins with.
func operatorLength(s string) int {
	if len(s) > 1 {
		switch s[:2] {
		case "//", "**", "==", "!=", ">=", "<=":
			return 2
		}
	}
	if strings.IndexByte("+-/*%~[](){}><=.:|,;", s[0]) >= 0 {
		return 1
	}
	return 0
}

// nextInside reads a token of an expression or statement, or the end of the tag.
func (l *lexer) nextInside() token {
	for {
		if len(l.braces) == 0 {
			if t, ok := l.closing(); ok {
				return t
			}
		}
		before := l.at
		l.spaces()
		if l.at == before {
			break
		}
	}
	rest, line := l.rest(), l.line
	if rest == "" {
		return token{tokenEnd, "", line}
	}
	if digits, isFloat := l.number(); digits > 0 {
		kind := tokenInteger
		if isFloat {
			kind = tokenFloat
		}
		return token{kind, l.take(digits), line}
	}
	if n := len(rest) - len(strings.TrimLeftFunc(rest, isWord)); n > 0 {
		if first, _ := utf8.DecodeRuneInString(rest); unicode.IsNumber(first) {
			l.fail("%q is not a name", rest[:n])
		}
		return token{tokenName, l.take(n), line}
	}
	if rest[0] == '\'' || rest[0] == '"' {
		return token{tokenString, l.string(), line}
	}
	if n := operatorLength(rest); n > 0 {
		l.balance(rest[0])
		return token{tokenOperator, l.take(n), line}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	l.fail("unexpected %q", r)
	return token{}
}

// closing reads the end of a tag. A minus removes the white space after it.
func (l *lexer) closing() (token, bool) {
	rest, end, line := l.rest(), "}}", l.line
	kind := tokenPrintEnd
	if l.inside == tokenTagBegin {
		end, kind = "%}", tokenTagEnd
	}
	switch {
	case strings.HasPrefix(rest, end):
		l.take(2)
	case len(rest) < 3 || rest[1:3] != end:
		return token{}, false
	case rest[0] == '-':
		l.take(3)
		l.spaces()
	case rest[0] == '+' && kind == tokenTagEnd:
		l.take(3)
	default:
		return token{}, false
	}
	l.inside = tokenData
	return token{kind, "", line}, true
}

// balance keeps track of open brackets. Inside of them }} is two closing braces.
func (l *lexer) balance(operator byte) {
	switch operator {
	case '(':
		l.braces = append(l.braces, ')')
	case '[':
		l.braces = append(l.braces, ']')
	case '{':
		l.braces = append(l.braces, '}')
	case ')', ']', '}':
		last := len(l.braces) - 1
		if last < 0 || l.braces[last] != operator {
			l.fail("unexpected %q", string(operator))
		}
		l.braces = l.braces[:last]
	}
	if len(l.braces) > maxDepth {
		l.fail("brackets are nested deeper than %d", maxDepth)
	}
}
