package record

import (
	hexdigits "encoding/hex"
	"strings"
)

// MAC is the hardware address of an interface: 00:1B:44:11:3A:B7. It may be null, unless it is required.
type MAC struct {
	Name, Label, Help string
	Required          bool
	Unique            bool // any number of records may have null
}

// WWN is the name of a storage port: 50:06:01:60:3C:E0:1A:2B. It may be null, unless it is required.
type WWN struct {
	Name, Label, Help string
	Required          bool
	Unique            bool // any number of records may have null
}

var (
	_ lookupParser = MAC{}
	_ lookupParser = WWN{}
	_ FoundByValue = MAC{}
	_ FoundByValue = WWN{}
)

func (f MAC) Info() Info { return octetsInfo(f.Name, f.Label, f.Help, f.Required, f.Unique) }
func (f MAC) Column() Column {
	return Column{Name: f.Name, Storage: StoreMAC, Null: !f.Required}
}
func (f MAC) Lookups() []Lookup         { return textLookups }
func (f MAC) Parse(in any) (any, error) { return parseOrNull(in, !f.Required, f.ParseText) }

func (f MAC) ParseText(s string) (any, error) {
	return octets(s, 6, "Enter a MAC address, such as 00:1B:44:11:3A:B7.")
}
func (f MAC) parseLookup(l Lookup, s string) (any, error) { return partOrWhole(f, l, s) }

func (f MAC) Sought(text string) (Predicate, bool)        { return soughtAs(f, text) }
func (f MAC) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f MAC) Schema() Schema                              { return nullable(Schema{"type": "string"}, !f.Required) }
func (f MAC) InputSchema() Schema                         { return f.Schema() }

func (f WWN) Info() Info { return octetsInfo(f.Name, f.Label, f.Help, f.Required, f.Unique) }
func (f WWN) Column() Column {
	return Column{Name: f.Name, Storage: StoreText, Null: !f.Required}
}
func (f WWN) Lookups() []Lookup         { return textLookups }
func (f WWN) Parse(in any) (any, error) { return parseOrNull(in, !f.Required, f.ParseText) }

func (f WWN) ParseText(s string) (any, error) {
	return octets(s, 8, "Enter a WWN, such as 50:06:01:60:3C:E0:1A:2B.")
}
func (f WWN) parseLookup(l Lookup, s string) (any, error) { return partOrWhole(f, l, s) }

func (f WWN) Sought(text string) (Predicate, bool)        { return soughtAs(f, text) }
func (f WWN) Append(dst []byte, v any, _ *Printer) []byte { return AppendValue(dst, v) }
func (f WWN) Schema() Schema                              { return nullable(Schema{"type": "string"}, !f.Required) }
func (f WWN) InputSchema() Schema                         { return f.Schema() }

func octetsInfo(name, given, help string, required, unique bool) Info {
	return Info{Name: name, Label: label(given, name), Help: help, Type: "string", Required: required, Null: !required,
		Unique: unique, NullsDiffer: unique && !required, Widget: TextLine}
}

// octets parses n bytes in hexadecimal digits and returns them as upper-case pairs with colons. The digits may be in one piece, or in
// pieces of equal length with colons, hyphens or dots between them.
func octets(s string, n int, refusal string) (any, error) {
	s = strings.TrimSpace(s)
	pieces := []string{s}
	if i := strings.IndexAny(s, ":-."); i >= 0 {
		pieces = strings.Split(s, s[i:i+1])
	}
	for _, piece := range pieces {
		if len(piece) != len(pieces[0]) {
			return nil, Invalid(refusal)
		}
	}
	raw, err := hexdigits.DecodeString(strings.Join(pieces, ""))
	if err != nil || len(raw) != n {
		return nil, Invalid(refusal)
	}
	return FormatOctets(raw), nil
}

// FormatOctets returns bytes as pairs of upper-case hexadecimal digits, with colons between them.
func FormatOctets(raw []byte) string {
	const digits = "0123456789ABCDEF"
	dst := make([]byte, 0, 3*len(raw))
	for i, b := range raw {
		if i > 0 {
			dst = append(dst, ':')
		}
		dst = append(dst, digits[b>>4], digits[b&15])
	}
	return string(dst)
}

// partOrWhole parses the value of a filter: a part of the text for a lookup that searches, else a whole value.
func partOrWhole(f Field, l Lookup, s string) (any, error) {
	switch l {
	case Contains, NotContains, Starts, NotStarts, Ends, NotEnds, CaseContains, CaseStarts, CaseEnds:
		return textOf(s)
	}
	return f.ParseText(s)
}
