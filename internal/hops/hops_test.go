package hops_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terrier/internal/account"
	"terrier/internal/hops"
)

func ring(t *testing.T, current string, old ...string) *account.Keyring {
	t.Helper()
	for i, s := range old {
		old[i] = strings.Repeat(s, account.MinSecret)
	}
	keys, err := account.NewKeyring(strings.Repeat(current, account.MinSecret), old)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestAsk: only who has one of the server's keys gets an answer, for a minute, and an answer counts only from a server
// with the key.
func TestAsk(t *testing.T) {
	t.Parallel()
	ours := ring(t, "a")
	for _, c := range []struct {
		name   string
		server *account.Keyring
		ahead  time.Duration
		wants  error
	}{
		{name: "the same key", server: ours},
		{name: "ours is an old key there", server: ring(t, "b", "a"), wants: hops.ErrNotOurs}, // it answers with a key that we lack
		{name: "another key", server: ring(t, "b"), wants: hops.ErrNotOurs},
		{name: "a clock that is a little wrong", server: ours, ahead: 50 * time.Second},
		{name: "an old request", server: ours, ahead: 2 * time.Minute, wants: hops.ErrNotOurs},
		{name: "a request of the future", server: ours, ahead: -2 * time.Minute, wants: hops.ErrNotOurs},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				nonce, ok := hops.Asked(c.server, r, time.Now().Add(c.ahead))
				if !ok || r.URL.Path != hops.Path {
					http.NotFound(w, r)
					return
				}
				_ = hops.Answer(w, c.server, nonce, hops.Seen{Peer: "192.0.2.9", ForwardedFor: r.Header.Values("X-Forwarded-For")})
			}))
			t.Cleanup(server.Close)
			seen, err := hops.Ask(t.Context(), server.Client(), ours, server.URL+"/")
			if !errors.Is(err, c.wants) || err == nil && (seen.Peer != "192.0.2.9" || seen.ForwardedFor[0] != hops.Forged) {
				t.Errorf("%+v, %v", seen, err)
			}
		})
	}
}

// TestAnswerIsProven: an answer that somebody changed on its way, or recorded earlier, does not count.
func TestAnswerIsProven(t *testing.T) {
	t.Parallel()
	keys := ring(t, "a")
	recorded := httptest.NewRecorder()
	if err := hops.Answer(recorded, keys, "another nonce", hops.Seen{}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range recorded.Header() {
			w.Header()[name] = values
		}
		_, _ = w.Write(recorded.Body.Bytes())
	}))
	t.Cleanup(server.Close)
	if _, err := hops.Ask(context.Background(), server.Client(), keys, server.URL); !errors.Is(err, hops.ErrNotOurs) {
		t.Errorf("%v", err)
	}
}
