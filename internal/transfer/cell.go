package transfer

import (
	"regexp"
	"strings"

	"terrier/internal/record"
)

// nullWord empties a field that may be null.
const nullWord = "null"

var numberPattern = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// formula reports whether a spreadsheet would compute the text.
func formula(s string) bool { return s != "" && strings.ContainsRune("=+-@\t\r\n", rune(s[0])) }

// meant reports whether an apostrophe before the text is an escape.
func meant(s string) bool {
	return blank(s) || formula(s) || s[0] == '\'' || strings.TrimSpace(s) == nullWord
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// escape puts an apostrophe before a text that would otherwise be read as something else.
func escape(s string, null bool) string {
	switch {
	case formula(s) && !numberPattern.MatchString(s),
		blank(s),
		s[0] == '\'' && meant(s[1:]),
		null && strings.TrimSpace(s) == nullWord:
		return "'" + s
	}
	return s
}

func unescape(s string) string {
	if strings.HasPrefix(s, "'") && meant(s[1:]) {
		return s[1:]
	}
	return s
}

// fromCell reads a cell; given is false if it says nothing.
func fromCell(s slot, cell string) (value any, given bool, err error) {
	if s.form == record.SecretCell {
		return cell, cell != "", nil
	}
	if blank(cell) {
		return nil, false, nil
	}
	if s.null && strings.TrimSpace(cell) == nullWord {
		return nil, true, nil
	}
	text := unescape(cell)
	switch s.form {
	case record.TextCell:
		return text, true, nil
	case record.ListCell, record.ReferencesCell:
		items, err := splitList(text)
		if err != nil {
			return nil, true, err
		}
		out := make([]any, len(items))
		for i, item := range items {
			if out[i] = item; s.form == record.ReferencesCell {
				out[i] = fromReference(s.target, item)
			}
		}
		return out, true, nil
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && s.form != record.PlainCell:
		return nil, true, nil
	case s.form == record.ReferenceCell:
		return fromReference(s.target, text), true, nil
	case s.form == record.JSONCell || s.form == record.CustomCells:
		value, err = decodeJSON(text)
		return value, true, err
	}
	return text, true, nil
}
