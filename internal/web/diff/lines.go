package diff

import "strings"

// Piece is a line of a text that was kept (' '), taken out ('-') or put in ('+').
type Piece struct {
	Op   byte
	Text string
}

// maxLines is up to how many lines, of both texts together, a common part is looked for. Time and memory grow
// with the product of the two: at most a million cells of two bytes.
const maxLines = 2000

// textLines tells how one text becomes the other. What both begin and end with is kept however long they are;
// between, a text that is too long is replaced as a whole.
func textLines(before, after string) []Piece {
	a, b := split(before), split(after)
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	pieces := appendAll(make([]Piece, 0, len(a)+len(b)), ' ', a[:start])
	pieces = appendMiddle(pieces, a[start:len(a)-end], b[start:len(b)-end])
	return appendAll(pieces, ' ', a[len(a)-end:])
}

// split leaves no line where there is no text.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func appendAll(pieces []Piece, op byte, lines []string) []Piece {
	for _, line := range lines {
		pieces = append(pieces, Piece{op, line})
	}
	return pieces
}

func appendMiddle(pieces []Piece, a, b []string) []Piece {
	i, j := 0, 0
	if len(a)+len(b) <= maxLines {
		common := commonLengths(a, b)
		width := len(b) + 1
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				pieces = append(pieces, Piece{' ', a[i]})
				i, j = i+1, j+1
			case common[(i+1)*width+j] >= common[i*width+j+1]:
				pieces = append(pieces, Piece{'-', a[i]})
				i++
			default:
				pieces = append(pieces, Piece{'+', b[j]})
				j++
			}
		}
	}
	return appendAll(appendAll(pieces, '-', a[i:]), '+', b[j:])
}

// commonLengths is a table, row by row: how many lines the rest of a from i has in common with the rest of b from j.
func commonLengths(a, b []string) []uint16 {
	width := len(b) + 1
	common := make([]uint16, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	return common
}
