package egress

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// short is the deadline of tests that reach it.
const short = time.Second

var loopback = mustPolicy("127.0.0.0/8,::1/128")

func mustPolicy(text string) Policy {
	p, err := ParsePolicy(text)
	if err != nil {
		panic(err)
	}
	return p
}

// TestMain silences net/http, which logs unexpected answers of receivers.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	m.Run()
}

// newClient makes a client that may dial loopback unless the config says otherwise.
func newClient(t testing.TB, change ...func(*Config)) *Client {
	config := Config{Policy: loopback, Timeout: 5 * time.Second}
	for _, f := range change {
		f(&config)
	}
	c := New(config)
	t.Cleanup(c.CloseIdle)
	return c
}

func post(url string) Request {
	return Request{Method: http.MethodPost, URL: url, Body: []byte(`{"event":"created"}`)}
}

func mustSend(t testing.TB, c *Client, r Request) Response {
	t.Helper()
	answer, err := c.Send(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func wantError(t testing.TB, err error, kind Kind, text string) {
	t.Helper()
	failed, ok := errors.AsType[*Error](err)
	if !ok || failed.Kind != kind || !strings.Contains(failed.Error(), text) {
		t.Errorf("error %v, want %s: %q", err, kind, text)
	}
}

// rawReceiver serves each connection with a function of the test's choice. The connection
// is closed when the function returns, and when the test ends.
func rawReceiver(t testing.TB, serve func(net.Conn)) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				stop := context.AfterFunc(contextOf(ended), func() { _ = conn.Close() })
				defer stop()
				serve(conn)
			}()
		}
	}()
	t.Cleanup(func() { close(ended); _ = listener.Close() })
	return "http://" + listener.Addr().String()
}

// contextOf returns a context that ends with a channel.
func contextOf(ended <-chan struct{}) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-ended; cancel() }()
	return ctx
}

// readRequest reads one request with its body, so that closing sends no reset.
func readRequest(conn net.Conn) {
	buf := make([]byte, 4096)
	var got []byte
	for !strings.HasSuffix(string(got), "}") {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		got = append(got, buf[:n]...)
	}
}

// untilClosed waits until the other side hangs up.
func untilClosed(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// every writes a piece again and again until the other side hangs up.
func every(conn net.Conn, pause time.Duration, piece string) {
	if pause == 0 {
		for {
			if _, err := io.WriteString(conn, piece); err != nil {
				return
			}
		}
	}
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for range ticker.C {
		if _, err := io.WriteString(conn, piece); err != nil {
			return
		}
	}
}

// counted serves HTTP and counts connections and requests.
type counted struct {
	*httptest.Server
	conns, requests atomic.Int64
}

func serve(t testing.TB, handler http.HandlerFunc) *counted {
	t.Helper()
	s := startable(handler)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func startable(handler http.HandlerFunc) *counted {
	s := &counted{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		handler(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	return s
}

// gate checks addresses after the policy: it counts what the policy lets through, and stops all but loopback, so that
// no test connects to the outside.
type gate struct{ passed atomic.Int64 }

var errGate = errors.New("the policy let this through")

func (g *gate) install(c *Client) {
	policy := c.dialer.ControlContext
	c.dialer.ControlContext = func(ctx context.Context, network, address string, raw syscall.RawConn) error {
		if err := policy(ctx, network, address, raw); err != nil {
			return err
		}
		g.passed.Add(1)
		if netip.MustParseAddrPort(address).Addr().IsLoopback() {
			return nil
		}
		return errGate
	}
}

// resolve makes a resolver that asks the test's own name server.
func resolve(t testing.TB, lookup func(name string) []string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(nameAnswer(buf[:n], lookup), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// nameAnswer answers a DNS query for A or AAAA.
func nameAnswer(query []byte, lookup func(name string) []string) []byte {
	const header = 12
	var labels []string
	at := header
	for query[at] != 0 {
		size := int(query[at])
		labels = append(labels, string(query[at+1:at+1+size]))
		at += size + 1
	}
	kind := binary.BigEndian.Uint16(query[at+1:])
	answer := append([]byte{}, query[:at+5]...)
	binary.BigEndian.PutUint16(answer[2:], 0x8180) // an answer, without error
	clear(answer[6:header])                        // no records yet
	for _, text := range lookup(strings.Join(labels, ".")) {
		addr := netip.MustParseAddr(text)
		if addr.Is4() != (kind == 1) {
			continue
		}
		rdata := addr.AsSlice()
		answer = append(answer, 0xc0, header) // the name of the question
		answer = binary.BigEndian.AppendUint16(answer, kind)
		answer = append(answer, 0, 1, 0, 0, 0, 0, 0, byte(len(rdata)))
		answer = append(answer, rdata...)
		answer[7]++
	}
	return answer
}
