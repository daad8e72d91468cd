package listen

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// rereadEvery is how long a renewed certificate may go unnoticed.
const rereadEvery = 2 * time.Second

// Certificate is a certificate and its key, read from two files and again when they change. What is not a pair is not
// taken: the last good one stays.
type Certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	current atomic.Pointer[tls.Certificate]
	seen    pem // what was read last, good or bad
}

type pem struct{ cert, key []byte }

func (p pem) equal(other pem) bool {
	return bytes.Equal(p.cert, other.cert) && bytes.Equal(p.key, other.key)
}

// LoadCertificate reads both files, which must be a pair.
func LoadCertificate(certFile, keyFile string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, log: log}
	read, err := c.read()
	if err == nil {
		err = c.take(read)
	}
	return c, err
}

// Wrap lets connections of a listener begin with TLS. Connections that there are already keep their certificate.
//
// Only HTTP/1.1 is offered: the limits for slow and large requests are held for it.
func (c *Certificate) Wrap(listener net.Listener) net.Listener {
	return tls.NewListener(listener, &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil },
	})
}

// Watch reads the files again until ctx ends: every two seconds, and when something arrives on again.
func (c *Certificate) Watch(ctx context.Context, again <-chan os.Signal) {
	tick := time.NewTicker(rereadEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			c.reread(false)
		case <-again:
			c.reread(true)
		case <-ctx.Done():
			return
		}
	}
}

// reread takes the pair in the files if it differs from what was seen last, or if somebody asked. A bad pair is
// reported once, not every two seconds.
func (c *Certificate) reread(asked bool) {
	read, err := c.read()
	if !asked && read.equal(c.seen) {
		return
	}
	if err == nil {
		err = c.take(read)
	}
	c.seen = read
	if err != nil {
		c.log.Error("the certificate stays as it was: TERRIER_TLS_CERT and TERRIER_TLS_KEY can't be used", "error", err)
		return
	}
	leaf := c.current.Load().Leaf
	c.log.Info("certificate read again", "serial", leaf.SerialNumber.Text(16), "not_after", leaf.NotAfter.UTC())
}

// read returns an empty pair with an error, so that a missing file is noticed, and reported, once.
func (c *Certificate) read() (pem, error) {
	cert, certErr := readRegular(c.certFile)
	key, keyErr := readRegular(c.keyFile)
	if err := errors.Join(certErr, keyErr); err != nil {
		return pem{}, err
	}
	return pem{cert, key}, nil
}

// readRegular reads a regular file. Without O_NONBLOCK, opening a FIFO would wait until something writes to it.
func readRegular(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a regular file", path))
	}
	return io.ReadAll(file)
}

func (c *Certificate) take(read pem) error {
	pair, err := tls.X509KeyPair(read.cert, read.key)
	if err != nil {
		return err
	}
	c.current.Store(&pair)
	c.seen = read
	return nil
}
