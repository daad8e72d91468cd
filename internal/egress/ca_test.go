package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func writeFile(t testing.TB, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// caDirs makes a directory for CA files beside files that are none of a webhook's business.
func caDirs(t testing.TB) (dir string, ca *authority) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "ca")
	ca = newAuthority(t)
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(dir, "good.pem"), ca.pem)
	writeFile(t, filepath.Join(dir, "sub/good.pem"), ca.pem)
	writeFile(t, filepath.Join(dir, "commented.pem"), append([]byte("Our own\n"), ca.pem...))
	writeFile(t, filepath.Join(dir, "full.pem"), append(ca.pem, bytes.Repeat([]byte("\n"), maxCA-len(ca.pem))...))
	writeFile(t, filepath.Join(top, "outside.pem"), ca.pem)
	writeFile(t, filepath.Join(dir, "large.pem"), append(ca.pem, bytes.Repeat([]byte("\n"), maxCA-len(ca.pem)+1)...))
	writeFile(t, filepath.Join(dir, "text.pem"), []byte("root:x:0:0"))
	writeFile(t, filepath.Join(dir, "empty.pem"), nil)
	writeFile(t, filepath.Join(dir, "broken.pem"), []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"))
	writeFile(t, filepath.Join(dir, "key.pem"), bytes.ReplaceAll(ca.pem, []byte("CERTIFICATE"), []byte("PRIVATE KEY")))
	link("sub/good.pem", "inside")
	link("../outside.pem", "outside")
	link("/etc/shadow", "shadow")
	link("/dev/zero", "zero")
	link("loop", "loop")
	link("..", "up")
	for _, name := range []string{"fifo", "fifo-in-use"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writer, err := os.OpenFile(filepath.Join(dir, "fifo-in-use"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = writer.Close() })
	return dir, ca
}

func TestCheckCA(t *testing.T) {
	dir, _ := caDirs(t)
	c := newClient(t, func(config *Config) { config.CADir = dir })
	for _, path := range []string{
		"good.pem", "./good.pem", "sub/good.pem", "sub/../good.pem", "inside", "commented.pem", "full.pem",
		filepath.Join(dir, "good.pem"), filepath.Join(dir, "sub", "good.pem"),
	} {
		if err := c.CheckCA(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	bad := []string{
		"/etc/shadow", "/etc/passwd", "/etc/nothing", "/dev/zero", "/proc/self/environ", "../outside.pem", "sub/../../outside.pem",
		dir + "/../outside.pem", filepath.Join(filepath.Dir(dir), "outside.pem"), dir + "x/good.pem", "outside", "up/outside.pem",
		"shadow", "zero", "loop", "fifo", "fifo-in-use",
		"missing.pem", "sub", ".", "..", "", dir, "/", "good.pem/", "good.pem/x", "good.pem\x00", strings.Repeat("x", 5000),
		"large.pem", "text.pem", "empty.pem", "broken.pem", "key.pem",
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, path := range bad {
			if err := c.CheckCA(path); err == nil || err.Error() != errCA.Error() {
				t.Errorf("%.40q: %v", path, err)
			}
			_, err := c.Send(context.Background(), Request{URL: "https://127.0.0.1:1/", CAFile: path})
			if path != "" {
				if wantError(t, err, Invalid, ""); err.Error() != errCA.Error() {
					t.Errorf("send with %.40q: %v", path, err)
				}
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("a file is waited for")
	}
}

// Without a setting, a CA file is below a well-known directory. Its links end in any of these, or among the targets.
func TestCheckCAInWellKnownDirectories(t *testing.T) {
	top := t.TempDir()
	ca := newAuthority(t)
	at := func(name string) string { return filepath.Join(top, name) }
	for _, name := range []string{"certs/own.pem", "local/own.crt", "shared/own.crt", "moved/sub/own.pem", "private/own.pem"} {
		writeFile(t, at(name), ca.pem)
	}
	for link, target := range map[string]string{
		"certs/shared.pem": at("shared/own.crt"), "certs/local.pem": "../local/own.crt", "certs/again.pem": "local.pem",
		"certs/private.pem": "../private/own.pem", "certs/chain.pem": at("elsewhere.pem"), "elsewhere.pem": at("local/own.crt"),
		"linked": at("moved"), "certs/linked.pem": at("linked/sub/own.pem"), "home.pem": at("certs/own.pem"), "certs/dir": at("private"),
	} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	c := newClient(t)
	c.caPlaces = caPlaces{dirs: []string{at("certs"), at("local"), at("gone"), at("linked")}, targets: []string{at("shared")}}
	for _, name := range []string{
		"certs/own.pem", "local/own.crt", "certs/../local/own.crt", "certs/shared.pem", "certs/local.pem", "certs/again.pem",
		"certs/chain.pem", "linked/sub/own.pem", "certs/linked.pem",
	} {
		if err := c.CheckCA(at(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{
		at("shared/own.crt"), at("private/own.pem"), at("certs/private.pem"), at("certs/dir/own.pem"), at("home.pem"), at("moved/sub/own.pem"),
		at("certs/../private/own.pem"), at("gone/own.pem"), at("certs"), "own.pem", "certs/own.pem", "", "/etc/shadow",
	} {
		if err := c.CheckCA(path); err == nil || err.Error() != errCA.Error() {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// The bundle of the system is below a well-known directory.
func TestCheckCATakesTheBundleOfTheSystem(t *testing.T) {
	const bundle = "/etc/ssl/certs/ca-certificates.crt"
	if _, err := os.Stat(bundle); err != nil {
		t.Skip(err)
	}
	if err := newClient(t).CheckCA(bundle); err != nil {
		t.Error(err)
	}
	set := newClient(t, func(config *Config) { config.CADir = t.TempDir() })
	if err := set.CheckCA(bundle); err == nil {
		t.Error("the setting does not replace the well-known directories")
	}
}

func TestCheckCAWithoutDirectory(t *testing.T) {
	c := newClient(t, func(config *Config) { config.CADir = filepath.Join(t.TempDir(), "gone") })
	if err := c.CheckCA("good.pem"); err == nil || err.Error() != errCA.Error() {
		t.Errorf("no such directory: %v", err)
	}
}

func TestCertificates(t *testing.T) {
	dir, ca := caDirs(t)
	c := newClient(t, func(config *Config) { config.CADir = dir })
	signed := func(host string, valid time.Duration) *counted {
		return serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ca.server(t, host, valid)}})
	}
	good, expired, wrong := signed("127.0.0.1", time.Hour), signed("127.0.0.1", -time.Minute), signed("other.example", time.Hour)
	self := serveTLS(t, nil) // httptest's own
	old := serveTLS(t, &tls.Config{Certificates: good.TLS.Certificates, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
	mutual := serveTLS(t, &tls.Config{Certificates: good.TLS.Certificates, ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12})
	plain := serve(t, ok)
	const none, off = "", "off"
	for _, tc := range []struct {
		name string
		to   *counted
		ca   string
		want string
	}{
		{"CA file", good, "good.pem", ""},
		{"no CA file", good, none, "certificate signed by unknown authority"},
		{"verification off", good, off, ""},
		{"expired", expired, "good.pem", "certificate has expired"},
		{"expired, verification off", expired, off, ""},
		{"wrong host", wrong, "good.pem", "certificate is not for this host"},
		{"wrong host, verification off", wrong, off, ""},
		{"self-signed", self, none, "certificate signed by unknown authority"},
		{"another authority's CA file", self, "good.pem", "certificate signed by unknown authority"},
		{"old TLS", old, "good.pem", "TLS"},
		{"old TLS, verification off", old, off, "TLS"},
		{"wants a client certificate", mutual, "good.pem", "the receiver refused TLS"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := post(tc.to.URL)
			if r.CAFile = tc.ca; tc.ca == off {
				r.CAFile, r.InsecureSkipVerify = "", true
			}
			before := tc.to.requests.Load()
			answer, err := c.Send(context.Background(), r)
			if tc.want == "" {
				if err != nil || answer.Status != 200 || string(answer.Body) != "ok" {
					t.Errorf("answer %+v, error %v", answer, err)
				}
				return
			}
			if wantError(t, err, Untrusted, tc.want); tc.to.requests.Load() != before {
				t.Error("a request was sent")
			}
		})
	}
	_, err := c.Send(context.Background(), post(strings.Replace(plain.URL, "http:", "https:", 1)))
	wantError(t, err, Untrusted, "the receiver speaks HTTP, not HTTPS")
}

// A connection that was made without verification must not carry a verified request, nor
// one that was made under another CA file.
func TestConnectionsAreNotSharedAcrossTrust(t *testing.T) {
	dir, ca := caDirs(t)
	other := newAuthority(t)
	writeFile(t, filepath.Join(dir, "other.pem"), other.pem)
	server := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ca.server(t, "127.0.0.1", time.Hour)}})
	c := newClient(t, func(config *Config) { config.CADir = dir })
	r := post(server.URL)
	r.InsecureSkipVerify = true
	mustSend(t, c, r)
	r.InsecureSkipVerify = false
	_, err := c.Send(context.Background(), r)
	wantError(t, err, Untrusted, "unknown authority")
	r.CAFile = "good.pem"
	mustSend(t, c, r)
	mustSend(t, c, r)
	if n := server.conns.Load(); n != 3 {
		t.Errorf("%d connections", n)
	}
	r.CAFile = "other.pem"
	_, err = c.Send(context.Background(), r)
	wantError(t, err, Untrusted, "unknown authority")
	r.CAFile = "sub/good.pem" // the same content
	mustSend(t, c, r)
	if n := server.conns.Load(); n != 4 {
		t.Errorf("%d connections", n)
	}
}

func TestChangedCAFileIsNoticed(t *testing.T) {
	dir, ca := caDirs(t)
	other := newAuthority(t)
	server := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ca.server(t, "127.0.0.1", time.Hour)}})
	c := newClient(t, func(config *Config) { config.CADir = dir })
	r := post(server.URL)
	r.CAFile = "good.pem"
	for range 3 {
		mustSend(t, c, r)
		writeFile(t, filepath.Join(dir, "good.pem"), other.pem)
		_, err := c.Send(context.Background(), r)
		wantError(t, err, Untrusted, "unknown authority")
		writeFile(t, filepath.Join(dir, "good.pem"), ca.pem)
	}
	mustSend(t, c, r)
	if err := os.Remove(filepath.Join(dir, "good.pem")); err != nil {
		t.Fatal(err)
	}
	_, err := c.Send(context.Background(), r)
	wantError(t, err, Invalid, errCA.Error())
}

func TestPrivatePoolsAreBounded(t *testing.T) {
	dir, ca := caDirs(t)
	server := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ca.server(t, "127.0.0.1", time.Hour)}})
	c := newClient(t, func(config *Config) { config.CADir = dir })
	r := post(server.URL)
	r.CAFile = "good.pem"
	const changes = maxPrivatePool + 8
	for i := range changes {
		mustSend(t, c, r) // stays, because it is used
		changing := r
		changing.CAFile = "changing.pem"
		writeFile(t, filepath.Join(dir, "changing.pem"), append(ca.pem, bytes.Repeat([]byte("\n"), i+1)...))
		mustSend(t, c, changing)
	}
	if n := len(c.private.byKey); n != maxPrivatePool {
		t.Errorf("%d pools", n)
	}
	if n := server.conns.Load(); n != changes+1 {
		t.Errorf("%d connections", n)
	}
}

// Requests of every kind of trust at once, while a CA file changes.
func TestTrustConcurrently(t *testing.T) {
	dir, ca := caDirs(t)
	server := serveTLS(t, &tls.Config{Certificates: []tls.Certificate{ca.server(t, "127.0.0.1", time.Hour)}})
	c := newClient(t, func(config *Config) { config.CADir = dir })
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			for n := range 8 {
				r := post(server.URL)
				switch i % 4 {
				case 0:
					r.CAFile = "good.pem"
				case 1:
					r.CAFile = filepath.Join("turn", string(rune('a'+i)))
					writeFile(t, filepath.Join(dir, r.CAFile), append(ca.pem[:len(ca.pem):len(ca.pem)], bytes.Repeat([]byte("\n"), n)...))
				case 2:
					r.InsecureSkipVerify = true
				default:
					_, err := c.Send(context.Background(), r)
					wantError(t, err, Untrusted, "unknown authority")
					continue
				}
				if _, err := c.Send(context.Background(), r); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func TestHTTP2IsNotSpoken(t *testing.T) {
	var version atomic.Int64
	s := startable(func(_ http.ResponseWriter, r *http.Request) { version.Store(int64(r.ProtoMajor)) })
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	r := post(s.URL)
	r.InsecureSkipVerify = true
	if mustSend(t, newClient(t), r); version.Load() != 1 {
		t.Errorf("HTTP/%d", version.Load())
	}
}
