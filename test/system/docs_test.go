package system_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"terrier/internal/dbtest"
)

// example is a block of commands in a page of the documentation, and the output that the page shows below it.
var example = regexp.MustCompile("(?s)\n```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?")

// TestModelling: the commands of docs/modelling.md do what the page says, typed in one after the other.
func TestModelling(t *testing.T) {
	t.Parallel()
	typeIn(t, "modelling.md", 10)
}

// TestAddressing does the same with docs/addressing.md.
func TestAddressing(t *testing.T) {
	t.Parallel()
	typeIn(t, "addressing.md", 6)
}

// typeIn runs the commands of a page, which has at least so many blocks of them, and compares what they print with what the page says.
func typeIn(t *testing.T, name string, least int) {
	t.Helper()
	page, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	in := newInstall(t, dbtest.New(t))
	in.User("alice", "correct horse battery staple", "--superuser")
	s := in.Serve()

	const next = "--- the next block ---\n"
	script, want := "set -eu\n", []string{}
	for _, found := range example.FindAllStringSubmatch(string(page), -1) {
		script += found[1] + "echo '" + strings.TrimSpace(next) + "'\n"
		want = append(want, found[2])
	}
	if len(want) < least {
		t.Fatalf("the page has %d examples, want more: is it still written as this test expects?", len(want))
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(script, "http://127.0.0.1:8000", s.Base))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("the commands end with %v", err)
	}
	got := strings.Split(string(out), next)
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Fatalf("block %d prints\n%s\nand the page says\n%s", i+1, strings.Join(got[min(i, len(got)-1):][:1], ""), want[i])
		}
	}
}
