package rest

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/feed"
	"terrier/internal/lasting"
	"terrier/internal/ledger"
	"terrier/internal/store"
)

// streamType is the media type of Server-Sent Events. In resumeHeader a client that connects again says what it has got.
const (
	streamType   = "text/event-stream"
	resumeHeader = "Last-Event-ID"
)

// wantsStream reports whether a client wants changes as they come.
func wantsStream(r *http.Request) bool {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	return strings.Contains(accept, streamType) && weight(accept, streamType) >= weight(accept, "application/json")
}

// streamQuery makes a query one of a stream: it goes on after the last event that the client has got, or begins at the end.
func streamQuery(r *http.Request, q *feed.Query) error {
	for _, name := range []string{"limit", "wait"} {
		if r.URL.Query().Has(name) {
			return fault.Field(name, "Leave it out: a stream sends every change as it comes.")
		}
	}
	if q.After == feed.Oldest {
		q.After = feed.Newest
	}
	if r.ContentLength != 0 { // the server would wait for it, and a stream has no time to read
		return fault.Field(fault.General, "Send no body: a stream reads none.")
	}
	if last := r.Header.Get(resumeHeader); last != "" {
		n, err := strconv.ParseInt(last, 10, 64)
		if err != nil || n < 0 || n == math.MaxInt64 {
			return fault.Field(resumeHeader, "Give the id of the last event.")
		}
		q.After = n
	}
	return nil
}

// live sends changes as they come, until the client disconnects or may not see them any more, or the server stops.
func (a *API) live(w http.ResponseWriter, r *http.Request, q feed.Query) {
	if err := streamQuery(r, &q); err != nil {
		a.Fail(w, r, err)
		return
	}
	ctx, cancel := lasting.Stream(w, r)
	defer cancel()
	live, err := a.Feed.Live(r.Context(), ledger.CallerFrom(r.Context()), q, func(ctx context.Context) (ledger.Caller, error) {
		return a.Again(r.WithContext(ctx))
	})
	if err != nil {
		a.failFeed(w, r, err)
		return
	}
	defer live.Close()
	w = pass(w)
	a.headers(w)
	w.Header().Set("Content-Type", streamType)
	w.Header().Set("X-Accel-Buffering", "no") // nginx must not collect events
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s := &stream{to: lasting.StreamWriter(w), flush: http.NewResponseController(w).Flush}
	if err := s.run(ctx, live); err != nil && ctx.Err() == nil && !errors.Is(err, feed.ErrEnded) {
		if level, log := fault.LogLevel(err); log {
			a.Log.Log(ctx, level, "live stream ended", "error", err, "request_id", ledger.CallerFrom(ctx).RequestID)
		}
	}
}

// source is where a stream has its changes from.
type source interface {
	Next(context.Context) ([]*feed.Change, error)
	Position() int64
}

// stream writes Server-Sent Events.
type stream struct {
	to    io.Writer
	flush func() error
}

// run sends changes until there can't be more of them, or the client does not take them. It says so if the first is the reason.
func (s *stream) run(ctx context.Context, from source) error {
	// Clients connect again after one to three seconds, not all of them at once when a server stops.
	if !s.send([]byte("retry: " + strconv.Itoa(1000+rand.IntN(2000)) + "\n" + progress(from))) {
		return nil
	}
	for {
		changes, err := from.Next(ctx)
		if err != nil {
			return err
		}
		texts := make([][]byte, 0, len(changes)+1)
		for _, c := range changes {
			texts = append(texts, c.Text(event))
		}
		if len(changes) == 0 {
			texts = append(texts, []byte(":\n"+progress(from)))
		}
		if !s.send(texts...) {
			return nil
		}
	}
}

// progress is an event without data: a client learns from it how far it has got, and does not show it to the program.
func progress(from source) string { return "id: " + strconv.FormatInt(from.Position(), 10) + "\n\n" }

// event returns a change as an event.
func event(c store.Positioned) []byte {
	b := append(strconv.AppendInt([]byte("id: "), c.Position, 10), "\ndata: "...)
	at := len(b)
	b = appendPositioned(b, c)
	for i := at; i < len(b); i++ {
		if b[i] == '\n' || b[i] == '\r' { // between values of a JSON field, as it was written; each line would need its own name
			b[i] = ' '
		}
	}
	return append(b, "\n\n"...)
}

// send reports whether the client is still there.
func (s *stream) send(texts ...[]byte) bool {
	for _, text := range texts {
		if _, err := s.to.Write(text); err != nil {
			return false
		}
	}
	return s.flush() == nil
}
