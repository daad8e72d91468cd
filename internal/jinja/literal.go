package jinja

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// digits returns the length of a sequence of digits, which may have single underscores between them.
func digits(s string, is func(byte) bool) int {
	n := 0
	for n < len(s) && (is(s[n]) || n > 0 && s[n] == '_' && s[n-1] != '_' && n+1 < len(s) && is(s[n+1])) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool {
	return isDigit(c) || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// number returns the length of the number that the rest begins with, and whether it is a float.
func (l *lexer) number() (int, bool) {
	s := l.rest()
	if !isDigit(s[0]) {
		return 0, false
	}
	if l.at == 0 || l.source[l.at-1] != '.' {
		n := digits(s, isDigit)
		float := false
		if n+1 < len(s) && s[n] == '.' && isDigit(s[n+1]) {
			n += 1 + digits(s[n+1:], isDigit)
			float = true
		}
		if m := exponent(s[n:]); m > 0 {
			n += m
			float = true
		}
		if float {
			return n, true
		}
	}
	if s[0] != '0' {
		return digits(s, isDigit), false
	}
	if len(s) > 1 {
		base := map[byte]func(byte) bool{
			'x': isHex,
			'o': func(c byte) bool { return '0' <= c && c <= '7' },
			'b': func(c byte) bool { return c == '0' || c == '1' },
		}[s[1]|0x20]
		if base != nil {
			tail := strings.TrimPrefix(s[2:], "_")
			if n := digits(tail, base); n > 0 {
				return len(s) - len(tail) + n, false
			}
		}
	}
	return digits(s, func(c byte) bool { return c == '0' }), false
}

func exponent(s string) int {
	if s == "" || s[0]|0x20 != 'e' {
		return 0
	}
	n := 1
	if n < len(s) && (s[n] == '+' || s[n] == '-') {
		n++
	}
	if m := digits(s[n:], isDigit); m > 0 {
		return n + m
	}
	return 0
}

// string reads a string literal and its escapes, which are Python's.
func (l *lexer) string() string {
	rest := l.rest()
	end := 1
	for end < len(rest) && rest[end] != rest[0] {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		l.fail("a string has no end")
	}
	literal := rest[1:end]
	if !strings.Contains(literal, `\`) {
		l.take(end + 1)
		return literal
	}
	var b strings.Builder
	for literal != "" {
		i := strings.IndexByte(literal, '\\')
		if i < 0 {
			b.WriteString(literal)
			break
		}
		b.WriteString(literal[:i])
		r, n := l.escape(literal[i+1:])
		if r >= 0 {
			b.WriteRune(r)
		} else if literal[i+1] != '\n' {
			b.WriteString(literal[i : i+1+n])
		}
		literal = literal[i+1+n:]
	}
	l.take(end + 1)
	return b.String()
}

var escapes = map[byte]rune{
	'\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
}

// escape returns the character that an escape means, and the length of the escape after the backslash. A negative character means that the
// text stays as it is.
func (l *lexer) escape(s string) (rune, int) {
	c := s[0]
	if r, ok := escapes[c]; ok {
		return r, 1
	}
	length := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	switch {
	case length > 0:
		if len(s) <= length {
			l.fail("the escape \\%c needs %d hexadecimal digits", c, length)
		}
		code, err := strconv.ParseUint(s[1:1+length], 16, 32)
		if err != nil || !utf8.ValidRune(rune(code)) {
			l.fail("the escape \\%s is not a character", s[:1+length])
		}
		return rune(code), 1 + length
	case '0' <= c && c <= '7':
		n := 1
		for n < 3 && n < len(s) && '0' <= s[n] && s[n] <= '7' {
			n++
		}
		code, _ := strconv.ParseUint(s[:n], 8, 32)
		return rune(code), n
	case c == 'N' || c >= utf8.RuneSelf:
		l.fail("the escape \\%s is not supported", firstRune(s))
	}
	return -1, 1
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}
