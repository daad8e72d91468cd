package system_test

import (
	"crypto/tls"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"terrier/internal/dbtest"
	"terrier/test/install"
)

// serial returns the serial number that a server shows to a new connection.
func serial(t *testing.T, s *server) int64 {
	t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(s.Base, "https://"), &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // nothing was sent
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// TestCertificateIsReplacedUnderLoad: no request fails while the certificate is replaced, with a signal or without, and
// files that are no pair change nothing.
func TestCertificateIsReplacedUnderLoad(t *testing.T) {
	t.Parallel()
	pairs := []install.Certificate{install.NewCertificate(t, 101), install.NewCertificate(t, 102), install.NewCertificate(t, 103)}
	dir := t.TempDir()
	certFile, keyFile := pairs[0].Write(t, dir)
	in := newInstall(t, dbtest.New(t), "TLS_CERT="+certFile, "TLS_KEY="+keyFile)
	in.Client = install.HTTPS(t, pairs...)
	s := in.Serve()
	if got := serial(t, s); got != 101 {
		t.Fatalf("the first serial number is %d", got)
	}

	// Half of the clients connect for each request, half keep their connections.
	stop := make(chan struct{})
	var sent, failed atomic.Int64
	var load sync.WaitGroup
	for i := range 4 {
		load.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				header := http.Header{}
				if i%2 == 0 {
					header.Set("Connection", "close")
				}
				sent.Add(1)
				if a := s.Send(http.MethodGet, "/api/status/", header, nil); a.Status != http.StatusForbidden && a.Status != http.StatusOK {
					failed.Add(1)
					t.Errorf("a request failed: %v", a)
				}
			}
		})
	}

	before := sent.Load()
	pairs[1].Write(t, dir)
	eventually(t, "the server should show the second certificate", func() bool { return serial(t, s) == 102 })

	broken := install.Certificate{Cert: pairs[2].Cert, Key: []byte("this is no key")}
	broken.Write(t, dir)
	eventually(t, "the server should refuse the broken pair", func() bool {
		return strings.Contains(s.Log(), "the certificate stays as it was")
	})
	if got := serial(t, s); got != 102 {
		t.Errorf("after a broken file the serial number is %d", got)
	}
	if strings.Contains(s.Log(), "this is no key") {
		t.Error("the log shows what is in the key's file")
	}
	pairs[2].Write(t, dir)
	s.Signal(syscall.SIGHUP)
	eventually(t, "the server should show the third certificate", func() bool { return serial(t, s) == 103 })
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	s.Signal(syscall.SIGHUP)
	eventually(t, "the server should miss the key", func() bool { return strings.Contains(s.Log(), "no such file") })
	if got := serial(t, s); got != 103 {
		t.Errorf("without a key the serial number is %d", got)
	}
	close(stop)
	load.Wait()
	t.Logf("%d requests during the replacements, %d failed", sent.Load()-before, failed.Load())
	if sent.Load()-before < 20 {
		t.Errorf("only %d requests were sent meanwhile", sent.Load()-before)
	}
	s.Stop()
}

// TestServeRefusesBadCertificates: a server does not start with files that it can't use.
func TestServeRefusesBadCertificates(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	certFile, keyFile := install.NewCertificate(t, 1).Write(t, t.TempDir())
	_, otherKey := install.NewCertificate(t, 2).Write(t, t.TempDir())
	for want, settings := range map[string][]string{
		"belong together":       {"TLS_CERT=" + certFile},
		"no such file":          {"TLS_CERT=/missing.pem", "TLS_KEY=" + keyFile},
		"private key does not ": {"TLS_CERT=" + certFile, "TLS_KEY=" + otherKey},
	} {
		out, code := newInstall(t, database, settings...).Terrier("", "serve")
		if code != 1 || !strings.Contains(out, want) || !strings.Contains(out, "TERRIER_TLS_CERT") {
			t.Errorf("exit code %d and %q, want 1 and %q", code, out, want)
		}
	}
}
