// Package lasting owns answers that take longer than a request may: how long they may take in all, and how long they wait for a
// client that reads nothing. A stream ends only when its client disconnects or the server stops.
package lasting

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"
)

// Time is how long such an answer may take. Stall is how long it waits for a client that reads nothing. LeastRate is how fast a client must
// read where a slow one holds up others, in bytes a second.
const (
	Time      = 10 * time.Minute
	Stall     = time.Minute
	LeastRate = 512 << 10
)

// StreamStall is how long a stream waits for a client that reads nothing: a server that stops waits for it too. AnswerStall is the same for
// a long answer: others wait for the memory that it takes.
const (
	StreamStall = 20 * time.Second
	AnswerStall = 20 * time.Second
)

// piece is how much of a large answer is written at once. A slow client has the time of Stall for each.
const piece = 64 << 10

// Context returns a context that outlives the deadline of another, but ends when that is cancelled: the client has disconnected.
func Context(of context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(of), limit)
	stop := context.AfterFunc(of, func() {
		if errors.Is(of.Err(), context.Canceled) {
			cancel()
		}
	})
	return ctx, func() {
		stop()
		cancel()
	}
}

// Within returns a context that ends after a time, or when the client of a connection disconnects. A stream can outlive it.
func Within(connection context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithValue(connection, connectionKey{}, connection), limit)
}

type connectionKey struct{}

// Stream lets the answer to a request last as long as its client is connected. It returns the context of that time, with the values of
// the request's own, which Within has made.
func Stream(w http.ResponseWriter, r *http.Request) (context.Context, context.CancelFunc) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // else the server would take the client for gone at that time
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	connection, ok := r.Context().Value(connectionKey{}).(context.Context)
	if !ok {
		connection = r.Context()
	}
	stop := context.AfterFunc(connection, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// Writer returns a writer of an answer that waits for a slow client as long as the client reads something.
func Writer(w http.ResponseWriter) io.Writer {
	return &patient{w, http.NewResponseController(w), Stall}
}

// StreamWriter is Writer for a stream.
func StreamWriter(w http.ResponseWriter) io.Writer {
	return &patient{w, http.NewResponseController(w), StreamStall}
}

type patient struct {
	io.Writer
	connection *http.ResponseController
	stall      time.Duration
}

func (w *patient) Write(b []byte) (written int, err error) {
	for part := range slices.Chunk(b, piece) {
		_ = w.connection.SetWriteDeadline(time.Now().Add(w.stall)) // not every writer has one
		n, err := w.Writer.Write(part)
		if written += n; err != nil {
			return written, err
		}
	}
	return written, nil
}

// PacedWriter returns a writer of an answer that holds up others as long as it lasts. The client may fall behind LeastRate by as much time
// as stall. Time that passes between writes is not the client's.
func PacedWriter(w http.ResponseWriter, stall time.Duration) io.Writer {
	return &paced{w, http.NewResponseController(w), stall, stall}
}

// freeAnswer is the longest answer that a client may read as slowly as any request may last.
const freeAnswer = 64 << 10

// AnswerWriter returns a writer of an answer of a length. A longer one holds memory that others wait for.
func AnswerWriter(w http.ResponseWriter, bytes int) io.Writer {
	if bytes <= freeAnswer {
		return w
	}
	return PacedWriter(w, AnswerStall)
}

type paced struct {
	io.Writer
	connection  *http.ResponseController
	stall, left time.Duration
}

func (w *paced) Write(b []byte) (int, error) {
	began, left := time.Now(), w.left+time.Duration(len(b))*time.Second/LeastRate
	_ = w.connection.SetWriteDeadline(began.Add(left)) // not every writer has one
	n, err := w.Writer.Write(b)
	w.left = min(w.stall, left-time.Since(began))
	return n, err
}
