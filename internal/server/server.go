// Package server owns the entrance to the program: request ids, authentication, protection against other sites, the
// log line of each request, recovery, health.
//
// rest and web own the addresses; the server passes them requests whose caller is known.
package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"terrier/internal/access"
	"terrier/internal/account"
	"terrier/internal/fault"
	"terrier/internal/hops"
	"terrier/internal/lasting"
	"terrier/internal/ledger"
	"terrier/internal/rest"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/web/assets"
)

// requestTimeout is longer than a statement may take and shorter than the server waits.
const requestTimeout = 25 * time.Second

// Server answers requests.
type Server struct {
	API      *rest.API
	Site     *web.Site
	Auth     *account.Authenticator
	Sessions *account.Sessions
	Proxies  account.Proxies
	Ready    func(context.Context) error // returns why the process should get no requests, or nil
	Waiting  func() []string             // says what requests wait for; nil where none do
	BaseURL  string
	Log      *slog.Logger
	Now      func() time.Time
	Observer Observer // nil: nobody

	muxes   []*http.ServeMux // each serves what the one before has only under "/"
	origins *http.CrossOriginProtection
}

// Handler returns everything the server answers.
func (s *Server) Handler() (http.Handler, error) {
	s.origins = http.NewCrossOriginProtection()
	if err := s.origins.AddTrustedOrigin(s.BaseURL); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	s.API.Mount(mux)
	s.Site.Mount(mux)
	outer := http.NewServeMux()
	outer.Handle("/", s.identify(mux))
	outer.Handle(assets.Prefix, s.Site.Static())
	s.MountProbes(outer)
	s.muxes = []*http.ServeMux{outer, mux}
	return s.observe(s.recover(s.bounded(outer))), nil
}

// bounded refuses an address that is too long.
func (s *Server) bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.RequestURI) > ledger.LongestAddress {
			s.fail(w, r, ledger.ErrLongAddress)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// route is an address outside the API and the pages, for machines without an account: it needs no lookup of a caller.
type route struct {
	pattern string
	handle  http.HandlerFunc
}

// MountProbes adds the addresses for machines to a mux.
func (s *Server) MountProbes(mux *http.ServeMux) {
	for _, r := range s.routes() {
		mux.HandleFunc(r.pattern, r.handle)
	}
}

// Patterns lists these addresses, so that tests can check each.
func (s *Server) Patterns() []string {
	var patterns []string
	for _, r := range s.routes() {
		patterns = append(patterns, r.pattern)
	}
	return patterns
}

func (s *Server) routes() []route {
	return []route{
		{"GET /healthz", s.healthz},
		{"GET /readyz", s.readyz},
		{"GET " + hops.Path, s.hops},
	}
}

// fail answers with an error, in the form of the API or as a page.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if strings.HasPrefix(r.URL.Path, "/api/") {
		s.API.Fail(w, r, err)
		return
	}
	s.Site.Fail(w, r, err)
}

func (s *Server) healthz(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok\n") }

func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	if err := s.Ready(r.Context()); err != nil {
		s.Log.WarnContext(r.Context(), "not ready", "error", err)
		reason := "the log holds the reason"
		if e, ok := errors.AsType[*fault.Error](err); ok {
			reason = e.Detail
		}
		writeText(w, http.StatusServiceUnavailable, "not ready: "+reason+"\n")
		return
	}
	text := "ready\n"
	if s.Waiting != nil {
		for _, what := range s.Waiting() {
			text += "waiting for " + what + "\n"
		}
	}
	writeText(w, http.StatusOK, text)
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // a caller that has gone away is not an error here
}

// observe gives the request its id and time limit, the answer its security headers, and
// the log its one line.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.Now()
		from := s.client(r)
		caller := &ledger.Caller{Subject: &access.Subject{Address: from}, RequestID: uuid.NewString(), From: from, Way: "page"}
		if strings.HasPrefix(r.URL.Path, "/api/") {
			caller.Way = "API"
		}
		h := w.Header()
		h.Set("X-Request-ID", caller.RequestID)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		h.Set("Referrer-Policy", "same-origin")
		if strings.HasPrefix(s.BaseURL, "https://") {
			h.Set("Strict-Transport-Security", "max-age=31536000") // a year, for this host name, on every port
		}
		ctx, cancel := lasting.Within(ledger.WithCaller(r.Context(), *caller), requestTimeout)
		defer cancel()
		out := &recorder{ResponseWriter: w, caller: caller}
		if s.Observer != nil {
			end := s.Observer.Begin(s.route(r), r.Method)
			defer func() { end(cmp.Or(out.status, http.StatusOK)) }() // also when a panic ends the connection
		}
		next.ServeHTTP(out, r.WithContext(ctx))
		s.Log.LogAttrs(ctx, slog.LevelInfo, "request", slog.String("method", r.Method), slog.String("path", r.URL.Path),
			slog.Int("status", out.status), slog.Int("bytes", out.bytes), slog.Int64("us", s.Now().Sub(start).Microseconds()),
			slog.String("user", caller.Username), slog.Int64("token", caller.TokenID), slog.String("from", from.String()),
			slog.String("request_id", caller.RequestID))
	})
}

// recorder remembers what was answered, and to whom. A caller who is only claimed gets no answer.
type recorder struct {
	http.ResponseWriter
	caller *ledger.Caller
	claim  *store.Claim // nil for a caller who was looked up
	status int
	bytes  int
}

func (w *recorder) silent() bool { return w.claim != nil && !w.claim.Proven }

func (w *recorder) WriteHeader(status int) {
	if w.silent() {
		return
	}
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.silent() {
		return len(b), nil
	}
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += n
	return n, err
}

func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recover turns a panic into an answer.
func (s *Server) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p) // this is how to end a connection without an answer
			}
			if p != nil {
				s.Log.ErrorContext(r.Context(), "panic", "panic", p, "path", r.URL.Path, "stack", string(debug.Stack()))
				if out, ok := w.(*recorder); ok {
					out.claim = nil // there is no second run that would answer
				}
				s.fail(w, r, errors.New("panic"))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// identify finds out who the caller is. A bad token is refused even where none is needed.
func (s *Server) identify(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.claimed(w, r, mux) {
			return
		}
		subject, err := s.subject(r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		serveAs(mux, w, r, subject)
	})
}

// Again finds out again who the caller of a request is whose answer lasts.
func (s *Server) Again(r *http.Request) (ledger.Caller, error) {
	caller := ledger.CallerFrom(r.Context())
	subject, err := s.subject(r)
	if err != nil {
		return caller, err
	}
	if caller.Subject = subject; subject == nil {
		caller.Subject = &access.Subject{Address: caller.From}
	}
	return caller, nil
}

// serveAs passes a request on with its caller.
func serveAs(next http.Handler, w http.ResponseWriter, r *http.Request, subject *access.Subject) {
	if subject == nil {
		next.ServeHTTP(w, r)
		return
	}
	caller := ledger.CallerFrom(r.Context())
	caller.Subject = subject
	w.(*recorder).caller.Subject = subject
	next.ServeHTTP(w, r.WithContext(ledger.WithCaller(r.Context(), caller)))
}

// client returns the address that a request comes from.
func (s *Server) client(r *http.Request) netip.Addr {
	return s.Proxies.ClientAddr(r.RemoteAddr, r.Header.Values("X-Forwarded-For"))
}

func (s *Server) subject(r *http.Request) (*access.Subject, error) {
	key, present, err := account.ParseAuthorization(r.Header.Get("Authorization"))
	if err != nil {
		return nil, err
	}
	if present {
		return s.Auth.ByToken(r.Context(), key, s.client(r))
	}
	// Without a token, a browser may be sending what another site makes it send.
	if err := s.origins.Check(r); err != nil {
		return nil, fault.New(fault.Denied, "CSRF Failed: %s", strings.TrimPrefix(err.Error(), "cross-origin request "))
	}
	cookie, err := r.Cookie(s.Sessions.CookieName())
	if err != nil {
		return nil, nil
	}
	return s.Auth.BySession(r.Context(), cookie.Value)
}
