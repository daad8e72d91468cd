package webhooks_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"terrier/test/install"
)

// receipt is a request as it arrived.
type receipt struct {
	number       int // among all, from 0
	at           time.Time
	method, path string
	header       http.Header
	body         string
	status       int // what was answered; 0 for nothing
}

// whole returns everything that was sent, as one text.
func (r receipt) whole() string {
	var b strings.Builder
	fmt.Fprintln(&b, r.method, r.path)
	_ = r.header.Write(&b) // to memory
	b.WriteString(r.body)
	return b.String()
}

func (r receipt) delivery() string { return r.header.Get("X-Hook-Delivery") }

// receiver records every request and gives the configured answer for its path, or 200.
type receiver struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	receipts []receipt
	byPath   map[string][]int // places in receipts
	answers  map[string]func(n int, r *http.Request) reply
}

// reply is an answer. A status of 0 breaks the connection.
type reply struct {
	status int
	header http.Header
	body   string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := idleReceiver(t)
	r.Start()
	return r
}

func idleReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, byPath: map[string][]int{}, answers: map[string]func(int, *http.Request) reply{}}
	r.Server = httptest.NewUnstartedServer(r)
	r.Config.ErrorLog = log.New(io.Discard, "", 0) // refused certificates and broken connections are what is tested
	t.Cleanup(r.Close)
	return r
}

// answer sets how requests to a path are answered. The function may wait; n counts the requests to the path from 1.
func (r *receiver) answer(path string, fn func(n int, request *http.Request) reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[path] = fn
}

func (r *receiver) answerStatus(path string, status int) {
	r.answer(path, func(int, *http.Request) reply { return reply{status: status} })
}

// hold delays requests to a path until the returned function is called, or the sender goes away.
func (r *receiver) hold(path string) (release func()) {
	released := make(chan struct{})
	r.answer(path, func(_ int, request *http.Request) reply {
		select {
		case <-released:
			return reply{status: http.StatusOK}
		case <-request.Context().Done():
			return reply{}
		}
	})
	release = sync.OnceFunc(func() { close(released) })
	r.t.Cleanup(release) // the server waits for its handlers
	return release
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	at := time.Now()
	body, _ := io.ReadAll(request.Body) // a sender that dies in the middle leaves a body that is not the delivery's
	got := receipt{at: at, method: request.Method, path: request.URL.RequestURI(), header: request.Header.Clone(), body: string(body)}
	got.header.Set("Host", request.Host)
	r.mu.Lock()
	got.number = len(r.receipts)
	r.receipts = append(r.receipts, got)
	r.byPath[got.path] = append(r.byPath[got.path], got.number)
	n := len(r.byPath[got.path])
	fn := r.answers[got.path]
	r.mu.Unlock()

	say := reply{status: http.StatusOK}
	if fn != nil {
		say = fn(n, request)
	}
	if say.status == 0 {
		panic(http.ErrAbortHandler)
	}
	r.mu.Lock()
	r.receipts[got.number].status = say.status
	r.mu.Unlock()
	for name, values := range say.header {
		w.Header()[name] = values
	}
	w.WriteHeader(say.status)
	_, _ = io.WriteString(w, say.body) // the sender may be gone
}

// all returns every request so far.
func (r *receiver) all() []receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]receipt(nil), r.receipts...)
}

// at returns the requests to a path so far.
func (r *receiver) at(path string) []receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []receipt
	for _, i := range r.byPath[path] {
		found = append(found, r.receipts[i])
	}
	return found
}

func (r *receiver) count(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.byPath[path])
}

// await waits until there were n requests to a path, and fails when there are more.
func (r *receiver) await(path string, n int) []receipt {
	r.t.Helper()
	return r.awaitWithin(install.Patience, path, n)
}

func (r *receiver) awaitWithin(bound time.Duration, path string, n int) (found []receipt) {
	r.t.Helper()
	install.Within(r.t, bound, fmt.Sprintf("there should be %d requests to %s", n, path), func() bool {
		if got := r.count(path); got > n {
			r.t.Fatalf("%d requests to %s, want %d: %+v", got, path, n, r.at(path))
		} else if got < n {
			return false
		}
		found = r.at(path)
		return true
	})
	return found
}

// none fails the test when there was a request to a path.
func (r *receiver) none(path string) {
	r.t.Helper()
	if found := r.at(path); len(found) > 0 {
		r.t.Errorf("%d requests to %s, want none: %+v", len(found), path, found)
	}
}
