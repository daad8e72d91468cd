package pattern_test

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/pattern"
)

// evil are expressions that take other engines hours, or memory.
var evil = []string{`(a+)+$`, `([a-zA-Z]+)*$`, `(a|aa)+$`, `(a|a?)+$`, `(.*a){20}$`, `(a{1,30}){1,30}b`, `((a{0,30}){0,30}){0,30}`, `a{1001}`,
	`(x+x+)+y`, `^(([a-z])+.)+[A-Z]([a-z])+$`, `(?:a?){250}a{250}`, `(((((((((a*)*)*)*)*)*)*)*)*)*b`, `\pL{900}`, `(\pL|\pN|.){1,300}$`, `(?i:\w*){90}!`,
	strings.Repeat(`(a*)`, 120) + "b", strings.Repeat("(", 249) + strings.Repeat(")*", 124), strings.Repeat(`\w`, 250), strings.Repeat(".*", 249) + "b",
	"(?:" + strings.Repeat("a?", 240) + "){1000}", "(?:" + strings.Repeat("[a-b]*", 80) + "){1000}", strings.Repeat("a*", 200), "(?:" + strings.Repeat("a?", 9) + "){50}$"}

// TestEvilRegex holds what a regular expression may cost, whatever it and the text are.
func TestEvilRegex(t *testing.T) {
	limit := 50 * time.Millisecond
	if raceDetector() {
		limit *= 20
	}
	prefix := func(source string) (*pattern.Pattern, error) { return new(pattern.Budget).Prefix(source) }
	for name, compile := range map[string]func(string) (*pattern.Pattern, error){"prefix": prefix, "whole": pattern.Whole} {
		for _, source := range evil {
			for length := 1 << 10; length <= 1<<20; length *= 2 {
				text := strings.Repeat("a", length) + "!"
				took := time.Hour
				for try := 0; try < 5 && took > limit; try++ { // the machine may be busy with something else
					start := time.Now()
					if p, err := compile(source); err == nil {
						p.Match(text)
						p.Match(text[:min(length, p.Longest())])
					}
					took = min(took, time.Since(start))
				}
				if took > limit {
					t.Errorf("%s: %.40s took %v on %d bytes", name, source, took, length)
				}
			}
		}
	}
}

// raceDetector makes everything ten times as slow.
func raceDetector() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		source, text  string
		prefix, whole bool
	}{
		{"lis", "lis", true, true},
		{"lis", "lisbon", true, false},
		{"is", "lis", false, false},
		{"x|lis", "lis", true, true},
		{"x|is", "lis", false, false},
		{"(?m)^b$", "a\nb", false, false},
		{"a$", "a\n", false, false},
		{"", "", true, true},
	} {
		p, err := new(pattern.Budget).Prefix(test.source)
		if err != nil || p.Match(test.text) != test.prefix {
			t.Errorf("the beginning of %q matches %q: want %v (%v)", test.text, test.source, test.prefix, err)
		}
		if p, err = pattern.Whole(test.source); err != nil || p.Match(test.text) != test.whole {
			t.Errorf("all of %q matches %q: want %v (%v)", test.text, test.source, test.whole, err)
		}
	}
}

// TestLongest: a plain expression reads long texts, and there is an end.
func TestLongest(t *testing.T) {
	t.Parallel()
	p, err := pattern.Whole("a+!")
	if err != nil {
		t.Fatal(err)
	}
	for length, want := range map[int]bool{8_000: true, p.Longest() - 1: true, p.Longest(): false, 1_000_000: false} {
		if p.Match(strings.Repeat("a", length)+"!") != want {
			t.Errorf("%d letters: want %v", length, want)
		}
	}
}
