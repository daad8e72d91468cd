package chart_test

import (
	"slices"
	"testing"
	"time"

	"terrier/internal/web/chart"
)

var outcomes = []chart.Series{{Name: "Successful", Class: "good"}, {Name: "Failed", Class: "bad"}}

func at(hour int) chart.When { return chart.When{At: time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC)} }

// TestBars: bars are stacked from the bottom of a scale that begins at 0, what is not 0 can be seen, and only a bar leads anywhere.
func TestBars(t *testing.T) {
	t.Parallel()
	c := chart.Bars("Requests", "by hour", outcomes, []chart.Period{
		{When: at(13), Href: "/13/", Values: []int64{3, 1}},
		{When: at(14), Href: "/14/", Values: []int64{0, 0}},
		{When: at(15), Href: "/15/", Values: []int64{4000, 1}},
	})
	if want := []string{"10k", "5k", "0"}; !slices.Equal(c.Scale, want) {
		t.Errorf("the scale is %q, want %q", c.Scale, want)
	}
	if len(c.Columns) != 3 || c.Width != 30 {
		t.Fatalf("%d columns in a width of %d", len(c.Columns), c.Width)
	}
	few, none, many := c.Columns[0], c.Columns[1], c.Columns[2]
	if few.Title != "Successful 3, Failed 1" || few.When != at(13) || few.Href != "/13/" {
		t.Errorf("%+v", few)
	}
	if want := []chart.Part{{"good", 1, 98, 8, 2}, {"bad", 1, 96, 8, 2}}; !slices.Equal(few.Parts, want) {
		t.Errorf("a few: %+v, want %+v", few.Parts, want)
	}
	if none.Title != "none" || none.Href != "" || none.Parts != nil {
		t.Errorf("nothing: %+v", none)
	}
	if want := []chart.Part{{"good", 21, 60, 8, 40}, {"bad", 21, 58, 8, 2}}; !slices.Equal(many.Parts, want) {
		t.Errorf("many: %+v, want %+v", many.Parts, want)
	}
	if len(c.Rows) != 2 || c.Rows[1].When != at(15) || c.Rows[1].Href != "/15/" ||
		!slices.Equal(c.Heads, []string{"From", "Successful", "Failed"}) {
		t.Errorf("the table: %q %+v", c.Heads, c.Rows)
	}
}

// TestBarsStayInside: whatever the values, no part is above the chart.
func TestBarsStayInside(t *testing.T) {
	t.Parallel()
	for _, values := range [][]int64{{10_000, 0}, {9_999, 1}, {1, 9_999}, {2, 0}, {1, 1}} {
		for _, p := range chart.Bars("", "", outcomes, []chart.Period{{Values: values}}).Columns[0].Parts {
			if p.Y < 0 || p.Height <= 0 || p.Y+p.Height > 100 {
				t.Errorf("%v: %+v", values, p)
			}
		}
	}
}

// TestScale: the top is a round number that no value exceeds, and half of it is round too.
func TestScale(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]string{0: "2", 1: "2", 2: "2", 3: "4", 5: "10", 11: "20", 401: "1k", 2_000: "2k", 2_001: "4k",
		3e6: "4M"} {
		if got := chart.Bars("", "", outcomes[:1], []chart.Period{{Values: []int64{most}}}).Scale[0]; got != want {
			t.Errorf("up to %d: the top is %s, want %s", most, got, want)
		}
	}
}

// TestLines: a line goes in steps, and is interrupted where there are no values. All lines have one scale.
func TestLines(t *testing.T) {
	t.Parallel()
	c := chart.Lines("Time", "", "ms", []chart.Series{{Name: "p50", Class: "p50"}, {Name: "p95", Class: "p95"}}, []chart.Period{
		{When: at(1), Values: []int64{10, 20}}, {When: at(2), Values: []int64{5, 10}}, {When: at(3)},
		{When: at(4), Href: "/4/", Values: []int64{5, 5}}})
	if want := []chart.Line{{"p50", "M0 50H10V75H20M30 75H40"}, {"p95", "M0 0H10V50H20M30 75H40"}}; !slices.Equal(c.Lines, want) {
		t.Errorf("%q, want %q", c.Lines, want)
	}
	if c.Scale[0] != "20 ms" || c.Scale[2] != "0" {
		t.Errorf("%q", c.Scale)
	}
	if len(c.Rows) != 3 || c.Columns[0].Title != "p50 10 ms, p95 20 ms" || c.Columns[2].Title != "none" || c.Columns[3].Href != "/4/" {
		t.Errorf("%+v %+v", c.Columns, c.Rows)
	}
}

// TestDays: the labels of a chart of more than two days are days.
func TestDays(t *testing.T) {
	t.Parallel()
	for hours, want := range map[int]bool{24: false, 48: false, 49: true, 24 * 30: true} {
		if c := chart.Bars("", "", nil, []chart.Period{{When: at(0)}, {When: at(hours)}}); c.Days != want {
			t.Errorf("%d hours: days are %v", hours, c.Days)
		}
	}
}

// TestRoundTicks: of periods that follow each other, at most five are labelled, at round times and as far from each other, and none so late
// that its label has no room.
func TestRoundTicks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ step, span, apart time.Duration }{
		{time.Minute, time.Hour, 15 * time.Minute}, {30 * time.Minute, 24 * time.Hour, 6 * time.Hour}, {time.Hour, 24 * time.Hour, 6 * time.Hour},
		{3 * time.Hour, 7 * 24 * time.Hour, 48 * time.Hour}, {12 * time.Hour, 30 * 24 * time.Hour, 7 * 24 * time.Hour},
	} {
		for shift := range 10 {
			var periods []chart.Period
			begin := at(0).At.Add(time.Duration(shift) * c.step)
			for since := time.Duration(0); since < c.span; since += c.step {
				periods = append(periods, chart.Period{When: chart.When{At: begin.Add(since)}})
			}
			labelled := slices.DeleteFunc(chart.Bars("", "", nil, periods).Ticks, func(w chart.When) bool { return w == chart.When{} })
			if len(labelled) < 3 || len(labelled) > 5 || begin.Add(c.span).Sub(labelled[len(labelled)-1].At) < c.span/12 {
				t.Errorf("%s from %s: %v", c.span, begin, labelled)
			}
			for i, tick := range labelled {
				if !tick.At.Truncate(c.apart).Equal(tick.At) || i > 0 && tick.At.Sub(labelled[i-1].At) != c.apart {
					t.Errorf("%s from %s: label %d is at %s", c.span, begin, i, tick.At)
				}
			}
		}
	}
}

// TestTicks: at most five other periods are labelled, the first always.
func TestTicks(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 5, 6, 14, 25, 49} {
		c := chart.Bars("", "", nil, slices.Repeat([]chart.Period{{When: at(1)}}, n))
		labelled := len(slices.DeleteFunc(slices.Clone(c.Ticks), func(w chart.When) bool { return w == chart.When{} }))
		if len(c.Ticks) != n || c.Ticks[0] != at(1) || labelled < min(n, 3) || labelled > 5 {
			t.Errorf("%d periods: %v", n, c.Ticks)
		}
	}
}

// TestSparkline: one failure among many requests is seen, at the top of the highest bar.
func TestSparkline(t *testing.T) {
	t.Parallel()
	series := []chart.Series{{Name: "Good", Class: "good"}, {Name: "Bad", Class: "bad"}}
	got := chart.Sparkline("words", series, []chart.Period{{Values: []int64{50, 0}}, {}, {Values: []int64{999, 1}}})
	want := []chart.Line{{Class: "good", Path: "M1 85h8v15h-8zM21 16h8v84h-8z"}, {Class: "bad", Path: "M21 1h8v15h-8z"}}
	if got.Label != "words" || got.Width != 30 || got.Height != 100 || !slices.Equal(got.Shapes, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if none := chart.Sparkline("", series, nil); none.Shapes != nil || none.Width == 0 {
		t.Errorf("without periods: %+v", none)
	}
}
