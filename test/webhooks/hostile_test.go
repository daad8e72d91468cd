package webhooks_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"terrier/test/install"
)

const (
	hostileTimeout = 5 * time.Second
	hostileGrowth  = 64 << 20 // what hostile receivers may cost a worker
)

const head = "HTTP/1.1 200 OK\r\n"

// hostile receivers misbehave. Each function serves one connection.
var hostile = []struct {
	name   string
	scheme string // http where empty
	serve  func(net.Conn)
	state  string
	reason string
}{
	{"hang", "", untilClosed, "failed", "no answer within 5 s"},
	{"drip", "", func(c net.Conn) { say(c, head+"Content-Length: 100000\r\n\r\n"); every(c, 20*time.Millisecond, "x") }, "successful", ""},
	{"flood", "", func(c net.Conn) { say(c, head+"\r\n"); every(c, 0, block) }, "successful", ""}, // the answer was 200, and is cut
	{"gzip bomb", "", func(c net.Conn) { say(c, head+"Content-Encoding: gzip\r\n\r\n"); every(c, 0, zeros) }, "successful", ""},
	{"reset", "", func(c net.Conn) { readRequest(c); _ = c.(*net.TCPConn).SetLinger(0) }, "failed", "connection "},
	{"bad TLS", "https", func(c net.Conn) { _, _ = io.WriteString(c, "220 mail.example ESMTP\r\n"); untilClosed(c) }, "failed",
		"does not speak TLS"},
	{"redirect loop", "", func(c net.Conn) {
		say(c, "HTTP/1.1 302 Found\r\nLocation: /\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
	}, "failed", "302"},
	{"header flood", "", func(c net.Conn) { say(c, head); every(c, 0, strings.Repeat("X-A: b\r\n", 100)) }, "failed", "headers exceed 64 KiB"},
	{"endless 100-continue", "", func(c net.Conn) {
		readRequest(c)
		every(c, 0,
			strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 100))
	}, "failed", "headers exceed 64 KiB"},
	{"early close", "", readRequest, "failed", "connection closed by 127.0.0.1:"},
	{"wrong Content-Length", "", func(c net.Conn) { say(c, head+"Content-Length: 9\r\n\r\nok") }, "successful", ""},
	{"slow headers", "", func(c net.Conn) { say(c, head); every(c, 20*time.Millisecond, "X: y\r\n") }, "failed", "no answer within 5 s"},
	{"status zero", "", func(c net.Conn) { say(c, "HTTP/1.1 000 x\r\n\r\n") }, "failed", "the answer is not valid HTTP"},
}

// TestHostileReceivers notifies all of them of many changes at once, beside a receiver that behaves. It runs alone on
// the machine, because it measures times.
func TestHostileReceivers(t *testing.T) {
	const changes, quick = 20, 20
	w := newWorld(t, fmt.Sprint("WEBHOOK_TIMEOUT=", hostileTimeout))
	worker := w.Work()
	healthy := w.hook("/healthy", object{"secret": "a secret"})
	hooks, connections := make([]int64, len(hostile)), make([]atomic.Int64, len(hostile))
	for i, h := range hostile {
		url := rawReceiver(t, func(c net.Conn) { connections[i].Add(1); h.serve(c) })
		hooks[i] = w.hook("", object{"payload_url": strings.Replace(url, "http", cmp.Or(h.scheme, "http"), 1), "concurrency": changes,
			"conditions": object{"attr": "facility", "value": "hostile"}})
	}
	// latencies makes changes one by one, that only the healthy receiver is notified of, and returns how long each took to
	// arrive.
	notified := 0
	latencies := func() []time.Duration {
		t.Helper()
		all := make([]time.Duration, quick)
		for i := range all {
			began := time.Now()
			w.site(nil)
			notified++
			all[i] = w.receiver.awaitUnordered("/healthy", notified).Sub(began)
		}
		slices.Sort(all)
		return all
	}
	latencies() // warms everything up
	idle := latencies()
	before := worker.Memory("VmHWM")

	w.do(http.MethodPost, sitesPath, siteBodies(changes, "hostile"))
	notified += changes
	install.Eventually(t, "the hostile receivers should be busy", func() bool { return connections[0].Load() == changes })
	beside := latencies()
	for i, h := range hostile {
		w.run(h.name, func(t *testing.T) {
			for _, d := range w.ended(hooks[i], changes) {
				d.want(t, h.state, h.reason)
				if took := d.Finished.Sub(d.Queued); took > hostileTimeout+3*time.Second {
					t.Errorf("a delivery took %v", took)
				}
			}
			// One request each, whatever the receiver answers.
			if n := connections[i].Load(); n != changes {
				t.Errorf("%d connections for %d deliveries", n, changes)
			}
		})
	}
	for _, d := range w.ended(healthy, notified) {
		d.want(t, "successful", "")
	}
	grown := worker.Memory("VmHWM") - before
	figures := func(sorted []time.Duration) string {
		return fmt.Sprintf("%v, %v and %v", sorted[quick/2].Round(time.Millisecond), sorted[quick*9/10].Round(time.Millisecond),
			sorted[quick-1].Round(time.Millisecond))
	}
	t.Logf("%d hostile receivers, %d deliveries each: the worker grew by %.1f MiB over %.1f; the healthy receiver waited (p50, p90, "+
		"most) %s idle, and %s beside them",
		len(hostile), changes, float64(grown)/(1<<20), float64(before)/(1<<20), figures(idle), figures(beside))
	if grown > hostileGrowth {
		t.Errorf("the worker grew by %d MiB", grown>>20)
	}
	// A delivery to a hostile receiver takes at most its deadline.
	if beside[quick/2] > time.Second || beside[quick*9/10] > hostileTimeout/2 || beside[quick-1] > hostileTimeout {
		t.Errorf("a healthy receiver waited beside hostile ones: %v", beside)
	}
	if !worker.Running() {
		t.Errorf("the worker ended:\n%s", worker.Log())
	}
}

// awaitUnordered waits for the nth request to a path and returns when it came.
func (r *receiver) awaitUnordered(path string, n int) time.Time {
	r.t.Helper()
	install.Eventually(r.t, fmt.Sprintf("there should be %d requests to %s", n, path), func() bool { return r.count(path) >= n })
	return r.at(path)[n-1].at
}

// rawReceiver serves each connection with a function of the test's choice. The connection is closed when the function
// returns, and when the test ends.
func rawReceiver(t *testing.T, serve func(net.Conn)) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ending, end := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				hangUp := func() { _ = conn.Close() } // once too often does no harm
				defer hangUp()
				defer context.AfterFunc(ending, hangUp)()
				serve(conn)
			})
		}
	})
	t.Cleanup(func() {
		end()
		_ = listener.Close() // it was only listened on
		serving.Wait()
	})
	return "http://" + listener.Addr().String()
}

// readRequest reads one request with its body, so that closing sends no reset. The body is JSON.
func readRequest(conn net.Conn) {
	buf := make([]byte, 4096)
	var got []byte
	for !bytes.HasSuffix(got, []byte("}}")) {
		n, err := conn.Read(buf)
		if err != nil {
			return
		}
		got = append(got, buf[:n]...)
	}
}

// say reads the request and starts an answer.
func say(conn net.Conn, text string) {
	readRequest(conn)
	_, _ = io.WriteString(conn, text) // the sender may be gone
}

// untilClosed waits until the other side hangs up.
func untilClosed(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// every writes a piece repeatedly until the other side closes the connection.
func every(conn net.Conn, pause time.Duration, piece string) {
	if pause == 0 {
		for {
			if _, err := io.WriteString(conn, piece); err != nil {
				return
			}
		}
	}
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(conn, piece); err != nil {
			return
		}
	}
}

var (
	block = strings.Repeat("x", 1<<16)
	zeros = zipped(1 << 20) // a gigabyte when it is sent a thousand times
)

func zipped(size int) string {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, _ = zip.Write(make([]byte, size)) // to memory
	_ = zip.Close()
	return out.String()
}
