package egress

import (
	"crypto/x509"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

const maxCA = 1 << 20

// errCA is the same whatever is wrong with a file: the author of a webhook must not learn from it which files the
// worker's disk has.
var errCA = errors.New("this CA file cannot be used: name a file of PEM certificates of at most 1 MiB below /etc/ssl/certs, " +
	"/usr/local/share/ca-certificates, /etc/pki or /etc/terrier/ca, by its whole path, or below TERRIER_WEBHOOK_CA_DIR if that is set")

// caPlaces is where CA files may be.
type caPlaces struct {
	dirs    []string // a path is below one of these
	targets []string // the links of a path end in one of dirs or in one of these
}

// wellKnown are the directories where distributions and administrators keep authorities. The last one has only the
// targets of their links.
func wellKnown() caPlaces {
	return caPlaces{
		dirs:    []string{"/etc/ssl/certs", "/usr/local/share/ca-certificates", "/etc/pki", "/etc/terrier/ca"},
		targets: []string{"/usr/share/ca-certificates"},
	}
}

// CheckCA reports whether a CA file could be used now.
func (c *Client) CheckCA(path string) error {
	content, err := c.readCA(path)
	if err != nil {
		return err
	}
	_, err = parseCA(content)
	return err
}

// readCA reads a CA file. It is read for every request that needs it: files are small, and a cache by time and size
// would overlook changes.
func (c *Client) readCA(path string) ([]byte, error) {
	if c.config.CADir != "" && !filepath.IsAbs(path) {
		path = c.config.CADir + "/" + path // not joined: "file/" is no file
	}
	file, err := c.caPlaces.open(path)
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

// open opens a file below one of the directories. Links are followed first. The file is then opened below the directory
// that they end in, by a path without links: os.Root refuses to leave it if the links change meanwhile.
func (p caPlaces) open(path string) (*os.File, error) {
	if _, _, ok := inside(p.dirs, path); !ok {
		return nil, errCA
	}
	end, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	var resolved []string // /etc/ssl/certs itself is a link in some distributions
	for _, dir := range slices.Concat(p.dirs, p.targets) {
		if end, err := filepath.EvalSymlinks(dir); err == nil {
			resolved = append(resolved, end)
		}
	}
	dir, name, ok := inside(resolved, end)
	if !ok {
		return nil, errCA
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // the file stays open
	// Without O_NONBLOCK, opening a FIFO waits for a writer.
	return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// inside returns the first of some directories that a path is below, and the path from there.
func inside(dirs []string, path string) (dir, name string, ok bool) {
	for _, dir := range dirs {
		if name, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(name) {
			return dir, name, true
		}
	}
	return "", "", false
}

func parseCA(content []byte) (*x509.CertPool, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(content) {
		return nil, errCA
	}
	return roots, nil
}
