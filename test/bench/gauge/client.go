package gauge

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// StatusError is an answer with another status than expected.
type StatusError struct {
	Status int
	text   string
}

func (e *StatusError) Error() string { return e.text }

// client sends requests over one connection that is kept. It knows just enough of HTTP for answers with a Content-Length. The less it
// costs, the more of a round belongs to the server.
type client struct {
	conn      net.Conn
	r         *bufio.Reader
	body      []byte
	idleSince time.Time
}

// keepIdle is how long a connection may be idle before its next request. It is less than the two minutes after which the servers close it.
const keepIdle = time.Minute

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
	if status == http.StatusNoContent {
		length = 0
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
		return nil, &StatusError{got, fmt.Sprintf("status %d instead of %d to %.80q: %.300s", got, status, request, c.body)}
	}
	return c.body, nil
}

// Side is one of the two servers, with its idle connections.
type Side struct {
	Name    string
	Address string
	Headers string // sent with every request, each with its line end

	mu   sync.Mutex
	idle []*client
	all  []*client
}

// Do sends a request over an idle connection, or over a new one, and returns the answer's body. The caller may keep it.
func (s *Side) Do(request []byte, status int) ([]byte, error) {
	c, err := s.take()
	if err != nil {
		return nil, err
	}
	raw, err := c.do(request, status)
	if err == nil {
		raw = bytes.Clone(raw)
		s.give(c)
		return raw, nil
	}
	if _, answered := errors.AsType[*StatusError](err); answered {
		s.give(c)
	} else {
		_ = c.conn.Close() // it may still contain a part of an answer
	}
	return nil, fmt.Errorf("ask %s: %w", s.Name, err)
}

func (s *Side) take() (*client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := len(s.idle); n > 0; n-- {
		c := s.idle[n-1]
		s.idle = s.idle[:n-1]
		if time.Since(c.idleSince) < keepIdle {
			return c, nil
		}
		_ = c.conn.Close() // it has no open request
	}
	c, err := dial(s.Address)
	if err == nil {
		s.all = append(s.all, c)
	}
	return c, err
}

func (s *Side) give(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.idleSince = time.Now()
	s.idle = append(s.idle, c)
}

// Get returns a GET request.
func (s *Side) Get(path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\n%s\r\n", path, s.Address, s.Headers)
}

// Post returns a POST request. The headers are added to those of the side.
func (s *Side) Post(path string, body []byte, headers ...string) []byte {
	return s.write("POST", path, body, headers...)
}

// Patch returns a PATCH request.
func (s *Side) Patch(path string, body []byte) []byte { return s.write("PATCH", path, body) }

// Delete returns a DELETE request.
func (s *Side) Delete(path string) []byte { return s.write("DELETE", path, nil) }

func (s *Side) write(method, path string, body []byte, headers ...string) []byte {
	return fmt.Appendf(nil,
		"%s %s HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s%s\r\n%s",
		method, path, s.Address, len(body), s.Headers, strings.Join(headers, ""), body)
}

// Close closes the connections, even those with an open request.
func (s *Side) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.all {
		_ = c.conn.Close() // nobody waits for an answer any more
	}
	s.idle, s.all = nil, nil
}
