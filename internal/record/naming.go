package record

import (
	"regexp"
	"strconv"
	"strings"
)

// Naming is a reference in the words of a person: the name of a record, its name and its id
// as in "Hall #3" or hall#3, or its id alone as in #3. Names may end like that too, so a text
// can be read in two ways. The ledger looks for both, and refuses a text that means two records.
type Naming struct {
	By   string // the field that holds the name; "" where only ids name records
	Text string
}

// Named is a Naming as it was read. The record may have the whole text as its name, or the id
// at its end and the name before that.
type Named struct {
	Naming
	ID   int64 // 0 where the text has none
	Name string
}

var numberSuffix = regexp.MustCompile(`^(?s)(.*)#([0-9]{1,19})$`)

// NumberedName splits a text into a name and the id behind it. ok is false where no id is.
func NumberedName(text string) (name string, id int64, ok bool) {
	m := numberSuffix.FindStringSubmatch(text)
	if m == nil {
		return text, 0, false
	}
	id, err := strconv.ParseInt(m[2], 10, 64)
	return strings.TrimSpace(m[1]), id, err == nil && id > 0
}

// Numbers reports whether a record has the id in the text, and the name before it where one is.
func (n *Named) Numbers(t *Type, l Link) bool {
	if n.ID == 0 || l.ID != n.ID {
		return false
	}
	return n.Name == "" || len(l.Brief) > 0 && (n.Name == (linked{t, l}).Text(n.By) || n.Name == t.DisplayLink(l))
}

// link reads the text in both ways.
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
	if name, id, ok := NumberedName(n.Text); ok {
		link.Named.Name, link.Named.ID = name, id
	}
	return link, err
}
