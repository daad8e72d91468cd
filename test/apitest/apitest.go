// Package apitest gives tests a whole Terrier on its own database, and checks every answer against the OpenAPI
// document that the same server serves.
package apitest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/jackc/pgx/v5/pgxpool"

	"terrier/internal/app"
	"terrier/internal/dbtest"
	"terrier/internal/record"
	"terrier/internal/store"
)

// SecretKey is the key of every test server.
const SecretKey = "a-key-for-tests-that-is-long-enough-to-be-accepted-0123456789"

// Server is a running Terrier.
type Server struct {
	App   *app.App
	DB    *pgxpool.Pool // to look at what the server wrote
	URL   string
	Admin string        // the key of a superuser called admin
	Log   *bytes.Buffer // what it logged; read it when no request is under way

	// CheckOnce makes Do compare only the first answer of its kind with the document, not each. It is for tests that send hundreds of
	// requests of a kind and look at statuses or counts. Set it before the requests. With the race detector, which makes comparing as slow as
	// anything, it is always set: the same tests run without the detector too.
	CheckOnce bool

	handler http.Handler
	router  routers.Router
	checked sync.Map // of kinds of answers that were compared with the document
}

// Password is the password of every user made by this package.
const Password = "correct horse battery staple"

// New starts a server. Its address is never dialled: requests go straight to the handler.
func New(tb testing.TB, change ...func(*app.Config)) *Server {
	tb.Helper()
	cfg := app.Config{DatabaseURL: dbtest.New(tb), SecretKey: SecretKey, BaseURL: "http://terrier.test", Listen: "127.0.0.1:0",
		StrictFilters: true, Version: "test", WebhookTimeout: 10 * time.Second}
	for _, fn := range change {
		fn(&cfg)
	}
	s := &Server{URL: cfg.BaseURL, Log: &bytes.Buffer{}, CheckOnce: RaceDetector()}
	log := slog.New(slog.NewTextHandler(&locked{w: s.Log}, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ctx := context.Background()
	var err error
	if s.App, err = app.New(ctx, cfg, log); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.App.Close)
	s.App.Ledger.Sealer = quickPasswords{s.App.Ledger.Sealer}
	s.handler = s.App.Handler
	if s.DB, err = pgxpool.New(ctx, cfg.DatabaseURL); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.DB.Close)
	if _, err := s.App.CreateUser(ctx, app.NewUser{Username: "admin", Password: Password, Superuser: true}); err != nil {
		tb.Fatal(err)
	}
	s.Admin = s.TokenOf(tb, "admin", false)
	if s.router, err = document(cfg, s.handler); err != nil {
		tb.Fatal(err)
	}
	return s
}

// NewWith starts a server with additional record types, and makes their tables from their declarations.
func NewWith(tb testing.TB, types []record.Type, change ...func(*app.Config)) *Server {
	tb.Helper()
	s := New(tb, append(change, func(c *app.Config) { c.Types = types })...)
	for _, t := range types {
		if _, err := s.DB.Exec(context.Background(), store.DraftTable(s.App.Registry.Type(t.Key()))); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// RaceDetector reports whether the tests run with it. It makes everything ten times as slow.
func RaceDetector() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// TokenOf makes a token for a user as the command line does.
func (s *Server) TokenOf(tb testing.TB, username string, readOnly bool) string {
	tb.Helper()
	t, err := s.App.CreateToken(context.Background(), app.NewToken{Username: username, ReadOnly: readOnly})
	if err != nil {
		tb.Fatal(err)
	}
	return t.Key
}

// Grant is a permission to give to a test user.
type Grant struct {
	Types       []string
	Actions     []string
	Constraints any
}

// User makes a user with the given permissions and returns id and token key.
func (s *Server) User(tb testing.TB, username string, grants ...Grant) (int64, string) {
	tb.Helper()
	id, err := s.App.CreateUser(context.Background(), app.NewUser{Username: username, Password: Password})
	if err != nil {
		tb.Fatal(err)
	}
	for i, g := range grants {
		s.Do(tb, Call{Method: "POST", Path: "/api/users/permissions/", Token: s.Admin, Body: map[string]any{
			"name": fmt.Sprintf("%s-%d", username, i), "object_types": g.Types, "actions": g.Actions, "constraints": g.Constraints,
			"users": []int64{id}}}).Want(tb, http.StatusCreated)
	}
	return id, s.TokenOf(tb, username, false)
}

func (s *Server) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	return w
}

// Call is one request.
type Call struct {
	Method string
	Path   string // with the query
	Token  string // a key, sent as "Token <key>"
	Body   any    // encoded as JSON; a string or []byte goes as it is
	Header map[string]string
	From   string // the peer's address, 127.0.0.1 if not given
}

// Answer is what came back.
type Answer struct {
	Call   Call
	Status int
	Header http.Header
	Raw    []byte
}

// Do sends a request and checks the answer against the document.
func (s *Server) Do(tb testing.TB, c Call) Answer {
	tb.Helper()
	r := s.request(tb, c)
	w := s.serve(r)
	a := Answer{Call: c, Status: w.Code, Header: w.Header(), Raw: w.Body.Bytes()}
	if w.Header().Get("X-Request-ID") == "" {
		tb.Errorf("%s %s: no X-Request-ID", c.Method, c.Path)
	}
	if a.Status == http.StatusInternalServerError {
		tb.Errorf("%s %s failed: %s", c.Method, c.Path, s.Log.Bytes()[max(0, s.Log.Len()-1500):])
	}
	s.check(tb, r, a)
	return a
}

func (s *Server) request(tb testing.TB, c Call) *http.Request {
	tb.Helper()
	var body []byte
	switch b := c.Body.(type) {
	case nil:
	case string:
		body = []byte(b)
	case []byte:
		body = b
	default:
		var err error
		if body, err = json.Marshal(b); err != nil {
			tb.Fatal(err)
		}
	}
	r := httptest.NewRequest(c.Method, s.URL+c.Path, bytes.NewReader(body))
	r.RemoteAddr = "127.0.0.1:50000"
	if c.From != "" {
		r.RemoteAddr = c.From
	}
	if c.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		r.Header.Set("Authorization", "Token "+c.Token)
	}
	for name, value := range c.Header {
		r.Header.Set(name, value)
	}
	return r
}

// The document check takes a picture, lines and events as bytes.
var _ = func() bool {
	openapi3filter.RegisterBodyDecoder("application/x-ndjson", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("text/event-stream", openapi3filter.FileBodyDecoder)
	openapi3filter.RegisterBodyDecoder("image/svg+xml", openapi3filter.FileBodyDecoder)
	return true
}()

// check compares an answer with the document, which has no addresses outside the API and no redirects to the spelling
// with a slash.
func (s *Server) check(tb testing.TB, r *http.Request, a Answer) {
	tb.Helper()
	if !strings.HasPrefix(r.URL.Path, "/api/") || !strings.HasSuffix(r.URL.Path, "/") {
		return
	}
	if s.CheckOnce {
		if _, known := s.checked.LoadOrStore(kindOf(r, a.Status), true); known {
			return
		}
	}
	asked := *r
	if r.Method == http.MethodHead {
		asked.Method = http.MethodGet
	}
	route, params, err := s.router.FindRoute(&asked)
	if err != nil {
		if a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed || a.Status == http.StatusForbidden ||
			(r.Method == http.MethodOptions && a.Status == http.StatusNoContent) {
			return // no such address or method: the document has none either
		}
		tb.Errorf("%s %s answered %d and is not in the API document: %v", r.Method, r.URL.Path, a.Status, err)
		return
	}
	if a.Status == http.StatusMethodNotAllowed || r.Method == http.MethodHead {
		return
	}
	content := a.Content(tb)
	err = openapi3filter.ValidateResponse(r.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 a.Status, Header: a.Header, Body: io.NopCloser(bytes.NewReader(content)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		tb.Errorf("%s %s: the answer is not what the API document says: %v\n%.1000s", r.Method, r.URL, err, a.Raw)
	}
}

// kindOf names the method, route and status of an answer, and the parameters that change the form of records. In a path, only ids differ
// between records.
func kindOf(r *http.Request, status int) string {
	q := r.URL.Query()
	return fmt.Sprint(r.Method, " ", ids.ReplaceAllString(r.URL.Path, "/{id}/"), " ", status, q.Has("brief"), q.Has("fields"), q.Has("omit"))
}

var ids = regexp.MustCompile(`/\d+/`)

// Content returns the body as the client reads it: unpacked, if it was sent compressed.
func (a Answer) Content(tb testing.TB) []byte {
	tb.Helper()
	if a.Header.Get("Content-Encoding") != "gzip" {
		return a.Raw
	}
	z, err := gzip.NewReader(bytes.NewReader(a.Raw))
	if err != nil {
		tb.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// Want fails the test unless the answer has the status.
func (a Answer) Want(tb testing.TB, status int) Answer {
	tb.Helper()
	if a.Status != status {
		tb.Fatalf("%s %s: got %d, want %d: %.2000s", a.Call.Method, a.Call.Path, a.Status, status, a.Raw)
	}
	return a
}

// Object decodes an answer that is an object.
func (a Answer) Object(tb testing.TB) map[string]any {
	tb.Helper()
	var m map[string]any
	a.Read(tb, &m)
	return m
}

// List decodes an answer that is a list.
func (a Answer) List(tb testing.TB) []map[string]any {
	tb.Helper()
	var l []map[string]any
	a.Read(tb, &l)
	return l
}

// Page is a decoded list answer.
type Page struct {
	Count          int64
	Next, Previous *string
	Results        []map[string]any
}

// Page decodes an answer that is a page.
func (a Answer) Page(tb testing.TB) Page {
	tb.Helper()
	var p Page
	a.Want(tb, http.StatusOK).Read(tb, &p)
	return p
}

// IDs returns the ids on a page.
func (p Page) IDs() []int64 {
	ids := make([]int64, len(p.Results))
	for i, r := range p.Results {
		ids[i] = ID(r)
	}
	return ids
}

// ID returns the id of a decoded object.
func ID(object map[string]any) int64 {
	f, _ := object["id"].(float64)
	return int64(f)
}

// Read decodes an answer.
func (a Answer) Read(tb testing.TB, v any) {
	tb.Helper()
	if err := json.Unmarshal(a.Raw, v); err != nil {
		tb.Fatalf("%s %s: %v: %.500s", a.Call.Method, a.Call.Path, err, a.Raw)
	}
}
