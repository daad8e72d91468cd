package rest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/intake"
	"terrier/internal/ledger"
)

// The limits of a body.
const (
	maxObject = 1 << 20        // bytes of a single object
	maxBulk   = intake.Largest // bytes of a list of them
	maxItems  = 10_000         // objects in a list
	maxDepth  = 64             // objects and lists inside each other
	maxValues = 200_000        // values in all: one costs up to a hundred bytes, however short it is written
)

// body is a decoded request: one object, or a list of them.
type body struct {
	items []ledger.Input
	bulk  bool
}

// decode reads the body of a request. A list is allowed only where bulk is.
func decode(w http.ResponseWriter, r *http.Request, bulk bool) (body, error) {
	in, err := decodeValue(w, r, bulk)
	if err != nil {
		return body{}, err
	}
	switch v := in.(type) {
	case ledger.Input:
		return body{items: []ledger.Input{v}}, nil
	case []any:
		if bulk {
			return list(v)
		}
	}
	return body{}, errNoObject
}

func decodeValue(w http.ResponseWriter, r *http.Request, bulk bool) (any, error) {
	defer func() { _ = r.Body.Close() }() // gives back the memory for decoding
	if given := r.Header.Get("Content-Type"); given != "" {
		media, _, err := mime.ParseMediaType(given)
		if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media != "application/json" {
			return nil, fault.New(fault.Unsupported, "Unsupported media type %q in request.", given)
		}
	}
	raw, err := read(w, r, bulk)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(raw)
	dec.UseNumber()
	var in any
	if err := dec.Decode(&in); err != nil {
		return nil, parseError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "JSON parse error - there is more than one value")
	}
	return in, nil
}

var errNoObject = fault.Field(fault.General, "Invalid data. Expected a dictionary.")

// read reads the bytes: a list may be longer than an object, and the first character shows which it is.
func read(w http.ResponseWriter, r *http.Request, bulk bool) (io.Reader, error) {
	in := bufio.NewReader(r.Body)
	first, err := in.ReadByte()
	for err == nil && (first == ' ' || first == '\n' || first == '\r' || first == '\t') {
		first, err = in.ReadByte()
	}
	if errors.Is(err, io.EOF) {
		return strings.NewReader("{}"), nil
	}
	if err != nil {
		return nil, err
	}
	limit := int64(maxObject)
	if bulk && first == '[' {
		limit = maxBulk
	}
	raw := &pieces{{first}}
	var watch shape
	_, err = watch.Write((*raw)[0])
	if err == nil {
		err = raw.fill(io.TeeReader(http.MaxBytesReader(w, io.NopCloser(in), limit), &watch))
	}
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		err = fault.New(fault.TooLarge, "The request body is larger than %d bytes.", limit)
	}
	return raw, err
}

// pieces is a text that is not copied as it grows, and is released as it is read.
type pieces [][]byte

// fill reads everything.
func (p *pieces) fill(from io.Reader) error {
	for size := 1 << 10; ; size = min(2*size, intake.Small) {
		piece := make([]byte, size)
		n, err := io.ReadFull(from, piece)
		*p = append(*p, piece[:n])
		switch {
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (p *pieces) Read(b []byte) (int, error) {
	for len(*p) > 0 && len((*p)[0]) == 0 {
		(*p)[0] = nil
		*p = (*p)[1:]
	}
	if len(*p) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*p)[0])
	(*p)[0] = (*p)[0][n:]
	return n, nil
}

func list(items []any) (body, error) {
	if len(items) > maxItems {
		return body{}, fault.New(fault.TooLarge, "A request may hold at most %d objects.", maxItems)
	}
	out := body{bulk: true, items: make([]ledger.Input, len(items))}
	errs := make([]fault.Fields, len(items))
	bad := false
	for i, item := range items {
		object, ok := item.(ledger.Input)
		if !ok {
			errs[i] = fault.Fields{fault.General: {"Invalid data. Expected a dictionary."}}
			bad = true
		}
		out.items[i] = object
	}
	if bad {
		return body{}, &fault.Error{Kind: fault.Invalid, Items: errs}
	}
	return out, nil
}

func parseError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fault.New(fault.Invalid, "JSON parse error - the text ends too early")
	}
	return fault.New(fault.Invalid, "JSON parse error - %s", err.Error())
}

// shape watches a body as it arrives and refuses deep nesting and too many values before anything is built from them,
// and before the rest is read.
type shape struct {
	depth, values int
	text, escaped bool
}

func (s *shape) Write(chunk []byte) (int, error) {
	for i, c := range chunk {
		s.take(c)
		if s.depth > maxDepth {
			return i, fault.New(fault.Invalid, "JSON parse error - more than %d levels deep", maxDepth)
		}
		if s.values > maxValues {
			return i, fault.New(fault.TooLarge, "A request may hold at most %d values.", maxValues)
		}
	}
	return len(chunk), nil
}

func (s *shape) take(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case s.text && c == '\\':
		s.escaped = true
	case c == '"':
		s.text = !s.text
	case s.text:
	case c == '{' || c == '[':
		s.depth++
		s.values++
	case c == '}' || c == ']':
		s.depth--
	case c == ',':
		s.values++
	}
}
