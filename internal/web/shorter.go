package web

import (
	"fmt"

	"terrier/internal/web/diff"
)

// How many lines of a text are shown around a change, and how much of a single line.
const (
	keptAround = 3
	longestRow = 2000
)

// shorter returns the changed lines of a text and a few around them, at most as many as most. A text of a megabyte may have half a
// million lines, and each costs time to draw.
func shorter(pieces []diff.Piece, most int) []diff.Piece {
	near := make([]bool, len(pieces))
	for i, p := range pieces {
		if p.Op != ' ' {
			for n := max(0, i-keptAround); n <= min(len(pieces)-1, i+keptAround); n++ {
				near[n] = true
			}
		}
	}
	var out []diff.Piece
	left := 0
	leave := func() {
		if left > 0 {
			out = append(out, diff.Piece{Op: ' ', Text: fmt.Sprintf("… (lines left out: %d)", left)})
		}
		left = 0
	}
	for i, p := range pieces {
		if !near[i] || len(out) >= most {
			left++
			continue
		}
		leave()
		if runes := []rune(p.Text); len(p.Text) > longestRow && len(runes) > longestRow {
			p.Text = string(runes[:longestRow]) + "…"
		}
		out = append(out, p)
	}
	leave()
	return out
}
