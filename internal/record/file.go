package record

import (
	"crypto/sha256"
	"encoding/base64"
	hexdigits "encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// File is a picture that people upload. The record has only its path; a side table has the bytes, and only the address of the file sends
// them. A file is written by multipart/form-data, by a form, or in JSON as a data URL. The address of the present file keeps it.
type File struct {
	Name, Label, Help string
	Folder            string // the first part of the path
	Required          bool   // if false, it may be null
	// Called returns what the file is called, from the record and the name that it was uploaded with. The default is that name.
	Called func(v Values, uploaded string) string
}

var (
	_ Uploaded    = File{}
	_ WordChecker = File{}
	_ Explained   = File{}
)

// FilesPath is where the addresses of files begin.
const FilesPath = "/media/"

// folderName is what a folder may be called: it is a part of addresses.
var folderName = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

func (f File) checkDeclaration(*Type) error {
	if !folderName.MatchString(f.Folder) {
		return errors.New("its Folder must be words with hyphens between them: it is a part of addresses")
	}
	return nil
}

func (f File) Info() Info {
	return Info{Name: f.Name, Label: label(f.Label, f.Name), Help: f.Help, Type: "image upload", Required: f.Required, Null: !f.Required,
		Widget: FileInput, Accept: pictureMedia()}
}
func (f File) Column() Column                  { return Column{Name: f.Name, Storage: StoreText, Null: !f.Required} }
func (f File) Lookups() []Lookup               { return nil }
func (f File) ParseText(s string) (any, error) { return textOf(s) }

// Append writes the address of the file.
func (f File) Append(dst []byte, v any, p *Printer) []byte {
	path, ok := v.(string)
	if !ok {
		return AppendValue(dst, nil)
	}
	return AppendString(dst, p.Base+FileAddress(path))
}

func (f File) Schema() Schema {
	return nullable(Schema{"type": "string", "format": "uri"}, !f.Required)
}
func (f File) InputSchema() Schema {
	return nullable(Schema{"type": "string", "description": "A data URL with the file, such as data:image/png;base64,…, " +
		"or the address of the present one, which stays."}, !f.Required)
}

// HowWritten implements Explained.
func (f File) HowWritten() string {
	return "The address of the present file, which stays. A new file is a data URL: data:image/png;base64,…"
}

// Upload is a file that somebody sends.
type Upload struct {
	Name          string // as its sender calls it
	Bytes         []byte
	Width, Height int64 // once it was parsed

	form *pictureForm
}

// Media returns the type of the content, as it was recognized.
func (u *Upload) Media() string { return u.form.media }

// Parse returns a recognized *Upload, or the path of a file. CheckAdded refuses any path but the present one.
func (f File) Parse(in any) (any, error) {
	if u, ok := in.(*Upload); ok {
		return u.recognized()
	}
	s, ok := in.(string)
	if !ok {
		return nil, errNoFile
	}
	switch {
	case strings.HasPrefix(s, "data:"):
		return dataURL(s)
	case s == "" && !f.Required:
		return nil, nil
	case s == "":
		return nil, errNoFile
	}
	if _, after, ok := strings.Cut(s, FilesPath); ok {
		s = after
	}
	if plain, err := url.PathUnescape(s); err == nil {
		s = plain
	}
	return textOf(s)
}

// errNoFile has the words of the reference, on which clients match.
var errNoFile = Invalid("The submitted data was not a file. Check the encoding type on the form.")

// dataURL returns the file in a data URL. What the URL says of its type does not count.
func dataURL(s string) (*Upload, error) {
	head, body, _ := strings.Cut(s, ",")
	if !strings.HasSuffix(head, ";base64") {
		return nil, Invalid("The data URL must be of the form data:image/png;base64,…")
	}
	if base64.StdEncoding.DecodedLen(len(body)) > MaxPicture+3 {
		return nil, Invalid("The file has more than %d MiB.", MaxPicture>>20)
	}
	raw, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return nil, Invalid("The data URL is not valid base64.")
	}
	return Upload{Name: "image", Bytes: raw}.recognized()
}

// CheckAdded implements WordChecker: the only path that a client can send is that of the present file.
func (f File) CheckAdded(stored, given any) error {
	path, ok := given.(string)
	switch {
	case !ok || given == stored:
		return nil
	case strings.HasPrefix(path, f.Folder+"/"):
		return Invalid("The file %s is gone: a file is deleted when it is replaced or removed. Upload it again.",
			FileName(path[:min(len(path), 300)]))
	}
	return errNoFile
}

// Unknown implements WordChecker.
func (f File) Unknown(string) string { return "" }

// PathOf implements Uploaded. The path has a digest of the record and the bytes, so the same file sent again changes nothing.
func (f File) PathOf(v Values, u *Upload) string {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "%s %d %s\n", v.t.Key(), v.id, f.Name) // a hash takes everything
	_, _ = h.Write(u.Bytes)
	name := u.fileName()
	if f.Called != nil {
		name = cleanName(f.Called(v, name))
	}
	return strings.Join([]string{f.Folder, hexdigits.EncodeToString(h.Sum(nil)[:16]), name}, "/")
}

// FileAddress returns the address of the file with a path, without that of the server.
func FileAddress(path string) string { return (&url.URL{Path: FilesPath + path}).EscapedPath() }

// FileName returns the name of the file with a path.
func FileName(p string) string { return path.Base(p) }

// fileName returns a plain name for the upload, with an end that its content may have.
func (u *Upload) fileName() string {
	name := cleanName(u.Name[strings.LastIndexAny(u.Name, `/\`)+1:])
	if end := strings.TrimPrefix(strings.ToLower(path.Ext(name)), "."); slices.Contains(u.form.ends, end) {
		return name
	}
	return name + "." + u.form.ends[0]
}

// maxFileName is how many characters the name of a file may have. The end of a longer one stays, because it says what the file is.
const maxFileName = 100

// cleanName makes a text the last part of a path: letters, digits, dots, hyphens and underscores only, and no dot at its beginning.
func cleanName(s string) string {
	name := []rune(strings.TrimLeft(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-", r):
			return r
		case unicode.IsControl(r):
			return -1
		}
		return '_'
	}, s), "."))
	if len(name) == 0 {
		return "image"
	}
	if over := len(name) - maxFileName; over > 0 {
		end := []rune(path.Ext(string(name)))
		if len(end) > 10 {
			end = nil
		}
		name = append(name[:maxFileName-len(end)], end...)
	}
	return string(name)
}
