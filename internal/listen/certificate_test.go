package listen

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	encoding "encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newPair writes a certificate and its key into a directory.
func newPair(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*encoding.Block{
		certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(file, encoding.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// A path that has become a FIFO is reported once, and neither waited for nor taken.
func TestAFIFOIsNoCertificate(t *testing.T) {
	certFile, keyFile := newPair(t)
	var log bytes.Buffer
	c, err := LoadCertificate(certFile, keyFile, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(certFile); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(certFile, 0o600); err != nil {
		t.Fatal(err)
	}
	good := c.current.Load()
	done := make(chan error, 1)
	go func() {
		c.reread(false)
		c.reread(false)
		_, err := LoadCertificate(certFile, keyFile, c.log)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil || !strings.Contains(err.Error(), "is not a regular file") {
			t.Errorf("loaded: %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("a FIFO is waited for")
	}
	if n := strings.Count(log.String(), "is not a regular file"); n != 1 || c.current.Load() != good {
		t.Errorf("reported %d times: %s", n, &log)
	}
}
