package web

import (
	"encoding/csv"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/transfer"
)

// importForm is what the page of an import shows.
type importForm struct {
	Title    string
	Path     string
	Plural   string
	Columns  []transfer.Column
	Formats  []Option
	Example  string // the columns that new records need
	Text     string // pasted text
	Mapping  []fileColumn
	Live     bool   // the answer replaces parts of the page
	Rows     int    // rows that were parsed
	Checked  string // the result of a dry run
	Problems []string
	Refused  refusals
}

func (p *TypePages) importPage(v *Visit) error {
	defs, err := p.customs(v)
	if err != nil {
		return err
	}
	if v.R.URL.Query().Has("template") {
		return p.emptyFile(v, defs)
	}
	return p.showImport(v, &sentFile{}, defs, importForm{}, http.StatusOK)
}

// emptyFile answers with a CSV file that has only the columns for an import of new records.
func (p *TypePages) emptyFile(v *Visit, defs []*record.Custom) error {
	var names []string
	for _, c := range transfer.Columns(p.Type, defs)[1:] { // without the id
		names = append(names, c.Name)
	}
	p.attach(v, transfer.CSV, "-empty")
	w := csv.NewWriter(v.W)
	_ = w.Write(names) // a client that has disconnected is not an error here
	w.Flush()
	return nil
}

func (p *TypePages) showImport(v *Visit, sent *sentFile, defs []*record.Custom, f importForm, status int) error {
	f.Title, f.Path, f.Plural = "Import "+p.Type.PluralTitle(), p.Path, p.Type.PluralTitle()
	f.Columns, f.Live = transfer.Columns(p.Type, defs), v.Live()
	if f.Mapping = sent.mapped(f.Columns); f.Mapping != nil && !f.Live {
		sent.keep()
	}
	f.Text = sent.pasted
	var needed []string
	for _, c := range f.Columns {
		if c.Required {
			needed = append(needed, c.Name)
		}
	}
	f.Example = strings.Join(needed, ",")
	f.Formats = []Option{{Value: "", Label: "Recognize it"}}
	for _, format := range transfer.Formats {
		f.Formats = append(f.Formats, Option{Value: string(format), Label: formatNames[format], Selected: format == sent.format})
	}
	return v.Show(Page{Name: "import", Title: f.Title, Crumbs: p.Crumbs(), Body: f, Status: status})
}

var formatNames = map[transfer.Format]string{transfer.CSV: "CSV", transfer.JSON: "JSON", transfer.YAML: "YAML"}

// importRows imports a file, or tries to: all of its rows or none. The page itself shows all errors of the file, because htmx shows no
// error page.
func (p *TypePages) importRows(v *Visit) error {
	defs, err := p.customs(v)
	if err != nil {
		return err
	}
	defer v.decoded()
	sent, err := receive(v)
	if err != nil {
		return p.refuseImport(v, sent, nil, defs, err)
	}
	sent.readHeadings(p.Type, defs)
	if sent.unclear() {
		return p.showImport(v, sent, defs, importForm{}, http.StatusOK)
	}
	rows, err := transfer.Parse(p.Type, defs, sent.guess(), sent.text, sent.columns)
	if err == nil {
		rows, err = transfer.Distinct(p.Type, rows)
	}
	v.decoded()
	if err != nil {
		return p.refuseImport(v, sent, rows, defs, err)
	}
	dry := v.R.PostForm.Get("mode") != "import"
	said, err := p.take(v, rows, dry)
	switch {
	case err != nil:
		if e, known := unreachable(err, "There is no such "+p.Type.Title()+", or you may not change it."); known {
			err = e
		}
		return p.refuseImport(v, sent, rows, defs, err)
	case dry:
		return p.showImport(v, sent, defs, importForm{Checked: said, Rows: len(rows)}, http.StatusOK)
	}
	return v.leaveLive(p.Path, said)
}

// take creates or updates the records. A dry run only checks whether that would work.
func (p *TypePages) take(v *Visit, rows []transfer.Row, dry bool) (said string, err error) {
	ctx := v.Ctx
	var rehearsal *ledger.Rehearsal
	if dry {
		ctx, rehearsal = ledger.Rehearse(ctx)
	}
	edits := make([]ledger.Edit, len(rows))
	for i, row := range rows {
		edits[i] = ledger.Edit{ID: row.Key, Input: row.Input}
	}
	if err := p.site.Ledger.Import(ctx, v.Caller, p.Type, edits); err != nil {
		return "", err
	}
	switch created := rows[0].ID == ""; {
	case created && dry:
		return p.counted(len(rows)) + " would be created. Nothing was written.", nil
	case created:
		return "Created " + p.counted(len(rows)) + ".", nil
	case dry:
		changed := len(rehearsal.Effects) + rehearsal.Unseen
		said = p.counted(changed) + " would be updated"
		if same := len(rows) - changed; same > 0 {
			said += ", " + strconv.Itoa(same) + " would stay as they are"
		}
		return said + ". Nothing was written.", nil
	}
	return "Updated " + p.counted(len(rows)) + " from the file.", nil
}

// refuseImport shows what is wrong. Errors of single rows have their line.
func (p *TypePages) refuseImport(v *Visit, sent *sentFile, rows []transfer.Row, defs []*record.Custom, err error) error {
	e, known := errors.AsType[*fault.Error](err)
	if !known {
		return err
	}
	if e.Kind == fault.TooLarge && sent.text == nil {
		e = fault.New(fault.TooLarge, "%s Import it in parts.", e.Detail)
	}
	f := importForm{Rows: len(rows)}
	if e.Items != nil && len(e.Items) == len(rows) {
		if f.Refused, err = p.refusedRows(v, sent, rows, e.Items); err != nil {
			return err
		}
	} else {
		f.Problems = messages(e)
	}
	return p.showImport(v, sent, defs, f, StatusOf(e))
}
