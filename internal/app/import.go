package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/transfer"
)

// Import is a file of records.
type Import struct {
	Type  string // "ipam.prefix"
	Name  string // its name, whose end says the format; "" to recognize that by the text
	Text  []byte
	After int // rows that are left out at the beginning, because they are recorded

	Columns map[string]string // by the headings of the file, if it is CSV; "" to skip the column
}

// Imported is how far an import has come.
type Imported struct{ Done, Rows int }

// importPart is how many rows are recorded at a time, all or none.
const importPart = 1_000

// mostImportErrors is how many rows an error tells about.
const mostImportErrors = 20

// Import records a file, part by part, and reports how far it is after each of them. All of the file is read before anything is recorded.
func (a *App) Import(ctx context.Context, file Import, report func(Imported)) (Imported, error) {
	t, err := a.typeCalled(file.Type)
	if err == nil && t.ReadOnly {
		err = fault.New(fault.NotAllowed, "records of the type %s are written by Terrier alone", file.Type)
	}
	if err != nil {
		return Imported{}, err
	}
	defs, err := a.customs(ctx, t)
	if err != nil {
		return Imported{}, err
	}
	format := transfer.Guess(file.Name, file.Text)
	columns, err := file.mapping(t, defs, format)
	if err != nil {
		return Imported{}, err
	}
	rows, err := transfer.ParseAny(t, defs, format, file.Text, columns)
	if err == nil {
		rows, err = transfer.Distinct(t, rows)
	}
	if err != nil {
		return Imported{}, byLine(rows, columns, err)
	}
	far := Imported{Done: min(file.After, len(rows)), Rows: len(rows)}
	by := operator()
	for part := range slices.Chunk(rows[far.Done:], importPart) {
		edits := make([]ledger.Edit, len(part))
		for i, row := range part {
			edits[i] = ledger.Edit{ID: row.Key, Input: row.Input}
		}
		if err := a.Ledger.Import(ctx, by, t, edits); err != nil {
			return far, byLine(part, columns, err)
		}
		far.Done += len(part)
		report(far)
	}
	return far, nil
}

// mapping returns what the headings of a CSV file mean: as it was given, or else what they are much like.
func (f Import) mapping(t *record.Type, defs []*record.Custom, format transfer.Format) (transfer.Mapping, error) {
	given := transfer.Mapping(f.Columns)
	if format != transfer.CSV {
		if len(given) > 0 {
			return nil, fault.New(fault.Invalid, "only the columns of CSV can be mapped, and this is %s", format)
		}
		return nil, nil
	}
	headings := transfer.Headings(t, defs, f.Text, given)
	if headings == nil {
		return given, nil
	}
	out, names := transfer.Mapping{}, make([]string, len(headings))
	for i, h := range headings {
		if names[i] = h.Name; h.Matched {
			out[h.Name] = h.Column
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			return nil, fault.New(fault.Invalid, "the file has no column %q; its columns are %q", name, names)
		}
	}
	return out, nil
}

// typeCalled returns the type of a name such as ipam.prefix.
func (a *App) typeCalled(key string) (*record.Type, error) {
	if t := a.Registry.Type(key); t != nil {
		return t, nil
	}
	var keys []string
	for _, t := range a.Registry.Types() {
		keys = append(keys, t.Key())
	}
	if near := record.Nearest(key, keys); near != "" {
		return nil, fault.New(fault.NotFound, "there is no type %q; did you mean %s?", key, near)
	}
	return nil, fault.New(fault.NotFound, "there is no type %q; write a type like ipam.prefix", key)
}

// customs returns the custom fields of a type.
func (a *App) customs(ctx context.Context, t *record.Type) ([]*record.Custom, error) {
	if t.Index("custom_fields") < 0 {
		return nil, nil
	}
	return a.Ledger.CustomFields(ctx, t)
}

// byLine says what is wrong with which line of a file.
func byLine(rows []transfer.Row, columns transfer.Mapping, err error) error {
	e, known := errors.AsType[*fault.Error](err)
	switch {
	case known && e.Kind == fault.NotFound && len(rows) == 1: // of one record, the ledger does not say which it did not find
		return fmt.Errorf("line %d: there is no record with the id %s", rows[0].Line, rows[0].ID)
	case !known || e.Items == nil || len(e.Items) != len(rows):
		return err
	}
	var lines []string
	for i, fields := range columns.InFile(e.Items) {
		if len(fields) > 0 {
			lines = append(lines, fmt.Sprintf("line %d: %s", rows[i].Line, fields))
		}
	}
	if more := len(lines) - mostImportErrors; more > 0 {
		lines = append(lines[:mostImportErrors], fmt.Sprintf("and %d more", more))
	}
	return errors.New(strings.Join(lines, "\n"))
}
