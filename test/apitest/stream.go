package apitest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Event is one of a stream.
type Event struct{ ID, Data string }

// Stream is an answer of Server-Sent Events.
type Stream struct {
	Header http.Header
	Events <-chan Event // closed at the end; an event without data is left out
	Close  func()       // disconnects, and checks what came against the document
}

// Stream begins to read a stream. The answer must be one.
func (s *Server) Stream(tb testing.TB, c Call) *Stream {
	tb.Helper()
	if c.Header == nil {
		c.Header = map[string]string{}
	}
	c.Header["Accept"] = "text/event-stream"
	r := s.request(tb, c)
	ctx, cancel := context.WithCancel(r.Context())
	r = r.WithContext(ctx)
	out, in := io.Pipe()
	w := &streamed{PipeWriter: in, header: http.Header{}, begun: make(chan int, 1)}
	go func() {
		s.handler.ServeHTTP(w, r)
		_ = in.Close() // never fails
	}()
	events := make(chan Event, 1000)
	var raw bytes.Buffer
	go read(io.TeeReader(out, &raw), events)
	if status := <-w.begun; status != http.StatusOK {
		tb.Fatalf("%s %s: %d", c.Method, c.Path, status)
	}
	stop := func() {
		cancel()
		for range events { // until it ends
		}
		s.check(tb, r, Answer{Call: c, Status: http.StatusOK, Header: w.header, Raw: raw.Bytes()})
	}
	tb.Cleanup(cancel)
	return &Stream{Header: w.header, Events: events, Close: stop}
}

// read passes on the events of a stream.
func read(from io.Reader, to chan<- Event) {
	defer close(to)
	var e Event
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case name == "id":
			e.ID = value
		case name == "data":
			e.Data = value
		case line == "\n" && e.Data != "":
			to <- e
			e.Data = ""
		}
	}
}

// streamed is an answer that is read while it is written.
type streamed struct {
	*io.PipeWriter
	header http.Header
	begun  chan int
}

func (w *streamed) Header() http.Header { return w.header }

func (w *streamed) Flush() {}

func (w *streamed) WriteHeader(status int) {
	select {
	case w.begun <- status:
	default: // it has begun
	}
}

func (w *streamed) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.PipeWriter.Write(b)
}
