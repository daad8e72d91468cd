package jinja_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"terrier/internal/jinja"
)

// newer are the characters that Unicode 15 added or made letters. Go knows them, and Debian's Python does not yet.
var newer = &unicode.RangeTable{
	R16: []unicode.Range16{{0xcf3, 0xcf3, 1}, {0xece, 0xece, 1}, {0x10fc, 0x10fc, 1}, {0xa7f2, 0xa7f4, 1}, {0xab69, 0xab69, 1}},
	R32: []unicode.Range32{{0x10efd, 0x10eff, 1}, {0x1123f, 0x11241, 1}, {0x11b00, 0x11b09, 1}, {0x11f00, 0x11f59, 1}, {0x1342f, 0x1342f, 1},
		{0x13439, 0x13455, 1}, {0x1b132, 0x1b155, 1}, {0x1d2c0, 0x1d2d3, 1}, {0x1df25, 0x1df2a, 1}, {0x1e030, 0x1e08f, 1}, {0x1e4d0, 0x1e4f9, 1},
		{0x31350, 0x323af, 1}},
}

// characters lists every character, but only some of those that come in thousands and are all alike.
func characters() (all []string) {
	for c := rune(1); c <= unicode.MaxRune; c++ {
		alike := unicode.In(c, unicode.Han, unicode.Hangul, unicode.Co) || !unicode.IsGraphic(c) && !unicode.In(c, unicode.Cc, unicode.Cf)
		if utf8.ValidRune(c) && !unicode.Is(newer, c) && (!alike || c%256 == 0) {
			all = append(all, string(c))
		}
	}
	return all
}

// TestEveryCharacter changes the case of all characters, with and without the neighbours that matter, and asks what they
// are. None may be refused: a template that was saved would fail with some records and not with others.
func TestEveryCharacter(t *testing.T) {
	const atOnce = 200 // so that a rendering stays within its time under the race detector too
	templates := []string{
		"{{ l|join(' ')|upper }}",
		"{{ l|join(' ')|lower }}",
		"{{ l|join(' ')|title }}",
		"{{ (l|join(' ')).title() }}",
		"{{ l|map('capitalize')|join }}",
		"{{ ('x' ~ l|join('Σ x'))|lower }}",     // Is it a letter, or overlooked, before a sigma?
		"{{ ('xΣ' ~ l|join(' xΣ')).lower() }}",  // And behind it?
		"{{ ('xΣ' ~ l|join('x xΣ')).lower() }}", // And between it and a letter?
		"{% for c in l %}{{ '%d%d%d%d%d%d%d ' % (c.isdigit(), c.isdecimal(), c.isalpha(), c.isalnum(), c.isspace(), c.isupper(), " +
			"c.islower()) }}{% endfor %}",
		"{{ l|map('int', -1)|join }} {{ l|map('trim')|join }}",
	}
	all := characters()
	c := contexts{map[string]json.RawMessage{}, map[string]jinja.Value{}}
	var questions []question
	for start := 0; start < len(all); start += atOnce {
		name := strconv.Itoa(start)
		document, err := json.Marshal(map[string][]string{"l": all[start:min(start+atOnce, len(all))]})
		if err != nil {
			t.Fatal(err)
		}
		c.raw[name] = document
		if c.decoded[name], err = jinja.Decode(document); err != nil {
			t.Fatal(err)
		}
		for _, template := range templates {
			questions = append(questions, question{template, name})
		}
	}
	for i, a := range startOracle(t, c).ask(t, questions) {
		if v, ours := compare(c, questions[i], a); v != equal {
			t.Errorf("%s: %q from character %s on\n%s", v, questions[i].Template, questions[i].Context, firstDifference(ours, a.String()))
		}
	}
	t.Logf("%d characters", len(all))
}

// firstDifference shows where two long outputs part.
func firstDifference(ours, theirs string) string {
	i := 0
	for i < min(len(ours), len(theirs)) && ours[i] == theirs[i] {
		i++
	}
	part := func(s string) string { return strings.ToValidUTF8(s[max(0, i-20):min(len(s), i+40)], "") }
	return " ours   …" + part(ours) + "\n jinja2 …" + part(theirs)
}
