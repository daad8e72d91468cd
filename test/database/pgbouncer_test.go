package database_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// pgbouncer starts the pooler in front of a database and returns the database's address behind it.
func pgbouncer(t *testing.T, database, mode string) string {
	t.Helper()
	const program = "/usr/sbin/pgbouncer"
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("pgbouncer is missing: apt-get install pgbouncer: %v", err)
	}
	address, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	open(t, dir)
	port := freePort(t)
	config := fmt.Sprintf(`[databases]
* = host=%s port=%s user=%s
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = %s
default_pool_size = 60
max_client_conn = 200
`, address.Hostname(), address.Port(), address.User.Username(), port, mode)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := asServer(context.Background(), program, file)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		_ = log.Close()
	})
	address.Host = fmt.Sprintf("127.0.0.1:%d", port)
	install.Eventually(t, "pgbouncer listens", func() bool {
		conn, err := net.Dial("tcp", address.Host)
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	return address.String()
}

// asServer runs a program as a user that is not root: neither pgbouncer nor PostgreSQL runs as root.
func asServer(ctx context.Context, program string, args ...string) *exec.Cmd {
	if os.Geteuid() == 0 {
		program, args = "setpriv", append([]string{"--reuid=postgres", "--regid=postgres", "--clear-groups", "--", program}, args...)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	return cmd
}

// open lets that user enter a directory of the test.
func open(t *testing.T, dir string) {
	t.Helper()
	for ; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// freePort is a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// TestSessionPooling: everything works behind pgbouncer in session mode. No write fails, and every change is delivered.
func TestSessionPooling(t *testing.T) {
	t.Parallel()
	direct := dbtest.New(t)
	pooled := pgbouncer(t, direct, "session")
	// What a user gives in the address still applies, although pgbouncer refuses it as a startup parameter.
	in := install.New(t, pooled+"&lock_timeout=7s&search_path=public&options=-c%20work_mem%3D8MB")
	if out, code := in.Terrier("", "migrate"); code != 0 {
		t.Fatalf("migrate: exit code %d: %s", code, out)
	}
	w := newWorld(t, in.Settings["DATABASE_URL"])
	const writers, writes = 6, 50
	var wg sync.WaitGroup
	for i := range writers {
		site := w.site(fmt.Sprintf("site-%d", i))
		wg.Go(func() {
			for n := range writes {
				w.change(site, fmt.Sprint(n))
			}
		})
	}
	wg.Wait()
	w.wantOnly(http.StatusOK)
	w.audit(install.Connect(t, direct))
	w.worker.Stop()
	w.server.Stop()
}

// TestSharedConnectionsAreRefused: with transaction or statement pooling nothing starts, and the message says what to do.
func TestSharedConnectionsAreRefused(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	for _, mode := range []string{"transaction", "statement"} {
		in := install.New(t, pgbouncer(t, database, mode))
		for _, command := range []string{"migrate", "serve", "worker"} {
			out, code := in.Terrier("", command)
			if code != 1 || !strings.Contains(out, "transaction or statement pooling") || !strings.Contains(out, "pool_mode = session") {
				t.Errorf("%s with %s pooling: exit code %d: %s", command, mode, code, out)
			}
		}
	}
}
