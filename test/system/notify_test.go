package system_test

import (
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// manager is what a service manager hears from a process.
type manager struct {
	t    *testing.T
	conn *net.UnixConn
	path string
}

func newManager(t *testing.T, path string) *manager {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // nothing is written to it
	return &manager{t, conn, path}
}

// next waits for the next message.
func (m *manager) next() string {
	m.t.Helper()
	message := make([]byte, 1024)
	if err := m.conn.SetReadDeadline(time.Now().Add(install.Patience)); err != nil {
		m.t.Fatal(err)
	}
	n, err := m.conn.Read(message)
	if err != nil {
		m.t.Fatalf("the process says nothing: %v", err)
	}
	return string(message[:n])
}

// TestServiceManagerIsNotified: a process says when it works and when it begins to stop, and nothing else. SIGHUP does not end it.
func TestServiceManagerIsNotified(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	for name, start := range map[string]func(*install.Install) *server{
		"serve":          func(in *install.Install) *server { return in.Serve() },
		"serve --worker": func(in *install.Install) *server { return in.Serve("--worker") },
		"worker":         func(in *install.Install) *server { return in.Work() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "notify")
			if name == "worker" {
				path = "@terrier-" + randomHex(8) // without a file, as some managers have it
			}
			m := newManager(t, path)
			in := newInstall(t, database)
			in.Env = []string{"NOTIFY_SOCKET=" + path}
			p := start(in)
			if got := m.next(); got != "READY=1" {
				t.Errorf("first %q", got)
			}
			if log := p.Log(); strings.Contains(name, "worker") && !strings.Contains(log, "worker started") {
				t.Errorf("it said that it works before the worker did:\n%s", log)
			}
			p.Signal(syscall.SIGHUP)
			p.Signal(syscall.SIGTERM)
			if got := m.next(); got != "STOPPING=1" {
				t.Errorf("then %q", got)
			}
			if code := p.ExitCode(); code != 0 { // a second signal would end it at once
				t.Errorf("exit code %d:\n%s", code, p.Log())
			}
		})
	}
}

// TestHealthcheck: the exit code says whether the process on the address of the settings answers well.
func TestHealthcheck(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	pair := install.NewCertificate(t, 1)
	certFile, keyFile := pair.Write(t, t.TempDir())
	socket := filepath.Join(t.TempDir(), "http.sock")
	for name, in := range map[string]*install.Install{
		"port":   newInstall(t, database),
		"TLS":    newInstall(t, database, "TLS_CERT="+certFile, "TLS_KEY="+keyFile),
		"socket": newInstall(t, database, "LISTEN=unix:"+socket),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in.T = t
			check := func(want int, text string, flags ...string) {
				t.Helper()
				out, code := in.Terrier("", append([]string{"healthcheck"}, flags...)...)
				if code != want || !strings.Contains(out, text) {
					t.Errorf("healthcheck %v: exit code %d, %q; want %d and %q", flags, code, out, want, text)
				}
			}
			check(1, "no good answer from "+in.Settings["LISTEN"])
			switch name {
			case "TLS":
				in.Client = install.HTTPS(t, pair)
			case "socket":
				in.Client = throughSocket(t, socket)
			}
			in.Set("SHUTDOWN_DELAY=20s", "METRICS_LISTEN=127.0.0.1:0")
			s := in.Serve()
			if name != "socket" {
				_, address, _ := strings.Cut(s.Base, "://")
				in.Set("LISTEN=" + address)
			}
			in.Set("METRICS_LISTEN="+strings.TrimPrefix(s.Monitoring().Base, "http://"),
				"DATABASE_URL=", "SECRET_KEY=") // which it does without
			check(0, "ok")
			check(0, "ready", "--ready")
			check(0, "ready", "--ready", "--worker")
			s.Signal(syscall.SIGTERM)
			eventually(t, "the server should say that it stops", func() bool {
				return s.Get("/readyz", "").Status == http.StatusServiceUnavailable
			})
			check(0, "ok")
			check(1, "503", "--ready")
			s.Kill()
			check(1, "no good answer", "--worker")
		})
	}
}
