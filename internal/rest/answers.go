package rest

import (
	"io"
	"net/http"
	"runtime"

	"terrier/internal/lasting"
	"terrier/internal/record"
	"terrier/internal/store"
)

// pieceBytes is the longest answer that is sent whole, with its length.
const pieceBytes = 2 << 20

// listing writes a list of records. When it gets too long to be held in memory, it is written as it grows.
type listing struct {
	a      *API
	w      http.ResponseWriter
	r      *http.Request
	status int
	buf    []byte
	to     io.Writer // once it has begun
	err    error     // the client is gone
}

// records appends records and releases each.
func (p *listing) records(t *record.Type, rows []record.Values, view record.View) {
	plan := t.Plan(view)
	p.buf = append(p.buf, '[')
	for i := range rows {
		if i > 0 {
			p.buf = append(p.buf, ',')
		}
		p.buf = p.a.Printer.Append(p.buf, rows[i], plan)
		rows[i] = record.Values{}
		if len(p.buf) > pieceBytes {
			p.flush()
		}
		if p.err != nil {
			return
		}
		if (i+1)%store.Breather == 0 {
			runtime.Gosched()
		}
	}
	p.buf = append(p.buf, ']')
}

func (p *listing) flush() {
	if p.to == nil {
		p.to = lasting.AnswerWriter(p.w, len(p.buf))
		p.a.head(p.w, p.status)
	}
	if p.r.Method != http.MethodHead && p.err == nil {
		_, p.err = p.to.Write(p.buf)
	}
	p.buf = p.buf[:0]
}

// end sends the rest.
func (p *listing) end() {
	if p.to == nil {
		p.a.send(p.w, p.r, p.status, p.buf)
		return
	}
	p.flush()
}
