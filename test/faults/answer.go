package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// object is a JSON object to be sent.
type object = map[string]any

// call is a request to the API.
type call struct {
	method, path, token string
	body                any
	version             int64 // for If-Match; 0 for none
}

// answer is the answer to a call. If there was none, err is set and the status is 0.
type answer struct {
	status  int
	request string // X-Request-ID
	version int64  // in the ETag; 0 for none
	body    []byte
	err     error
	at      string // the node that was asked
}

func (a answer) good() bool { return a.status >= 200 && a.status < 300 }

// refused reports whether the answer says that nothing was done. After any other failure the caller does not know what was done.
func (a answer) refused() bool { return a.status >= 400 && a.status < 500 }

// do sends a request to one of the servers, as a load balancer would. It chooses one that runs. If the connection is refused it tries
// another one, because nothing was sent yet.
func (w *world) do(ctx context.Context, rnd *rand.Rand, c call) answer {
	first := rnd.IntN(len(w.apis))
	var a answer
	for i := range w.apis {
		n := w.apis[(first+i)%len(w.apis)]
		if last := i == len(w.apis)-1; !last && !n.takes() {
			continue
		}
		if a = w.ask(ctx, n.address(), c); !errors.Is(a.err, syscall.ECONNREFUSED) {
			a.at = n.name
			return a
		}
	}
	return a
}

// takes reports whether the balancer sends requests to a node.
func (n *node) takes() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ready
}

// balance checks the servers as a load balancer does: one that is not ready gets no requests.
func (w *world) balance(ctx context.Context) {
	for ctx.Err() == nil {
		for _, n := range w.apis {
			n.setReady(w.probe(ctx, n.address()))
		}
		_ = pause(ctx, 100*time.Millisecond) // the loop checks ctx
	}
}

func (w *world) ask(ctx context.Context, base string, c call) (a answer) {
	var reader io.Reader
	if c.body != nil {
		raw, err := json.Marshal(c.body)
		if err != nil {
			return answer{err: err}
		}
		reader = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, base+c.path, reader)
	if err != nil {
		return answer{err: err}
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Token "+c.token)
	}
	if c.version != 0 {
		request.Header.Set("If-Match", strconv.Quote(strconv.FormatInt(c.version, 10)))
	}
	response, err := w.http.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer func() { _ = response.Body.Close() }() // it was read, or its error was returned
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{err: err} // half an answer counts as none
	}
	a = answer{status: response.StatusCode, request: response.Header.Get("X-Request-ID"), body: body}
	a.version, _ = strconv.ParseInt(strings.Trim(response.Header.Get("ETag"), `"`), 10, 64) // 0 if there is none
	return a
}

// probe asks a server whether it is ready.
func (w *world) probe(ctx context.Context, base string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return w.ask(ctx, base, call{method: http.MethodGet, path: "/readyz"}).status == http.StatusOK
}
