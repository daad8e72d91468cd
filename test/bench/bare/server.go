// Package bare is what Terrier is compared with: the same work, written by hand, and nothing else. It has a server on pgx and net/http that
// answers with the same bytes from the same rows, without authentication, permissions or validation. And it has bare River at its best
// settings, whose jobs make the same POST.
package bare

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
)

// Server answers like Terrier. It is what a careful person writes for this one table.
type Server struct {
	Base    string                // the beginning of links
	Pool    *pgxpool.Pool         // Terrier's database
	Jobs    *river.Client[pgx.Tx] // inserts in the transaction that it is given
	JobPool *pgxpool.Pool         // a database of River's own
}

// Handler returns the handler of all addresses.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /bare/list", s.list)
	mux.HandleFunc("GET /bare/search", s.search)
	mux.HandleFunc("GET /bare/get/{id}", s.get)
	mux.HandleFunc("GET /bare/devices", s.listDevices)
	mux.HandleFunc("GET /bare/interfaces", s.listInterfaces)
	mux.HandleFunc("POST /bare/create", handle(s.create))
	mux.HandleFunc("POST /bare/notified", handle(s.notified))
	mux.HandleFunc("POST /bare/inserted", handle(s.inserted))
	mux.HandleFunc("POST /bare/bulk", handle(s.bulk))
	mux.HandleFunc("POST /bare/devices", handle(s.devices))
	mux.HandleFunc("POST /bare/login", handle(s.login))
	mux.HandleFunc("POST /bare/events", handle(s.events))
	return mux
}

// handle returns a handler that decodes the body of a write request.
func handle[In, Out any](write func(*http.Request, In) (Out, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := write(r, in)
		answer(w, http.StatusCreated, out, err)
	}
}

func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

func answer(w http.ResponseWriter, status int, v any, err error) {
	var body []byte
	if err == nil {
		body, err = encode(v)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client reports an incomplete answer
}
