// Package transfer owns records as files: CSV, JSON and YAML, written and read again.
//
// What it writes and what it understands is derived from the record type alone. A file
// becomes inputs such as the API takes; checking them and finding the records that they
// refer to is left to the ledger. What was exported can be imported again.
//
// JSON and YAML are lists of objects as the API shows them. Keys that only describe (url,
// display, read-only fields) are passed over. A choice is its value or the object that the
// API shows; a reference is a number (the id), an object of attributes, or a text as below.
//
// CSV is a header of field names and a row for each record; custom fields are called
// cf_name. In a cell:
//
//   - blank says nothing about the field: a new record gets the default, an existing one
//     keeps what it has. The word null empties a field that may be null, a single
//     apostrophe makes a text or a list empty.
//   - a reference is the slug or the name of the other record: europe or Europe. A text
//     that is the slug or the name of several is refused. #3 is the record with the id 3, europe#3 the one for which both hold: this is
//     what is written where a slug alone may mean several. A plain number is a slug or a name,
//     because these may be numbers. Columns such as region.slug, region.name and region.id
//     are understood too.
//   - lists are separated by commas. An item with a comma or a quote in it is quoted the
//     way CSV quotes a cell.
//   - secrets are taken as they stand, and never written.
//
// A spreadsheet takes a cell for a formula that begins with = + - @, a tab or the end of a
// line. Where such a text is not a number, an apostrophe is written before it. So that a
// real apostrophe survives, one more is written before those that reading would take for
// an escape: an apostrophe before any of these characters, before another apostrophe,
// before null, or alone. Reading removes one, and only there: 'tis stays as it is.
package transfer

import (
	"bytes"
	"encoding/json"
	"math"
	"path"
	"strings"
	"unicode/utf8"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Format is how a file writes its records.
type Format string

const (
	CSV  Format = "csv"
	JSON Format = "json"
	YAML Format = "yaml"
)

// Formats lists all formats, in the order in which they are offered.
var Formats = []Format{CSV, JSON, YAML}

// The limits of a file that a request brings.
const (
	MaxBytes = 16 << 20
	MaxRows  = 10_000

	// maxValues limits the values in all: one costs a hundred bytes and more, however short it is written. The memory that package intake
	// reserves for a body is enough for so many.
	maxValues = 200_000
)

const maxDepth = 64 // nested lists and objects, in one record

// limits bound what a file may hold.
type limits struct{ bytes, rows, values int }

var (
	ofRequest = limits{MaxBytes, MaxRows, maxValues}
	none      = limits{math.MaxInt, math.MaxInt, math.MaxInt}
)

// Row is one record of a file.
type Row struct {
	Line  int            // where it begins
	ID    string         // the record to update, as it is written; "" makes a new one
	Key   int64          // what that id means; 0 makes a new one
	Input map[string]any // as the ledger takes it
}

// Text returns what a row says about a field in one word: a text, a number, or the name of a reference.
func (r Row) Text(field string) string {
	switch x := r.Input[field].(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	case record.Naming:
		name, _, _ := record.NumberedName(x.Text)
		return name
	}
	return ""
}

// Parse reads a file that a request brings. An error about the whole file names lines. An error with Items is about single rows: it
// comes with the rows, which have the lines. The mapping is about CSV, and may be nil.
func Parse(t *record.Type, defs []*record.Custom, f Format, text []byte, m Mapping) ([]Row, error) {
	in := &reading{layout: newLayout(t, defs), mapping: m, noun: "key", most: ofRequest}
	return in.parse(f, text)
}

// ParseAny reads a file of any size, as Parse does.
func ParseAny(t *record.Type, defs []*record.Custom, f Format, text []byte, m Mapping) ([]Row, error) {
	in := &reading{layout: newLayout(t, defs), mapping: m, noun: "key", most: none}
	return in.parse(f, text)
}

func (in *reading) parse(f Format, text []byte) ([]Row, error) {
	if len(text) > in.most.bytes {
		return nil, fault.New(fault.TooLarge, "The file is larger than %d MiB. Import it in parts.", in.most.bytes>>20)
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	if !utf8.Valid(text) {
		return nil, fault.Field(fault.General, "line %d: this is not UTF-8. Save the file as UTF-8 and try again.",
			1+bytes.Count(text[:validUpTo(text)], newline))
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fault.Field(fault.General, "There is nothing to import: the text is empty.")
	}
	var err error
	switch f {
	case CSV:
		in.noun = "column"
		err = in.readCSV(text)
	case JSON:
		err = in.readJSON(text)
	case YAML:
		err = in.readYAML(text)
	default:
		err = noFormat(f)
	}
	if err != nil {
		return nil, err
	}
	return in.done()
}

var (
	byteOrderMark = []byte("\ufeff")
	newline       = []byte("\n")
)

func validUpTo(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// Guess returns the format of a file by its name, else by its first character.
func Guess(name string, text []byte) Format {
	switch strings.ToLower(path.Ext(name)) {
	case ".csv", ".tsv":
		return CSV
	case ".json":
		return JSON
	case ".yaml", ".yml":
		return YAML
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	switch {
	case bytes.HasPrefix(text, []byte("[")), bytes.HasPrefix(text, []byte("{")):
		return JSON
	case bytes.HasPrefix(text, []byte("-")), bytes.HasPrefix(text, []byte("#")), bytes.HasPrefix(text, []byte("%")):
		return YAML
	}
	return CSV
}
