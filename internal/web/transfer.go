package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/transfer"
)

// How long an export may take, and how long it waits for a client that reads nothing.
const (
	exportTime = 10 * time.Minute
	stallTime  = time.Minute
)

var mediaTypes = map[transfer.Format]string{
	transfer.CSV: "text/csv; charset=utf-8", transfer.JSON: "application/json", transfer.YAML: "application/yaml",
}

// export sends a list as a file: all matching records that the caller may see.
func (p *TypePages) export(v *Visit) error {
	params, err := ledger.Params(v.R.URL.RawQuery)
	if err != nil {
		return err
	}
	params = Filled(params)
	format := transfer.Format(cmp.Or(params.Get("format"), string(transfer.CSV)))
	if !slices.Contains(transfer.Formats, format) {
		return fault.Field("format", "The format %q is unknown: use csv, json or yaml.", string(format))
	}
	q, err := p.site.Ledger.Query(v.Ctx, p.Type, params)
	if err != nil {
		return err
	}
	if len(q.Order) == 0 {
		q.Order = []string{"id"}
	}
	q.Count = store.CountNone
	defs, err := p.customs(v)
	if err != nil {
		return err
	}
	return p.sendExport(v, q, format, defs)
}

func (p *TypePages) sendExport(v *Visit, q store.Query, format transfer.Format, defs []*record.Custom) error {
	ctx, cancel := lasting(v.Ctx, exportTime)
	defer cancel()
	out := transfer.NewWriter(&patient{v.W, http.NewResponseController(v.W)}, p.Type, defs, format, p.site.Ledger.Printer)
	begun := false
	for page, err := range p.everything(ctx, v.Caller, q) {
		if err == nil && !begun {
			p.attach(v, format, "")
			begun, err = true, out.Begin()
		}
		for i := 0; err == nil && i < len(page.Rows); i++ {
			err = out.Write(page.Rows[i])
		}
		switch {
		case err != nil && !begun:
			return err
		case err != nil:
			p.breakOff(v, err)
		}
	}
	if err := out.Close(); err != nil {
		p.breakOff(v, err)
	}
	return nil
}

// attach sets the headers that make the answer a file.
func (p *TypePages) attach(v *Visit, format transfer.Format, what string) {
	h := v.W.Header()
	h.Set("Content-Type", mediaTypes[format])
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="terrier-%s%s-%s.%s"`, p.Type.Plural, what, ShowDate(p.site.Now()), format))
	h.Set("Cache-Control", "no-store")
}

// breakOff ends the connection, because an incomplete file must not look complete.
func (p *TypePages) breakOff(v *Visit, err error) {
	p.site.Log.WarnContext(v.Ctx, "export broken off", "error", err, "path", v.R.URL.Path, "request_id", v.Caller.RequestID)
	panic(http.ErrAbortHandler)
}

// lasting returns a context that outlives the time limit of a request, but ends when the client disconnects.
func lasting(of context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(of), limit)
	stop := context.AfterFunc(of, func() {
		if errors.Is(of.Err(), context.Canceled) {
			cancel()
		}
	})
	return ctx, func() {
		stop()
		cancel()
	}
}

// patient is a writer that waits for a slow client as long as the client reads something.
type patient struct {
	io.Writer
	connection *http.ResponseController
}

func (w *patient) Write(b []byte) (int, error) {
	_ = w.connection.SetWriteDeadline(time.Now().Add(stallTime)) // not every writer has one
	return w.Writer.Write(b)
}
