package jinja

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(document, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func mustDecode(t testing.TB, document string) Value {
	t.Helper()
	v, err := Decode([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// expectation is the result of the real Jinja2 for a template of the corpus. test/jinja records it.
type expectation struct {
	Context, Template string
	Output            *string // nil for an error
}

func readContexts(t testing.TB) map[string]Value {
	t.Helper()
	var documents map[string]json.RawMessage
	readJSON(t, "testdata/contexts.json", &documents)
	contexts := map[string]Value{}
	for name, document := range documents {
		contexts[name] = mustDecode(t, string(document))
	}
	return contexts
}

// TestCorpus checks the package against the recorded results of Jinja2. test/jinja counts what Parse refuses.
func TestCorpus(t *testing.T) {
	contexts := readContexts(t)
	var expectations []expectation
	readJSON(t, "testdata/expected.json", &expectations)
	if len(expectations) < 300 {
		t.Fatalf("the corpus has shrunk to %d templates", len(expectations))
	}
	for _, want := range expectations {
		template, err := Parse(want.Template)
		if err != nil {
			continue
		}
		got, err := template.Render(contexts[want.Context])
		switch {
		case err != nil && want.Output != nil:
			t.Errorf("%q: %v; want %q", want.Template, err, *want.Output)
		case err == nil && want.Output == nil:
			t.Errorf("%q gives %q; want an error", want.Template, got)
		case err == nil && got != *want.Output:
			t.Errorf("%q gives %q; want %q", want.Template, got, *want.Output)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for source, want := range map[string]string{
		"a\n\n{{ x|foo }}":                        `line 3: unknown filter "foo"`,
		"{{ x is\nfoo }}":                         `line 1: unknown test "foo"`,
		"{{ foo() }}":                             `line 1: unknown function "foo"`,
		"{{ x.foo() }}":                           `line 1: unknown method "foo"`,
		"{% foo %}":                               `line 1: unknown tag "foo"`,
		"\n{% macro m() %}{% endmacro %}":         `line 2: the tag "macro" is not supported`,
		"{{ x|join(sep=', ') }}":                  `line 1: the filter "join" does not take the argument "sep"`,
		"{{ x|replace('a') }}":                    `line 1: the filter "replace" needs the argument "new"`,
		"{{ x|upper(1) }}":                        `line 1: the filter "upper" takes at most 0 arguments`,
		"{{ x|join('a', d='b') }}":                `line 1: the filter "join" gets the argument "d" twice`,
		"{{ x.upper(a=1) }}":                      `line 1: the method "upper" does not take the argument "a"`,
		"{{ x|map(y)|list }}":                     `line 1: the filter "map" needs the name of a filter as a string`,
		"{{ x|map('foo')|list }}":                 `line 1: unknown filter "foo"`,
		"{{ x|select('foo')|list }}":              `line 1: unknown test "foo"`,
		"{{ x|selectattr }}":                      `line 1: the filter "selectattr" needs an attribute`,
		"{% if x %}\n{{ 1 }}":                     `line 2: the template ends before elif or else or endif`,
		"{% for loop in x %}{% endfor %}":         `line 1: can't assign to "loop"`,
		"{{ \xff }}":                              `line 1: the template is not valid UTF-8`,
		"{{ x.__class__ }}":                       `line 1: the attribute "__class__" is not supported`,
		"{{ x.items }}":                           `line 1: "items" without () is a method of objects; write ['items'] for a key of that name`,
		"{{ x()() }}":                             `line 1: unknown function "x"`,
		"{{ x[0]() }}":                            `line 1: only functions and methods can be called`,
		"{{ f(*x) }}":                             `line 1: unknown function "f"`,
		"{{ range(*x) }}":                         `line 1: * in a call is not supported`,
		strings.Repeat("x", maxSource+1):          `line 1: the template is longer than 65536 bytes`,
		"{{ 'a' }}{{ 1 ":                          `line 1: expected }}, got the end of the template`,
		strings.Repeat("{% if x %}", 21):          `line 1: tags are nested deeper than 20`,
		"{{ größe }}":                             `line 1: the variable name "größe" is not supported`,
		"{{ x[1:2:3:4] }}":                        `line 1: expected "]", got "4"`,
		"{{ " + strings.Repeat("[", 65) + "\n":    `line 1: brackets are nested deeper than 64`,
		"{{ 1" + strings.Repeat("+1", 100) + "}}": `line 1: an expression has more than 100 operators on top of each other`,
	} {
		_, err := Parse(source)
		var problem *Error
		if !errors.As(err, &problem) || err.Error() != want {
			t.Errorf("Parse(%.60q) = %v; want %s", source, err, want)
		}
	}
}

// patience is a time limit that tests of other limits never reach, even with the slow race detector.
const patience = time.Minute

func TestRenderErrors(t *testing.T) {
	context := mustDecode(t, `{"d": {"a": 1}, "s": "text", "huge": 123456789012345678901234567890}`)
	for source, want := range map[string]string{
		"\n\n{{ missing.x }}":                          "line 3: 'missing' is undefined",
		"a\n{{ d.x.y }}":                               "line 2: 'x' is undefined",
		"{{ 1 / 0 }}":                                  "line 1: division by zero",
		"{{ s['upper'] }}":                             `line 1: not supported: the attribute "upper" of a str, which is a method`,
		"{{ d['items'] }}":                             `line 1: not supported: the attribute "items" of a dict, which is a method`,
		"{{ range }}":                                  "line 1: not supported: printing a function; a generator needs |list",
		"{{ 2 ** 64 }}":                                "line 1: not supported: an integer beyond 64 bits",
		"{{ (-0.0) ** 3 }}":                            "line 1: not supported: a power of negative zero",
		"{{ [1]|tojson(indent='<') }}":                 "line 1: not supported: tojson with an indent of < > & or '",
		"{{ 'abc'.partition('b'|safe) }}":              "line 1: not supported: parts around a text that counts as escaped",
		"{{ 'a & b'|wordwrap(3, true, '<br>'|safe) }}": "line 1: not supported: wordwrap with a wrapstring that counts as escaped",
		"{{ 2 ** 0.5 }}":                               "line 1: not supported: a power other than of whole numbers",
		"{{ 9223372036854775807 + 1 }}":                "line 1: not supported: an integer beyond 64 bits",
		"{{ -9223372036854775807 - 2 }}":               "line 1: not supported: an integer beyond 64 bits",
		"{{ huge + 1 }}":                               "line 1: not supported: calculating with an integer beyond 64 bits",
		"{{ 'nan'|float }}":                            "line 1: not supported: a number that is not a number (NaN)",
		"{{ 'x' * 2000000 }}":                          "line 1: a text grows too long (more than 1048576 bytes)",
		bombs["lists of lists"]:                        "line 1: the template takes too much memory (more than 6291456 bytes)",
		bombs["nested loops"]:                          "line 1: the template takes too many steps (more than 200000)",
		bombs["output"]:                                "line 1: the output grows too long (more than 1048576 bytes)",
		"{% set ns = namespace(l=[]) %}{% for _ in range(100) %}{% set ns.l = [ns.l] %}{% " +
			"endfor %}{{ ns.l }}": "line 1: not supported: values nested deeper than 100",
		"{{ range(100001) }}":                 "line 1: the range is longer than 100000",
		"{% set x = s|map('upper') %}{{ x }}": "line 1: not supported: printing a generator; a generator needs |list",
	} {
		template, err := Parse(source)
		if err != nil {
			t.Errorf("Parse(%q): %v", source, err)
			continue
		}
		_, err = template.render(context, patience)
		var problem *Error
		if !errors.As(err, &problem) || err.Error() != want {
			t.Errorf("%q: %v; want %s", source, err, want)
		}
	}
	template, _ := Parse("x")
	if _, err := template.Render(List()); err == nil {
		t.Error("a list was taken as context")
	}
}

func TestValues(t *testing.T) {
	context := Object(
		Member{"n", Null()}, Member{"b", Bool(true)}, Member{"i", Int(-5)}, Member{"f", Float(7)}, Member{"s", String("a\xffb")},
		Member{"l", List(Int(1), String("x"))}, Member{"o", Object(Member{"z", Int(1)}, Member{"a", Int(2)}, Member{"z", Int(3)})},
	)
	template, err := Parse("{{ n }} {{ b }} {{ i }} {{ f }} {{ s }} {{ l }} {{ o }}")
	if err != nil {
		t.Fatal(err)
	}
	got, err := template.Render(context)
	want := "None True -5 7.0 a\uFFFDb [1, 'x'] {'z': 3, 'a': 2}"
	if err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestDecode(t *testing.T) {
	for _, document := range []string{"", "{", "[1", "{} {}", "nul", "NaN", `{"a" 1}`, strings.Repeat("[", 101) + strings.Repeat("]", 101),
		strings.Repeat("1", 5000)} {
		if v, err := Decode([]byte(document)); err == nil {
			t.Errorf("Decode(%.20q) = %v; want an error", document, v)
		}
	}
	var keys []string
	for i := range 40 { // enough for the dict to have an index
		keys = append(keys, `"k`+strings.Repeat("x", i)+`": 1`)
	}
	d := mustDecode(t, "{"+strings.Join(keys, ",")+`, "kxx": 2}`).v.(*dict)
	if v, _ := d.get("kxx"); d.len() != 40 || v != int64(2) || d.keys[39] != "k"+strings.Repeat("x", 39) {
		t.Errorf("got %d keys, %v", d.len(), v)
	}
}

// TestConcurrentUse renders one template with one context in several goroutines, for the race detector.
func TestConcurrentUse(t *testing.T) {
	contexts := readContexts(t)
	template, err := Parse("{% set ns = namespace(n=0) %}{% for r in rows %}{% set ns.n = ns.n + loop.index %}{{ r|tojson }}{% " +
		"endfor %}{{ ns.n }}" +
		"{{ nums|sort }}{{ words|sort|unique|list }}{{ rows|groupby('n')|length }}")
	if err != nil {
		t.Fatal(err)
	}
	want, err := template.Render(contexts["odd"])
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got, err := template.Render(contexts["odd"]); err != nil || got != want {
					t.Errorf("got %q, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestClock checks that a rendering ends when its time is up, however many steps are left, and that a pause of the machine does not end
// it.
func TestClock(t *testing.T) {
	step := func(m *meter) (err error) {
		defer catch(&err, func() int { return 1 })
		m.step(1)
		return nil
	}
	if err := step(&meter{looked: time.Now(), left: 0}); err == nil || !strings.Contains(err.Error(), "takes too long") {
		t.Errorf("got %v", err)
	}
	paused := meter{looked: time.Now().Add(-time.Hour), left: maxTime}
	if err := step(&paused); err != nil || paused.left != maxTime-longestStretch {
		t.Errorf("after a pause of an hour %s are left, %v", paused.left, err)
	}
}

// TestDocumentation checks that docs/templates.md names everything there is, and that everything it calls refused is refused.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := words(strings.NewReplacer("`", " ", ",", " ", ";", " ", ".", " ").Replace(string(page)))
	perItem := []string{"map", "select", "reject", "selectattr", "rejectattr"}
	for _, name := range slices.Concat(perItem, slices.Collect(maps.Keys(filters)), slices.Collect(maps.Keys(tests)),
		slices.Collect(maps.Keys(functions)), slices.Collect(maps.Keys(methods))) {
		isLoop := name == "cycle" || name == "changed"
		if name[0] >= 'a' && !isLoop && !documented[name] {
			t.Errorf("docs/templates.md does not name %q", name)
		}
	}
}
