// Package lasting owns answers that take longer than a request may: how long they may take in all, and how long they wait for a
// client that reads nothing.
package lasting

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Time is how long such an answer may take. Stall is how long it waits for a client that reads nothing.
const (
	Time  = 10 * time.Minute
	Stall = time.Minute
)

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

// Writer returns a writer of an answer that waits for a slow client as long as the client reads something.
func Writer(w http.ResponseWriter) io.Writer { return &patient{w, http.NewResponseController(w)} }

type patient struct {
	io.Writer
	connection *http.ResponseController
}

func (w *patient) Write(b []byte) (int, error) {
	_ = w.connection.SetWriteDeadline(time.Now().Add(Stall)) // not every writer has one
	return w.Writer.Write(b)
}
