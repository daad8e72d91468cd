package jinja

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// fuzzTime is generous: the fuzzer instruments the code and keeps all cores busy.
const fuzzTime = 5 * time.Second

func seeds(f *testing.F) []string {
	f.Helper()
	var expectations []expectation
	readJSON(f, "testdata/expected.json", &expectations)
	var sources []string
	for _, e := range expectations {
		sources = append(sources, e.Template)
	}
	for _, source := range bombs {
		if len(source) < 1000 {
			sources = append(sources, source)
		}
	}
	return sources
}

// checkError checks that an error is ours and has a line of the template.
func checkError(t *testing.T, source string, err error) {
	t.Helper()
	var problem *Error
	if !errors.As(err, &problem) {
		t.Fatalf("the error is %T: %v", err, err)
	}
	lines := 1 + strings.Count(strings.ReplaceAll(source, "\r\n", "\n"), "\n") + strings.Count(strings.ReplaceAll(source, "\r\n", "\n"), "\r")
	if problem.Line < 1 || problem.Line > lines {
		t.Fatalf("line %d of %d: %s", problem.Line, lines, problem.Message)
	}
}

func FuzzParse(f *testing.F) {
	for _, source := range seeds(f) {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		start := time.Now()
		if _, err := Parse(source); err != nil {
			checkError(t, source, err)
		}
		if took := time.Since(start); took > fuzzTime {
			t.Fatalf("Parse took %v", took)
		}
	})
}

func FuzzRender(f *testing.F) {
	for _, source := range seeds(f) {
		f.Add(source)
	}
	context := readContexts(f)["odd"]
	f.Fuzz(func(t *testing.T, source string) {
		template, err := Parse(source)
		if err != nil {
			return
		}
		start := time.Now()
		output, err := template.Render(context)
		if err != nil {
			checkError(t, source, err)
		}
		if len(output) > maxText {
			t.Fatalf("the output has %d bytes", len(output))
		}
		if took := time.Since(start); took > fuzzTime {
			t.Fatalf("Render took %v", took)
		}
	})
}
