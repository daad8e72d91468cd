package record

import (
	"cmp"
	"slices"
	"strings"
)

// longestWord is longer than any known word. Longer ones are not compared, because that costs the product of the lengths.
const longestWord = 100

// Nearest returns the known word that is most like a misspelled one, or "" if more than half of its letters would have to change.
func Nearest(word string, among []string) string {
	best, distance := "", len(word)/2+1
	if len(word) > longestWord {
		return ""
	}
	for _, w := range among {
		if max(len(w)-len(word), len(word)-len(w)) >= distance {
			continue // the lengths alone differ by too much
		}
		if d := editDistance(word, w, distance); d < distance {
			best, distance = w, d
		}
	}
	return best
}

// NearestOf returns the known texts that are most like a misspelled one, the nearest first: those that Nearest might return.
func NearestOf(text string, among []string, most int) []string {
	if len(text) > longestWord {
		return nil
	}
	limit := len(text)/2 + 1
	folded := strings.ToLower(text)
	distance := map[string]int{}
	var near []string
	for _, known := range among {
		if d := editDistance(folded, strings.ToLower(known), limit); d < limit && max(len(known)-len(text), len(text)-len(known)) < limit {
			distance[known] = d
			near = append(near, known)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance[a], distance[b]) })
	return near[:min(len(near), most)]
}

// editDistance returns how many letters must change to turn one word into the other, up to a limit.
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
