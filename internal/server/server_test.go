package server

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"terrier/internal/rest"
	"terrier/internal/store"
)

// TestPanicIsAnswered: also if the caller is only claimed, when nothing else would be answered.
func TestPanicIsAnswered(t *testing.T) {
	t.Parallel()
	s := &Server{Log: slog.New(slog.DiscardHandler), API: &rest.API{Log: slog.New(slog.DiscardHandler)}, Now: time.Now}
	for name, claim := range map[string]*store.Claim{"looked up": nil, "claimed": {}, "proven": {Proven: true}} {
		h := s.observe(s.recover(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.(*recorder).claim = claim
			panic("x")
		})))
		out := httptest.NewRecorder()
		h.ServeHTTP(out, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/dcim/sites/", nil))
		if out.Code != http.StatusInternalServerError || out.Body.Len() == 0 {
			t.Errorf("%s: %d %s", name, out.Code, out.Body)
		}
	}
}
