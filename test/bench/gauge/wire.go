package gauge

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync/atomic"
)

// Wire is a proxy between a program and PostgreSQL. It counts executed statements and round trips. The program need not cooperate.
type Wire struct {
	server     string
	listener   net.Listener
	Statements atomic.Int64
	Trips      atomic.Int64
}

// NewWire returns a proxy that listens for the program and forwards to a server.
func NewWire(server string) (*Wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &Wire{server: server, listener: l}
	go w.accept()
	return w, nil
}

// Address returns the address that the program should connect to.
func (w *Wire) Address() string { return w.listener.Addr().String() }

// Close stops accepting connections.
func (w *Wire) Close() error { return w.listener.Close() }

func (w *Wire) accept() {
	for {
		in, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		out, err := net.Dial("tcp", w.server)
		if err != nil {
			_ = in.Close() // the program notices
			continue
		}
		go func() {
			_, _ = io.Copy(in, out) // ends with either connection
			_ = in.Close()
		}()
		go func() {
			_ = w.forward(out, in) // likewise
			_ = out.Close()
		}()
	}
}

// forward forwards the program's messages. The first message has no kind: it opens the session.
func (w *Wire) forward(dst io.Writer, src io.Reader) error {
	head := make([]byte, 5)
	if err := pass(dst, src, head[1:]); err != nil {
		return err
	}
	for {
		if _, err := io.ReadFull(src, head[:1]); err != nil {
			return err
		}
		switch head[0] {
		case 'E': // Execute
			w.Statements.Add(1)
		case 'S': // Sync: the program waits for the answers so far
			w.Trips.Add(1)
		case 'Q': // a simple query: both
			w.Statements.Add(1)
			w.Trips.Add(1)
		}
		if _, err := dst.Write(head[:1]); err != nil {
			return err
		}
		if err := pass(dst, src, head[1:]); err != nil {
			return err
		}
	}
}

// pass copies the length of a message and the rest of it.
func pass(dst io.Writer, src io.Reader, length []byte) error {
	if _, err := io.ReadFull(src, length); err != nil {
		return err
	}
	if _, err := dst.Write(length); err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint32(length)) - 4
	if n < 0 {
		return errors.New("a message of impossible length")
	}
	_, err := io.CopyN(dst, src, n)
	return err
}
