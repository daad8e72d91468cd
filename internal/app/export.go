package app

import (
	"context"
	"errors"
	"io"

	"terrier/internal/store"
	"terrier/internal/transfer"
)

// Export writes all records of a type to w, in a format that Import reads, and returns how many there are.
func (a *App) Export(ctx context.Context, key, format string, w io.Writer) (n int, err error) {
	t, err := a.typeCalled(key)
	if err != nil {
		return 0, err
	}
	defs, err := a.customs(ctx, t)
	if err != nil {
		return 0, err
	}
	out := transfer.NewWriter(w, t, defs, transfer.Format(format), a.Ledger.Printer)
	if err := out.Begin(); err != nil {
		return 0, err
	}
	caller := operator()
	defer func() { err = errors.Join(err, a.Ledger.NoteExport(ctx, caller, t, int64(n), format)) }()
	// By id: a change that is made meanwhile neither hides a record nor shows one twice.
	q := store.Query{Order: []string{"id"}, Count: store.CountNone}
	for page, err := range a.Ledger.Pages(ctx, caller, t, q) {
		if err != nil {
			return n, err
		}
		for _, v := range page.Rows {
			if err := out.Write(v); err != nil {
				return n, err
			}
			n++
		}
	}
	return n, out.Close()
}
