// Package receivers starts the sample receivers of this directory, each as a process of its own, for tests that send
// them something. What it sends is the test's. docs/receivers.md is the guide that the samples belong to.
package receivers

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// patience bounds the wait for a line, so that a sample that hangs fails its test and not the whole run.
	patience = 30 * time.Second

	// The port is free when it is chosen; until the sample takes it, another process may.
	portAttempts = 5

	keptLines = 10_000
)

var ready = regexp.MustCompile(`(listening|serving hooks) on `)

// Names are the samples there are.
func Names() []string { return []string{"go", "python", "node", "bash", "webhook", "standardwebhooks"} }

// Sample is a receiver that runs until the end of the test.
type Sample struct {
	URL     string
	Lines   <-chan string // what it prints; it stops printing when nobody reads for 10,000 lines
	Refusal string        // what it prints about a wrong signature
}

// Start runs a sample and waits until it listens. A program that the sample needs and that is missing fails the test.
// The secret must have the form whsec_<base64> for standardwebhooks; the others take any.
func Start(t testing.TB, name, secret string) *Sample {
	t.Helper()
	command, path := commandOf(t, name)
	for range portAttempts {
		port := freePort(t)
		lines := start(t, command, "PORT="+strconv.Itoa(port), "SECRET="+secret, "STATE_DIR="+t.TempDir())
		said, err := waitFor(lines, ready.MatchString)
		if err == nil {
			return &Sample{URL: fmt.Sprintf("http://127.0.0.1:%d/%s", port, path), Lines: lines, Refusal: refusal(name)}
		}
		if !strings.Contains(strings.ToLower(said), "address already in use") && !strings.Contains(said, "EADDRINUSE") {
			t.Fatalf("sample %s does not listen: %v. It said:\n%s", name, err, said)
		}
	}
	t.Fatalf("sample %s found its port taken %d times", name, portAttempts)
	return nil
}

func refusal(name string) string {
	if name == "webhook" {
		return "didn't get triggered because the trigger rules were not satisfied"
	}
	return "refused signature"
}

// Wait returns the next line that contains the text, and fails the test when none comes. It skips the lines before it.
func (s *Sample) Wait(t testing.TB, text string) string {
	t.Helper()
	said, err := waitFor(s.Lines, func(line string) bool { return strings.Contains(line, text) })
	if err != nil {
		t.Fatalf("no line with %q: %v. There was:\n%s", text, err, said)
	}
	lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	return lines[len(lines)-1]
}

func waitFor(lines <-chan string, good func(string) bool) (said string, err error) {
	deadline := time.After(patience)
	for {
		select {
		case line, open := <-lines:
			if !open {
				return said, errors.New("it ended")
			}
			said += line + "\n"
			if good(line) {
				return said, nil
			}
		case <-deadline:
			return said, fmt.Errorf("nothing for %s", patience)
		}
	}
}

// commandOf also returns the path below which the sample receives.
func commandOf(t testing.TB, name string) (command []string, path string) {
	t.Helper()
	// Not runtime.Caller, which does not know the directory of a program built with -trimpath.
	found, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "terrier/examples/receivers").Output()
	if err != nil {
		t.Fatal("find the samples: ", err)
	}
	here := strings.TrimSpace(string(found))
	switch name {
	case "go":
		program := filepath.Join(t.TempDir(), "receiver")
		prepare(t, here, "go", "build", "-o", program, "./go")
		return []string{program}, ""
	case "python":
		return []string{"python3", filepath.Join(here, "python/receiver.py")}, ""
	case "node":
		return []string{"node", filepath.Join(here, "node/receiver.mjs")}, ""
	case "bash":
		return []string{filepath.Join(here, "bash/receiver")}, ""
	case "webhook":
		return []string{filepath.Join(here, "webhook/receiver")}, "hooks/terrier"
	case "standardwebhooks":
		return []string{"node", filepath.Join(installed(t, filepath.Join(here, "standardwebhooks")), "receiver.mjs")}, ""
	}
	t.Fatalf("there is no sample %q", name)
	return nil, ""
}

// installed is the directory itself where `npm ci` was run in it, and otherwise a copy of it where it is run now: tests
// of several packages may come here at the same time.
func installed(t testing.TB, dir string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir
	}
	dir, from := t.TempDir(), dir
	for _, file := range []string{"package.json", "package-lock.json", "receiver.mjs"} {
		text, err := os.ReadFile(filepath.Join(from, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, file), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	prepare(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error")
	return dir
}

func prepare(t testing.TB, dir, program string, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().(*net.TCPAddr).Port
}

// start runs a command until the end of the test, in a process group of its own: bash and socat have children.
func start(t testing.TB, args []string, environment ...string) <-chan string {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(args[0], args[1:]...)
	command.Env = append(os.Environ(), environment...)
	command.Stdout, command.Stderr = writer, writer
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		t.Fatalf("start %s: %v", args[0], err)
	}
	_ = writer.Close()

	lines, over, done := make(chan string, keptLines), make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
		close(over)
		_ = reader.Close() // a grandchild in another group may still hold the other end
		<-done
	})
	go func() {
		defer close(done)
		defer close(lines)
		pump(reader, lines, over)
	}()
	return lines
}

func pump(from io.Reader, lines chan<- string, over <-chan struct{}) {
	for scanner := bufio.NewScanner(from); scanner.Scan(); {
		select {
		case lines <- scanner.Text():
		case <-over:
			return
		}
	}
}
