package system_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// children are the processes that a process has started and that have not ended.
func children(t *testing.T, parent int) (pids []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(all) == 0 {
		t.Fatalf("there are no processes in /proc: %v", err)
	}
	for _, name := range all {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended
		}
		_, behind, _ := strings.Cut(string(stat), ") ")
		var state string
		var of int
		if _, err := fmt.Sscan(behind, &state, &of); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil && of == parent && state != "Z" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// theHelper is the one process that a server has started.
func theHelper(t *testing.T, s *server) int {
	t.Helper()
	pids := children(t, s.PID())
	if len(pids) != 1 {
		t.Fatalf("the server has started processes %v, want one that hashes passwords\n%s", pids, s.Log())
	}
	return pids[0]
}

func exists(pid int) bool { return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestLoginsOutliveTheirHelper(t *testing.T) {
	t.Parallel()
	in := newInstall(t, dbtest.New(t))
	secret := &install.Canaries{T: t}
	secret.Watch("the secret key", in.Settings["SECRET_KEY"])
	password := secret.Password("a password that is hashed")
	in.User("admin", password, "--superuser")
	s := in.Serve()
	logIn := func(after string) {
		t.Helper()
		for given, status := range map[string]int{password: http.StatusCreated, secret.Password("a wrong password"): http.StatusForbidden} {
			if a := s.Do(http.MethodPost, provision, "", credentials("admin", given)); a.Status != status {
				t.Fatalf("login %s: %v, want %d", after, a, status)
			}
		}
	}
	for range 10 {
		logIn("at the start")
	}
	first := theHelper(t, s)
	for _, name := range []string{"cmdline", "environ"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", first, name))
		if err != nil {
			t.Fatal(err)
		}
		secret.Absent("the helper's "+name, string(text))
	}

	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", first))
	if err != nil {
		t.Fatal(err)
	}
	_, behind, _ := strings.Cut(string(status), "VmHWM:")
	var most int
	if _, err := fmt.Sscan(behind, &most); err != nil || most > 64<<10 {
		t.Errorf("the helper held %d KiB, want at most 64 MiB: error %v", most, err)
	}

	// A service manager signals the whole service, and the logins under way are still answered.
	if err := syscall.Kill(first, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	logIn("after SIGTERM to the helper")
	if got := theHelper(t, s); got != first {
		t.Errorf("SIGTERM ended the helper: %d is now %d", first, got)
	}
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	logIn("after SIGKILL to the helper")
	second := theHelper(t, s)
	if second == first {
		t.Error("the helper was not killed")
	}
	secret.Absent("the log", s.Log())
	s.Stop()
	if exists(second) {
		t.Error("the helper outlives the server's end")
	}
}

func TestHelperEndsWithItsServer(t *testing.T) {
	t.Parallel()
	s := newInstall(t, dbtest.New(t)).Serve()
	helper := theHelper(t, s)
	s.Kill()
	eventually(t, "the helper should end with a killed server", func() bool { return !exists(helper) })
}
