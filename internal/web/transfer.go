package web

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"time"

	"terrier/internal/fault"
	"terrier/internal/lasting"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/transfer"
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
	q, err := p.site.Ledger.Query(v.Ctx, v.Caller, p.Type, params)
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
	ctx, cancel := lasting.Context(v.Ctx, lasting.Time)
	defer cancel()
	out := transfer.NewWriter(lasting.Writer(v.W), p.Type, defs, format, p.site.Ledger.Printer)
	begun, sent := false, int64(0)
	defer func() { // also of one that is broken off: what was sent is read
		if err := p.site.Ledger.NoteExport(v.Ctx, v.Caller, p.Type, sent, string(format)); err != nil {
			p.site.Log.ErrorContext(v.Ctx, "record an export", "error", err)
		}
	}()
	for page, err := range p.site.Ledger.Pages(ctx, v.Caller, p.Type, q) {
		if err == nil && !begun {
			p.attach(v, format, "")
			begun, err = true, out.Begin()
		}
		for i := 0; err == nil && i < len(page.Rows); i++ {
			err = out.Write(page.Rows[i])
			sent++
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
	day := p.site.Now().UTC().Format(time.DateOnly)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="terrier-%s%s-%s.%s"`, p.Type.Plural, what, day, format))
	h.Set("Cache-Control", "no-store")
}

// breakOff ends the connection, because an incomplete file must not look complete.
func (p *TypePages) breakOff(v *Visit, err error) {
	p.site.Log.WarnContext(v.Ctx, "export broken off", "error", err, "path", v.R.URL.Path, "request_id", v.Caller.RequestID)
	panic(http.ErrAbortHandler)
}
