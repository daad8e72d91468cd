// Package listen owns the sockets that the program serves on: what an address means, the file of a Unix socket,
// the certificate that TLS shows, and what a service manager hears about them.
//
// It knows nothing of HTTP and of settings; app puts a server behind its listeners.
package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const unixPrefix = "unix:"

// Split returns the network and the address that package net takes. address is a host and a port, or unix: and an
// absolute path.
func Split(address string) (network, at string, err error) {
	if path, ok := strings.CutPrefix(address, unixPrefix); ok {
		if !filepath.IsAbs(path) {
			return "", "", errors.New("the path of a Unix socket must be absolute")
		}
		return "unix", path, nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil {
		return "", "", err
	}
	return "tcp", address, nil
}

// On begins to listen on an address as Split takes it. The file of a Unix socket is removed when the listener is
// closed.
func On(address string) (net.Listener, error) {
	network, at, err := Split(address)
	if err != nil {
		return nil, err
	}
	if network == "unix" {
		return onUnix(at)
	}
	return net.Listen(network, at)
}

// socketMode lets the user and the group of the process connect: whoever can do so is believed about the addresses of
// clients.
const socketMode = 0o660

func onUnix(path string) (net.Listener, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, socketMode); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// dialTimeout is how long a process may take to accept the connection that finds out whether it lives.
const dialTimeout = 2 * time.Second

// removeStale removes the socket that a killed process has left. It touches nothing else.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is there and not a socket: remove it, or choose another path", path)
	}
	conn, err := net.DialTimeout("unix", path, dialTimeout)
	if err == nil {
		return errors.Join(fmt.Errorf("another process listens on %s: stop it, or choose another path", path), conn.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("find out whether somebody listens on %s: %w", path, err)
	}
	return os.Remove(path)
}
