package jinja

import (
	"strings"
	"unicode"
)

// titles are the characters that become several in title case. In upper case they become the upper case of these.
var titles = map[rune]string{
	'ß': "Ss", 'ŉ': "ʼN", 'ǰ': "J\u030c", 'ΐ': "Ι\u0308\u0301", 'ΰ': "Υ\u0308\u0301", 'և': "Եւ",
	'ẖ': "H\u0331", 'ẗ': "T\u0308", 'ẘ': "W\u030a", 'ẙ': "Y\u030a", 'ẚ': "Aʾ", 'ὐ': "Υ\u0313",
	'ὒ': "Υ\u0313\u0300", 'ὔ': "Υ\u0313\u0301", 'ὖ': "Υ\u0313\u0342", 'ᾲ': "Ὰ\u0345", 'ᾴ': "Ά\u0345", 'ᾶ': "Α\u0342",
	'ᾷ': "Α\u0342\u0345", 'ῂ': "Ὴ\u0345", 'ῄ': "Ή\u0345", 'ῆ': "Η\u0342", 'ῇ': "Η\u0342\u0345", 'ῒ': "Ι\u0308\u0300",
	'\u1fd3': "Ι\u0308\u0301", 'ῖ': "Ι\u0342", 'ῗ': "Ι\u0308\u0342", 'ῢ': "Υ\u0308\u0300", '\u1fe3': "Υ\u0308\u0301", 'ῤ': "Ρ\u0313",
	'ῦ': "Υ\u0342", 'ῧ': "Υ\u0308\u0342", 'ῲ': "Ὼ\u0345", 'ῴ': "Ώ\u0345", 'ῶ': "Ω\u0342", 'ῷ': "Ω\u0342\u0345",
	'ﬀ': "Ff", 'ﬁ': "Fi", 'ﬂ': "Fl", 'ﬃ': "Ffi", 'ﬄ': "Ffl", 'ﬅ': "St",
	'ﬆ': "St", 'ﬓ': "Մն", 'ﬔ': "Մե", 'ﬕ': "Մի", 'ﬖ': "Վն", 'ﬗ': "Մխ",
}

// beforeIota returns the upper-case letter without the iota, for a Greek letter with an iota below it. In upper case the iota follows that
// letter. In title case it stays below.
func beforeIota(c rune) (rune, bool) {
	switch {
	case '\u1f80' <= c && c <= '\u1faf': // in rows of eight: alpha, eta and omega, lower and upper case
		return []rune{'Ἀ', 'Ἠ', 'Ὠ'}[(c-'\u1f80')>>4] + c&7, true
	case c == 'ᾳ' || c == 'ᾼ':
		return 'Α', true
	case c == 'ῃ' || c == 'ῌ':
		return 'Η', true
	case c == 'ῳ' || c == 'ῼ':
		return 'Ω', true
	}
	return 0, false
}

func writeUpper(b *strings.Builder, c rune) {
	if letter, ok := beforeIota(c); ok {
		b.WriteRune(letter)
		b.WriteRune('Ι')
		return
	}
	if several, ok := titles[c]; ok {
		for _, c := range several {
			b.WriteRune(unicode.ToUpper(c))
		}
		return
	}
	b.WriteRune(unicode.ToUpper(c))
}

func writeTitle(b *strings.Builder, c rune) {
	if several, ok := titles[c]; ok {
		b.WriteString(several)
		return
	}
	b.WriteRune(unicode.ToTitle(c))
}

// writeLower writes one character of a text in lower case. A sigma at the end of a word has a special form.
func writeLower(b *strings.Builder, s string, i int, c rune) {
	switch {
	case c == 'İ':
		b.WriteString("i\u0307")
	case c == 'Σ' && endsWord(s, i):
		b.WriteRune('ς')
	default:
		b.WriteRune(unicode.ToLower(c))
	}
}
