package health_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"terrier/internal/health"
)

// TestPercentile: the estimate is in the class of the exact percentile, so it is never off by more than its width.
func TestPercentile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		took := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) int64 {
			return int64(math.Exp(rapid.Float64Range(0, math.Log(30_000)).Draw(t, "log")))
		}), 1, 300).Draw(t, "took")
		var d health.Durations
		for _, ms := range took {
			d.Add(ms)
		}
		slices.Sort(took)
		for _, share := range []float64{0.5, 0.95, 0.99} {
			exact := float64(took[max(1, int(math.Ceil(share*float64(len(took)))))-1])
			got, known := d.Percentile(share)
			if low, high := min(exact/math.Sqrt2-1, exact), max(exact*math.Sqrt2+1, exact); !known || float64(got) < low || float64(got) > high {
				t.Fatalf("p%.0f of %v is %d, exactly %.0f", share*100, took, got, exact)
			}
		}
	})
}

// TestPercentileOfFew: nothing has no percentile, and the order of the percentiles is that of their shares.
func TestPercentileOfFew(t *testing.T) {
	t.Parallel()
	var d health.Durations
	if _, known := d.Percentile(0.5); known {
		t.Error("nothing has a median")
	}
	for _, ms := range []int64{0, 10, 10, 10, 10, 10, 10, 10, 10, 60_000} {
		d.Add(ms)
	}
	p50, _ := d.Percentile(0.5)
	p99, _ := d.Percentile(0.99)
	if p50 < 9 || p50 > 11 || p99 < 23_170 {
		t.Errorf("the median is %d, the 99th percentile %d", p50, p99)
	}
	if want := "{1,0,0,0,0,0,8,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1}"; d.Array() != want {
		t.Errorf("%s, want %s", d.Array(), want)
	}
	var short health.Durations
	short.Add(3)
	short.Add(3)
	if want := "{0,0,2}"; short.Array() != want {
		t.Errorf("%s, want %s", short.Array(), want)
	}
}
