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

// receipt is a request as it arrived, and what became of it.
type receipt struct {
	at, answered time.Time
	path         string
	delivery     int64 // 0 where the header is not one
	uuid         string
	sequence     string
	hash         [sha256.Size]byte // of the exact body
	secret       string            // the one that the signature belongs to, of those ever given to this path
	unsigned     bool
	forged       bool // signed, and by none of them
	formerSecret string
	status       int  // what was answered; 0 for nothing
	written      bool // all of the answer was handed to the system
	reset        bool // the connection was broken instead of an answer

	attempt *attempt // as the database knows it; found in the end
}

// ways to answer.
type manner string

const (
	well   manner = ""
	errs   manner = "500"
	busy   manner = "429"
	hangs  manner = "hang"
	resets manner = "reset"
)

// retryAfter is what the receiver asks for with 429.
const retryAfter = 2 * time.Second

// receiver writes down every request, and answers by path as configured.
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
	fussy    map[string]func(delivery int64, n int) int // answers of their own, by path
}

func newReceiver() (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{base: "http://" + l.Addr().String(), seen: map[int64]int{}, secrets: map[string][]string{}, manners: map[string]manner{},
		lifted: map[string]chan struct{}{}, fussy: map[string]func(int64, int) int{}}
	// broken connections are what is tested
	r.server = &http.Server{Handler: r, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(l) }() // until it is closed
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() } // its sockets are gone either way

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

// expect makes a path particular about its deliveries: the answer depends on the delivery
// and on how often it has come.
func (r *receiver) expect(path string, answers func(delivery int64, n int) int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fussy[path] = answers
}

// knows gives the receiver a secret before anybody can sign with it.
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
		panic(http.ErrAbortHandler) // the sender died in the middle: this is no request yet
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

// answer notes what is answered before the sender can know it, and afterwards whether it went out.
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

// trapPath is where redirects lead. Nobody may follow one.
const trapPath = "/trap"

// signedBy finds the secret that a signature was made with.
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

// deliveryNumber is the number that a delivery has in the database, or 0: the time in
// milliseconds and 21 bits of a counter, which stand at the two ends of the UUID.
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

// all is what arrived. It is read when nothing arrives any more.
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
