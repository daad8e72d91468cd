package transfer

import (
	"regexp"
	"strings"

	"terrier/internal/record"
)

// nullWord empties a field that may be null.
const nullWord = "null"

var numberPattern = regexp.MustCompile(`^[-+]?[0-9]+(\.[0-9]+)?$`)

// formulaSigns begin a text that a spreadsheet computes. Some take the full-width signs for the same.
const (
	cellSigns    = "=+\\-@＝＋－＠"
	formulaSigns = cellSigns + "\\t\\r\\n"
)

var (
	formulaStart = regexp.MustCompile("^[" + formulaSigns + "]")
	// formulaCell is where a new cell begins that would be computed, for a spreadsheet that separates cells by semicolons: in many countries
	// it does. A quoted cell is no help there, because its quote is not at the beginning.
	formulaCell = regexp.MustCompile(`(;[ "]*'*)([` + cellSigns + `])`)
	escapedCell = regexp.MustCompile(`(;[ "]*'*)'([` + cellSigns + `])`)
)

// formula reports whether a spreadsheet would compute the text.
func formula(s string) bool { return formulaStart.MatchString(s) }

// meant reports whether an apostrophe before the text is an escape.
func meant(s string) bool {
	return blank(s) || formula(s) || s[0] == '\'' || strings.TrimSpace(s) == nullWord
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// escape puts an apostrophe before a text that would otherwise be read as something else, and before each part of it that would.
func escape(s string, null bool) string {
	s = formulaCell.ReplaceAllString(s, "$1'$2")
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
		s = s[1:]
	}
	return escapedCell.ReplaceAllString(s, "$1$2")
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
