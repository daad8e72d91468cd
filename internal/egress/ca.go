package egress

import (
	"crypto/x509"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

const maxCA = 64 << 10

// errCA is the same whatever is wrong with a file: the author of a webhook must not learn from it which files the
// worker's disk has.
var (
	errCA = errors.New("this CA file cannot be used: name a file of PEM certificates of at most 64 KiB in the directory " +
		"TERRIER_WEBHOOK_CA_DIR")
	errCADir = errors.New("no CA file can be used: TERRIER_WEBHOOK_CA_DIR is not set; set it to the directory that holds CA files")
)

// CheckCA reports whether a CA file could be used now.
func (c *Client) CheckCA(path string) error {
	content, err := c.readCA(path)
	if err != nil {
		return err
	}
	_, err = parseCA(content)
	return err
}

// readCA reads a CA file, given relative to the configured directory or as an absolute path into it. It is read for
// every request that needs it: files are small, and a cache by time and size would overlook changes.
func (c *Client) readCA(path string) ([]byte, error) {
	if c.config.CADir == "" {
		return nil, errCADir
	}
	if filepath.IsAbs(path) {
		// A path that leads out of the directory becomes one that os.Root refuses.
		inside, err := filepath.Rel(c.config.CADir, path)
		if err != nil {
			return nil, errCA
		}
		path = inside
	}
	root, err := os.OpenRoot(c.config.CADir)
	if err != nil {
		return nil, errCA
	}
	defer func() { _ = root.Close() }() // it was only read
	// Without O_NONBLOCK, opening a FIFO waits for somebody to write to it.
	file, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, errCA
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errCA
	}
	content, err := io.ReadAll(io.LimitReader(file, maxCA+1))
	if err != nil || len(content) > maxCA {
		return nil, errCA
	}
	return content, nil
}

func parseCA(content []byte) (*x509.CertPool, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, errCA
	}
	return roots, nil
}
