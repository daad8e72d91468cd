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

// chargeCase charges for a text in another case. It may become three times as long unless it is ASCII.
func (r *run) chargeCase(s string) (ascii bool) {
	if isASCII(s) {
		r.text(len(s))
		return true
	}
	r.text(3 * len(s))
	r.step(len(s))
	return false
}

func (r *run) upper(s string) string {
	if r.chargeCase(s) {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	for _, c := range s {
		writeUpper(&b, c)
	}
	return b.String()
}

func (r *run) lower(s string) string {
	if r.chargeCase(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for i, c := range s {
		writeLower(&b, s, i, c)
	}
	return b.String()
}

// endsWord reports whether a letter comes before the sigma at i and none after it.
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

// title is Python's str.title: a letter after a letter is lower case, any other is upper case.
func (r *run) title(s string) string {
	r.chargeCase(s)
	r.step(len(s) >> 1)
	var b strings.Builder
	inWord := false
	for i, c := range s {
		if inWord {
			writeLower(&b, s, i, c)
		} else {
			writeTitle(&b, c)
		}
		inWord = isCased(c)
	}
	return b.String()
}

// capitalize is Python's str.capitalize: the first character is upper case, the others are lower case.
func (r *run) capitalize(s string) string {
	r.chargeCase(s)
	r.step(len(s) >> 1)
	var b strings.Builder
	for i, c := range s {
		if i == 0 {
			writeTitle(&b, c)
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
	return every(s, func(c rune) bool { return unicode.Is(unicode.Nd, c) || unicode.Is(otherDigits, c) })
}

// otherDigits are digits that are not used to write numbers, such as superscripts and circled digits.
var otherDigits = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xb2, 0xb3, 1}, {0xb9, 0xb9, 1}, {0x1369, 0x1371, 1}, {0x19da, 0x19da, 1}, {0x2070, 0x2070, 1}, {0x2074, 0x2079, 1},
		{0x2080, 0x2089, 1}, {0x2460, 0x2468, 1}, {0x2474, 0x247c, 1}, {0x2488, 0x2490, 1}, {0x24ea, 0x24ea, 1}, {0x24f5, 0x24fd, 1},
		{0x24ff, 0x24ff, 1}, {0x2776, 0x277e, 1}, {0x2780, 0x2788, 1}, {0x278a, 0x2792, 1},
	},
	R32:         []unicode.Range32{{0x10a40, 0x10a43, 1}, {0x10e60, 0x10e68, 1}, {0x11052, 0x1105a, 1}, {0x1f100, 0x1f10a, 1}},
	LatinOffset: 2,
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

// onlyCase reports whether a text has letters with a case, and all of them have this one.
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
