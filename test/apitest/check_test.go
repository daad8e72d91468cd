package apitest

import (
	"net/http"
	"testing"
)

const oneRoute = `{"openapi": "3.0.3", "info": {"title": "T", "version": "1"}, "servers": [{"url": "http://terrier.test"}], "paths": {
	"/api/dcim/sites/{id}/": {"get": {
		"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer"}}],
		"responses": {
			"200": {"description": "OK", "content": {"application/json": {"schema": {"type": "object", "required": ["id"]}}}},
			"404": {"description": "None", "content": {"application/json": {"schema": {"type": "object", "required": ["detail"]}}}}}}}}}`

// counting counts the errors of a test and does not fail.
type counting struct {
	testing.TB
	errors int
}

func (c *counting) Errorf(string, ...any) { c.errors++ }
func (*counting) Helper()                 {}

// TestCheckOnce checks that a server with CheckOnce compares the first answer of each method, route, status and form of records with the
// document, and one without compares all.
func TestCheckOnce(t *testing.T) {
	t.Parallel()
	router, err := loadDocument([]byte(oneRoute))
	if err != nil {
		t.Fatal(err)
	}
	for once, want := range map[bool]int{false: 5, true: 3} {
		s := &Server{URL: "http://terrier.test", CheckOnce: once, router: router}
		s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-ID", "1")
			w.Header().Set("Content-Type", "application/json")
			if r.URL.Path == "/api/dcim/sites/9/" {
				w.WriteHeader(http.StatusNotFound)
			}
			_, _ = w.Write([]byte(`{"name": "neither id nor detail"}`)) // into memory
		})
		seen := &counting{TB: t}
		for _, path := range []string{"1/", "2/", "9/", "1/?brief=true", "3/?x=1"} {
			s.Do(seen, Call{Method: http.MethodGet, Path: "/api/dcim/sites/" + path})
		}
		if seen.errors != want {
			t.Errorf("once %v: %d answers were refused, want %d", once, seen.errors, want)
		}
	}
}
