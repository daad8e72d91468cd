package packed

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// leastSize is the size from which an answer is compressed. It fits into three packets: a smaller one would save nothing.
	leastSize = 4 << 10
	// held is how much of an answer waits in memory, compressed, until it is sent. The compressor of a smaller one is free
	// again before its client reads anything.
	held = 256 << 10
	// mostAtOnce bounds the memory of compressors, about 1 MiB each. While all are in use, other answers are sent plain.
	mostAtOnce = 16
)

// mediaTypes are what is compressed. Pictures already are, and events and lines of a stream must not wait for others.
var mediaTypes = []string{"application/json", "text/html", "text/csv"}

// Answers compresses the answers of a handler for clients that accept gzip. An answer that mixes a secret with text of the
// caller is sent plain: its compressed size would say how much the two have in common (BREACH).
func Answers(next http.Handler, secret bool) http.Handler {
	if secret {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Del("Content-Encoding") // a first run for a caller whose rights had changed may have left it
		a := &answer{ResponseWriter: w, headOnly: r.Method == http.MethodHead, accepted: acceptsGzip(r.Header.Values("Accept-Encoding"))}
		defer func() {
			if a.z != nil && !a.flushed { // a panic: the answer that says so is not compressed
				w.Header().Del("Content-Encoding")
			}
			a.release()
		}()
		next.ServeHTTP(a, r)
		a.end() // not after a panic: what is incomplete must not look complete
	})
}

// answer is an answer that may be compressed. As long as its size is not known, its beginning is kept.
type answer struct {
	http.ResponseWriter
	headOnly, accepted bool

	status    int          // that the handler has set; 0 before
	decided   bool         // the headers are sent, or about to be
	beginning []byte       // what is written before that is decided
	z         *gzip.Writer // nil for a plain answer
	out       bytes.Buffer // compressed, and not sent yet
	flushed   bool         // some of the answer is sent
}

var compressors = sync.Pool{New: func() any {
	z, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is valid
	}
	return z
}}

// inUse has an element for each compressor in use.
var inUse = make(chan struct{}, mostAtOnce)

func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader decides how to send the answer, if that is known already.
func (a *answer) WriteHeader(status int) {
	if status < http.StatusOK { // more headers will follow
		a.ResponseWriter.WriteHeader(status)
		return
	}
	if a.status != 0 {
		return
	}
	a.status = status
	h := a.Header()
	size, err := strconv.Atoi(h.Get("Content-Length"))
	switch {
	case !compressible(status, h):
		a.sendPlain()
	case err == nil:
		a.decide(size >= leastSize)
	case a.headOnly:
		a.sendPlain() // there is nothing to measure
	}
}

// compressible reports whether an answer with these headers is compressed, if it is long enough.
func compressible(status int, h http.Header) bool {
	media, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return slices.Contains(mediaTypes, strings.TrimSpace(media)) && h.Get("Content-Encoding") == "" &&
		status != http.StatusNoContent && status != http.StatusNotModified
}

func (a *answer) decide(long bool) {
	if h := a.Header(); long && !slices.Contains(h.Values("Vary"), "Accept-Encoding") {
		h.Add("Vary", "Accept-Encoding")
	}
	if !long || !a.accepted {
		a.sendPlain()
		return
	}
	if !a.headOnly {
		select {
		case inUse <- struct{}{}:
		default:
			a.sendPlain()
			return
		}
		a.z = compressors.Get().(*gzip.Writer)
		a.z.Reset(&a.out)
	}
	a.decided = true
	a.Header().Set("Content-Encoding", "gzip")
	a.Header().Del("Content-Length") // of the plain answer
	if a.headOnly {
		a.ResponseWriter.WriteHeader(a.status)
	}
}

func (a *answer) sendPlain() {
	a.decided = true
	a.ResponseWriter.WriteHeader(a.status)
}

func (a *answer) Write(b []byte) (int, error) {
	if a.status == 0 {
		if a.Header().Get("Content-Type") == "" {
			a.Header().Set("Content-Type", http.DetectContentType(b))
		}
		a.WriteHeader(http.StatusOK)
	}
	if !a.decided {
		if len(a.beginning)+len(b) < leastSize {
			a.beginning = append(a.beginning, b...)
			return len(b), nil
		}
		a.decide(true)
		if err := a.writeBeginning(); err != nil {
			return 0, err
		}
	}
	if a.z == nil {
		return a.ResponseWriter.Write(b)
	}
	_, _ = a.z.Write(b) // a bytes.Buffer takes everything
	if a.out.Len() < held {
		return len(b), nil
	}
	return len(b), a.send()
}

func (a *answer) writeBeginning() (err error) {
	b := a.beginning
	a.beginning = nil
	switch {
	case len(b) == 0:
	case a.z == nil:
		_, err = a.ResponseWriter.Write(b)
	default:
		_, _ = a.z.Write(b)
	}
	return err
}

// send sends what is compressed so far.
func (a *answer) send() error {
	if !a.flushed {
		a.flushed = true
		a.ResponseWriter.WriteHeader(a.status)
	}
	_, err := a.out.WriteTo(a.ResponseWriter)
	return err
}

// FlushError sends what is there. http.ResponseController calls it.
func (a *answer) FlushError() error {
	if a.status == 0 {
		a.WriteHeader(http.StatusOK)
	}
	if !a.decided {
		a.decide(true) // more will follow
		if err := a.writeBeginning(); err != nil {
			return err
		}
	}
	if a.z != nil {
		_ = a.z.Flush()
		if err := a.send(); err != nil {
			return err
		}
	}
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// end sends the rest. The compressor is given back before, because a client may read slowly.
func (a *answer) end() {
	switch {
	case a.status == 0: // nothing was written
	case !a.decided:
		a.sendPlain()
		_ = a.writeBeginning() // a client that has disconnected is not an error here
	case a.z != nil:
		_ = a.z.Close()
		a.release()
		if !a.flushed {
			a.Header().Set("Content-Length", strconv.Itoa(a.out.Len()))
		}
		_ = a.send()
	}
}

func (a *answer) release() {
	if a.z == nil {
		return
	}
	a.z.Reset(nil) // the pool must not keep the answer
	compressors.Put(a.z)
	a.z = nil
	<-inUse
}
