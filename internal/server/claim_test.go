package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terrier/internal/account"
	"terrier/internal/store"
)

// tokens is a store of one token, which counts how often it is looked up.
type tokens struct {
	token *account.TokenRecord
	looks int
}

func (s *tokens) LoadToken(context.Context, [][]byte) (*account.TokenRecord, error) {
	s.looks++
	return s.token, nil
}
func (s *tokens) TouchToken(context.Context, int64, time.Time) error { return nil }
func (s *tokens) RehashToken(context.Context, int64, []byte) error   { return nil }

// marked is a route that says it proves claims of GET and POST.
type marked struct{ http.Handler }

func (marked) ProvesClaim(method string) bool {
	return method == http.MethodGet || method == http.MethodPost
}

// TestOnlyMarkedRoutesRunOnAClaim: an unmarked route runs once, for a caller who was looked up. A marked one first
// runs on the claim, if its method is marked and its body is small; if that proves nothing, it runs again after a
// lookup, with the same body.
func TestOnlyMarkedRoutesRunOnAClaim(t *testing.T) {
	t.Parallel()
	keys, err := account.NewKeyring(strings.Repeat("k", 60), nil)
	if err != nil {
		t.Fatal(err)
	}
	key := strings.Repeat("0123456789", 4)
	known := &tokens{token: &account.TokenRecord{ID: 1, Digest: keys.TokenDigest(key), User: account.UserRecord{ID: 1, Active: true}}}
	s := &Server{Auth: &account.Authenticator{Tokens: known, Keys: keys, Log: slog.New(slog.DiscardHandler), Now: time.Now},
		Log: slog.New(slog.DiscardHandler), Now: time.Now}
	var runs []string
	route := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body := make([]byte, 8)
		n, _ := r.Body.Read(body)
		who := "known "
		if store.Unproven(r.Context()) {
			who = "claimed "
		}
		runs = append(runs, who+string(body[:n]))
	})
	mux := http.NewServeMux()
	mux.Handle("/unmarked/{$}", route)
	mux.Handle("/marked/{$}", marked{route})
	h := s.observe(s.identify(mux))
	ask := func(method, path, body string) {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Token "+key)
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	ask(http.MethodGet, "/unmarked/", "") // leaves a claim
	for _, row := range []struct{ method, path, body, want string }{
		{http.MethodGet, "/unmarked/", "", "known "},
		{http.MethodPost, "/unmarked/", "b", "known b"},
		{http.MethodGet, "/marked/", "", "claimed ,known "},
		{http.MethodPost, "/marked/", "b", "claimed b,known b"},
		{http.MethodDelete, "/marked/", "", "known "},
		{http.MethodPost, "/marked/", strings.Repeat("b", 65<<10), "known bbbbbbbb"},
	} {
		runs, known.looks = nil, 0
		ask(row.method, row.path, row.body)
		if got := strings.Join(runs, ","); got != row.want || known.looks != 1 {
			t.Errorf("%s %s: run as %q with %d lookups, want %q with one", row.method, row.path, got, known.looks, row.want)
		}
	}
}
