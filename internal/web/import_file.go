package web

import (
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/transfer"
)

// sentFile is the file or text to import.
type sentFile struct {
	name   string
	text   []byte
	format transfer.Format // "" to detect it
	pasted string          // the text, if it was pasted
}

func (s *sentFile) guess() transfer.Format {
	if s.format != "" {
		return s.format
	}
	return transfer.Guess(s.name, s.text)
}

// receive parses the form of an import. On an error it returns what it has parsed so far.
func receive(v *Visit) (*sentFile, error) {
	sent := &sentFile{}
	if err := v.ParseForm(); err != nil { // if it is not an upload, the next step would not say what is wrong
		return sent, err
	}
	err := v.R.ParseMultipartForm(maxImport) // the body is no longer than that, so nothing is written to a file
	if err == nil {
		_, err = io.Copy(io.Discard, v.R.Body) // at its end the body reserves the memory that the rows need
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		if _, refused := errors.AsType[*fault.Error](err); refused {
			return sent, err
		}
		return sent, fault.New(fault.Invalid, "The form did not arrive whole. Send it again.")
	}
	sent.format = transfer.Format(v.R.PostForm.Get("format"))
	// Browsers send every line end in a form as two characters.
	sent.pasted = strings.ReplaceAll(v.R.PostForm.Get("text"), "\r\n", "\n")
	sent.text = []byte(sent.pasted)
	file, header, err := v.R.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return sent, nil
	}
	if err != nil {
		return sent, fault.New(fault.Invalid, "The file did not arrive whole. Send it again.")
	}
	defer func() { _ = file.Close() }() // it is in memory
	if strings.TrimSpace(sent.pasted) != "" {
		return sent, fault.New(fault.Invalid, "There is a pasted text and a file. Empty one of the two.")
	}
	sent.name = header.Filename
	if sent.text, err = io.ReadAll(file); err != nil {
		return sent, err
	}
	return sent, nil
}

// keyOf returns the name of the type's secret that is generated if none is given, and shown once. "" means that it has none.
func keyOf(t *record.Type) string {
	for _, f := range t.All() {
		if secret, ok := record.SecrecyOf(f); ok && secret.Seal == record.TokenKey {
			return secret.Name
		}
	}
	return ""
}

// distinct refuses a file that both creates and updates records, because the ledger does one operation at a time, all or nothing. It also
// refuses a record that is named twice, and a new record without a key that could be shown only once.
func distinct(t *record.Type, rows []transfer.Row) ([]transfer.Row, error) {
	if len(rows) == 0 {
		return nil, fault.Field(fault.General, "There is nothing to import: the file holds no records.")
	}
	errs, bad := make([]fault.Fields, len(rows)), false
	key := keyOf(t)
	lines := map[string]int{} // line numbers by id; new records have the id ""
	for i, row := range rows {
		errs[i] = fault.Fields{}
		if key != "" && row.ID == "" && row.Input[key] == nil {
			errs[i].Add(key, "Give one: a key that is made here would be shown to nobody.")
			bad = true
		}
		if line, twice := lines[row.ID]; twice && row.ID != "" {
			errs[i].Add("id", "Line %d is about the same record.", line)
			bad = true
		} else if !twice {
			lines[row.ID] = row.Line
		}
	}
	if created, some := lines[""]; some && len(lines) > 1 {
		i := slices.IndexFunc(rows, func(r transfer.Row) bool { return r.ID != "" })
		return nil,
			fault.Field(fault.General,
				"Line %d changes a record, and line %d has no id and makes a new one. An import is done whole or not at all, "+
					"and does one of the two: put the rows with an id and those without into two files.", rows[i].Line, created)
	}
	if bad {
		return rows, &fault.Error{Kind: fault.Invalid, Items: errs}
	}
	return rows, nil
}

// leaveLive redirects the caller to another page. It also works for htmx, which does not follow a redirect.
func (v *Visit) leaveLive(to, note string) error {
	if !v.Live() {
		return v.Leave(to, note)
	}
	v.setCookie(noteCookie, base64.RawURLEncoding.EncodeToString([]byte(note)), 60)
	v.W.Header().Set("Hx-Redirect", to)
	v.W.WriteHeader(http.StatusNoContent)
	return nil
}
