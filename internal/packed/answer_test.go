package packed

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var page = bytes.Repeat([]byte(`{"id":7,"name":"Lisbon"},`), 1000)

// answering returns a handler that sends a body of a media type in pieces, with its length if that is asked for.
func answering(media string, body []byte, piece int, length bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		w.Header().Set("Vary", "Accept")
		w.Header().Set("ETag", `"5"`)
		if length {
			w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		}
		w.WriteHeader(http.StatusOK)
		if r.Method == http.MethodHead {
			return
		}
		for part := range slices.Chunk(body, piece) {
			if n, err := w.Write(part); n != len(part) || err != nil {
				panic("the rest was not taken")
			}
		}
	}
}

func asked(h http.Handler, method, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "/", nil)
	if accept != "" {
		r.Header.Set("Accept-Encoding", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func unpacked(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// These tests share the compressors of the process, so they run one after the other.

// TestAnswersAreCompressedWhenAsked: an answer of 4 KiB or more in JSON, HTML or CSV is compressed for a client that accepts gzip,
// however it is written. Its ETag stays, and caches learn that it depends on the client.
func TestAnswersAreCompressedWhenAsked(t *testing.T) {
	for name, row := range map[string]struct {
		media      string
		body       []byte
		accept     string
		compressed bool
		varies     bool
	}{
		"a list":                  {"application/json", page, "gzip", true, true},
		"a page":                  {"text/html; charset=utf-8", page, "gzip, deflate, br, zstd", true, true},
		"an export":               {"text/csv; charset=utf-8", page, "br;q=1.0, gzip;q=0.8", true, true},
		"refused by its weight":   {"application/json", page, "gzip;q=0, br", false, true},
		"nothing accepted":        {"application/json", page, "", false, true},
		"another coding accepted": {"application/json", page, "br", false, true},
		"just long enough":        {"application/json", page[:leastSize], "gzip", true, true},
		"too small":               {"application/json", page[:leastSize-1], "gzip", false, false},
		"empty":                   {"application/json", nil, "gzip", false, false},
		"a picture":               {"image/png", page, "gzip", false, false},
		"events":                  {"text/event-stream", page, "gzip", false, false},
		"lines":                   {"application/x-ndjson", page, "gzip", false, false},
	} {
		for _, length := range []bool{true, false} {
			for _, piece := range []int{100, leastSize, 1 << 20} {
				w := asked(Answers(answering(row.media, row.body, piece, length), false), http.MethodGet, row.accept)
				got := w.Body.Bytes()
				encoding, varies := w.Header().Get("Content-Encoding"), slices.Contains(w.Header().Values("Vary"), "Accept-Encoding")
				if row.compressed != (encoding == "gzip") || varies != row.varies || w.Header().Get("ETag") != `"5"` ||
					w.Header().Get("Vary") != "Accept" {
					t.Errorf("%s in pieces of %d: %v", name, piece, w.Header())
				}
				if sent := w.Header().Get("Content-Length"); sent != "" && sent != strconv.Itoa(len(got)) {
					t.Errorf("%s: %s bytes are announced, %d sent", name, sent, len(got))
				}
				if row.compressed {
					got = unpacked(t, got)
				}
				if !bytes.Equal(got, row.body) {
					t.Errorf("%s in pieces of %d: another answer", name, piece)
				}
			}
		}
	}
}

// TestHeadOfCompressedAnswer: HEAD has the headers of GET, but not the length of the plain answer.
func TestHeadOfCompressedAnswer(t *testing.T) {
	w := asked(Answers(answering("application/json", page, 1<<20, true), false), http.MethodHead, "gzip")
	if w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Content-Length") != "" || w.Body.Len() > 0 {
		t.Errorf("%v, %d bytes", w.Header(), w.Body.Len())
	}
}

// TestSecretIsSentPlain: an answer with a secret is never compressed.
func TestSecretIsSentPlain(t *testing.T) {
	w := asked(Answers(answering("application/json", page, 1<<20, true), true), http.MethodGet, "gzip")
	if w.Header().Get("Content-Encoding") != "" || !bytes.Equal(w.Body.Bytes(), page) {
		t.Errorf("%v", w.Header())
	}
}

// TestPackedContentIsSentAsItIs: what is compressed already is not compressed again.
func TestPackedContentIsSentAsItIs(t *testing.T) {
	noise := make([]byte, 20<<10)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	body := Make(func(w io.Writer) { _, _ = w.Write(noise) })
	w := asked(Answers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		body.Serve(w, r)
	}), false), http.MethodGet, "gzip")
	if !bytes.Equal(w.Body.Bytes(), body.Bytes()) {
		t.Errorf("sent %d bytes of %d", w.Body.Len(), len(body.Bytes()))
	}
}

// TestLongAnswerIsSentInParts: an answer that is made for minutes is not kept until its end, and one that is flushed is sent at
// once.
func TestLongAnswerIsSentInParts(t *testing.T) {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	var all []byte
	Answers(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.Header().Set("Content-Type", "text/csv")
		write := func(b []byte) {
			all = append(all, b...)
			_, _ = out.Write(b)
		}
		write([]byte("id,name\n"))
		if err := http.NewResponseController(out).Flush(); err != nil || w.Body.Len() == 0 {
			t.Errorf("flushed: %d bytes, %v", w.Body.Len(), err)
		}
		noise := make([]byte, 64<<10)
		for range 10 {
			for i := range noise {
				noise[i] = byte(rand.Uint32())
			}
			write(noise)
		}
		if w.Body.Len() < held {
			t.Errorf("of %d bytes only %d are sent", len(all), w.Body.Len())
		}
	}), false).ServeHTTP(w, r)
	if !bytes.Equal(unpacked(t, w.Body.Bytes()), all) {
		t.Error("another answer")
	}
}

// TestBrokenAnswerDoesNotLookComplete: if a handler ends with a panic, the compressed answer has no end, and its compressor can be
// used again.
func TestBrokenAnswerDoesNotLookComplete(t *testing.T) {
	w := httptest.NewRecorder()
	for range 2 * mostAtOnce {
		func() {
			defer func() { _ = recover() }()
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Accept-Encoding", "gzip")
			Answers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answering("application/json", page, 1<<20, false)(w, r)
				panic(http.ErrAbortHandler)
			}), false).ServeHTTP(w, r)
		}()
	}
	if w.Body.Len() > 0 || w.Header().Get("Content-Encoding") != "" { // what says that it failed is not compressed
		t.Errorf("%d bytes are sent, %v", w.Body.Len(), w.Header())
	}
	if w := asked(Answers(answering("application/json", page, 1<<20, true), false), http.MethodGet, "gzip"); w.Header().Get(
		"Content-Encoding") != "gzip" {
		t.Error("no compressor is left")
	}
}

// TestCompressorsAreBounded: while all compressors are in use, answers are sent plain. A reader of a small answer keeps none.
func TestCompressorsAreBounded(t *testing.T) {
	plain := answering("application/json", page, 1<<20, true)
	var nested func(depth int) http.Handler
	nested = func(depth int) http.Handler {
		return Answers(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			plain(w, r)
			if depth > 0 {
				got := asked(nested(depth-1), http.MethodGet, "gzip")
				if compressed := got.Header().Get("Content-Encoding") != ""; compressed != (depth > 1) {
					t.Errorf("compressed with %d compressors in use: %v", mostAtOnce-depth+1, compressed)
				}
			}
		}), false)
	}
	asked(nested(mostAtOnce), http.MethodGet, "gzip")
	w := &reader{ResponseRecorder: httptest.NewRecorder(), free: func() bool { return len(inUse) == 0 }}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Accept-Encoding", "gzip")
	if Answers(plain, false).ServeHTTP(w, r); !w.kept {
		t.Error("a compressor is held until the client has read a small answer")
	}
}

// reader notes whether the compressors are free when the answer is sent.
type reader struct {
	*httptest.ResponseRecorder
	free func() bool
	kept bool
}

func (r *reader) Write(b []byte) (int, error) {
	r.kept = r.free()
	return r.ResponseRecorder.Write(b)
}

// TestSecondRunStartsAnew: a first run of a request whose answer was dropped leaves no header behind.
func TestSecondRunStartsAnew(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Content-Encoding", "gzip")
	h := Answers(answering("application/json", page, 1<<20, true), false)
	if h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil)); w.Header().Get("Content-Encoding") != "" ||
		!strings.HasPrefix(w.Body.String(), "{") {
		t.Errorf("%v", w.Header())
	}
}
