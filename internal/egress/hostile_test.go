package egress

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const head = "HTTP/1.1 200 OK\r\n"

// hostileCase is a receiver that misbehaves. It serves one connection; the error is what the author of a webhook is
// shown, and empty if there is an answer.
type hostileCase struct {
	name  string
	tls   bool // the URL says https
	serve func(net.Conn)
	kind  Kind
	want  string
}

var hostile = []hostileCase{
	{"hang", false, untilClosed, Timeout, "no answer within 1 s"},
	{"hang in TLS", true, untilClosed, Timeout, "no answer within 1 s"},
	{"slow headers", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head)
		every(c, time.Millisecond, "X: y\r\n")
	}, Timeout, "no answer within"},
	{"drip headers", false, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, head); every(c, 5*time.Millisecond, "x") },
		Timeout, "no answer within"},
	{"drip body", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Length: 100000\r\n\r\n")
		every(c, 5*time.Millisecond, "x")
	}, Timeout, "no complete answer within 1 s"},
	{"drip chunks", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Transfer-Encoding: chunked\r\n\r\n")
		every(c, 5*time.Millisecond, "1\r\nx\r\n")
	}, Timeout, "no complete answer within"},
	{"body without end", false, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, head+"\r\n"); untilClosed(c) }, Timeout,
		"no complete answer within"},
	{"drip into a switched protocol", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n")
		every(c, 5*time.Millisecond, "x")
	}, "", ""},
	{"flood", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"\r\n")
		every(c, 0, block)
	}, "", ""},
	{"flood of chunks", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Transfer-Encoding: chunked\r\n\r\n")
		every(c, 0, "10000\r\n"+block+"\r\n")
	}, "", ""},
	{"flood of a chunk's extension", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Transfer-Encoding: chunked\r\n\r\n1;")
		every(c, 0, block)
	}, Broken, "the answer's body is not valid"},
	{"flood of trailers", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Transfer-Encoding: chunked\r\n\r\n0\r\n")
		every(c, 0, "X: "+block+"\r\n")
	}, Broken, "the answer's body is not valid"},
	{"flood of headers", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head)
		every(c, 0, strings.Repeat("X-A: b\r\n", 100))
	}, Broken, "headers exceed 64 KiB"},
	{"flood of short headers", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head)
		every(c, 0, strings.Repeat("a:\r\n", 100))
	}, Broken, "headers exceed 64 KiB"},
	{"one endless header", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"X: ")
		every(c, 0, block)
	}, Broken, "headers exceed 64 KiB"},
	{"endless status line", false, func(c net.Conn) { readRequest(c); every(c, 0, strings.Repeat("HTTP/1.1 200 ", 1<<12)) }, Broken,
		"headers exceed 64 KiB"},
	{"flood of 100", false, func(c net.Conn) { readRequest(c); every(c, 0, "HTTP/1.1 100 Continue\r\n\r\n") }, Broken,
		"headers exceed 64 KiB"},
	{"flood of 103", false, func(c net.Conn) { readRequest(c); every(c, 0, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n") }, Broken,
		"headers exceed 64 KiB"},
	{"drip of 103", false, func(c net.Conn) { readRequest(c); every(c, 5*time.Millisecond, "HTTP/1.1 103 Early Hints\r\n\r\n") },
		Timeout, "no answer within"},
	{"gzip bomb", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Encoding: gzip\r\n\r\n")
		every(c, 0, zeros)
	}, "", ""},
	{"gzip that holds nothing", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Encoding: gzip\r\n\r\n")
		every(c, 0, nothing)
	}, "", ""},
	{"gzip header without end", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03")
		every(c, 0, block)
	}, Broken, "the answer's body is not valid"},
	{"no gzip", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Encoding: gzip\r\n\r\nhello, this is text")
	}, Broken, "body is not valid"},
	{"gzip that breaks off", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")
	}, Broken, "no complete answer"},
	{"reset", false, func(c net.Conn) { _, _ = c.Read(make([]byte, 1)); _ = c.(*net.TCPConn).SetLinger(0) }, Broken, "no answer"},
	{"reset in the body", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Length: 9\r\n\r\nok")
		_ = c.(*net.TCPConn).SetLinger(0)
	}, Broken, "no"},
	{"close", false, readRequest, Broken, "connection closed by 127.0.0.1"},
	{"close in TLS", true, func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) }, Broken, "connection"},
	{"close in the headers", false, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, head+"X: y\r\n") }, Broken,
		"connection closed by"},
	{"too short a body", false, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, head+"Content-Length: 9\r\n\r\nok") },
		Broken, "no complete answer"},
	{"too long a body", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Connection: close\r\nContent-Length: 1\r\n\r\nok")
	}, "", ""},
	{"negative length", false, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, head+"Content-Length: -1\r\n\r\nok") },
		Broken, "not valid HTTP"},
	{"two lengths", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Length: 1\r\nContent-Length: 2\r\n\r\nok")
	}, Broken, "not valid HTTP"},
	{"huge length", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, head+"Content-Length: 9223372036854775807\r\n\r\n")
		untilClosed(c)
	}, Timeout, "no complete answer"},
	{"status 000", false, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, "HTTP/1.1 000 x\r\n\r\n") }, Broken,
		"the answer is not valid HTTP"},
	{"status 001", false, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, "HTTP/1.1 001 x\r\n\r\n") }, Broken,
		"the answer is not valid HTTP"},
	{"status 099", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, "HTTP/1.1 099 x\r\nContent-Length: 2\r\n\r\nok")
	}, Broken, "the answer is not valid HTTP"},
	{"garbage", false, func(c net.Conn) { readRequest(c); _, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.2p1 Debian\r\n\r\n") }, Broken,
		"not valid HTTP"},
	{"garbage instead of TLS", true, func(c net.Conn) { _, _ = io.WriteString(c, "220 mail.example ESMTP\r\n"); untilClosed(c) },
		Untrusted, "does not speak TLS"},
	{"HTTP instead of TLS", true, func(c net.Conn) { _, _ = io.WriteString(c, head+"\r\n"); untilClosed(c) }, Untrusted,
		"speaks HTTP, not HTTPS"},
	{"drip in TLS", true, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, "\x16\x03\x03\x40\x00")
		every(c, 5*time.Millisecond, "\x02")
	}, Timeout, "no answer within"},
	{"redirect to itself", false, func(c net.Conn) {
		readRequest(c)
		_, _ = io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
	}, "", ""},
}

func (h hostileCase) url(t testing.TB) string {
	url := rawReceiver(t, h.serve)
	if h.tls {
		url = strings.Replace(url, "http", "https", 1)
	}
	return url
}

func TestHostileReceivers(t *testing.T) {
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			r := post(h.url(t))
			if h.kind == Timeout {
				r.Timeout = short // the others end before any deadline
			}
			start := time.Now()
			answer, err := newClient(t).Send(context.Background(), r)
			if elapsed := time.Since(start); h.kind == Timeout && elapsed > short+2*time.Second {
				t.Errorf("it took %s", elapsed)
			}
			if h.kind == "" {
				if err != nil || answer.Status == 0 || len(answer.Body) > defaultMaxBody {
					t.Errorf("answer %d, %d bytes, error %v", answer.Status, len(answer.Body), err)
				}
				return
			}
			wantError(t, err, h.kind, h.want)
		})
	}
}

func TestNameServerHangs(t *testing.T) {
	ended := make(chan struct{})
	c := newClient(t, func(config *Config) {
		config.Timeout = short
		config.Resolver = resolve(t, func(string) []string { <-ended; return nil })
	})
	t.Cleanup(func() { close(ended) })
	_, err := c.Send(context.Background(), post("http://slow.example/"))
	wantError(t, err, Timeout, "no answer within 1 s")
}

// An answer without a request closes the connection; the next request gets its own answer.
func TestUnaskedAnswer(t *testing.T) {
	closed := make(chan struct{})
	var conns atomic.Int64
	url := rawReceiver(t, func(c net.Conn) {
		n := conns.Add(1)
		readRequest(c)
		_, _ = fmt.Fprintf(c, "%sContent-Length: 1\r\n\r\n%d", head, n)
		if n == 1 {
			_, _ = io.WriteString(c, head+"Content-Length: 6\r\n\r\nforged")
			untilClosed(c)
			close(closed)
		}
	})
	c := newClient(t)
	mustSend(t, c, post(url))
	<-closed
	if answer := mustSend(t, c, post(url)); string(answer.Body) != "2" {
		t.Errorf("answer %q", answer.Body)
	}
}

// All hostile receivers, many at once, cost a bounded amount of memory and leave a working client. The receivers' own
// memory is counted too.
func TestHostileReceiversTogether(t *testing.T) {
	const each = 10
	c := newClient(t)
	good := serve(t, ok)
	mustSend(t, c, post(good.URL))
	var urls []string
	for _, h := range hostile {
		urls = append(urls, h.url(t))
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	done := make(chan struct{})
	peak := make(chan uint64)
	go func() {
		ticker := time.NewTicker(5 * time.Millisecond)
		defer ticker.Stop()
		var most uint64
		for {
			select {
			case <-ticker.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapInuse+now.StackInuse)
			case <-done:
				peak <- most
				return
			}
		}
	}()
	var group sync.WaitGroup
	for _, url := range urls {
		for range each {
			group.Go(func() {
				r := post(url)
				r.Timeout = short
				_, _ = c.Send(context.Background(), r) // the test above judges each
			})
		}
	}
	group.Wait()
	close(done)
	grown := int64(<-peak) - int64(before.HeapInuse+before.StackInuse)
	t.Logf("%d requests at once: %.1f MiB", len(urls)*each, float64(grown)/(1<<20))
	if grown > 64<<20 {
		t.Errorf("grown by %d MiB", grown>>20)
	}
	mustSend(t, c, post(good.URL))
	if good.conns.Load() != 1 {
		t.Error("a good receiver's connection was lost")
	}
}

// Made once, because the receivers' memory is measured together with the client's.
var (
	block   = strings.Repeat("x", 1<<16)
	zeros   = zipped(1 << 20) // a gigabyte when sent a thousand times
	nothing = strings.Repeat(zipped(0), 1000)
)

func zipped(size int) string {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, _ = zip.Write(make([]byte, size)) // to memory
	_ = zip.Close()
	return out.String()
}
