// Package pages_test tests the pages as a browser requests them, on a real database.
package pages_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"terrier/test/apitest"
)

// obj is a JSON object.
type obj = map[string]any

// browser is a person with a session, or without.
type browser struct {
	s      *apitest.Server
	cookie string
}

// login opens a browser and logs a user in.
func login(t *testing.T, s *apitest.Server, username string) browser {
	t.Helper()
	return browser{s, s.Login(t, username)}
}

func (b browser) send(t *testing.T, method, path string, form url.Values, header ...string) apitest.Answer {
	t.Helper()
	h := map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Cookie": b.cookie}
	c := apitest.Call{Method: method, Path: path, Header: h}
	if form != nil {
		c.Body, h["Content-Type"] = form.Encode(), "application/x-www-form-urlencoded"
	}
	for i := 0; i+1 < len(header); i += 2 {
		h[header[i]] = header[i+1]
	}
	a := b.s.Do(t, c)
	marksTimes(t, a)
	return a
}

// get asks for a page.
func (b browser) get(t *testing.T, path string, header ...string) apitest.Answer {
	t.Helper()
	return b.send(t, http.MethodGet, path, nil, header...)
}

// post sends a form.
func (b browser) post(t *testing.T, path string, form url.Values, header ...string) apitest.Answer {
	t.Helper()
	return b.send(t, http.MethodPost, path, form, header...)
}

// create makes a record by the API and returns its id.
func create(t *testing.T, s *apitest.Server, path string, body any) int64 {
	t.Helper()
	return apitest.ID(s.Do(t, apitest.Call{Method: "POST", Path: path, Token: s.Admin, Body: body}).Want(t, http.StatusCreated).Object(t))
}

// shows fails the test unless a page contains the texts; hides if it does.
func shows(t *testing.T, a apitest.Answer, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(a.Raw), text) {
			t.Errorf("%s %s does not show %q", a.Call.Method, a.Call.Path, text)
		}
	}
}

func hides(t *testing.T, a apitest.Answer, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(string(a.Raw), text) {
			t.Errorf("%s %s shows %q", a.Call.Method, a.Call.Path, text)
		}
	}
}
