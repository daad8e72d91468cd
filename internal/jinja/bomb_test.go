package jinja

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// tuples returns keys of a dict that differ only in their last item.
func tuples(of string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "(%s%d): 1,", strings.Repeat(of+",", 50), i)
	}
	return b.String()
}

// bombs are templates that try to use too much time or memory. Each must end, with or without an error.
var bombs = map[string]string{
	"two million parentheses":  "{{ " + strings.Repeat("(", 2_000_000) + "1" + strings.Repeat(")", 2_000_000) + " }}",
	"parentheses":              "{{ " + strings.Repeat("(", 30_000) + "1" + strings.Repeat(")", 30_000) + " }}",
	"lists in lists":           "{{ " + strings.Repeat("[", 30_000) + strings.Repeat("]", 30_000) + " }}",
	"dicts in dicts":           "{{ " + strings.Repeat("{1:", 20_000) + "1" + strings.Repeat("}", 20_000) + " }}",
	"signs":                    "{{ " + strings.Repeat("-", 60_000) + "1 }}",
	"nots":                     "{{ " + strings.Repeat("not ", 15_000) + "1 }}",
	"nested if":                strings.Repeat("{%if 1%}", 4000) + strings.Repeat("{%endif%}", 3000),
	"nested for":               strings.Repeat("{%for x in y%}", 2000) + strings.Repeat("{%endfor%}", 2000),
	"many ifs":                 strings.Repeat("{%if a%}{%set b=1%}{%endif%}", 2300),
	"many ifs, many names":     manyIfs(),
	"many elifs":               "{%if 0%}" + strings.Repeat("{%elif a%}", 6500) + "{%endif%}",
	"many names":               manyNames(),
	"many names in a loop":     "{%for _ in range(100000)%}" + manyNames() + "{%endfor%}",
	"filter chain":             "{{ 'a'" + strings.Repeat("|e", 30_000) + " }}",
	"filter chain of doublers": "{{ 'a'" + strings.Repeat("|replace('','aa')", 90) + " }}",
	"sum chain":                "{{ 1" + strings.Repeat("+1", 30_000) + " }}",
	"text chain":               "{{ 'a'" + strings.Repeat("~'a'", 16_000) + " }}",
	"comparison chain":         "{{ 1" + strings.Repeat("<2", 30_000) + " }}",
	"in chain":                 "{{ 1" + strings.Repeat(" in x", 12_000) + " }}",
	"subscript chain":          "{{ x" + strings.Repeat("[0]", 20_000) + " }}",
	"attribute chain":          "{{ x" + strings.Repeat(".a", 30_000) + " }}",
	"condition chain":          "{{ 1" + strings.Repeat(" if 1 else 1", 5_000) + " }}",
	"power tower":              "{{ 9" + strings.Repeat("**9", 60) + " }}",
	"big power":                "{{ 10 ** 1000000000 }}",
	"power of one":             "{{ 1 ** 9223372036854775807 }}{{ (-1) ** 9223372036854775807 }}{{ 0 ** 9223372036854775807 }}",
	"big product":              "{{ 9223372036854775807 * 9223372036854775807 }}",
	"long text":                "{{ 'x' * 10 ** 9 }}",
	"long text in steps":       "{{ 'x' * 1000000 }}{{ 'x' * 1000000 }}",
	"long list":                "{{ ([0] * 10 ** 9)|length }}",
	"lists of lists":           "{% set l = [0] * 50000 %}{% for _ in range(1000) %}{% set m = l + l %}{% endfor %}",
	"doubling":                 "{% set ns = namespace(s='x') %}{% for _ in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
	"doubling, tilde":          "{% set ns = namespace(s='x') %}{% for _ in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
	"doubling lists":           "{% set ns = namespace(s=[1]) %}{% for _ in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
	"growing": "{% set ns = namespace(s='') %}{% for _ in range(100000) %}{% set ns.s = ns.s ~ " +
		"'xxxxxxxxxxxxxxxx' %}{% endfor %}",
	"growing list":    "{% set ns = namespace(s=[]) %}{% for i in range(100000) %}{% set ns.s = ns.s + [i] %}{% endfor %}",
	"nesting":         "{% set ns = namespace(s=[]) %}{% for _ in range(100000) %}{% set ns.s = [ns.s] %}{% endfor %}{{ ns.s }}",
	"nesting doubled": "{% set ns = namespace(s=[]) %}{% for _ in range(90) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
	"nesting doubled, json": "{% set ns = namespace(s=[]) %}{% for _ in range(90) %}{% set ns.s = [ns.s, ns.s] %}{% endfor " +
		"%}{{ ns.s|tojson }}",
	"nesting doubled, equal": "{% set a = namespace(s=[]) %}{% set b = namespace(s=[]) %}{% for _ in range(90) %}{% set a.s = [a.s, " +
		"a.s] %}{% set b.s = [b.s, b.s] %}{% endfor %}{{ a.s == b.s }}",
	"a tuple as a key": "{% set ns = namespace(s=(1,)) %}{% for _ in range(90) %}{% set ns.s = (ns.s, ns.s) %}{% " +
		"endfor %}{{ {ns.s: 1} }}",
	"cycle":        "{% set ns = namespace() %}{% set ns.s = ns %}{{ ns }}",
	"cycle, equal": "{% set a = namespace() %}{% set a.l = [a] %}{{ a.l == [a] }}{{ a.l|tojson }}",
	"big dict":     "{% set ns = namespace(d={}) %}{% for i in range(100000) %}{% set ns.d = dict(ns.d, a=i) %}{% endfor %}",
	"growing dict": "{% set ns = namespace(d={}) %}{% for i in range(100000) %}{% set ns.d = dict([(i, i)] + " +
		"ns.d.items()|list) %}{% endfor %}",
	"dict of a range":    "{{ dict(range(100000)|batch(2))|length }}",
	"range":              "{{ range(10 ** 12) }}",
	"range, listed":      "{{ range(100000)|list }}",
	"ranges":             "{% for _ in range(100000) %}{{ range(100000)|list|length }}{% endfor %}",
	"nested loops":       strings.Repeat("{% for _ in range(100000) %}", 10) + strings.Repeat("{% endfor %}", 10),
	"empty loops":        "{% for _ in range(100000) %}{% for _ in [] %}{% endfor %}{% endfor %}",
	"loop with a filter": "{% for x in range(100000) if x < 0 %}{% endfor %}{% for x in range(100000) if x < 0 %}{% endfor %}",
	"output":             "{% for _ in range(100000) %}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{% endfor %}",
	"output of context":  "{% for _ in range(100000) %}{{ big }}{% endfor %}",
	"set block":          "{% for _ in range(1000) %}{% set x %}{{ big }}{% endset %}{% endfor %}",
	"center":             "{{ 'x'|center(10 ** 9) }}",
	"centers":            "{% for _ in range(10000) %}{% set x = 'x'|center(100000) %}{% endfor %}",
	"ljust":              "{{ 'x'.ljust(10 ** 12) }}",
	"zfill":              "{{ 'x'.zfill(10 ** 12) }}",
	"format of signs":    "{{ ('%%' * 500000) % () }}{{ ('{{' * 500000).format() }}",
	"format padding":     "{{ '%999999999d'|format(1) }}",
	"format paddings": "{{ ('%1000d' * 50)|format(" + strings.Repeat("1,",
		50) + ") }}{% for _ in range(10000) %}{% set x = '%100000d' % 1 %}{% endfor %}",
	"format precision":  "{{ '%.999999999f' % 1.5 }}",
	"format digits":     "{{ '%.999999999d' % 1 }}",
	"format precisions": "{% for _ in range(100000) %}{% set x = '%.1000f' % 1e300 %}{% endfor %}",
	"braces padding":    "{{ '{:999999999}'.format('x') }}",
	"braces fill":       "{{ '{:☃>900000}'.format('x') }}",
	"replace":           "{% set x = 'x' * 1000 %}{{ x|replace('', x)|replace('', x) }}",
	"replace nothing":   "{{ ('x' * 500000)|replace('', 'xxxx') }}",
	"replaces":          "{% set x = 'x' * 100000 %}{% for _ in range(100000) %}{% set y = x|replace('y', '') %}{% endfor %}",
	"replaces of all":   "{% set x = 'x' * 100000 %}{% for _ in range(100000) %}{% set y = x|replace('x', 'y') %}{% endfor %}",
	"join":              "{{ range(90000)|join('x' * 1000) }}",
	"split and join": "{% set ns = namespace(s='a b') %}{% for _ in range(100) %}{% set ns.s = ns.s.split()|join(' a " +
		"b ') %}{% endfor %}",
	"splits":                   "{% set x = 'a ' * 100000 %}{% for _ in range(1000) %}{% set y = x.split() %}{% endfor %}",
	"split at":                 "{% set x = 'a,' * 100000 %}{% for _ in range(1000) %}{% set y = x.split(',') %}{% endfor %}",
	"rsplits":                  "{% set x = 'a,' * 100000 %}{% for _ in range(1000) %}{% set y = x.rsplit(',', 1) %}{% endfor %}",
	"lines":                    "{% set x = '\\n' * 500000 %}{% for _ in range(1000) %}{% set y = x.splitlines() %}{% endfor %}",
	"partition":                "{% set x = 'a' * 900000 %}{% for _ in range(100000) %}{% set y = x.partition('ab') %}{% endfor %}",
	"indent":                   "{{ ('\\n' * 10000)|indent(1000, blank=true) }}",
	"indent width":             "{{ 'x'|indent(10 ** 9, true) }}",
	"wordwrap":                 "{{ ('x' * 900000)|wordwrap(1) }}",
	"wordwrap of hyphens":      "{{ ('ab-' * 100000)|wordwrap(3) }}",
	"wordwrap of dashes":       "{{ ('-' * 300000)|wordwrap(3) }}{{ ('a-' * 100000)|wordwrap(3) }}",
	"wordwrap of a dash":       "{{ ('-' * 85000)|wordwrap(3) }}",
	"wordwrap of words of one": "{{ ('a' ~ '-' * 85000)|wordwrap }}",
	"attribute of a long name": "{% set s = '1' * 900000 ~ 'x' %}{% set y = range(9999)|selectattr(s)|list %}",
	"format of a long width":   "{% set s = '{:' ~ '0' * 900000 ~ 'd}' %}{% for _ in range(9999) %}{% set y = s.format(1) %}{% endfor %}",
	"printf of long flags":     "{% set s = '%' ~ '0' * 900000 ~ 'd' %}{% for _ in range(9999) %}{% set y = s % 1 %}{% endfor %}",
	"printf of a long text":    "{% set s = 'é' * 400000 %}{% for _ in range(9999) %}{% set y = '%.1s' % s %}{% endfor %}",
	"format of a long text":    "{% set s = 'é' * 400000 %}{% for _ in range(9999) %}{% set y = '{:.1}'.format(s) %}{% endfor %}",
	"truncate by a long end":   "{% set s = 'é' * 400000 %}{% for _ in range(9999) %}{% set y = 'x'|truncate(1000000, true, s) %}{% endfor %}",
	"tuple as a key": "{% set t = (" + strings.Repeat("1,",
		100) + ") %}{% set d = {t: 1} %}{% for _ in range(9999) %}{% set y = t in d %}{% endfor %}",
	"long texts in a tuple": "{% set s = 'x' * 400000 %}{% set t = 'x' * 400000 %}{% set d = {" + tuples("s",
		8) + "} %}{% for _ in range(9999) %}{% set y = (" + strings.Repeat("t,", 50) + "9) in d %}{% endfor %}",
	"long texts as keys": "{% set s = 'x' * 400000 %}{% set d = {s ~ 1: 1, s ~ 2: 2} %}{% for i in range(9999) %}{% set y = d[s " +
		"~ 3] %}{% endfor %}",
	"branches":           "{% for _ in range(9999) %}{% if 0 %}" + strings.Repeat("{%elif 0%}", 6000) + "{% endif %}{% endfor %}",
	"wordwrap by a text": "{{ ('x ' * 1000)|wordwrap(1, wrapstring='y' * 10000) }}",
	"wordwrap wide":      "{{ ('x ' * 100000)|wordwrap(9223372036854775807) }}",
	"json indent":        "{{ [1]|tojson(indent=10 ** 9) }}",
	"json indents":       "{{ [[[[[[1]]]]]]|tojson(indent=100000) }}",
	"json of context":    "{% for _ in range(100000) %}{% set x = rows|tojson %}{% endfor %}",
	"json growth":        "{% set ns = namespace(s='\"') %}{% for _ in range(100) %}{% set ns.s = ns.s|tojson %}{% endfor %}",
	"escape growth": "{% set ns = namespace(s='&') %}{% for _ in range(1000) %}{% set ns.s = ns.s|forceescape %}{% endfor " +
		"%}{{ ('&' * 250000)|e }}",
	"urlencode growth": "{% set ns = namespace(s='%' * 1000) %}{% for _ in range(100) %}{% set ns.s = ns.s|urlencode %}{% endfor %}",
	"sort":             "{% for _ in range(1000) %}{% set x = numbers|sort %}{% endfor %}",
	"sort a range":     "{{ range(100000, 0, -1)|sort|first }}",
	"sort long texts":  "{% set x = 'x' * 10000 %}{{ ([x ~ 'a', x ~ 'b'] * 1000)|sort|length }}",
	"unique":           "{{ range(100000)|unique|list|length }}",
	"groupby":          "{{ rows|groupby('a')|length }}{% for _ in range(1000) %}{% set x = rows|groupby('a') %}{% endfor %}",
	"batch":            "{{ range(10)|batch(10 ** 9, 'x')|list }}",
	"batches":          "{{ range(100000)|batch(1)|list|length }}",
	"slice":            "{{ range(10)|slice(10 ** 9)|list|length }}",
	"slices":           "{% set x = 'é' * 400000 %}{% for i in range(100000) %}{{ x[i] }}{% endfor %}",
	"slices of lists":  "{% for i in range(100000) %}{% set x = numbers[1:] %}{% endfor %}",
	"slices backwards": "{% set x = 'é' * 100000 %}{% for i in range(100000) %}{% set y = x[::-1] %}{% endfor %}",
	"slice bounds": "{{ [1][9223372036854775807:-9223372036854775808:-9223372036854775808] }}{{ " +
		"'abc'[-9223372036854775808::9223372036854775807] }}",
	"sum of lists":             "{{ ([[1]] * 50000)|sum(start=[])|length }}",
	"in":                       "{% set x = 'x' * 900000 %}{% for _ in range(100000) %}{{ 'xy' in x }}{% endfor %}",
	"in a list":                "{% for i in range(100000) %}{{ -1 in numbers }}{% endfor %}",
	"equal texts":              "{% set x = 'x' * 900000 %}{% set y = x ~ '' %}{% for _ in range(100000) %}{{ x == y }}{% endfor %}",
	"length of a text":         "{% set x = 'x' * 900000 %}{% for _ in range(100000) %}{{ x|length }}{% endfor %}",
	"upper":                    "{% set x = 'é' * 400000 %}{% for _ in range(100000) %}{% set y = x|upper %}{% endfor %}",
	"title":                    "{% set x = 'a ' * 400000 %}{% for _ in range(100000) %}{% set y = x|title %}{% endfor %}",
	"upper that grows":         "{% set x = 'ΐ' * 60000 %}{% for _ in range(1000) %}{% set y = (x|upper ~ x)|title %}{% endfor %}",
	"upper of much":            "{{ ('ΐ' * 500000)|upper }}",
	"digits of another script": "{% set x = '٣' * 400000 %}{% for _ in range(1000) %}{% set y = x|float %}{% endfor %}",
	"sigmas":                   "{{ ('Σ' ~ '.' * 1000)|replace('.', 'Σ...........')|lower|length }}{{ ('Σ' * 100000)|lower|length }}",
	"sigma far from a letter":  "{{ (('Σ' ~ '.' * 2000) * 200)|lower|length }}",
	"strip":                    "{% set x = 'x' * 400000 %}{{ x.strip('y' * 400000 ~ 'x') }}",
	"count":                    "{% set x = 'x' * 900000 %}{% for _ in range(100000) %}{{ x.count('y') }}{% endfor %}",
	"find":                     "{{ ('a' * 900000).find('a' * 400000 ~ 'b') }}",
	"truncate":                 "{% set x = 'x' * 900000 %}{% for _ in range(100000) %}{% set y = x|truncate(10) %}{% endfor %}",
	"wordcount":                "{% set x = 'x ' * 400000 %}{% for _ in range(100000) %}{{ x|wordcount }}{% endfor %}",
	"is lower":                 "{% set x = '1' * 900000 %}{% for _ in range(100000) %}{{ x is lower }}{% endfor %}",
	"int of a text":            "{% set x = '1' * 900000 %}{% for _ in range(100000) %}{{ x|int }}{% endfor %}",
	"float of a text":          "{% set x = '1' * 900000 %}{% for _ in range(100000) %}{% set y = x|float %}{% endfor %}",
	"attribute path":           "{% set p = 'a.' * 400000 %}{{ rows|map(attribute=p)|list }}{{ rows|sort(attribute='a,' * 100000)|length }}",
	"map of map":               "{{ range(100000)|map('string')|map('upper')|map('lower')|map('length')|list|length }}",
	"stream of streams": "{% set ns = namespace(g=range(100000)) %}{% for _ in range(5000) %}{% set ns.g = ns.g|map('string') " +
		"%}{% endfor %}{{ ns.g|list|length }}",
	"loop.length of a stream": "{% for x in range(100000)|map('string') %}{{ loop.length }}{% endfor %}",
	"loop.changed":            "{% for x in range(100000) %}{{ loop.changed(big) }}{% endfor %}",
	"strings literal":         "{{ '" + strings.Repeat(`\n`, 32_000) + "' }}",
	"unclosed raw":            strings.Repeat("{%raw%}{%endraw", 4000),
	"many comments":           strings.Repeat("{##}", 16_000),
	"many prints":             strings.Repeat("{{a}}", 13_000),
	"list literal":            "{{ [" + strings.Repeat("1,", 32_000) + "]|length }}",
	"list literal in a loop":  "{% for _ in range(100000) %}{% set x = [" + strings.Repeat("1,", 30_000) + "] %}{% endfor %}",
	"unpacking":               "{% for _ in range(100000) %}{% for a, b in pairs %}{% endfor %}{% endfor %}",
	"unpacking a long value":  "{% for _ in range(100000) %}{% with %}{% endwith %}{% endfor %}{% set a, b = range(100000) %}",
	"filesizeformat":          "{% for _ in range(100000) %}{% set x = 1e300|filesizeformat %}{% endfor %}",
	"round":                   "{% for _ in range(100000) %}{% set x = 1e300|round(300) %}{% endfor %}",
	"divide big":              "{% for _ in range(100000) %}{% set x = 9223372036854775807 / 3 %}{% endfor %}",
	"compare big":             "{% for _ in range(100000) %}{% set x = 9223372036854775807 < 3.5 %}{% endfor %}",
	"float text":              "{% for _ in range(100000) %}{% set x = 1e300 ~ '' %}{% endfor %}",
	"reverse":                 "{% for _ in range(100000) %}{% set x = big|reverse %}{% endfor %}",
	"last of a text":          "{% for _ in range(100000) %}{% set x = big|last %}{% endfor %}",
	"list of a text":          "{% for _ in range(100000) %}{% set x = big|list %}{% endfor %}",
	"max of a text":           "{% for _ in range(100000) %}{% set x = big|max %}{% endfor %}",
}

func manyNames() string {
	var b strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&b, "{{a%d}}", i)
	}
	return b.String()
}

func manyIfs() string {
	var b strings.Builder
	for i := range 1700 {
		fmt.Fprintf(&b, "{%%if a%d%%}{%%set b%d=1%%}{%%endif%%}", i, i)
	}
	return b.String()
}

func bombContext() Value {
	numbers := make([]Value, 10_000)
	rows := make([]Value, 1000)
	for i := range numbers {
		numbers[i] = Int(int64(i * 7919 % 10007))
	}
	for i := range rows {
		rows[i] = Object(Member{"a", Int(int64(i % 10))}, Member{"b", String("<some 'text'>")})
	}
	return Object(
		Member{"big", String(strings.Repeat("0123456789abcdef", 6000))},
		Member{"numbers", List(numbers...)},
		Member{"rows", List(rows...)},
		Member{"pairs", List(List(Int(1), Int(2)), List(Int(3), Int(4)))},
	)
}

const (
	bombTime   = 100 * time.Millisecond
	bombMemory = 16 << 20 // bytes ever allocated, by TotalAlloc, which does not depend on the garbage collector
)

// TestBombs parses and renders each bomb. The race detector makes everything ten times slower, and other tests share the machine. So the
// time is the best of a few, and is not checked under the detector.
func TestBombs(t *testing.T) {
	context := bombContext()
	var slowest time.Duration
	var largest uint64
	for name, source := range bombs {
		t.Run(name, func(t *testing.T) {
			var best time.Duration
			var memory uint64
			var outcome error
			for attempt := range 5 {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				start := time.Now()
				template, err := Parse(source)
				if err == nil {
					_, err = template.Render(context)
				}
				took := time.Since(start)
				runtime.ReadMemStats(&after)
				memory, outcome = after.TotalAlloc-before.TotalAlloc, err
				if attempt == 0 || took < best {
					best = took
				}
				if best < bombTime/2 {
					break
				}
			}
			slowest, largest = max(slowest, best), max(largest, memory)
			t.Logf("%v, %d KiB: %v", best.Round(10*time.Microsecond), memory>>10, outcome)
			if best > bombTime && !raceDetector {
				t.Errorf("took %v", best)
			}
			if memory > bombMemory {
				t.Errorf("allocated %d bytes", memory)
			}
		})
	}
	t.Logf("the slowest took %v, the largest allocated %d KiB", slowest.Round(10*time.Microsecond), largest>>10)
}
