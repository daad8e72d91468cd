// Command go is a receiver of Terrier's webhooks in Go, with nothing but the standard library.
//
//	PORT=9001 SECRET=… go run ./examples/receivers/go
package main

import (
	"crypto/hmac"
	"crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"
)

const maxBody = 16 << 20

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func main() {
	r := &receiver{secret: []byte(os.Getenv("SECRET")), seen: make(map[string]bool), newest: make(map[object]uint64)}
	if len(r.secret) == 0 {
		log.Fatal("SECRET is not set")
	}
	if text := os.Getenv("MAX_AGE"); text != "" {
		seconds, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			log.Fatal("MAX_AGE must be a number of seconds")
		}
		r.maxAge = time.Duration(seconds) * time.Second
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Getenv("PORT")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\n", listener.Addr())
	server := &http.Server{Handler: r, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

// receiver remembers in memory. A real one keeps both maps in its database, written in one transaction with whatever
// it does about the event.
type receiver struct {
	secret []byte
	maxAge time.Duration

	mu     sync.Mutex
	seen   map[string]bool   // deliveries
	newest map[object]uint64 // sequence numbers
}

type object struct {
	Model string
	ID    int64
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	status, line := r.receive(w, request)
	fmt.Println(line)
	w.WriteHeader(status)
}

func (r *receiver) receive(w http.ResponseWriter, request *http.Request) (status int, line string) {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, "refused method"
	}
	// The signature covers these bytes: decoding and encoding them again would give others.
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, maxBody))
	if tooLong := new(http.MaxBytesError); errors.As(err, &tooLong) {
		return http.StatusRequestEntityTooLarge, "refused long body"
	} else if err != nil {
		return http.StatusBadRequest, "refused broken body"
	}
	if !r.signed(body, request.Header.Get("X-Hook-Signature")) && !r.signed(body, request.Header.Get("X-Hook-Signature-Previous")) {
		return http.StatusUnauthorized, "refused signature"
	}
	if r.maxAge > 0 && !fresh(request.Header.Get("X-Hook-Timestamp"), r.maxAge) {
		return http.StatusUnauthorized, "refused timestamp"
	}
	delivery := request.Header.Get("X-Hook-Delivery")
	sequence, err := strconv.ParseUint(request.Header.Get("X-Hook-Sequence"), 10, 63)
	if err != nil || !uuid.MatchString(delivery) {
		return http.StatusBadRequest, "refused headers"
	}
	var event struct {
		Event string
		Model string
		Data  struct{ ID int64 }
	}
	if err := json.Unmarshal(body, &event); err != nil || event.Model == "" || event.Data.ID == 0 {
		return http.StatusBadRequest, "refused body"
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	of := object{event.Model, event.Data.ID}
	switch {
	case r.seen[delivery]:
		return http.StatusNoContent, "ignored " + delivery + " duplicate"
	case sequence <= r.newest[of]:
		return http.StatusNoContent, fmt.Sprintf("ignored %s stale: seq %d, known %d", delivery, sequence, r.newest[of])
	}
	// Here goes what the receiver is for. Work that takes longer than a second or two belongs on a queue.
	r.seen[delivery], r.newest[of] = true, sequence
	return http.StatusNoContent, fmt.Sprintf("accepted %s seq %d", delivery, sequence)
}

func (r *receiver) signed(body []byte, signature string) bool {
	mac := hmac.New(sha512.New, r.secret)
	mac.Write(body)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}

func fresh(timestamp string, maxAge time.Duration) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	return err == nil && time.Since(time.Unix(seconds, 0)).Abs() <= maxAge
}
