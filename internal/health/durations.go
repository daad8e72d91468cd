package health

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// longest are the longest durations of the classes in which Durations counts, in milliseconds. Each is √2 times the one before, as far as
// whole milliseconds allow. The last class has everything that took longer.
var longest = [...]int64{1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048, 2896, 4096, 5793,
	8192, 11585, 16384, 23170, math.MaxInt64}

// DurationClasses is how many classes Durations has. What is stored depends on it.
const DurationClasses = len(longest)

// Durations counts requests by how long they took, in classes. It is small however many they are, and can be added up.
type Durations [DurationClasses]int64

// Add counts a request.
func (d *Durations) Add(milliseconds int64) {
	i, _ := slices.BinarySearch(longest[:], milliseconds)
	d[i]++
}

// Include adds the requests that another counted.
func (d *Durations) Include(other Durations) {
	for i, n := range other {
		d[i] += n
	}
}

// Percentile returns how many milliseconds the given share of the requests took at most: 0.5 for the median. It differs from the exact
// value by less than the width of a class, a factor of √2. known is false if nothing was counted.
func (d *Durations) Percentile(share float64) (milliseconds int64, known bool) {
	var all int64
	for _, n := range d {
		all += n
	}
	if all == 0 {
		return 0, false
	}
	rank := max(1, int64(math.Ceil(share*float64(all))))
	var before int64
	for i, n := range d {
		if before += n; before >= rank {
			return within(i, float64(rank-before+n)/float64(n)), true
		}
	}
	return 0, false
}

// within returns the duration at a share of a class. The last class ends where the next would.
func within(class int, share float64) int64 {
	var above float64
	if class > 0 {
		above = float64(longest[class-1])
	}
	to := float64(longest[class])
	if class == DurationClasses-1 {
		to = above * math.Sqrt2
	}
	return int64(math.Round(above + (to-above)*share))
}

// Array returns the counts as PostgreSQL writes an array, without the zeros at its end.
func (d *Durations) Array() string {
	var texts []string
	for i, n := range d {
		if n > 0 {
			texts = append(texts, slices.Repeat([]string{"0"}, i-len(texts))...)
			texts = append(texts, strconv.FormatInt(n, 10))
		}
	}
	return "{" + strings.Join(texts, ",") + "}"
}
