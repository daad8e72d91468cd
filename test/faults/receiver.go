package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// receipt is a request as it arrived, and its answer.
type receipt struct {
	at, answered time.Time
	path         string
	delivery     int64 // 0 if the header is not an id
	uuid         string
	sequence     string
	hash         [sha256.Size]byte // of the exact body
	secret       string            // the secret of the signature, among all that this path ever had
	unsigned     bool
	forged       bool // signed, but with none of these secrets
	formerSecret string
	status       int  // the status of the answer; 0 for none
	written      bool // the whole answer was written to the connection
	reset        bool // the connection was broken instead of an answer

	attempt *attempt // the attempt in the database; set at the end
}

// manner is a way to answer.
type manner string

const (
	well   manner = ""
	errs   manner = "500"
	busy   manner = "429"
	hangs  manner = "hang"
	resets manner = "reset"
)

// retryAfter is the wait that the receiver asks for with 429.
const retryAfter = 2 * time.Second

// receiver records every request, and answers by path as configured.
type receiver struct {
	server *http.Server
	base   string

	mu       sync.Mutex
	receipts []*receipt
	seen     map[int64]int // receipts by delivery
	secrets  map[string][]string
	manners  map[string]manner
	lifted   map[string]chan struct{} // closed when a path no longer hangs
	open     int
	fussy    map[string]func(delivery int64, n int) int // special answers, by path
}

func newReceiver() (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{base: "http://" + l.Addr().String(), seen: map[int64]int{}, secrets: map[string][]string{}, manners: map[string]manner{},
		lifted: map[string]chan struct{}{}, fussy: map[string]func(int64, int) int{}}
	// The log is discarded: broken connections are part of the test.
	r.server = &http.Server{Handler: r, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(l) }() // until it is closed
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() } // on an error its sockets are closed anyway

// behave sets how a path is answered.
func (r *receiver) behave(path string, m manner) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ch := r.lifted[path]; ch != nil {
		close(ch)
		delete(r.lifted, path)
	}
	r.manners[path] = m
	if m == hangs {
		r.lifted[path] = make(chan struct{})
	}
}

// expect sets special answers for a path. They depend on the delivery and on how often it has arrived.
func (r *receiver) expect(path string, answers func(delivery int64, n int) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fussy[path] = answers
}

// knows gives the receiver a secret before anything can be signed with it.
func (r *receiver) knows(path, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets[path] = append([]string{secret}, r.secrets[path]...) // the newest is the likeliest
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	got := &receipt{at: time.Now(), path: request.URL.Path, uuid: request.Header.Get("X-Hook-Delivery"),
		sequence: request.Header.Get("X-Hook-Sequence")}
	got.delivery = deliveryNumber(got.uuid)
	body, err := io.ReadAll(request.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the sender was killed while sending: this does not count as a request
	}
	r.mu.Lock()
	secrets, how, lifted, fussy := r.secrets[got.path], r.manners[got.path], r.lifted[got.path], r.fussy[got.path]
	r.mu.Unlock()
	got.hash = sha256.Sum256(body)
	got.secret, got.unsigned, got.forged = signedBy(secrets, body, request.Header["X-Hook-Signature"])
	got.formerSecret, _, _ = signedBy(secrets, body, request.Header["X-Hook-Signature-Previous"])
	r.mu.Lock()
	r.receipts = append(r.receipts, got)
	r.seen[got.delivery]++
	n := r.seen[got.delivery]
	r.open++
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		r.open--
		r.mu.Unlock()
	}()
	status := http.StatusOK
	switch how {
	case hangs:
		select {
		case <-lifted:
		case <-request.Context().Done():
			panic(http.ErrAbortHandler)
		}
	case resets:
		r.mu.Lock()
		got.reset = true
		r.mu.Unlock()
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			breakOff(c)
		}
		return
	case errs:
		status = http.StatusInternalServerError
	case busy:
		status = http.StatusTooManyRequests
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter/time.Second)))
	case well:
		if fussy != nil {
			status = fussy(got.delivery, n)
		}
	}
	r.answer(w, got, status)
}

// answer records the answer before the sender can get it, and afterwards whether it was written.
func (r *receiver) answer(w http.ResponseWriter, got *receipt, status int) {
	r.mu.Lock()
	got.status, got.answered = status, time.Now()
	r.mu.Unlock()
	if status >= 300 && status < 400 {
		w.Header().Set("Location", r.base+trapPath)
	}
	w.Header().Set("Content-Length", "3")
	w.WriteHeader(status)
	_, err := io.WriteString(w, "ok\n")
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	r.mu.Lock()
	got.written = err == nil
	r.mu.Unlock()
}

// trapPath is the target of redirects. Nobody may follow one.
const trapPath = "/trap"

// signedBy returns the secret that a signature was made with.
func signedBy(secrets []string, body []byte, signatures []string) (secret string, unsigned, forged bool) {
	if len(signatures) == 0 {
		return "", true, false
	}
	for _, s := range secrets {
		mac := hmac.New(sha512.New, []byte(s))
		mac.Write(body)
		if len(signatures) == 1 && hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signatures[0])) {
			return s, false, false
		}
	}
	return "", false, true
}

// deliveryNumber returns the id of a delivery in the database, or 0. It consists of the time in milliseconds and a counter of 21 bits.
// They are at the two ends of the UUID.
func deliveryNumber(uuid string) int64 {
	digits := strings.ReplaceAll(uuid, "-", "")
	if len(digits) != 32 {
		return 0
	}
	milliseconds, err := strconv.ParseInt(digits[:12], 16, 64)
	if err != nil {
		return 0
	}
	counter, err := strconv.ParseInt(digits[20:], 16, 64)
	if err != nil {
		return 0
	}
	return milliseconds<<21 | counter
}

func (r *receiver) count() (receipts, open int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.receipts), r.open
}

// all returns the requests that arrived. It is called when no more arrive.
func (r *receiver) all() []*receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*receipt(nil), r.receipts...)
}

// quiet waits until no request is open.
func (r *receiver) quiet(ctx context.Context) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, open := r.count(); open == 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
