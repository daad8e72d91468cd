package delivery

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"terrier/internal/egress"
)

// TestOutcomes: each way in which a receiver can fail has its name in the metrics.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	status := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			<-r.Context().Done()
		case "/reset":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				err = conn.(*net.TCPConn).SetLinger(0)
			}
			if err != nil {
				t.Error(err)
			}
			_ = conn.Close() // that is the test
		case "/close":
			panic(http.ErrAbortHandler)
		default:
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(receiver.Close)
	dialled, err := net.Dial("tcp", receiver.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dialled.Close() })
	closed := "http://" + dialled.LocalAddr().String() // nobody listens there, and no other test can while this connection is open
	local, err := egress.ParsePolicy("127.0.0.1/32")
	if err != nil {
		t.Fatal(err)
	}
	noDNS := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("there is no DNS in this test")
	}}
	open := egress.New(egress.Config{Policy: local, Timeout: 5 * time.Second, Resolver: noDNS})
	strict := egress.New(egress.Config{})
	for _, test := range []struct {
		client  *egress.Client
		url     string
		status  int
		timeout time.Duration
		want    string
	}{
		{open, receiver.URL, 204, 0, "success"},
		{open, receiver.URL, 302, 0, "http_3xx"},
		{open, receiver.URL, 410, 0, "http_4xx"},
		{open, receiver.URL, 503, 0, "http_5xx"},
		{open, receiver.URL, 600, 0, "other"},
		{open, receiver.URL + "/slow", 0, time.Second, "timeout"},
		{open, receiver.URL + "/reset", 0, 0, "reset"},
		{open, receiver.URL + "/close", 0, 0, "reset"},
		{open, closed, 0, 0, "refused"},
		{open, "http://no-such-host.invalid/", 0, 0, "dns"},
		{open, strings.Replace(receiver.URL, "http:", "https:", 1), 0, 0, "tls"},
		{strict, receiver.URL, 0, 0, "egress_denied"},
		{open, "ftp://x/", 0, 0, "other"},
	} {
		status = test.status
		answer, err := test.client.Send(t.Context(), egress.Request{Method: http.MethodPost, URL: test.url, Timeout: test.timeout})
		if got := outcomeOf(answer.Status, err); got != test.want {
			t.Errorf("%s %d: %s, want %s (%v)", test.url, test.status, got, test.want, err)
		}
		if sent := !answer.SentAt.IsZero(); sent != (test.status != 0 || test.want == "timeout" || test.want == "reset") {
			t.Errorf("%s %d: a request was sent: %v", test.url, test.status, sent)
		}
	}
}
