package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync/atomic"
)

// wire stands between a program and PostgreSQL and counts what passes: statements that
// are executed, and round trips. Nothing in the program has to cooperate.
type wire struct {
	server     string
	listener   net.Listener
	statements atomic.Int64
	trips      atomic.Int64
}

func newWire(server string) (*wire, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wire{server: server, listener: l}
	go w.accept()
	return w, nil
}

func (w *wire) accept() {
	for {
		in, err := w.listener.Accept()
		if err != nil {
			return // closed
		}
		out, err := net.Dial("tcp", w.server)
		if err != nil {
			_ = in.Close() // the program sees it
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

// forward passes the program's messages on. The first has no kind: it opens the session.
func (w *wire) forward(dst io.Writer, src io.Reader) error {
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
			w.statements.Add(1)
		case 'S': // Sync: the program waits for the answers so far
			w.trips.Add(1)
		case 'Q': // a simple query: both
			w.statements.Add(1)
			w.trips.Add(1)
		}
		if _, err := dst.Write(head[:1]); err != nil {
			return err
		}
		if err := pass(dst, src, head[1:]); err != nil {
			return err
		}
	}
}

// pass copies the length of a message and its rest.
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

// measureStatements counts what one request of each kind costs the database.
func (b *bench) measureStatements(ctx context.Context) error {
	u, err := url.Parse(b.db.url)
	if err != nil {
		return err
	}
	w, err := newWire(u.Host)
	if err != nil {
		return err
	}
	defer func() { _ = w.listener.Close() }() // nobody connects any more
	u.Host = w.listener.Addr().String()
	through, err := withParam(u.String(), "pool_max_conns", "1") // one connection: its statements are all prepared
	if err != nil {
		return err
	}
	a, err := b.startTerrier(ctx, through)
	if err != nil {
		return err
	}
	address, err := b.serve(a.Handler)
	if err != nil {
		return err
	}
	s, err := newSide("terrier", address, b.authorization(), 1)
	if err != nil {
		return err
	}
	defer s.close()
	for _, kind := range []struct {
		what    string
		status  int
		request func() []byte
	}{
		{"list of 50", 200, func() []byte { return s.get(sitesPath + "?limit=50") }},
		{"list of 1000", 200, func() []byte { return s.get(sitesPath + "?limit=1000") }},
		{"get", 200, func() []byte { return s.get(sitesPath + "1/") }},
		{"create", 201, func() []byte { return s.post(sitesPath, b.newBody()) }},
		{"create 2", 201, func() []byte { return s.post(sitesPath, b.bulkBody(2)) }},
		{"create 1000", 201, func() []byte { return s.post(sitesPath, b.bulkBody(bulkItems)) }},
	} {
		for range 2 { // the first prepares
			w.statements.Store(0)
			w.trips.Store(0)
			if _, err := s.clients[0].do(kind.request(), kind.status); err != nil {
				return err
			}
		}
		c := wireCount{What: kind.what, Statements: w.statements.Load(), Trips: w.trips.Load()}
		b.report.Wire = append(b.report.Wire, c)
		b.note("%-12s %2d statements in %2d round trips", c.What, c.Statements, c.Trips)
	}
	return nil
}

// wireCount is what one request costs, authentication included.
type wireCount struct {
	What       string
	Statements int64
	Trips      int64
}

func (b *bench) bulkBody(n int) []byte {
	raw := []byte{'['}
	for i := range n {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = fmt.Append(raw, string(b.newBody()))
	}
	return append(raw, ']')
}
