package egress

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func ok(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	_, _ = io.WriteString(w, "ok")
}

func TestSend(t *testing.T) {
	var got *http.Request
	var body []byte
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, "slow down")
	})
	c := newClient(t, func(config *Config) { config.UserAgent = "Terrier/1.2" })
	r := Request{
		Method: http.MethodPut, URL: server.URL + "/a%2Fb?key=secret", Body: []byte("data"),
		Header: http.Header{
			"x-hook-event": {"created"}, "Content-Type": {"application/json"}, "Host": {"evil"}, "Content-Length": {"99"},
			"Transfer-Encoding": {"chunked"}, "Expect": {"100-continue"}, "connection": {"close"}, "Upgrade": {"h2c"},
		},
	}
	for range 2 {
		answer := mustSend(t, c, r)
		if answer.Status != 429 || string(answer.Body) != "slow down" || answer.Truncated || answer.Header.Get("Retry-After") != "7" ||
			answer.Remote.String() != server.Listener.Addr().String() || answer.Duration <= 0 {
			t.Errorf("answer %+v", answer)
		}
		want := http.Header{"X-Hook-Event": {"created"}, "Content-Type": {"application/json"}, "User-Agent": {"Terrier/1.2"},
			"Content-Length": {"4"}}
		if got.Method != http.MethodPut || got.RequestURI != "/a%2Fb?key=secret" || string(body) != "data" ||
			got.Host != server.Listener.Addr().String() || fmt.Sprint(got.Header) != fmt.Sprint(want) || got.ContentLength != 4 {
			t.Errorf("request %+v", got)
		}
	}
	if len(r.Header) != 8 || server.conns.Load() != 1 {
		t.Errorf("header %v, %d connections", r.Header, server.conns.Load())
	}
	r.Header = http.Header{"User-Agent": {"custom"}}
	if mustSend(t, c, r); got.UserAgent() != "custom" {
		t.Errorf("user agent %q", got.UserAgent())
	}
}

func TestSendRefusesABadRequest(t *testing.T) {
	server := serve(t, ok)
	c := newClient(t)
	for _, tc := range []struct {
		change func(*Request)
		want   string
	}{
		{func(r *Request) { r.URL = "ftp://x" }, "http://"},
		{func(r *Request) { r.Header = http.Header{"X-A": {"secret\r\nX-B: 1"}} }, `invalid header field value for "X-A"`},
		{func(r *Request) { r.Header = http.Header{"X A": {"secret"}} }, "invalid header field name"},
		{func(r *Request) { r.Method = "PO ST" }, "invalid method"},
	} {
		r := post(server.URL)
		tc.change(&r)
		_, err := c.Send(context.Background(), r)
		if wantError(t, err, Invalid, tc.want); strings.Contains(err.Error(), "secret") {
			t.Error(err)
		}
	}
	if server.requests.Load() != 0 {
		t.Error("a bad request was sent")
	}
}

func TestErrorsHoldNoSecrets(t *testing.T) {
	closed := serve(t, ok)
	closed.Close()
	c := newClient(t, func(config *Config) {
		config.Resolver = resolve(t, func(string) []string { return nil })
	})
	for _, tc := range []struct {
		url  string
		kind Kind
		want string
	}{
		{closed.URL, Unreachable, "connection refused by " + closed.Listener.Addr().String()},
		{"http://nobody.example", Unresolved, "host not found"},
		{"http://10.0.0.1", Denied, "10.0.0.1 is not a public address"},
		{"http://user:canary@10.0.0.1", Invalid, "Authorization"},
		{"http://10.0.0.1:99999", Invalid, "port"},
	} {
		r := post(tc.url + "/canary?token=canary")
		r.Header = http.Header{"Authorization": {"Bearer canary"}}
		r.Body = []byte("canary")
		_, err := c.Send(context.Background(), r)
		wantError(t, err, tc.kind, tc.want)
		for ; err != nil; err = errors.Unwrap(err) {
			if strings.Contains(fmt.Sprintf("%v", err), "canary") {
				t.Errorf("%s: %v", tc.url, err)
			}
		}
	}
	_, err := c.Send(context.Background(), post("http://10.0.0.1/"))
	if refused, is := errors.AsType[*Refused](err); !is || refused.Addr.String() != "10.0.0.1:80" {
		t.Errorf("cause of %v", err)
	}
}

func TestCheckURL(t *testing.T) {
	for _, url := range []string{
		"http://example.com", "https://example.com/", "HTTPS://Example.COM:8443/a?b=c", "http://10.0.0.1:9000/x", "http://[::1]:9000/",
		"http://bücher.example/", "http://example.com./", "http://example.com:/",
	} {
		if err := CheckURL(url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, tc := range []struct{ url, want string }{
		{"", "must begin with"}, {"example.com/x", "must begin with"}, {"/x", "must begin with"}, {"//example.com", "must begin with"},
		{"ftp://example.com", "must begin with"}, {"http:example.com", "no host"}, {"http:///x", "no host"}, {"http://:80/", "no host"},
		{"http://user@example.com", "Authorization"}, {"http://u:canary@example.com", "Authorization"},
		{"http://example.com/#canary", "fragment"},
		{"http://example.com:0/", "port"}, {"http://example.com:65536/", "port"}, {"http://example.com:x/", "not understood"},
		{"http://[fe80::1%25eth0]/", "zone"}, {"http://exa mple.com/canary", "not understood"}, {"http://a\\b/", "not understood"},
		{"http://a/canary\n", "not understood"}, {"http://a/%zz", "not understood"},
	} {
		if err := CheckURL(tc.url); err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v, want %q", tc.url, err, tc.want)
		}
	}
}

func TestBodyIsCapped(t *testing.T) {
	const limit = 1000
	for _, tc := range []struct {
		name      string
		size      int
		zipped    bool
		kept      int
		truncated bool
		reused    bool
	}{
		{"empty", 0, false, 0, false, true},
		{"at the cap", limit, false, limit, false, true},
		{"over the cap", limit + 1, false, limit, true, true}, // the last byte came with the end
		{"far over the cap", 100 * limit, false, limit, true, false},
		{"compressed", limit, true, limit, false, true},
		{"compressed over the cap", limit + 1, true, limit, true, true},
		{"compressed far over the cap", 1000 * limit, true, limit, true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				out := io.Writer(w)
				if tc.zipped {
					w.Header().Set("Content-Encoding", "gzip")
					zipper := gzip.NewWriter(w)
					defer func() { _ = zipper.Close() }()
					out = zipper
				}
				_, _ = io.WriteString(out, strings.Repeat("x", tc.size))
			})
			c := newClient(t, func(config *Config) { config.MaxBody = limit })
			for range 2 {
				answer := mustSend(t, c, post(server.URL))
				if len(answer.Body) != tc.kept || answer.Truncated != tc.truncated || strings.Trim(string(answer.Body), "x") != "" {
					t.Errorf("%d bytes, truncated %v", len(answer.Body), answer.Truncated)
				}
			}
			if n := server.conns.Load(); tc.reused && n != 1 || !tc.reused && !tc.zipped && n != 2 {
				t.Errorf("%d connections", n)
			}
		})
	}
}

func TestConnectionsAreKept(t *testing.T) {
	together := make(chan struct{}, keptPerHost)
	release := make(chan struct{})
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		together <- struct{}{}
		<-release
		ok(w, r)
	})
	c := newClient(t)
	for range 5 {
		var group sync.WaitGroup
		for range keptPerHost {
			group.Go(func() {
				if _, err := c.Send(context.Background(), post(server.URL)); err != nil {
					t.Error(err)
				}
			})
		}
		for range keptPerHost {
			<-together
		}
		for range keptPerHost {
			release <- struct{}{}
		}
		group.Wait()
	}
	if n := server.conns.Load(); n != keptPerHost {
		t.Errorf("%d connections", n)
	}
}

// A receiver that closes idle connections between two sends causes no failed delivery.
func TestReceiverClosesIdleConnections(t *testing.T) {
	server := serve(t, ok)
	c := newClient(t)
	for range 50 {
		mustSend(t, c, post(server.URL))
		server.CloseClientConnections()
	}
	if n := server.requests.Load(); n != 50 {
		t.Errorf("%d requests", n)
	}
}

// If the receiver closes a connection just as it is used again, the request is repeated on a new one.
func TestKeptConnectionGoesAway(t *testing.T) {
	for _, tc := range []struct {
		name  string
		reset bool
		heals bool
		want  string
		conns int64
	}{
		{"closed", false, true, "", 2},
		{"reset", true, true, "", 2},
		{"closed again", false, false, "connection closed by 127.0.0.1", 2},
		{"reset again", true, false, "connection", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var conns atomic.Int64
			url := rawReceiver(t, func(conn net.Conn) {
				if conns.Add(1) == 1 || tc.heals {
					readRequest(conn)
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
				}
				if tc.reset {
					_, _ = conn.Read(make([]byte, 1)) // the rest is unread, so closing sends a reset
					return
				}
				readRequest(conn)
			})
			c := newClient(t)
			mustSend(t, c, post(url))
			answer, err := c.Send(context.Background(), post(url))
			if tc.want != "" {
				wantError(t, err, Broken, tc.want)
			} else if err != nil || string(answer.Body) != "ok" {
				t.Errorf("answer %+v, error %v", answer, err)
			}
			if conns.Load() != tc.conns {
				t.Errorf("%d connections", conns.Load())
			}
		})
	}
}

// If all kept connections are closed at once, as when the receiver restarts, the second try uses none of them.
func TestAllKeptConnectionsGoAway(t *testing.T) {
	const kept = 8
	var conns atomic.Int64
	all := make(chan struct{})
	url := rawReceiver(t, func(conn net.Conn) {
		n := conns.Add(1)
		if n == kept {
			close(all)
		}
		readRequest(conn)
		<-all
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		readRequest(conn)
	})
	c := newClient(t)
	var group sync.WaitGroup
	for range kept {
		group.Go(func() {
			if _, err := c.Send(context.Background(), post(url)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := conns.Load(); n < kept {
		t.Fatalf("%d connections are kept, want %d", n, kept)
	}
	for range kept {
		mustSend(t, c, post(url)) // it would fail on a second closed one
	}
}

// A request is never repeated after the receiver has begun to answer, or if it failed on a new connection.
func TestRequestIsNotRepeated(t *testing.T) {
	for _, begin := range []string{"", "H", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"} {
		var requests atomic.Int64
		url := rawReceiver(t, func(conn net.Conn) {
			if begin != "" {
				readRequest(conn)
				requests.Add(1)
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
			readRequest(conn)
			requests.Add(1)
			_, _ = io.WriteString(conn, begin)
		})
		c := newClient(t)
		if begin != "" {
			mustSend(t, c, post(url))
		}
		_, err := c.Send(context.Background(), post(url))
		if wantError(t, err, Broken, ""); begin == "" && requests.Load() != 1 || begin != "" && requests.Load() != 2 {
			t.Errorf("%q: %d requests", begin, requests.Load())
		}
	}
}

func TestCallerGivesUp(t *testing.T) {
	arrived := make(chan struct{})
	url := rawReceiver(t, func(conn net.Conn) { close(arrived); untilClosed(conn) })
	c := newClient(t)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-arrived; cancel() }()
	_, err := c.Send(ctx, post(url))
	if wantError(t, err, Cancelled, "cancelled"); !errors.Is(err, context.Canceled) {
		t.Errorf("cause of %v", err)
	}
	hanging := post(rawReceiver(t, untilClosed))
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = c.Send(ctx, hanging)
	wantError(t, err, Timeout, "no answer within ")
	wantError(t, err, Timeout, " ms") // what was left of the caller's time, not the client's 5 s
}

func TestTimeout(t *testing.T) {
	for _, tc := range []struct{ config, request, want time.Duration }{
		{0, 0, 10 * time.Second},
		{time.Second, 0, time.Second},
		{time.Hour, 0, 30 * time.Second},
		{time.Second, 20 * time.Second, 20 * time.Second},
		{0, time.Hour, 30 * time.Second},
		{-1, -1, 10 * time.Second},
	} {
		if got := New(Config{Timeout: tc.config}).timeout(Request{Timeout: tc.request}); got != tc.want {
			t.Errorf("%+v: %s", tc, got)
		}
	}
}

func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("send", func(t *testing.T) {
		server, hanging := serve(t, ok), rawReceiver(t, untilClosed)
		c := newClient(t, func(config *Config) { config.Timeout = short })
		var group sync.WaitGroup
		for range 20 {
			group.Go(func() {
				mustSend(t, c, post(server.URL))
				_, err := c.Send(context.Background(), post(hanging))
				wantError(t, err, Timeout, "")
				_, err = c.Send(context.Background(), post(strings.Replace(hanging, "http", "https", 1)))
				wantError(t, err, Timeout, "")
			})
		}
		group.Wait()
	})
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; <-ticker.C {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}
