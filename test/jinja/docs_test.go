package jinja_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestDocumentedExamples renders the examples of docs/templates.md on both sides; those that look like JSON must be JSON.
func TestDocumentedExamples(t *testing.T) {
	page, err := os.ReadFile("../../docs/templates.md")
	if err != nil {
		t.Fatal(err)
	}
	var questions []question
	for i, part := range strings.Split(string(page), "```") {
		if template, ok := strings.CutPrefix(part, "jinja\n"); ok && i%2 == 1 {
			questions = append(questions, question{template, "device"}, question{template, "site"})
		}
	}
	if len(questions) < 10 {
		t.Fatalf("only %d examples found", len(questions)/2)
	}
	c := readContexts(t)
	for i, a := range startOracle(t, c).ask(t, questions) {
		q := questions[i]
		if v, ours := compare(c, q, a); v != equal || a.Output == nil {
			t.Errorf("%s: %q\n ours   %s\n jinja2 %s", v, q.Template, ours, a)
			continue
		}
		if strings.HasPrefix(*a.Output, "{") && !json.Valid([]byte(*a.Output)) {
			t.Errorf("%q gives invalid JSON: %s", q.Template, *a.Output)
		}
	}
}
