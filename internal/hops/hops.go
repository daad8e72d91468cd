// Package hops owns how `terrier doctor` asks a running server what it saw of a request: the peer, the X-Forwarded-For
// that proxies wrote, and the address that was taken for the client's.
//
// Only a process with the secret key gets an answer. For everybody else the address does not exist, so that nobody
// learns the addresses of proxies. An answer proves that it comes from a server with the same key.
package hops

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Path is where a server answers.
const Path = "/healthz/hops"

const (
	proofHeader = "X-Terrier-Proof"
	validFor    = time.Minute // how far the clocks of the two may differ
	maxAnswer   = 16 << 10
)

// Forged is an address for documentation (RFC 5737) that Ask sends as X-Forwarded-For, as a client may that lies about its own.
const Forged = "192.0.2.1"

// Keys proves messages between processes that share a secret.
type Keys interface {
	Prove(message []byte) string
	Proven(message []byte, proof string) bool
}

// Seen is what a server saw of a request.
type Seen struct {
	Peer         string   `json:"peer"` // without the port
	PeerTrusted  bool     `json:"peer_trusted"`
	ForwardedFor []string `json:"forwarded_for"` // the values of the header, as they came
	Client       string   `json:"client"`        // what the server takes for the client's address
}

// ErrNotOurs is the error for an answer that no server with our secret key gave.
var ErrNotOurs = errors.New("no server with this secret key answered")

func askMessage(at, nonce string) []byte { return []byte("hops ask\n" + at + "\n" + nonce) }

func answerMessage(nonce string, body []byte) []byte {
	return append([]byte("hops answer\n"+nonce+"\n"), body...)
}

// Asked reports whether a request was made by Ask with our key, just now, and returns its nonce.
func Asked(keys Keys, r *http.Request, now time.Time) (nonce string, ok bool) {
	at, rest, _ := strings.Cut(r.Header.Get(proofHeader), ".")
	nonce, proof, _ := strings.Cut(rest, ".")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > validFor || !keys.Proven(askMessage(at, nonce), proof) {
		return "", false
	}
	return nonce, true
}

// Answer sends what was seen, with a proof.
func Answer(w http.ResponseWriter, keys Keys, nonce string, seen Seen) error {
	body, err := json.Marshal(seen)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(proofHeader, keys.Prove(answerMessage(nonce, body)))
	_, _ = w.Write(body) // a caller that has gone away is not an error here
	return nil
}

// Ask asks the server behind an address what it sees of this request.
func Ask(ctx context.Context, client *http.Client, keys Keys, base string) (seen Seen, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+Path, nil)
	if err != nil {
		return seen, err
	}
	at, nonce := strconv.FormatInt(time.Now().Unix(), 10), rand.Text()
	req.Header.Set(proofHeader, at+"."+nonce+"."+keys.Prove(askMessage(at, nonce)))
	req.Header.Set("X-Forwarded-For", Forged)
	resp, err := client.Do(req)
	if err != nil {
		return seen, err
	}
	defer func() { _ = resp.Body.Close() }() // only what was read matters
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return seen, err
	}
	if resp.StatusCode != http.StatusOK || !keys.Proven(answerMessage(nonce, body), resp.Header.Get(proofHeader)) {
		return seen, fmt.Errorf("%w: status %d", ErrNotOurs, resp.StatusCode)
	}
	return seen, json.Unmarshal(body, &seen)
}
