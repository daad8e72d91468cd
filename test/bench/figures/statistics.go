package figures

import (
	"math"
	"slices"
)

// Percentiles of a set of latencies, in milliseconds.
type Percentiles struct {
	N                  int
	P50, P95, P99, Max float64
}

// PercentilesOf returns the percentiles of latencies.
func PercentilesOf(values []float64) *Percentiles {
	return &Percentiles{N: len(values), P50: Percentile(values, 0.5), P95: Percentile(values, 0.95), P99: Percentile(values, 0.99),
		Max: Percentile(values, 1)}
}

// Percentile returns the smallest value that at least this part of all values does not exceed.
func Percentile(values []float64, part float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(part * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// Median returns the middle value, or the mean of the two in the middle.
func Median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	switch {
	case n == 0:
		return 0
	case n%2 == 1:
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// Judge sets the value of a row: the median of its rounds' values, and their spread.
func (r *Row) Judge(values []float64) {
	r.Value = Median(values)
	if len(values) > 0 {
		r.Low, r.High = slices.Min(values), slices.Max(values)
	}
}
