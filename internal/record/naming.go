package record

import (
	"regexp"
	"strconv"
	"strings"
)

// Naming is a reference as a person writes it: the name of a record, its name and its id as in "Hall #3" or hall#3, or its id alone as
// in #3. A name may end like that too, so a text can have two meanings. The ledger looks for both, and refuses a text that means two
// records.
type Naming struct {
	By   string // the field with the name; "" if records have only ids
	Or   string // another field that may have the text; "" for none
	Text string
}

// Named is a parsed Naming. Either the whole text is the record's name, or it ends in the record's id and has the name before that.
type Named struct {
	Naming
	ID   int64 // 0 if the text has none
	Name string
	Also []Predicate // what a record has whose field Or is the text
}

var numberSuffix = regexp.MustCompile(`^(?s)(.*)#([0-9]{1,19})$`)

// NumberedName splits a text into a name and the id after it. ok is false if there is no id.
func NumberedName(text string) (name string, id int64, ok bool) {
	m := numberSuffix.FindStringSubmatch(text)
	if m == nil {
		return text, 0, false
	}
	id, err := strconv.ParseInt(m[2], 10, 64)
	return strings.TrimSpace(m[1]), id, err == nil && id > 0
}

// Numbers reports whether a record has the id in the text, and the name before it if there is one.
func (n *Named) Numbers(t *Type, l Link) bool {
	if n.ID == 0 || l.ID != n.ID {
		return false
	}
	if n.Name == "" || len(l.Brief) == 0 {
		return n.Name == ""
	}
	shown := linked{t, l}
	return n.Name == shown.Text(n.By) || n.Or != "" && n.Name == shown.Text(n.Or) || n.Name == t.DisplayLink(l) ||
		t.mayBeCalled(n.Name, l)
}

// Instead returns what to write for a record where the text means several: what is in By if no other record can have that, else its id.
func (n *Named) Instead(t *Type, l Link) string {
	if f := t.Field(n.By); f != nil && f.Info().Unique && len(l.Brief) > 0 {
		if text := (linked{t, l}).Text(n.By); text != "" && text != n.Text {
			return text
		}
	}
	return "#" + t.FormatID(l.ID)
}

// link reads the text in both ways. A text that the field can't have, as #3 is no address, only names a record by its id.
func (n Naming) link(target *Type) (Link, error) {
	n.Text = strings.TrimSpace(n.Text)
	if n.By == "" {
		_, id, ok := NumberedName(n.Text)
		if !ok {
			return Link{}, Invalid("Name a %s by # and its id: #3.", target.Title())
		}
		return Link{ID: id}, nil
	}
	link, err := parseLink(map[string]any{n.By: n.Text}, target)
	link.Named = &Named{Naming: n}
	if n.Or != "" {
		also, wrong := parseLink(map[string]any{n.Or: n.Text}, target)
		if link.Named.Also = also.Match; err != nil && wrong == nil {
			link.Match, err = []Predicate{}, nil
		}
	}
	name, id, ok := NumberedName(n.Text)
	if ok {
		link.Named.Name, link.Named.ID = name, id
	}
	if err != nil && ok {
		link.Match, err = []Predicate{}, nil
	}
	return link, err
}
