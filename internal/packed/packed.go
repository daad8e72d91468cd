// Package packed owns compression: content that is kept only in compressed form, and answers that are compressed for
// clients that accept it, as nearly all do.
package packed

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Body is compressed content.
type Body struct {
	gzipped []byte
	size    int // of what is in it; 0 where that is not known
}

// Of returns content that was compressed before.
func Of(gzipped []byte) Body { return Body{gzipped: gzipped} }

// Make compresses what write writes, as tightly as gzip can and always to the same bytes. The writer never fails.
func Make(write func(io.Writer)) Body {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	counted := &counter{w: z}
	write(counted)
	_ = z.Close() // a bytes.Buffer takes everything
	return Body{bytes.Clone(b.Bytes()), counted.n}
}

type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.w.Write(p)
}

// Bytes returns the compressed content.
func (b Body) Bytes() []byte { return b.gzipped }

// Unpack returns the content.
func (b Body) Unpack() []byte {
	content := bytes.NewBuffer(make([]byte, 0, b.size))
	b.unpackTo(content)
	return content.Bytes()
}

// Serve sends the content; for HEAD only its headers.
func (b Body) Serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	size := b.size
	accepted := acceptsGzip(r.Header.Values("Accept-Encoding"))
	if accepted {
		h.Set("Content-Encoding", "gzip")
		size = len(b.gzipped)
	}
	if size > 0 {
		h.Set("Content-Length", strconv.Itoa(size))
	}
	switch {
	case r.Method == http.MethodHead:
	case accepted:
		_, _ = w.Write(b.gzipped) // a caller that has gone away is not an error here
	default:
		b.unpackTo(w)
	}
}

func (b Body) unpackTo(w io.Writer) {
	plain, err := gzip.NewReader(bytes.NewReader(b.gzipped))
	if err != nil {
		panic(err) // it was compressed here, or when the program was built
	}
	_, _ = io.Copy(w, plain)
}

// acceptsGzip reads Accept-Encoding, in which ";q=0" is a refusal.
func acceptsGzip(header []string) bool {
	for offer := range strings.SplitSeq(strings.Join(header, ","), ",") {
		coding, parameter, _ := strings.Cut(offer, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		weight, given := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !given || (err == nil && q > 0)
	}
	return false
}
