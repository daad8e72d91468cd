package pattern_test

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"terrier/internal/pattern"
)

// evil are expressions that take other engines hours, or much memory.
var evil = []string{`(a+)+$`, `([a-zA-Z]+)*$`, `(a|aa)+$`, `(a|a?)+$`, `(.*a){20}$`, `(a{1,30}){1,30}b`,
	`((a{0,30}){0,30}){0,30}`, `a{1001}`,
	`(x+x+)+y`, `^(([a-z])+.)+[A-Z]([a-z])+$`, `(?:a?){250}a{250}`, `(((((((((a*)*)*)*)*)*)*)*)*)*b`, `\pL{900}`,
	`(\pL|\pN|.){1,300}$`, `(?i:\w*){90}!`,
	strings.Repeat(`(a*)`, 120) + "b", strings.Repeat("(", 249) + strings.Repeat(")*", 124), strings.Repeat(`\w`, 250),
	strings.Repeat(".*", 249) + "b",
	"(?:" + strings.Repeat("a?", 240) + "){1000}", "(?:" + strings.Repeat("[a-b]*", 80) + "){1000}", strings.Repeat("a*", 200),
	"(?:" + strings.Repeat("a?", 9) + "){50}$",
	`(?:\pL*){400}!`, `(?:[aceikmoqsuwy]*){600}!`, `(a{1,30}){1,25}b`, `(?i:a*){900}!`, strings.Repeat("(a*)", 124) + "b",
	`(a|b|a|ba|ab|aa){100}!`}

// TestEvilRegex: matching is bounded, whatever the expression and the text.
func TestEvilRegex(t *testing.T) {
	limit := 50 * time.Millisecond
	if raceDetector() {
		limit *= 20
	}
	prefix := func(source string) (*pattern.Pattern, error) { return new(pattern.Budget).Prefix(source) }
	for name, compile := range map[string]func(string) (*pattern.Pattern, error){"prefix": prefix, "whole": pattern.Whole} {
		for _, source := range evil {
			for length := 1 << 10; length <= 1<<20; length *= 2 {
				text := strings.Repeat("a", length) + "?"
				took := time.Hour
				for try := 0; try < 5 && took > limit; try++ { // the machine may be busy
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

// TestCommonExpressions: expressions that people write for names and numbers of real equipment are accepted, and
// match the longest texts they are meant for.
func TestCommonExpressions(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	host := label + "." + label + "." + label + "." + strings.Repeat("a", 61) // 253, the longest
	const hex = `[0-9a-fA-F]{1,4}`
	octet := `(25[0-5]|2[0-4]\d|1?\d?\d)`
	for _, test := range []struct {
		name, source string
		good, bad    []string
	}{
		{"name", `[a-z0-9-]{1,253}`, []string{"a", strings.Repeat("a", 253)}, []string{"", "A", strings.Repeat("a", 254)}},
		{"name with points", `(?i)[a-z0-9_.-]{1,255}`, []string{"A_b.c-9", strings.Repeat("z", 255)}, []string{"a b", strings.Repeat("z", 256)}},
		{"text of 255", `.{1,255}`, []string{strings.Repeat("界", 255)}, []string{"", "a\n", strings.Repeat("界", 256)}},
		{"hostname", `^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`,
			[]string{"a", "sw-1.lis.example", host}, []string{"", "-a", "a-", "a..b", "a." + label + "a", strings.Repeat("a", 64)}},
		{"hostname in either case", `(?i)^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}\.?$`,
			[]string{"SW1.Example.net.", host[:191] + ".aa"}, []string{"sw1", "sw_1.example"}},
		{"MAC", `([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}`, []string{"00:1b:21:AA:bb:0c", "00-1B-21-AA-BB-0C"},
			[]string{"001b21aabb0c", "00:1b:21:aa:bb", "00:1b:21:aa:bb:0g"}},
		{"IPv4", octet + `(\.` + octet + `){3}`, []string{"0.0.0.0", "192.0.2.255"}, []string{"192.0.2.256", "192.0.2", "1.2.3.4.5"}},
		{"IPv4 prefix", octet + `(\.` + octet + `){3}/(3[0-2]|[12]?\d)`, []string{"10.0.0.0/8", "192.0.2.1/32"},
			[]string{"10.0.0.0", "10.0.0.0/33"}},
		{"IPv6", `(` + hex + `:){7}` + hex + `|(` + hex + `:){1,7}:|(` + hex + `:){1,6}:` + hex + `|(` + hex + `:){1,5}(:` + hex +
			`){1,2}|(` + hex + `:){1,4}(:` + hex + `){1,3}|(` +
			hex + `:){1,3}(:` + hex + `){1,4}|(` + hex + `:){1,2}(:` + hex + `){1,5}|` + hex + `:((:` + hex + `){1,6})|:((:` + hex + `){1,7}|:)`,
			[]string{"::", "::1", "2001:db8::", "2001:db8::1", "2001:0db8:0000:0000:0000:ff00:0042:8329"},
			[]string{":", "2001:db8", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9"}},
		{"e-mail",
			`^[a-zA-Z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`,
			[]string{"noc@example.net", "a.b+c@" + host[:189]}, []string{"noc", "@example.net", "noc@-example.net", "a b@example.net"}},
		{"serial number", `[A-Z]{3}\d{4}[A-Z0-9]{4}`, []string{"FOC1234X56Y"}, []string{"FOC123X56Y", "foc1234x56y"}},
		{"semver",
			`(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
				`(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?` +
				`(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?`,
			[]string{"1.0.0", "1.2.3-rc.1+build.5"}, []string{"1.0", "01.0.0", "1.0.0-", "1.0.0-01"}},
		{"UUID", `[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, []string{"0f8fad5b-d9cb-469f-a165-70867728950e"},
			[]string{"0f8fad5bd9cb469fa16570867728950e"}},
		{"interface", `(Gi|Te|Hu)(gabit|n|ndred)?\S{0,20}\d+(/\d+){0,3}(\.\d{1,4})?`, []string{"Gi1/0/24", "Te1/1/1.4094"},
			[]string{"Fa0/1", "Gi"}},
	} {
		p, err := pattern.Whole(test.source)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		for _, text := range test.good {
			if !p.Match(text) {
				t.Errorf("%s: %q does not match (%d characters at most)", test.name, text, p.Longest())
			}
		}
		for _, text := range test.bad {
			if p.Match(text) {
				t.Errorf("%s: %q matches", test.name, text)
			}
		}
	}
}

// TestLongest: a simple expression reads long texts, up to a limit.
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
