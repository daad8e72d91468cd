// Package pattern owns the regular expressions that people save in conditions of webhooks and in custom fields. It
// compiles them and bounds what matching may cost. It knows nothing of where they are used.
//
// RE2 takes time in proportion to the size of the expression times the length of the text. Neither alone bounds it:
// (?:a?a?…){1000} is short and has half a million states. So the number of states is limited, and the more states an
// expression has, the shorter are the texts it is matched against.
package pattern

import (
	"fmt"
	"math/bits"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

const (
	maxSource = 500  // bytes of one expression
	maxStates = 2000 // of all expressions of a Budget
	maxSteps  = 1 << 18
)

// Budget limits what several expressions that are matched together may cost. The zero value is unspent.
type Budget struct{ states int }

// Pattern is a compiled expression.
type Pattern struct {
	source string
	regex  *regexp.Regexp
	budget *Budget
}

// String is the expression as it was written.
func (p *Pattern) String() string { return p.source }

// Prefix compiles an expression that the beginning of a text must match.
func (b *Budget) Prefix(source string) (*Pattern, error) {
	return b.compile(source, `\A(?:`+source+`)`)
}

// Whole compiles an expression that a whole text must match.
func Whole(source string) (*Pattern, error) {
	return new(Budget).compile(source, `\A(?:`+source+`)\z`)
}

func (b *Budget) compile(source, bound string) (*Pattern, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("a regular expression may have %d bytes at most, not %d", maxSource, len(source))
	}
	tree, err := syntax.Parse(source, syntax.Perl) // parsed alone, else ")|(" would pass
	if err != nil {
		return nil, fmt.Errorf("%q is not a regular expression: %s", source, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if b.states += states(tree); b.states > maxStates {
		return nil, fmt.Errorf("regular expressions may have %d states at most, which are used up here; repeat less", maxStates)
	}
	regex, err := regexp.Compile(bound)
	if err != nil {
		return nil, fmt.Errorf("%q is not a regular expression: %w", source, err)
	}
	return &Pattern{source, regex, b}, nil
}

// states counts the instructions of a compiled expression without compiling it.
func states(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCharClass:
		n = 1 + bits.Len(uint(len(re.Rune)))/4 // its ranges are searched: one for [a-z0-9-], three for all letters
	case syntax.OpConcat, syntax.OpRepeat:
		n = 0
	case syntax.OpAlternate:
		n = len(re.Sub) - 1
	case syntax.OpCapture:
		n = 2
	}
	for _, sub := range re.Sub {
		n += states(sub)
	}
	if re.Op == syntax.OpRepeat {
		n = n*max(re.Min, re.Max, 1) + max(re.Max-re.Min, 1) // each optional repetition is a choice
	}
	return min(n, maxStates+1)
}

// Longest returns how many characters the longest text has that the expression is matched against.
func (p *Pattern) Longest() int { return maxSteps / max(p.budget.states, 1) }

// TooLong reports whether a text is longer than Longest.
func (p *Pattern) TooLong(text string) bool {
	return len(text) > p.Longest() && (len(text) > utf8.UTFMax*p.Longest() || utf8.RuneCountInString(text) > p.Longest())
}

// Match reports whether a text matches. A text that is too long is not tried and never matches.
func (p *Pattern) Match(text string) bool {
	return !p.TooLong(text) && p.regex.MatchString(text)
}
