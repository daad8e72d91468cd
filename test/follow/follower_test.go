package follow_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const examples = "../../examples/follow"

// follower is one of the examples, with its copy.
type follower struct {
	t    *testing.T
	copy string
	argv []string
	env  []string
	cmd  *exec.Cmd
	said bytes.Buffer // what it printed, in all its lives
}

// commands are the followers, by language.
func commands(t *testing.T) map[string][]string {
	t.Helper()
	needs(t, "sqlite3", "python3", "curl", "bash", "gcc")
	binary := filepath.Join(t.TempDir(), "follow")
	// With the library of the system: compiling SQLite takes a minute.
	build := exec.CommandContext(t.Context(), "go", "build", "-tags", "libsqlite3", "-o", binary, ".")
	build.Dir, build.Env = examples, append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the follower in Go: %v\n%s", err, out)
	}
	return map[string][]string{"go": {binary}, "python": {"python3", examples + "/follow.py"}, "bash": {"bash", examples + "/follow.sh"}}
}

func newFollower(t *testing.T, argv []string, url, key string, types ...string) *follower {
	t.Helper()
	dir := t.TempDir()
	f := &follower{t: t, copy: filepath.Join(dir, "copy.db"),
		env: append(os.Environ(), "TERRIER_URL="+url, "TERRIER_TOKEN="+key, "TMPDIR="+dir)}
	f.argv = append(append(argv[:len(argv):len(argv)], f.copy), types...)
	f.start()
	t.Cleanup(func() {
		if f.kill(); t.Failed() {
			t.Logf("%s printed:\n%s", argv, f.said.String())
		}
	})
	return f
}

func (f *follower) start() {
	f.t.Helper()
	f.cmd = exec.Command(f.argv[0], f.argv[1:]...)
	f.cmd.Env, f.cmd.Stdout, f.cmd.Stderr = f.env, &f.said, &f.said
	f.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := f.cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
}

// kill ends the follower and what it started, as a power failure does. It must have been running.
func (f *follower) kill() {
	f.t.Helper()
	if err := syscall.Kill(-f.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		f.t.Error(err)
	}
	_ = f.cmd.Wait()
	if status, ok := f.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		f.t.Errorf("the follower had ended before it was killed: %v\n%s", f.cmd.ProcessState, f.said.String())
	}
}

// restart kills the follower and starts it again.
func (f *follower) restart() {
	f.t.Helper()
	f.kill()
	f.start()
}

// ask reads the copy.
func (f *follower) ask(sql string) string {
	f.t.Helper()
	out, err := exec.CommandContext(f.t.Context(), "sqlite3", "-cmd", ".timeout 5000", f.copy, sql).CombinedOutput()
	if err != nil && !strings.Contains(string(out), "no such table") { // it has not begun yet
		f.t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// records returns the copy, one record on each line.
func (f *follower) records() string {
	f.t.Helper()
	return f.ask("SELECT type || ' ' || id || ' ' || version || ' ' || state FROM record ORDER BY type, id")
}
