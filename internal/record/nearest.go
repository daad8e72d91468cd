package record

// Nearest finds the word that a misspelt one was meant to be, or "" where none is near.
func Nearest(word string, among []string) string {
	best, distance := "", len(word)
	for _, w := range among {
		if d := editDistance(word, w); d < distance {
			best, distance = w, d
		}
	}
	return best
}

func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
