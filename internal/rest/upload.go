package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"terrier/internal/fault"
	"terrier/internal/ledger"
	"terrier/internal/record"
)

// formMedia is the content type of bodies with files.
const formMedia = "multipart/form-data"

// maxParts is how many parts a form may have.
const maxParts = 200

// decodeAs reads the body of a request about records of a type. Types with files also take a form, with one record.
func decodeAs(w http.ResponseWriter, r *http.Request, t *record.Type, bulk bool) (body, error) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != formMedia || len(t.Uploads()) == 0 {
		return decode(w, r, bulk)
	}
	in, err := decodeForm(r, t)
	if err != nil {
		return body{}, formError(err)
	}
	return body{items: []ledger.Input{in}}, nil
}

// decodeForm reads a form part by part. Its texts together may be as long as an object in JSON.
func decodeForm(r *http.Request, t *record.Type) (ledger.Input, error) {
	defer func() { _ = r.Body.Close() }() // gives back the memory for decoding
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, err
	}
	in, left := ledger.Input{}, maxObject
	for range maxParts {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, r.Body) // at its end the body reserves the memory that its content needs
			return in, err
		}
		if err != nil {
			return nil, err
		}
		name, f := part.FormName(), t.Field(part.FormName())
		if _, isFile := f.(record.Uploaded); isFile && part.FileName() != "" {
			if in[name], err = uploaded(part); err != nil {
				return nil, err
			}
			continue
		}
		text, err := io.ReadAll(io.LimitReader(part, int64(left)+1))
		if err != nil {
			return nil, err
		}
		if left -= len(text); left < 0 {
			return nil, fault.New(fault.TooLarge, "The texts of the form have more than %d bytes.", maxObject)
		}
		in[name] = formValue(f, text)
	}
	return nil, fault.New(fault.TooLarge, "A form may hold at most %d parts.", maxParts)
}

// uploaded reads a file. It reads no more of it than is needed to refuse it.
func uploaded(part *multipart.Part) (*record.Upload, error) {
	raw, err := io.ReadAll(io.LimitReader(part, record.MaxPicture+1))
	return &record.Upload{Name: part.FileName(), Bytes: raw}, err
}

// formValue returns a text of a form as JSON would have the value: what is no text is written as in JSON, and null as nothing.
func formValue(f record.Field, text []byte) any {
	if f == nil || f.InputSchema()["type"] == "string" {
		return string(text)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	var watch shape
	if _, err := watch.Write(text); err != nil {
		return string(text)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil || dec.More() {
		return string(text)
	}
	return value
}

// formError turns an error of the form's own syntax into one of the caller.
func formError(err error) error {
	if _, refused := errors.AsType[*fault.Error](err); refused {
		return err
	}
	return fault.New(fault.Invalid, "Multipart form parse error - %s", err.Error())
}

// formSchema describes a form for one record.
func formSchema(t *record.Type) object {
	files := object{}
	for _, i := range t.Uploads() {
		files[t.Infos()[i].Name] = object{"type": "string", "format": "binary", "description": "The file itself."}
	}
	return object{"type": "object", "properties": files, "additionalProperties": true,
		"description": "A record with its files. Values other than texts are written as in JSON."}
}
