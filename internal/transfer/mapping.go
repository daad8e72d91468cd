package transfer

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"terrier/internal/fault"
	"terrier/internal/record"
)

// Mapping says which column each heading of a CSV file means. A heading that it does not have is the name of a column.
type Mapping map[string]string

// Skip is what the heading of a column is mapped to that is not imported.
const Skip = ""

// Heading is a column of a CSV file, as the file calls it.
type Heading struct {
	Name    string
	Column  string   // the name of the column that it means, as far as that is known
	Matched bool     // Column is what the mapping says, the same name, or much like the heading
	Known   bool     // the mapping says it, or it is the same name: nothing was guessed
	Samples []string // its first values
}

const (
	maxMapped   = 200 // columns that a person is asked about
	sampledRows = 20
	samples     = 3
	longestCell = 40
)

// Headings returns the columns of a CSV file and what they mean or probably mean; none if there are too many to ask a person, if two
// have the same heading, or if the file can't be read: Parse says why.
func Headings(t *record.Type, defs []*record.Custom, text []byte, m Mapping) []Heading {
	r, header, _, err := openCSV(bytes.TrimPrefix(text, byteOrderMark))
	if err != nil || len(header) > maxMapped || !utf8.Valid(text) {
		return nil
	}
	l := newLayout(t, defs)
	all := make([]Heading, 0, len(header))
	place := map[int]int{} // of a heading, by its column in the file
	for i, cell := range header {
		h := Heading{Name: headingOf(cell)}
		if h.Name == "" {
			continue
		}
		if len(h.Name) > longestName || slices.ContainsFunc(all, func(other Heading) bool { return other.Name == h.Name }) {
			return nil
		}
		if h.Column, h.Known = m[h.Name]; !h.Known {
			h.Column, h.Known = l.exactly(h.Name)
		}
		if h.Matched = h.Known; !h.Known {
			h.Column, h.Matched = l.guess(h.Name)
		}
		place[i] = len(all)
		all = append(all, h)
	}
	for range sampledRows {
		cells, _, err := r.next()
		if err != nil || cells == nil {
			break
		}
		for i, cell := range cells {
			if at, named := place[i]; named && !blank(cell) && len(all[at].Samples) < samples {
				all[at].Samples = append(all[at].Samples, shortened(cell))
			}
		}
	}
	return all
}

// shortened returns the beginning of a cell.
func shortened(cell string) string {
	if runes := []rune(strings.TrimSpace(cell[:min(len(cell), 8*longestCell)])); len(runes) > longestCell {
		return string(runes[:longestCell]) + "…"
	}
	return strings.TrimSpace(cell)
}

// headingOf returns the name in a cell of the header. White space is one space, because a form would change the end of a line.
func headingOf(cell string) string {
	return strings.Join(strings.FieldsFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// folded returns what names that are much alike have in common: their letters and digits.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// exactly returns the column with a name; Skip for one that is ignored.
func (l *layout) exactly(name string) (column string, ok bool) {
	s, ok := l.slots[name]
	switch {
	case !ok || s.skip:
		return Skip, ok
	case s.alias:
		return s.field, true
	}
	return name, true
}

// guess returns the column whose name or label is much like a heading: Device type is device_type. An ID is never guessed: in the file of
// another system it is the ID there.
func (l *layout) guess(heading string) (column string, ok bool) {
	heading = folded(heading)
	if heading == "" {
		return "", false
	}
	for _, names := range l.alike {
		if found := names[heading]; len(found) == 1 {
			return l.exactly(found[0])
		} else if len(found) > 1 {
			return "", false
		}
	}
	return "", false
}

// The columns that a heading may be much like. One of the first kind comes before all others.
const (
	names = iota
	labels
	attributes
	customLabels
	withTitle // Device name, of a device
	elsewhere // what it is called in other systems and in spreadsheets
	lastWords // Role is device_role
)

// otherNames are the columns that have other names elsewhere, folded.
var otherNames = map[string][]string{
	"name":         {"hostname", "host"},
	"serial":       {"serialnumber", "serialno", "sn"},
	"asset_tag":    {"assetnumber", "inventorynumber"},
	"device_type":  {"model", "hardware"},
	"module_type":  {"model", "hardware"},
	"manufacturer": {"vendor", "make", "brand"},
	"tenant":       {"customer"},
	"address":      {"ip", "ipaddress"},
	"prefix":       {"subnet", "network", "cidr"},
	"mac_address":  {"mac"},
	"vid":          {"vlanid"},
	"position":     {"unit", "rackunit", "u", "ru"},
}

// learn notes what the columns may be called.
func (l *layout) learn(defs []*record.Custom) {
	l.alike = []map[string][]string{names: {}, labels: {}, attributes: {}, customLabels: {}, withTitle: {}, elsewhere: {}, lastWords: {}}
	note := func(kind int, heading, column string) {
		heading = folded(heading)
		if known := l.alike[kind][heading]; !slices.Contains(known, column) {
			l.alike[kind][heading] = append(known, column)
		}
	}
	for name, s := range l.slots {
		switch {
		case s.id || s.attr == idKey:
		case s.attr == "":
			note(names, name, name)
			if !s.custom && !s.skip && !s.alias {
				l.learnWords(note, name)
			}
		case s.attr == s.target.LookupField() || s.attr == s.target.NamingField():
			note(attributes, name, s.field) // Site name: a reference is read by both
		default:
			note(attributes, name, name)
		}
	}
	for _, info := range l.t.Infos() {
		if info.AliasOf == "" {
			note(labels, info.Label, info.Name)
		}
	}
	for _, def := range defs {
		note(customLabels, def.Name, customPrefix+def.Name)
		note(customLabels, def.Label, customPrefix+def.Name)
	}
}

// learnWords notes what a column is called less exactly.
func (l *layout) learnWords(note func(kind int, heading, column string), name string) {
	note(withTitle, l.t.Title()+name, name)
	for _, other := range otherNames[name] {
		note(elsewhere, other, name)
	}
	if i := strings.LastIndexByte(name, '_'); i >= 0 && name[i:] != "_"+idKey {
		note(lastWords, name[i+1:], name)
	}
}

// InFile returns the errors of rows by the headings of the file.
func (m Mapping) InFile(items []fault.Fields) []fault.Fields {
	headings := m.Fields()
	out := make([]fault.Fields, len(items))
	for i, errs := range items {
		out[i] = fault.Fields{}
		for field, messages := range errs {
			if heading := headings[field]; heading != "" {
				field = heading
			}
			out[i][field] = append(out[i][field], messages...)
		}
	}
	return out
}

// Fields returns the headings that were mapped to fields, by the fields.
func (m Mapping) Fields() map[string]string {
	headings := map[string]string{}
	for _, heading := range slices.Sorted(maps.Keys(m)) {
		if field, _, _ := strings.Cut(m[heading], "."); field != Skip && headings[field] == "" {
			headings[field] = heading
		}
	}
	return headings
}
