package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Writer writes records as they come and keeps none: Begin, Write for each, Close.
type Writer struct {
	w *bufio.Writer
	encoder
}

// encoder is one format.
type encoder interface {
	// Begin writes what precedes the first record.
	Begin() error
	// Write writes one record.
	Write(v record.Values) error
	// end writes what follows the last one.
	end() error
}

// NewWriter makes a Writer. Secrets are never written.
func NewWriter(w io.Writer, t *record.Type, defs []*record.Custom, f Format, p *record.Printer) *Writer {
	out := &Writer{w: bufio.NewWriter(w)}
	switch f {
	case CSV:
		out.encoder = newCSVEncoder(out.w, t, defs, p)
	case JSON:
		out.encoder = &jsonEncoder{w: out.w, print: printed(t, p)}
	case YAML:
		out.encoder = &yamlEncoder{w: out.w, print: printed(t, p)}
	default:
		out.encoder = unknownFormat(f)
	}
	return out
}

// Close ends the file and flushes. The writer below stays open.
func (w *Writer) Close() error {
	if err := w.end(); err != nil {
		return err
	}
	return w.w.Flush()
}

// leftOut reports whether a file lacks a field: secrets, and what only the API shows.
func leftOut(f record.Field, in record.Info) bool {
	_, secret := record.SecrecyOf(f)
	return secret || in.Hidden || in.IsForAPI()
}

// printed writes a record as the API does, without the fields that files lack.
func printed(t *record.Type, p *record.Printer) func([]byte, record.Values) []byte {
	var omit []string
	for i, f := range t.All() {
		if leftOut(f, t.Infos()[i]) {
			omit = append(omit, t.Infos()[i].Name)
		}
	}
	plan := t.Plan(record.View{Omit: omit})
	return func(dst []byte, v record.Values) []byte { return p.Append(dst, v, plan) }
}

// jsonEncoder writes one record a line, so that files can be compared.
type jsonEncoder struct {
	w     *bufio.Writer
	print func([]byte, record.Values) []byte
	buf   []byte
	some  bool
}

func (e *jsonEncoder) Begin() error { return e.w.WriteByte('[') }

func (e *jsonEncoder) Write(v record.Values) error {
	e.buf = e.buf[:0]
	if e.some {
		e.buf = append(e.buf, ',')
	}
	e.some = true
	e.buf = e.print(append(e.buf, '\n'), v)
	_, err := e.w.Write(e.buf)
	return err
}

func (e *jsonEncoder) end() error {
	end := "]\n"
	if e.some {
		end = "\n]\n"
	}
	_, err := e.w.WriteString(end)
	return err
}

type yamlEncoder struct {
	w     *bufio.Writer
	print func([]byte, record.Values) []byte
	buf   []byte
	some  bool
}

func (e *yamlEncoder) Begin() error { return nil }

func (e *yamlEncoder) Write(v record.Values) error {
	e.some = true
	e.buf = e.print(e.buf[:0], v)
	dec := json.NewDecoder(bytes.NewReader(e.buf))
	dec.UseNumber()
	object, err := decodeOrdered(dec)
	if err != nil {
		return err
	}
	e.buf = appendYAML(e.buf[:0], []any{object}, 0)
	_, err = e.w.Write(e.buf)
	return err
}

func (e *yamlEncoder) end() error {
	if e.some {
		return nil
	}
	_, err := e.w.WriteString("[]\n")
	return err
}

// unknownFormat is refused before anything is written.
type unknownFormat Format

func (f unknownFormat) Begin() error              { return noFormat(Format(f)) }
func (f unknownFormat) Write(record.Values) error { return noFormat(Format(f)) }
func (f unknownFormat) end() error                { return noFormat(Format(f)) }

func noFormat(f Format) error {
	return fault.Field("format", "The format %q is unknown: use csv, json or yaml.", string(f))
}
