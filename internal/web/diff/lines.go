package diff

import "strings"

// Piece is a line of a text that was kept (' '), removed ('-') or added ('+').
type Piece struct {
	Op   byte
	Text string
}

// maxLines is how many lines both texts together may have for a comparison. Time and memory grow with the product of the two: at most a
// million cells of two bytes.
const maxLines = 2000

// textLines returns how one text becomes the other. Equal lines at the beginning and the end are kept, however many there are. If the
// part between them is too long, it is replaced as a whole.
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

// split returns the lines of a text. An empty text has none.
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

// commonLengths returns a table, row by row: how many lines the rest of a from i has in common with the rest of b from j.
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
