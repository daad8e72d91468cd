package record

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

var slugPattern = regexp.MustCompile(`^[-a-zA-Z0-9_]+$`)

// maxSlug is how many characters a slug may have.
const maxSlug = 100

// Slug is the short name of a record in addresses and filters. It is required, and has letters, digits, hyphens and underscores.
type Slug struct {
	Name   string
	Shared bool // unique only together with other fields; the type says which
}

func (f Slug) text() Text {
	return Text{Name: f.Name, Max: maxSlug, Required: true, Unique: !f.Shared, Match: slugPattern,
		MatchHelp: "Enter a valid “slug” consisting of letters, numbers, underscores or hyphens."}
}

func (f Slug) Info() Info {
	in := f.text().Info()
	in.Type, in.Wide, in.FromName = "slug", true, true
	return in
}
func (f Slug) Column() Column                              { return f.text().Column() }
func (f Slug) Lookups() []Lookup                           { return textLookups }
func (f Slug) Parse(in any) (any, error)                   { return f.text().Parse(in) }
func (f Slug) ParseText(s string) (any, error)             { return textOf(s) }
func (f Slug) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f Slug) Schema() Schema                              { return Schema{"type": "string"} }
func (f Slug) InputSchema() Schema {
	return Schema{"type": "string", "minLength": 1, "maxLength": maxSlug, "pattern": slugPattern.String()}
}

// plainLetters are the Latin letters that are not a plain letter with a mark.
var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i",
	"'", "", "’", "")

var notInSlug = regexp.MustCompile(`[^a-z0-9_]+`)

// SlugOf returns the slug that forms suggest for a name, "" for a name without Latin letters and digits. The script of the pages has the
// same rule; testdata/slugs.json holds for both.
func SlugOf(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKD.String(name)))
	slug := strings.Trim(notInSlug.ReplaceAllString(plainLetters.Replace(plain), "-"), "-")
	return strings.TrimRight(slug[:min(len(slug), maxSlug)], "-")
}
