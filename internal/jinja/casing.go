package jinja

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isSpace is Python's str.isspace of a character.
func isSpace(c rune) bool { return unicode.IsSpace(c) || 0x1c <= c && c <= 0x1f }

// isWord is \w of Python's regular expressions.
func isWord(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsNumber(c) }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// longUpper are the characters that become more than one in upper case, except ß. Few will miss them.
const longUpper = "ŉǰΐΰևẖẗẘẙẚὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯᾲᾳᾴᾶᾷᾼῂῃῄῆῇῌῒΐῖῗῢΰῤῦῧῲῳῴῶῷῼﬀﬁﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ\u1fd3\u1fe3"

func (r *run) upper(s string) string {
	r.text(len(s) + len(s)/2)
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	r.step(len(s))
	var b strings.Builder
	for _, c := range s {
		writeUpper(&b, c, "SS", unicode.ToUpper)
	}
	return b.String()
}

func writeUpper(b *strings.Builder, c rune, sharpS string, simple func(rune) rune) {
	switch {
	case c == 'ß':
		b.WriteString(sharpS)
	case c >= utf8.RuneSelf && strings.ContainsRune(longUpper, c):
		refuse("upper case of %q", c)
	default:
		b.WriteRune(simple(c))
	}
}

func (r *run) lower(s string) string {
	r.text(len(s) + len(s)/2)
	if isASCII(s) {
		return strings.ToLower(s)
	}
	r.step(len(s))
	var b strings.Builder
	for i, c := range s {
		writeLower(&b, s, i, c)
	}
	return b.String()
}

// writeLower writes one character of a text. A sigma at the end of a word has a form of its own.
func writeLower(b *strings.Builder, s string, i int, c rune) {
	switch {
	case c == 'İ':
		refuse("lower case of %q", c)
	case c == 'Σ' && endsWord(s, i):
		b.WriteRune('ς')
	default:
		b.WriteRune(unicode.ToLower(c))
	}
}

// endsWord tells whether a letter comes before the sigma at i and none after it.
func endsWord(s string, i int) bool {
	before := strings.TrimRightFunc(s[:i], isCaseIgnorable)
	after := strings.TrimLeftFunc(s[i+len("Σ"):], isCaseIgnorable)
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return before != "" && isCased(last) && (after == "" || !isCased(next))
}

func isCased(c rune) bool {
	return unicode.IsUpper(c) || unicode.IsLower(c) || unicode.IsTitle(c) ||
		unicode.Is(unicode.Other_Lowercase, c) || unicode.Is(unicode.Other_Uppercase, c)
}

func isCaseIgnorable(c rune) bool {
	return unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) ||
		strings.ContainsRune("'.:·\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a", c)
}

// title is Python's str.title: a letter after a letter is small, any other is large.
func (r *run) title(s string) string {
	r.text(len(s) + len(s)/2)
	r.step(len(s) >> 1)
	var b strings.Builder
	inWord := false
	for i, c := range s {
		if inWord {
			writeLower(&b, s, i, c)
		} else {
			writeUpper(&b, c, "Ss", unicode.ToTitle)
		}
		inWord = isCased(c)
	}
	return b.String()
}

// capitalize is Python's: the first character large, the others small.
func (r *run) capitalize(s string) string {
	r.text(len(s) + len(s)/2)
	r.step(len(s) >> 1)
	var b strings.Builder
	for i, c := range s {
		if i == 0 {
			writeUpper(&b, c, "Ss", unicode.ToTitle)
		} else {
			writeLower(&b, s, i, c)
		}
	}
	return b.String()
}

// titleWords is the filter title: words end at white space and opening brackets, not at digits or quotes.
func (r *run) titleWords(s string) string {
	isBreak := func(c rune) bool { return isSpace(c) || strings.ContainsRune("-({[<", c) }
	r.text(len(s))
	var b strings.Builder
	for s != "" {
		word := s
		if end := strings.IndexFunc(s, isBreak); end >= 0 {
			word = s[:end]
		}
		if word != "" {
			first := firstRune(word)
			b.WriteString(r.upper(first))
			b.WriteString(r.lower(word[len(first):]))
		}
		s = s[len(word):]
		rest := strings.TrimLeftFunc(s, isBreak)
		b.WriteString(s[:len(s)-len(rest)])
		s = rest
	}
	return b.String()
}

// isDigitText, and the others below, are Python's str.isdigit and so on.
func isDigitText(s string) bool {
	return every(s, func(c rune) bool {
		if c >= utf8.RuneSelf && unicode.Is(unicode.No, c) {
			refuse("isdigit of %q", c)
		}
		return unicode.Is(unicode.Nd, c)
	})
}

func isAlphaText(s string) bool { return every(s, unicode.IsLetter) }

func isAlnumText(s string) bool {
	return every(s, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) })
}

func isDecimalText(s string) bool {
	return every(s, func(c rune) bool { return unicode.Is(unicode.Nd, c) })
}

func isSpaceText(s string) bool { return every(s, isSpace) }

func every(s string, is func(rune) bool) bool {
	for _, c := range s {
		if !is(c) {
			return false
		}
	}
	return s != ""
}

func isUpperText(s string) bool { return onlyCase(s, unicode.IsUpper, unicode.Other_Uppercase) }

func isLowerText(s string) bool { return onlyCase(s, unicode.IsLower, unicode.Other_Lowercase) }

// onlyCase tells whether all letters that have a case have this one, and there are some.
func onlyCase(s string, is func(rune) bool, other *unicode.RangeTable) bool {
	found := false
	for _, c := range s {
		if is(c) || unicode.Is(other, c) {
			found = true
		} else if isCased(c) {
			return false
		}
	}
	return found
}
