// Package diff owns the comparison of a record before and after a change, for people: two snapshots field by field, and long texts line
// by line. It has no side effects and knows neither pages nor record types.
package diff

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Line is one field before and after a change. A field that a snapshot lacks is empty.
type Line struct {
	Name          string
	Before, After string
	Changed       bool
	Lines         []Piece // only if the field changed and its text is too long to show side by side
}

// bookkeeping are the fields that every write sets. They are not shown as changes.
var bookkeeping = []string{"created", "last_updated"}

// Snapshots returns the comparison of two snapshots: the fields of post in their order, then those that only pre has. A snapshot may be
// nil.
func Snapshots(pre, post []byte) []Line {
	before, old := members(pre)
	after, names := members(post)
	for _, name := range old {
		if _, ok := after[name]; !ok {
			names = append(names, name)
		}
	}
	lines := make([]Line, 0, len(names))
	for _, name := range names {
		was, had := before[name]
		is, has := after[name]
		l := Line{Name: name, Before: printed(was), After: printed(is)}
		switch {
		case slices.Contains(bookkeeping, name):
		case had && has:
			l.Changed = !same(was, is)
		default: // an empty field of a created or deleted record is left out
			l.Changed = l.Before != l.After
		}
		if l.Changed && (long(l.Before) || long(l.After)) {
			l.Lines = textLines(l.Before, l.After)
		}
		lines = append(lines, l)
	}
	return lines
}

// members returns the members of a JSON object and the order of its keys. Any other value has none.
func members(text []byte) (map[string]json.RawMessage, []string) {
	var values map[string]json.RawMessage
	if json.Unmarshal(text, &values) != nil || values == nil {
		return nil, nil
	}
	names := make([]string, 0, len(values))
	seen := make(map[string]bool, len(values))
	d := json.NewDecoder(bytes.NewReader(text))
	_, _ = d.Token() // the brace; the text was parsed once already
	for d.More() {
		key, _ := d.Token()
		name, _ := key.(string)
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			break
		}
	}
	return values, names
}

// same reports whether two values are equal, however they are written. Only numbers are compared as written: 1.0 and 1.00 are shown
// differently, so they differ.
func same(a, b json.RawMessage) bool {
	return bytes.Equal(a, b) || reflect.DeepEqual(decoded(a), decoded(b))
}

func decoded(text json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	_ = d.Decode(&v) // it is part of a text that was parsed already
	return v
}

// long reports whether a text is too long for a cell of a table.
func long(s string) bool {
	const widest = 200
	return strings.Contains(s, "\n") || len(s) > widest && utf8.RuneCountInString(s) > widest
}
