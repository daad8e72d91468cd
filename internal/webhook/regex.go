package webhook

import (
	"math/bits"
	"regexp"
	"regexp/syntax"
	"strings"
)

// RE2 takes a time in proportion to the size of the expression and the length of the text.
// Neither alone bounds it: (?:a?a?…){1000} is short and has half a million states. So the
// expressions of one webhook may have so many states together, and the more they have, the
// shorter are the texts they are tried on.
const (
	maxRegex      = 500  // bytes of one expression
	maxRegexSize  = 1000 // states of all expressions
	maxRegexSteps = 1 << 17
)

// parseRegex binds the expression to the beginning of the text, because that is how the
// conditions that people bring with them were meant.
func (p *conditionParser) parseRegex(l *leaf, in any, place string) error {
	source, ok := in.(string)
	if !ok {
		return wrong(place, "regex needs a text, not %s", show(in))
	}
	if len(source) > maxRegex {
		return wrong(place, "a regular expression may have %d bytes at most, not %d", maxRegex, len(source))
	}
	tree, err := syntax.Parse(source, syntax.Perl) // alone, or ")|(" would pass
	if err != nil {
		return wrong(place, "%s is not a regular expression: %s", show(in), strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if p.states += states(tree); p.states > maxRegexSize {
		return wrong(place, "regular expressions may have %d states at most, which are used up here; repeat less", maxRegexSize)
	}
	if l.regex, err = regexp.Compile(`\A(?:` + source + `)`); err != nil {
		return wrong(place, "%s is not a regular expression: %s", show(in), err)
	}
	p.regexes = append(p.regexes, l)
	return nil
}

// states estimates the size of a compiled expression without compiling it.
func states(re *syntax.Regexp) int {
	n := 1
	switch re.Op {
	case syntax.OpLiteral:
		n = len(re.Rune)
	case syntax.OpCharClass:
		n = 1 + bits.Len(uint(len(re.Rune))) // its ranges are searched
	}
	for _, sub := range re.Sub {
		n += states(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxRegexSize+1)
}

// shareSteps gives all expressions the same longest text.
func (p *conditionParser) shareSteps() {
	for _, l := range p.regexes {
		l.longest = maxRegexSteps / p.states
	}
}
