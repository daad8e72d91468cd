// Package jinja_test holds internal/jinja against the real Jinja2: a template prints the same, or is refused.
package jinja_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the real Jinja2 prints to the expectations of internal/jinja")

// TestCorpus renders every template of the corpus on both sides. Which ones we refuse is part of the test, so that
// the set can't grow unnoticed.
func TestCorpus(t *testing.T) {
	c := readContexts(t)
	var groups []group
	readJSON(t, corpusDir+"corpus.json", &groups)
	var wantRefused []string
	readJSON(t, "refused.json", &wantRefused)

	var questions []question
	for _, g := range groups {
		for _, template := range g.Templates {
			questions = append(questions, question{template, g.Context})
		}
	}
	counts := map[verdict]int{}
	errors := 0
	var gotRefused []string
	answers := startOracle(t, c).ask(t, questions)
	for i, q := range questions {
		v, ours := compare(c, q, answers[i])
		counts[v]++
		switch {
		case v == refused:
			gotRefused = append(gotRefused, q.Template)
			t.Logf("refused %q: %s", q.Template, ours)
		case v != equal:
			t.Errorf("%s: %q with %s\n ours   %s\n jinja2 %s", v, q.Template, q.Context, ours, answers[i])
		case answers[i].Output == nil:
			errors++
		}
	}
	t.Logf("%d templates: %d equal (%d of them errors on both sides), %d refused", len(questions), counts[equal], errors,
		counts[refused])
	slices.Sort(gotRefused)
	slices.Sort(wantRefused)
	if !slices.Equal(gotRefused, wantRefused) {
		document, _ := json.MarshalIndent(gotRefused, "", " ")
		t.Errorf("the refused templates are not those of refused.json, but:\n%s", document)
	}
	if *update {
		writeExpectations(t, questions, answers)
	}
}

// writeExpectations records the answers for the tests of the package itself, which have no Python.
func writeExpectations(t *testing.T, questions []question, answers []answer) {
	t.Helper()
	var b strings.Builder
	b.WriteString("[\n")
	for i, q := range questions {
		line, err := json.Marshal(struct {
			Context, Template string
			Output            *string
		}{q.Context, q.Template, answers[i].Output})
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		b.Write(line)
	}
	b.WriteString("\n]\n")
	if err := os.WriteFile(corpusDir+"expected.json", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
