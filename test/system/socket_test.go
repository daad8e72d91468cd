package system_test

import (
	"context"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// throughSocket returns a client that sends everything to a Unix socket.
func throughSocket(t *testing.T, path string) *http.Client {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Timeout: install.Patience, Transport: transport}
}

// TestUnixSocket: the socket is for the user and group of the process, its peers are believed about clients, one that
// was left behind is replaced, one in use is not, and none is left at the end.
func TestUnixSocket(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "http.sock")
	in := newInstall(t, dbtest.New(t), "LISTEN=unix:"+path)
	in.Client = throughSocket(t, path)
	first := in.Serve()
	if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeSocket|0o660 {
		t.Errorf("the socket: %v, %v", info, err)
	}
	first.Send(http.MethodGet, "/healthz", http.Header{"X-Forwarded-For": {"198.51.100.7"}}, nil).Want(t, http.StatusOK)
	if !strings.Contains(first.Log(), "from=198.51.100.7") {
		t.Errorf("the client's address is not in the log:\n%s", first.Log())
	}

	out, code := in.Terrier("", "serve")
	if code != 1 || !strings.Contains(out, "another process listens on "+path) {
		t.Errorf("a second server: exit code %d, %q", code, out)
	}
	first.Get("/healthz", "").Want(t, http.StatusOK)

	first.Signal(syscall.SIGKILL)
	<-first.Ended
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("a killed server should leave its socket: %v", err)
	}
	second := in.Serve()
	second.Stop()
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
}

// TestUnixSocketTakesNoOtherFile: a file that is there is not removed.
func TestUnixSocketTakesNoOtherFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "http.sock")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := newInstall(t, dbtest.New(t), "LISTEN=unix:"+path).Terrier("", "serve")
	if code != 1 || !strings.Contains(out, "not a socket") {
		t.Errorf("exit code %d, %q", code, out)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "mine" {
		t.Errorf("the file now has %q, %v", content, err)
	}
}
