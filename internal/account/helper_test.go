package account

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const helperArgument = "hash-passwords"

// TestMain makes the test program its own helper.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == helperArgument {
		if err := ServeHelper(os.Stdin, os.Stdout, slog.New(slog.DiscardHandler)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// startHelper returns passwords that a helper hashes, and what it logs.
func startHelper(t *testing.T) (*Passwords, *Helper, *bytes.Buffer) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log, logged := testLog()
	h := StartHelper(log, program, helperArgument)
	h.timeout = time.Minute // the race detector makes a hash slow
	t.Cleanup(h.Stop)
	p := NewPasswords()
	p.HashWith(h)
	return p, h, logged
}

func TestHelperHashes(t *testing.T) {
	p, h, logged := startHelper(t)
	ctx := context.Background()
	const plain = "correct\xff horse" // not UTF-8, as a form may send it
	hash, err := p.Hash(ctx, plain)
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("hash %q, error %v", hash, err)
	}
	for text, want := range map[string]bool{plain: true, "correct\ufffd horse": false, "": false} {
		if same, err := p.Verify(ctx, text, hash); err != nil || same != want {
			t.Errorf("Verify(%q) = %v, %v", text, same, err)
		}
	}
	if _, err := p.Verify(ctx, "x", "no hash"); err == nil {
		t.Error("a broken hash is no error")
	}
	if err := p.VerifyDummy(ctx, "x"); err != nil {
		t.Error(err)
	}
	if h.process == nil || logged.Len() > 0 {
		t.Errorf("the helper failed: %s", logged)
	}
}

// Priority is a matter of each thread, and of the group that Linux makes of a session.
func TestHelperGivesWay(t *testing.T) {
	p, h, _ := startHelper(t)
	if err := p.VerifyDummy(context.Background(), "x"); err != nil {
		t.Fatal(err)
	}
	process := fmt.Sprintf("/proc/%d/", h.process.Process.Pid)
	threads, err := filepath.Glob(process + "task/*/stat")
	if err != nil || len(threads) == 0 {
		t.Skip("there is no /proc to look at")
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread)
		if err != nil {
			t.Fatal(err)
		}
		// The name in parentheses may hold anything; nice is the 17th field behind it.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if fields[16] != fmt.Sprint(helperNice) {
			t.Errorf("%s: nice %s", thread, fields[16])
		}
	}
	group, err := os.ReadFile(process + "autogroup")
	if !errors.Is(err, fs.ErrNotExist) && !strings.HasSuffix(string(group), fmt.Sprintf(" nice %d\n", helperNice)) {
		t.Errorf("scheduled as %q, error %v", group, err)
	}
}

func TestHelperDiesAndIsReplaced(t *testing.T) {
	p, h, logged := startHelper(t)
	ctx := context.Background()
	first := h.process
	if err := first.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	hash, err := p.Hash(ctx, "correct horse") // hashed here
	if err != nil || !strings.Contains(logged.String(), "the process that hashes passwords failed") {
		t.Fatalf("error %v, logged %q", err, logged)
	}
	if same, err := p.Verify(ctx, "correct horse", hash); !same || err != nil {
		t.Errorf("Verify: %v, %v", same, err)
	}
	if h.process == nil || h.process == first {
		t.Error("the dead helper was not replaced")
	}
	if strings.Contains(logged.String(), "correct horse") {
		t.Errorf("the log shows the password: %s", logged)
	}
}

func TestHelperThatHangsIsReplaced(t *testing.T) {
	p, h, logged := startHelper(t)
	h.timeout = time.Second // a process that is stopped never answers
	first := h.process
	if err := first.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := p.VerifyDummy(context.Background(), "x"); err != nil || !strings.Contains(logged.String(), "wait for its answer") {
		t.Errorf("error %v, logged %q", err, logged)
	}
	if first.ProcessState == nil || h.process != nil {
		t.Error("the hanging helper was not ended")
	}
}

func TestHelperThatCanNotStart(t *testing.T) {
	log, logged := testLog()
	p := NewPasswords()
	p.HashWith(StartHelper(log, filepath.Join(t.TempDir(), "no such program")))
	if err := p.VerifyDummy(context.Background(), "x"); err != nil {
		t.Error(err)
	}
	if n := strings.Count(logged.String(), "no such program"); n != 2 {
		t.Errorf("%d warnings, want one at the start and one at the password: %s", n, logged)
	}
}

func TestHelperStops(t *testing.T) {
	p, h, _ := startHelper(t)
	process := h.process
	h.Stop()
	if process.ProcessState == nil {
		t.Fatal("the process was not waited for")
	}
	if err := p.VerifyDummy(context.Background(), "x"); err != nil || h.process != nil {
		t.Errorf("after the end: error %v, process %v", err, h.process)
	}
}

// A server that was killed can't stop its helper, but its end of the pipe closes.
func TestHelperEndsWithItsInput(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, helperArgument)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("error %v, output %q", err, out)
	}
}
