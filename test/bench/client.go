package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
)

// client asks over one connection that is kept. It knows just enough of HTTP for answers
// with a Content-Length: the less it costs, the more of a round is the server's.
type client struct {
	conn net.Conn
	r    *bufio.Reader
	body []byte
}

func dial(address string) (*client, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, r: bufio.NewReaderSize(conn, 64<<10)}, nil
}

// do sends a request and returns the answer's body, which the next call overwrites.
func (c *client) do(request []byte, status int) ([]byte, error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	line, err := c.r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	var got int
	if len(line) > 12 {
		got, _ = strconv.Atoi(string(line[9:12]))
	}
	length := -1
	for {
		line, err := c.r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if len(line) <= 2 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(": ")); string(name) == "Content-Length" {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return nil, err
			}
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("an answer without a length to %.80q", request)
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	if _, err := io.ReadFull(c.r, c.body); err != nil {
		return nil, err
	}
	if got != status {
		return nil, fmt.Errorf("status %d instead of %d to %.80q: %.300s", got, status, request, c.body)
	}
	return c.body, nil
}

// side is one of the two servers.
type side struct {
	name    string
	address string
	headers string
	clients []*client
}

func newSide(name, address, headers string, concurrency int) (*side, error) {
	s := &side{name: name, address: address, headers: headers}
	for range concurrency {
		c, err := dial(address)
		if err != nil {
			return nil, err
		}
		s.clients = append(s.clients, c)
	}
	return s, nil
}

func (s *side) get(path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\n%s\r\n", path, s.address, s.headers)
}

func (s *side) post(path string, body []byte) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s",
		path, s.address, len(body), s.headers, body)
}

func (s *side) close() {
	for _, c := range s.clients {
		_ = c.conn.Close() // the run is over
	}
}
