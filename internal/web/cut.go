package web

import "unicode/utf8"

// mostShown is how many characters of a text a cell of a table shows. The whole text of a longer one is there too: in its title, and
// when it has the focus.
const mostShown = 60

// The kinds of cell that only tables have.
const (
	CutCell     = "cut"
	CutLinkCell = "cut-link"
)

// cut returns a cell as a table shows it: one with a long text is shortened by the style sheet. It can get the focus, and others can't, so
// that the keyboard does not stop at every cell.
func cut(c Cell) Cell {
	short := len(c.Text) <= mostShown || utf8.RuneCountInString(c.Text) <= mostShown
	switch {
	case short && c.Kind == LongCell:
		c.Kind = TextCell
	case short:
	case c.Kind == TextCell, c.Kind == LongCell:
		c.Kind = CutCell
	case c.Kind == LinkCell:
		c.Kind = CutLinkCell
	}
	return c
}
