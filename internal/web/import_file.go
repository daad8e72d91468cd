package web

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/transfer"
)

// sentFile is the file or text to import.
type sentFile struct {
	name   string
	text   []byte
	format transfer.Format // "" to detect it
	pasted string          // the text, if it was pasted

	columns  transfer.Mapping   // what the caller says about the columns of the file
	headings []transfer.Heading // its columns, if it is CSV
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
	if err := v.parseUpload(); err != nil {
		return sent, err
	}
	sent.format = transfer.Format(v.R.PostForm.Get("format"))
	if headings, columns := v.R.PostForm["heading"], v.R.PostForm["column"]; len(headings) == len(columns) {
		sent.columns = transfer.Mapping{}
		for i, heading := range headings {
			sent.columns[heading] = columns[i]
		}
	}
	// Browsers send every line end in a form as two characters.
	sent.pasted = strings.ReplaceAll(v.R.PostForm.Get("text"), "\r\n", "\n")
	sent.text = []byte(sent.pasted)
	file, header, err := v.R.FormFile("file")
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return sent, nil
	}
	if err != nil {
		return sent, fault.New(fault.Invalid, "Only a part of the file arrived. Send it again.")
	}
	defer func() { _ = file.Close() }() // it is in memory
	if strings.TrimSpace(sent.pasted) != "" {
		return sent, fault.New(fault.Invalid, "You pasted a text and chose a file. Remove one of the two.")
	}
	sent.name = header.Filename
	if sent.text, err = io.ReadAll(file); err != nil {
		return sent, err
	}
	return sent, nil
}

// leaveLive redirects the caller to another page. It also works for htmx, which does not follow a redirect.
func (v *Visit) leaveLive(to, text string) error {
	if !v.Live() {
		return v.Leave(to, text)
	}
	if err := v.leaveNote(note{Text: text}); err != nil {
		return err
	}
	v.W.Header().Set("Hx-Redirect", to)
	v.W.WriteHeader(http.StatusNoContent)
	return nil
}
