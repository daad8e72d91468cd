package jinja_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRandomTemplates composes templates from everything that is supported and compares them in batches. Run it
// for long with -rapid.checks=20000.
func TestRandomTemplates(t *testing.T) {
	c := readContexts(t)
	o := startOracle(t, c)
	counts := map[verdict]int{}
	errors := 0
	rapid.Check(t, func(rt *rapid.T) {
		questions := rapid.SliceOfN(rapid.Custom(randomQuestion), 20, 40).Draw(rt, "templates")
		for i, a := range o.ask(t, questions) {
			v, ours := compare(c, questions[i], a)
			counts[v]++
			if v == equal && a.Output == nil {
				errors++
			}
			if v == different {
				rt.Errorf("%q\n ours   %s\n jinja2 %s", questions[i].Template, ours, a)
			}
		}
	})
	t.Logf("%d equal (%d of them errors on both sides), %d refused in Parse, %d declined in Render", counts[equal], errors,
		counts[refused], counts[declined])
	// A comparison of errors only, or of refusals, would show nothing.
	if useful := counts[equal] - errors; useful*4 < counts[equal]+counts[refused]+counts[declined] {
		t.Errorf("only %d of the random templates print something", useful)
	}
}

func randomQuestion(rt *rapid.T) question {
	w := writer{rt}
	var template string
	switch w.number(6) {
	case 0:
		template = w.statements(2)
	default:
		template = "{{ " + w.expression(w.number(4)) + " }}"
	}
	return question{template, "odd"}
}

// writer composes a template.
type writer struct{ rt *rapid.T }

func (w writer) number(n int) int { return rapid.IntRange(0, n-1).Draw(w.rt, "n") }

func (w writer) pick(options ...string) string { return options[w.number(len(options))] }

var variables = strings.Fields(`s dq both nl uni empty spaces i neg big f whole small large nz third inexact t f_ n l e d nested mixed
	words nums fl rows pairs keys clash text html path csv num fnum hex greek missing`)

var literals = []string{"0", "1", "2", "3", "-1", "10", "0.5", "2.0", "-1.5", "1e20", "true", "false", "none", "''", "'a'", "'b'",
	"' x y '", "'A-b c'", "'1'", "'3.5'", "'é☃'", "'<&\\''", "'a\\nb'", "'%s'", "'%d'", "'{}'", "'name'", "[]", "{}", "()", "[1, 2, 3]",
	"['b', 'A', 'c']", "('x', 1)", "{'a': 1, 'b': [2]}", "[[1, 2], [3, 4]]", "[{'n': 'x', 'v': 1}, {'n': 'Y', 'v': 2}]", "range(4)",
	"keys.items()", "keys.keys()", "keys.values()"}

var filterCalls = []string{"default('x')", "default('x', true)", "upper", "lower", "title", "capitalize", "trim", "trim('a ')",
	"replace('a', 'bb')", "replace('', '-', 2)", "join", "join(', ')", "length", "count", "first", "last", "list", "map('upper')|list",
	"map('string')|list", "map(attribute='n')|list", "map(attribute='s.k', default=9)|list", "map(attribute=0)|list", "select|list",
	"select('odd')|list", "select('string')|list", "reject('none')|list", "reject|list", "selectattr('v')|list",
	"selectattr('n', 'in', ['a', 'b', 'x'])|list", "rejectattr('v', 'none')|list", "sort", "sort(true)", "sort(case_sensitive=true)",
	"sort(attribute='n')", "unique|list", "sum", "sum(start=2)", "max", "min", "round", "round(1)", "round(1, 'floor')", "int", "int(7)",
	"int(0, 16)", "float", "string", "abs", "tojson", "tojson(2)", "urlencode", "escape", "e", "safe", "forceescape", "wordcount",
	"truncate(5)", "truncate(6, true)", "truncate(8, leeway=0)", "indent", "indent(2, true)", "center(9)", "wordwrap(6)",
	"wordwrap(9, false)", "wordwrap(7, break_on_hyphens=false)", "dictsort", "dictsort(by='value')", "items|list", "batch(2)|list",
	"batch(3, 0)|list", "slice(2)|list", "slice(3, 'f')|list", "groupby('g', default='z')", "groupby(0)", "reverse", "reverse|list",
	"filesizeformat", "format(1)", "format('a', 2)", "map('length')|list", "map('first')|list", "map('tojson')|list", "map('int')|list",
	"map('default', 'q')|list", "map('join', '+')|list"}

var testCalls = []string{"defined", "undefined", "none", "string", "number", "integer", "float", "boolean", "true", "false", "mapping",
	"sequence", "iterable", "even", "odd", "divisibleby 2", "upper", "lower", "escaped", "eq 1", "ne 'a'", "gt 1", "lt 2", "ge 'a'", "le 2.0",
	"in [1, 'a']", "in 'abc'", "callable"}

var methodCalls = []string{"upper()", "lower()", "title()", "capitalize()", "strip()", "strip('a')", "lstrip()", "rstrip('x ')", "split()",
	"split('a')", "split('-', 1)", "rsplit('a', 1)", "rsplit()", "splitlines()", "splitlines(true)", "replace('a', 'b')", "replace('', '.')",
	"startswith('a')", "endswith('b')", "find('a')", "rfind('a')", "count('a')", "isdigit()", "isalpha()", "isalnum()", "isspace()",
	"isupper()", "islower()", "zfill(5)", "ljust(6)", "rjust(6, '*')", "center(7)", "partition('a')", "rpartition(' ')",
	"removeprefix('a')", "removesuffix('b')", "format(1)", "format('x', 2)", "join(['a', 'b'])", "join('xyz')", "items()", "keys()",
	"values()", "get('a')", "get('zz', 1)", "index(1)", "count(1)"}

// expression writes one with so many levels below it.
func (w writer) expression(depth int) string {
	if depth == 0 {
		if w.number(3) == 0 {
			return w.pick(literals...)
		}
		return w.pick(variables...)
	}
	a := func() string { return w.expression(depth - 1) }
	switch w.number(22) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", a(), w.pick("+", "-", "*", "/", "//", "%"), a())
	case 1:
		return fmt.Sprintf("%s %s %s", a(), w.pick("+", "-", "*", "/", "//", "%"), a())
	case 2:
		return fmt.Sprintf("(%s %s %s)", a(), w.pick("==", "!=", "<", "<=", ">", ">=", "in", "not in"), a())
	case 3:
		return fmt.Sprintf("%s %s %s", a(), w.pick("and", "or", "~"), a())
	case 4:
		return w.pick("not ", "-", "+", "not not ") + a()
	case 5:
		return fmt.Sprintf("(%s if %s else %s)", a(), a(), a())
	case 6:
		return fmt.Sprintf("(%s)[%s]", a(), w.pick("0", "-1", "1", "'a'", "'n'", "99", "true"))
	case 7:
		return fmt.Sprintf("(%s)[%s]", a(), w.pick("1:", ":2", "::-1", "-2:", "1:3", "::2", ":-1", "3:0:-1", "none:none"))
	case 8:
		return fmt.Sprintf("(%s).%s", a(), w.pick("a", "n", "v", "name", "zz", "0", "1"))
	case 9, 10:
		return fmt.Sprintf("(%s).%s", a(), w.pick(methodCalls...))
	case 11:
		return fmt.Sprintf("(%s) is %s%s", a(), w.pick("", "not "), w.pick(testCalls...))
	case 12:
		return fmt.Sprintf("[%s, %s]", a(), a())
	case 13:
		return fmt.Sprintf("{'k': %s, 'a': %s}", a(), a())
	case 14:
		return fmt.Sprintf("'%s' %% %s", w.pick("%s", "%d", "%5.1f|", "%r", "%-6s|", "%05d", "%x", "%g", "%s %s", "%(a)s", "%e", "%+d", "%.2s"),
			w.pick("("+a()+")", "("+a()+",)", "("+a()+", "+a()+")"))
	case 15:
		return fmt.Sprintf("'%s'.format(%s)", w.pick("{}", "{:>8}", "{:5}", "{!r}", "{0}{0}", "{:.2f}", "{:,}", "{:d}", "{:e}", "{:x}",
			"{:^9}"), a())
	case 16:
		return fmt.Sprintf("%s|%s|%s", w.pick(variables...), w.pick(filterCalls...), w.pick(filterCalls...))
	default:
		return fmt.Sprintf("(%s)|%s", a(), w.pick(filterCalls...))
	}
}

// statements writes tags with white space around them, which both sides must treat alike.
func (w writer) statements(depth int) string {
	var b strings.Builder
	for range 1 + w.number(3) {
		b.WriteString(w.pick("", " ", "\n", "a", " b\n ", "\n\n c"))
		b.WriteString(w.statement(depth))
	}
	b.WriteString(w.pick("", " ", "\n", "z"))
	return b.String()
}

func (w writer) tag(format string, args ...any) string {
	return w.pick("{%", "{%-", "{%+", "{%") + " " + fmt.Sprintf(format, args...) + " " + w.pick("%}", "-%}", "+%}", "%}")
}

func (w writer) statement(depth int) string {
	e := func() string { return w.expression(w.number(3)) }
	shown := w.pick("{{", "{{-") + " " + e() + " " + w.pick("}}", "-}}")
	if depth == 0 {
		return shown
	}
	inner := func() string { return w.statements(depth - 1) }
	name := func() string { return w.pick("s", "x", "i", "q") }
	switch w.number(10) {
	case 0:
		return w.tag("if %s", e()) + inner() + w.tag("else") + inner() + w.tag("endif")
	case 1:
		return w.tag("if %s", e()) + inner() + w.tag("elif %s", e()) + inner() + w.tag("endif")
	case 2:
		return w.tag("for %s in %s", name(), e()) + inner() + "{{ " + name() + " }}" + w.tag("endfor")
	case 3:
		return w.tag("for %s in %s if %s", name(), e(), e()) + inner() + w.tag("else") + inner() + w.tag("endfor")
	case 4:
		return w.tag("for x in %s", w.pick("nums", "words", "keys", "'abc'", "rows", "e", "nums|map('abs')")) + inner() +
			"{{ loop." + w.pick("index", "index0", "first", "last", "length", "revindex", "nextitem", "previtem", "cycle('o', 'e')",
			"changed(x)") + " }}" + w.tag("endfor")
	case 5:
		return w.tag("set %s = %s", name(), e()) + inner() + "{{ " + name() + " }}"
	case 6:
		return w.tag("set %s", name()) + inner() + w.tag("endset") + "{{ " + name() + " }}"
	case 7:
		return w.tag("with %s = %s, %s = %s", name(), e(), "y", e()) + inner() + "{{ y }}" + w.tag("endwith")
	case 8:
		return "{#" + w.pick("", "-", "+") + " note " + w.pick("", "-", "+") + "#}" + inner()
	default:
		return shown
	}
}
