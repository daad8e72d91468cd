package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// filePath is the address of an uploaded file.
const filePath = record.FilesPath + "{folder}/{content}/{name}"

// filePolicy lets nothing in a file run or load, if a browser shows it after all.
const filePolicy = "default-src 'none'; sandbox"

// file sends an uploaded file to those who may see its record. Its type is what was recognized, and a browser never shows it as a page of
// its own. Browsers keep it, and ask each time whether they may still show it.
func (s *Site) file(v *Visit) error {
	folder, content, name := v.R.PathValue("folder"), v.R.PathValue("content"), v.R.PathValue("name")
	file, err := s.Ledger.File(v.Ctx, v.Caller, strings.Join([]string{folder, content, name}, "/"))
	if err != nil {
		return err
	}
	h, tag := v.W.Header(), strconv.Quote(content)
	h.Set("Content-Type", file.Media)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Content-Security-Policy", filePolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", tag)
	if strings.Contains(v.R.Header.Get("If-None-Match"), tag) {
		v.W.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Length", strconv.FormatInt(file.Size, 10))
	v.W.WriteHeader(http.StatusOK)
	if v.R.Method == http.MethodHead {
		return nil
	}
	if err := s.Ledger.SendFile(v.Ctx, file, v.W); err != nil {
		panic(http.ErrAbortHandler) // the beginning is sent already, so the end is cut
	}
	return nil
}

// pictureOf returns the picture with a path for people.
func pictureOf(path string) Cell {
	return Cell{Kind: PictureCell, Text: record.FileName(path), Href: record.FileAddress(path)}
}

// parseUpload parses a posted form that may have files. Call decoded once they are parsed too.
func (v *Visit) parseUpload() error {
	if err := v.parseForm(); err != nil { // if it is not an upload, the next step would not say what is wrong
		return err
	}
	err := v.R.ParseMultipartForm(maxImport) // the body is no longer than that, so nothing is written to a file
	if err == nil {
		_, err = io.Copy(io.Discard, v.R.Body) // at its end the body reserves the memory that its content needs
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		if _, refused := errors.AsType[*fault.Error](err); refused {
			return err
		}
		return fault.New(fault.Invalid, "Only a part of the form arrived. Send it again.")
	}
	return nil
}

// uploaded reports whether a posted form has a file for a widget.
func (v *Visit) uploaded(name string) bool {
	return v.R.MultipartForm != nil && len(v.R.MultipartForm.File[name]) > 0
}

// upload returns the file that was sent for a widget. It reads no more of it than is needed to refuse it.
func (v *Visit) upload(name string) (*record.Upload, error) {
	sent := v.R.MultipartForm.File[name][0]
	file, err := sent.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it is in memory
	raw, err := io.ReadAll(io.LimitReader(file, record.MaxPicture+1))
	return &record.Upload{Name: sent.Filename, Bytes: raw}, err
}

// file returns the file that was sent for a widget, or nil to remove the present one. given is false if that stays.
func (s FormSource) file(name string, errs fault.Fields) (value any, given bool) {
	if !s.caller.uploaded(name) {
		return nil, s.typed.Has(name + clearSuffix)
	}
	file, err := s.caller.upload(name)
	if err != nil {
		errs.Add(name, "Only a part of the file arrived. Send it again.")
		return nil, false
	}
	return file, true
}

// fillFile shows the present file of a record beside the widget for another one.
func (f *FormField) fillFile(in record.Info, path any, src FormSource) {
	f.Accept = in.Accept
	if present, ok := path.(string); ok {
		f.File, f.CanClear = new(pictureOf(present)), !in.Required
	}
	if src.typed != nil && src.caller.uploaded(f.Name) {
		f.Warning = "Select the file again: browsers don't send it twice."
	}
}
