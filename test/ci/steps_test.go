// Package ci_test checks what .ci/run is made of: how steps run beside each other, and which packages are tested with the race detector.
package ci_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// run sources the runner of steps, runs a script of them and returns what it printed, the steps in its table of times and whether it
// ended well.
func run(t *testing.T, script string) (out string, timed []string, ok bool) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", "source ../../.ci/steps.sh\nbegin_steps\n"+script)
	cmd.Env = append(os.Environ(), "CI_TIMES="+filepath.Join(dir, "times"), "DIR="+dir)
	raw, err := cmd.CombinedOutput()
	table, readErr := os.ReadFile(filepath.Join(dir, "times"))
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, line := range regexp.MustCompile(`(?m)^ *\d+\t(.*)$`).FindAllSubmatch(table, -1) {
		timed = append(timed, string(line[1]))
	}
	return string(raw), timed, err == nil
}

// TestStepsBesideEachOther checks that two lists of steps run at the same time, and that what one step prints is not mixed with another.
func TestStepsBesideEachOther(t *testing.T) {
	t.Parallel()
	// Each list waits for the other one.
	out, timed, ok := run(t, `
mkfifo "$DIR/there" "$DIR/back"
asks() { echo "asks 1"; echo x >"$DIR/there"; read -r _ <"$DIR/back"; echo "asks 2"; }
answers() { echo "answers 1"; read -r _ <"$DIR/there"; echo "answers 2"; echo x >"$DIR/back"; }
left() { step "ask" asks; }
right() { step "answer" answers; step "pass" true; }
step "before" true
beside left right
step "after" true
`)
	slices.Sort(timed)
	if !ok || !slices.Equal(timed, []string{"after", "answer", "ask", "before", "pass"}) {
		t.Errorf("ended well: %v, took the time of %q\n%s", ok, timed, out)
	}
	for _, whole := range []string{"==> ask\nasks 1\nasks 2\n==> ask: ok", "==> answer\nanswers 1\nanswers 2\n==> answer: ok"} {
		if !strings.Contains(out, whole) {
			t.Errorf("the output is without %q:\n%s", whole, out)
		}
	}
}

// TestFirstFailureStopsTheRun checks that the failure of a step stops those beside it, which may clean up, and the rest; that its output
// is printed; and that it is named last.
func TestFirstFailureStopsTheRun(t *testing.T) {
	t.Parallel()
	out, timed, ok := run(t, `
mkfifo "$DIR/running"
waits() { bash -c 'trap "echo cleaned up >>$DIR/times; exit" TERM; echo x >"$DIR/running"; sleep 600 & wait'; }
breaks() { read -r _ <"$DIR/running"; echo "what went wrong"; return 7; }
left() { step "wait" waits; step "never" true; }
right() { step "break" breaks; step "never either" true; }
beside left right
step "last" true
echo "all ok"
`)
	if ok || strings.Contains(out, "all ok") || !slices.Equal(timed, []string{"break"}) {
		t.Errorf("ended well: %v, took the time of %q\n%s", ok, timed, out)
	}
	for _, text := range []string{"what went wrong\n==> break: FAILED", "cleaned up\n"} {
		if !strings.Contains(out, text) {
			t.Errorf("the output is without %q:\n%s", text, out)
		}
	}
	if !strings.HasSuffix(out, "==> failed: break\n") {
		t.Errorf("the last line does not name the step:\n%s", out)
	}
}

// TestStepAloneFails checks that the run ends at a step that fails alone, too.
func TestStepAloneFails(t *testing.T) {
	t.Parallel()
	out, timed, ok := run(t, `
step "good" true
step "bad" false
step "never" true
`)
	if ok || !slices.Equal(timed, []string{"good", "bad"}) || !strings.HasSuffix(out, "==> failed: bad\n") {
		t.Errorf("ended well: %v, took the time of %q\n%s", ok, timed, out)
	}
}

// TestSecondTriesAreNamed checks that the end of the output names what passed only on its second try, and only then.
func TestSecondTriesAreNamed(t *testing.T) {
	t.Parallel()
	out, _, ok := run(t, `
unsteady() { second_try "TestX in terrier/internal/x"; }
left() { step "unsteady" unsteady; }
beside left
`)
	if !ok || !strings.HasSuffix(out, "==> passed only on the second try:\nTestX in terrier/internal/x\n") {
		t.Errorf("ended well: %v\n%s", ok, out)
	}
	if out, _, _ = run(t, `step "steady" true`); strings.Contains(out, "second try") {
		t.Errorf("nothing was tried twice:\n%s", out)
	}
}
