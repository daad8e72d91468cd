package main

import (
	"os"
	"strings"
	"testing"
)

// TestDemoCommand: it refuses a size that it does not know and a register that has records, and fills an empty one.
func TestDemoCommand(t *testing.T) {
	h := newHooked(t)
	want := func(works bool, text string, args ...string) {
		t.Helper()
		if says, err := runCommand(t, "", append([]string{"demo"}, args...)...); (err == nil) != works || !strings.Contains(says, text) {
			t.Errorf("terrier demo %v says\n%swithout %q (%v)", args, says, text, err)
		}
	}
	want(false, `--size must be one of "small","medium","large"`, "--size", "huge")
	if os.Getenv("TERRIER_LONG") != "" { // make long-demo
		want(true, "Created a small demo network.\n")
	} else {
		h.site(1)
	}
	want(false, "the register is not empty: it has records of the type ")
}
