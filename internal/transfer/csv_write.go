package transfer

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"terrier/internal/record"
)

// csvEncoder writes a header and a row for each record, with the names and escapes that fromCell reads.
type csvEncoder struct {
	w       *csv.Writer
	t       *record.Type
	p       *record.Printer
	defs    []*record.Custom
	columns []int // the positions of the fields
	cells   []string
}

func newCSVEncoder(w io.Writer, t *record.Type, defs []*record.Custom, p *record.Printer) *csvEncoder {
	e := &csvEncoder{w: csv.NewWriter(w), t: t, p: p, defs: defs}
	for i, f := range t.All() {
		if !leftOut(f, t.Infos()[i]) {
			e.columns = append(e.columns, i)
		}
	}
	return e
}

func (e *csvEncoder) Begin() error {
	header := []string{idKey}
	for _, i := range e.columns {
		if e.t.Infos()[i].Cell == record.CustomCells {
			for _, def := range e.defs {
				header = append(header, customPrefix+def.Name)
			}
			continue
		}
		header = append(header, e.t.Infos()[i].Name)
	}
	return e.w.Write(header)
}

func (e *csvEncoder) Write(v record.Values) error {
	e.cells = append(e.cells[:0], e.t.FormatID(v.ID()))
	for _, i := range e.columns {
		f, info := e.t.All()[i], e.t.Infos()[i]
		if info.Cell == record.CustomCells {
			if err := e.custom(v.At(i)); err != nil {
				return err
			}
			continue
		}
		e.cells = append(e.cells, e.cell(f, info, v.At(i)))
	}
	return e.w.Write(e.cells)
}

func (e *csvEncoder) end() error {
	e.w.Flush()
	return e.w.Error()
}

// cell writes one value. A blank cell gives the same value to a new record.
func (e *csvEncoder) cell(f record.Field, info record.Info, v any) string {
	text := e.text(f, v)
	switch {
	case v == nil && (info.Default == nil || !info.Null), text == "" && record.SameValue(v, info.Default):
		return ""
	case v == nil:
		return nullWord
	}
	return escape(text, info.Null)
}

func (e *csvEncoder) text(f record.Field, v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		if _, file := f.(record.Uploaded); file {
			return e.p.Base + record.FileAddress(x)
		}
		return x
	case int64:
		return strconv.FormatInt(x, 10)
	case bool:
		return strconv.FormatBool(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case time.Time:
		return x.UTC().Format(record.TimeLayout)
	case []string:
		return joinList(x)
	case []int64:
		items := make([]string, len(x))
		for i, n := range x {
			items[i] = strconv.FormatInt(n, 10)
		}
		return joinList(items)
	case record.Link:
		ref, _ := record.ReferenceOf(f)
		return referenceText(ref.Of(x), x)
	case []record.Link:
		items := make([]string, len(x))
		for i, link := range x {
			items[i] = referenceText(record.ListedBy(f), link)
		}
		return joinList(items)
	}
	return string(f.Append(nil, v, e.p))
}

// custom writes a cell for each custom field.
func (e *csvEncoder) custom(v any) error {
	var values map[string]json.RawMessage
	if raw, ok := v.(json.RawMessage); ok {
		if err := json.Unmarshal(raw, &values); err != nil {
			return err
		}
	}
	for _, def := range e.defs {
		raw := string(values[def.Name])
		unset := raw == "" || raw == nullWord
		switch {
		case unset && def.Default == nil:
			e.cells = append(e.cells, "")
		case unset:
			e.cells = append(e.cells, nullWord)
		default:
			e.cells = append(e.cells, escape(customText(def.Cell(), raw), true))
		}
	}
	return nil
}

// customText writes a value in the form of its definition. A value from before the definition changed is written as
// JSON.
func customText(form record.CellForm, raw string) string {
	var items []string
	var s string
	switch {
	case form == record.ListCell && json.Unmarshal([]byte(raw), &items) == nil:
		return joinList(items)
	case form != record.JSONCell && json.Unmarshal([]byte(raw), &s) == nil:
		return s
	}
	return raw
}
