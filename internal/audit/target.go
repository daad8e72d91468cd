package audit

import (
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Target is where events are sent besides the database. The zero Target is nowhere.
type Target struct {
	open func() sink
}

var errTarget = errors.New(
	"use stderr, file:/path, syslog: for this machine, syslog:/path of a socket, syslog:udp://host:514 or syslog:tcp://host:514")

// ParseTarget parses the setting: "" for nowhere, stderr, file:/path, or syslog: with the address of a socket or a server.
func ParseTarget(text string, stderr io.Writer) (Target, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch {
	case text == "":
		return Target{}, nil
	case text == "stderr":
		return Target{func() sink { return &stream{stderr} }}, nil
	case kind == "file" && filepath.IsAbs(rest):
		return Target{func() sink { return &file{path: rest} }}, nil
	case kind == "syslog":
		network, address, err := syslogAddress(rest)
		return Target{func() sink { return newSyslog(network, address) }}, err
	}
	return Target{}, errTarget
}

func syslogAddress(text string) (network, address string, err error) {
	if text == "" {
		return unixNetwork, "/dev/log", nil
	}
	if filepath.IsAbs(text) {
		return unixNetwork, text, nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "udp" && u.Scheme != "tcp" || u.Hostname() == "" || u.Path != "" || u.User != nil || u.RawQuery != "" {
		return "", "", errTarget
	}
	port := u.Port()
	if port == "" {
		port = "514"
	}
	return u.Scheme, net.JoinHostPort(u.Hostname(), port), nil
}

// stream is a sink that is always open.
type stream struct{ to io.Writer }

func (s *stream) send(_ Event, line []byte) error {
	_, err := s.to.Write(append(line, '\n'))
	return err
}

func (s *stream) close() error { return nil }

// file is a sink that appends to a file. A file that was moved away or removed is created again, so that logs can be rotated without a
// signal.
type file struct {
	path string
	to   *os.File
}

func (f *file) send(_ Event, line []byte) error {
	if err := f.ready(); err != nil {
		return err
	}
	_, err := f.to.Write(append(line, '\n')) // one write, so that lines of several processes do not mix
	return err
}

// ready opens the file, unless it is open and still the one at its path.
func (f *file) ready() (err error) {
	if f.to != nil {
		there, err := os.Stat(f.path)
		open, openErr := f.to.Stat()
		if err == nil && openErr == nil && os.SameFile(there, open) {
			return nil
		}
		if err := f.close(); err != nil {
			return err
		}
	}
	f.to, err = os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	return err
}

func (f *file) close() error {
	if f.to == nil {
		return nil
	}
	to := f.to
	f.to = nil
	return to.Close()
}
