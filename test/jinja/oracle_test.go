package jinja_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"terrier/internal/jinja"
)

// corpusDir holds the templates and contexts; the package's own tests read them too.
const corpusDir = "../../internal/jinja/testdata/"

// group is a part of the corpus: templates that are rendered with the same context.
type group struct {
	Name      string
	Context   string
	Templates []string
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	document, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(document, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// contexts are the variables of templates, for both sides.
type contexts struct {
	raw     map[string]json.RawMessage
	decoded map[string]jinja.Value
}

func readContexts(t *testing.T) contexts {
	t.Helper()
	c := contexts{decoded: map[string]jinja.Value{}}
	readJSON(t, corpusDir+"contexts.json", &c.raw)
	for name, document := range c.raw {
		v, err := jinja.Decode(document)
		if err != nil {
			t.Fatal(err)
		}
		c.decoded[name] = v
	}
	return c
}

// question is a template for both sides.
type question struct {
	Template string `json:"template"`
	Context  string `json:"context"`
}

// answer is what Jinja2 made of it.
type answer struct {
	Output *string
	Error  string
}

func (a answer) String() string {
	if a.Output == nil {
		return "error " + a.Error
	}
	return fmt.Sprintf("%q", *a.Output)
}

// oracle is the real Jinja2, in a Python process that answers as long as the test lasts.
type oracle struct {
	in  *bufio.Writer
	out *bufio.Reader
}

func startOracle(t *testing.T, c contexts) *oracle {
	t.Helper()
	// Debian's own Python, because Jinja2 is Debian's package; no bytecode in the tree.
	cmd := exec.Command("/usr/bin/python3", "-B", "render.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start the real Jinja2 (apt-get install python3-jinja2): %v", err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the real Jinja2 (apt-get install python3-jinja2): %v", err)
		}
	})
	o := &oracle{bufio.NewWriter(in), bufio.NewReader(out)}
	o.send(t, c.raw)
	return o
}

func (o *oracle) send(t *testing.T, v any) {
	t.Helper()
	line, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.in.Write(append(line, '\n')); err != nil {
		t.Fatalf("ask the real Jinja2: %v", err)
	}
}

// ask sends the questions in small batches, so that neither side waits for the other with a full pipe.
func (o *oracle) ask(t *testing.T, questions []question) []answer {
	t.Helper()
	var answers []answer
	for len(questions) > 0 {
		n := min(len(questions), 20)
		for _, q := range questions[:n] {
			o.send(t, q)
		}
		if err := o.in.Flush(); err != nil {
			t.Fatalf("ask the real Jinja2: %v", err)
		}
		for range n {
			line, err := o.out.ReadBytes('\n')
			if err != nil {
				t.Fatalf("read an answer of the real Jinja2: %v", err)
			}
			var a answer
			if err := json.Unmarshal(line, &a); err != nil {
				t.Fatal(err)
			}
			answers = append(answers, a)
		}
		questions = questions[n:]
	}
	return answers
}

// verdict is what comes out of a comparison.
type verdict string

const (
	equal     verdict = "equal"
	refused   verdict = "refused"   // by us in Parse, while Jinja2 renders it
	declined  verdict = "declined"  // by us in Render, with a message that says so
	different verdict = "different" // anything else
)

// render renders again what took too long: the limits that count are the same everywhere, but the clock's is for slow
// machines, and one that is busy otherwise is slow for a moment.
func render(template *jinja.Template, variables jinja.Value) (output string, err error) {
	for range 5 {
		if output, err = template.Render(variables); err == nil || !strings.Contains(err.Error(), "takes too long") {
			break
		}
	}
	return output, err
}

// compare renders a template with our engine and holds it against the answer of Jinja2.
func compare(c contexts, q question, a answer) (verdict, string) {
	template, err := jinja.Parse(q.Template)
	if err != nil {
		if a.Output == nil {
			return equal, err.Error()
		}
		return refused, err.Error()
	}
	output, err := render(template, c.decoded[q.Context])
	var problem *jinja.Error
	switch {
	case err == nil && a.Output != nil && output == *a.Output:
		return equal, ""
	case err == nil:
		return different, fmt.Sprintf("%q", output)
	case a.Output == nil:
		return equal, err.Error()
	case errors.As(err, &problem) && strings.HasPrefix(problem.Message, "not supported"):
		return declined, err.Error()
	}
	return different, "error " + err.Error()
}
