package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Object is a JSON object to be sent.
type Object = map[string]any

// Answer is what came back. A request that got no answer has Err and status 0.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	Err    error
}

func (a Answer) String() string {
	if a.Err != nil {
		return a.Err.Error()
	}
	return http.StatusText(a.Status) + " " + a.Body
}

// Read decodes the body.
func (a Answer) Read(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.Body), into); err != nil {
		t.Fatalf("%v: %v", err, a)
	}
}

// Want fails the test unless the answer has the status.
func (a Answer) Want(t *testing.T, status int) Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("status %d, want %d: %v", a.Status, status, a)
	}
	return a
}

// client uses no proxy, whatever the environment says.
var client = &http.Client{Timeout: Patience, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// Get reads an address with a token, where there is one.
func (p *Process) Get(path, key string) Answer { return p.Do(http.MethodGet, path, key, nil) }

// Do sends a request with a token, where there is one. A body is sent as JSON; a string or bytes as they are.
func (p *Process) Do(method, path, key string, body any) Answer {
	header := http.Header{}
	if key != "" {
		header.Set("Authorization", "Token "+key)
	}
	return p.Send(method, path, header, body)
}

// Send sends a request with headers.
func (p *Process) Send(method, path string, header http.Header, body any) Answer {
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			return Answer{Err: err}
		}
		reader = bytes.NewReader(raw)
	}
	// Not the test's context: requests are sent from goroutines that outlive a failed test by a moment.
	req, err := http.NewRequestWithContext(context.Background(), method, p.Base+path, reader)
	if err != nil {
		return Answer{Err: err}
	}
	if reader != nil && header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	res, err := p.client.Do(req)
	if err != nil {
		return Answer{Err: err}
	}
	text, err := io.ReadAll(res.Body)
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return Answer{Err: err}
	}
	return Answer{Status: res.StatusCode, Header: res.Header, Body: string(text)}
}
