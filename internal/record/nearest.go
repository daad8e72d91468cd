package record

import "slices"

// longestWord is longer than any that is known: comparing costs the product of the lengths.
const longestWord = 100

// Nearest finds the word that a misspelled one was meant to be, or "" where more than half of its letters would have to change.
func Nearest(word string, among []string) string {
	best, distance := "", len(word)/2+1
	if len(word) > longestWord {
		return ""
	}
	for _, w := range among {
		if max(len(w)-len(word), len(word)-len(w)) >= distance {
			continue // so many letters are added or missing
		}
		if d := editDistance(word, w, distance); d < distance {
			best, distance = w, d
		}
	}
	return best
}

// editDistance counts the letters that make one word of the other, up to a limit.
func editDistance(a, b string, limit int) int {
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
		if slices.Min(row) >= limit {
			return limit
		}
	}
	return row[len(b)]
}
