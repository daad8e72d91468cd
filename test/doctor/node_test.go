package doctor_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"terrier/test/install"
)

var nodeURL = regexp.MustCompile(`postgres://terrier@[^/]+/terrier[^']*`)

// startNode starts a PostgreSQL with safe defaults and returns the address of an empty database. The password in it is
// not asked for.
func startNode(t *testing.T, password string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "node")
	letIn(t, filepath.Dir(dir))
	out, err := exec.CommandContext(t.Context(), "../../scripts/postgres", "start", dir).CombinedOutput()
	found := nodeURL.Find(out)
	if err != nil || found == nil {
		t.Fatalf("start PostgreSQL: %v: %s", err, out)
	}
	t.Cleanup(func() {
		stop := asServer(program("pg_ctl"), "stop", "--silent", "--mode=immediate", "--pgdata="+dir+"/data")
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("stop PostgreSQL: %v: %s", err, out)
		}
	})
	return strings.Replace(string(found), "terrier@", "terrier:"+password+"@", 1)
}

// program finds a program of PostgreSQL's, which distributions keep off the PATH.
func program(name string) string {
	if installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name); len(installed) > 0 {
		return slices.Max(installed)
	}
	return name
}

// asServer runs a program as a user that is not root: neither pgbouncer nor PostgreSQL runs as root.
func asServer(program string, args ...string) *exec.Cmd {
	if os.Geteuid() == 0 {
		program, args = "setpriv", append([]string{"--reuid=postgres", "--regid=postgres", "--clear-groups", "--", program}, args...)
	}
	cmd := exec.CommandContext(context.Background(), program, args...) // not the test's context, which ends before the cleanup
	cmd.Dir = "/"
	return cmd
}

// letIn lets that user enter a directory of the test.
func letIn(t *testing.T, dir string) {
	t.Helper()
	for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// pgbouncer starts a pooler that shares connections, and returns the database's address behind it.
func pgbouncer(t *testing.T, database string) string {
	t.Helper()
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	letIn(t, dir)
	listen := freeAddress(t)
	_, port, _ := net.SplitHostPort(listen)
	file := filepath.Join(dir, "pgbouncer.ini")
	config := fmt.Sprintf("[databases]\n* = host=%s port=%s user=terrier\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %s\n"+
		"unix_socket_dir =\nauth_type = any\npool_mode = transaction\n", address.Hostname(), address.Port(), port)
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := asServer("/usr/sbin/pgbouncer", "--quiet", file)
	if err := cmd.Start(); err != nil {
		t.Fatalf("pgbouncer is missing: apt-get install pgbouncer: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	install.Eventually(t, "pgbouncer listens", func() bool {
		conn, err := net.Dial("tcp", listen)
		return err == nil && conn.Close() == nil
	})
	address.Host = listen
	return address.String()
}

// freeAddress is an address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}
