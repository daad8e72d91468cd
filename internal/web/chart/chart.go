// Package chart owns the charts of the pages: where bars and lines are, how high the scale goes, and the same numbers as a table for
// people who can't see them. It knows neither pages nor what is counted. The templates "chart" and "chart-table" show what it returns: the
// bars are stretched to the width of the page, and all text is HTML, so that it can be read on any screen.
package chart

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The sizes of a drawing, which is stretched.
const (
	columnWidth = 10
	barWidth    = 8
	height      = 100
	leastHeight = 2 // of a part of a bar that is not 0
)

// mostTicks is how many labels there is room for below a chart on a narrow screen.
const mostTicks = 5

// clockTicks is the longest time that a chart can cover with times of day as labels. The labels of a longer one are days.
const clockTicks = 48 * time.Hour

// Series is one of the numbers that are counted in each period. Its class is that of its style.
type Series struct{ Name, Class string }

// When is the beginning of a period, or a whole day in UTC, such as 2026-03-01.
type When struct {
	At  time.Time
	Day string
}

// Period is a stretch of time, with a value for each series.
type Period struct {
	When
	Href   string // the list of what was counted; "" for none
	Values []int64
}

// Chart is a chart, ready for its template.
type Chart struct {
	Label         string // what it shows, in words
	Caption       string
	Keys          []Series
	Width, Height int
	Scale         []string // the numbers at the top, in the middle and at the bottom
	Ticks         []When   // the label of each period, zero for most
	Days          bool     // its labels are days, not times of day
	Columns       []Column
	Lines         []Line
	Heads         []string
	Rows          []Row
}

// Column is a period as it is drawn.
type Column struct {
	When
	X, Width int
	Title    string // what was counted, in words
	Href     string
	Parts    []Part
}

// Part is a rectangle of a bar.
type Part struct {
	Class               string
	X, Y, Width, Height int
}

// Row is a period as a line of the table.
type Row struct {
	When
	Href   string
	Values []int64
}

// Bars draws a bar for each period. The series are stacked, the first at the bottom. Periods in which nothing was counted are not in the
// table.
func Bars(label, caption string, series []Series, periods []Period) Chart {
	var most int64
	for _, p := range periods {
		most = max(most, sum(p.Values))
	}
	top := topOf(most)
	c := Chart{Label: label, Caption: caption, Keys: series, Scale: scale(top, "")}
	c.add(periods, "", func(p Period) []Part { return stack(p.Values, series, bounds{top, leastHeight}) })
	return c
}

// Lines draws a line in steps for each series. A period in which all values are 0 interrupts them, and is not in the table. The unit
// follows the numbers.
func Lines(label, caption, unit string, series []Series, periods []Period) Chart {
	var most int64
	for _, p := range periods {
		for _, n := range p.Values {
			most = max(most, n)
		}
	}
	top := topOf(most)
	c := Chart{Label: label, Caption: caption, Keys: series, Scale: scale(top, unit)}
	c.add(periods, unit, func(Period) []Part { return nil })
	for i, s := range series {
		c.Lines = append(c.Lines, Line{s.Class, steps(i, top, periods)})
	}
	return c
}

// Spark is a chart as small as a word, ready for the template "spark".
type Spark struct {
	Label         string // what it shows, in words
	Width, Height int
	Shapes        []Line // the bars of each series
}

// leastSparkHeight is how high a part of a small bar that is not 0 is at least, so that one failure among many requests is seen.
const leastSparkHeight = 15

// Sparkline draws a small bar for each period, stacked as in Bars. It has no scale: the highest bar has about the whole height.
func Sparkline(label string, series []Series, periods []Period) Spark {
	most := int64(1)
	for _, p := range periods {
		most = max(most, sum(p.Values))
	}
	room := height - leastSparkHeight*max(0, len(series)-1) // so that the highest bar has room for its smallest parts
	top := most * height / int64(room)
	paths := map[string]string{}
	for i, p := range periods {
		for _, part := range stack(p.Values, series, bounds{top, leastSparkHeight}) {
			paths[part.Class] += fmt.Sprintf("M%d %dh%dv%dh-%[3]dz", i*columnWidth+part.X, part.Y, part.Width, part.Height)
		}
	}
	s := Spark{Label: label, Width: max(1, len(periods)) * columnWidth, Height: height}
	for _, of := range series {
		if paths[of.Class] != "" {
			s.Shapes = append(s.Shapes, Line{of.Class, paths[of.Class]})
		}
	}
	return s
}

// add adds the periods to a chart: the columns, their labels, and the rows of the table.
func (c *Chart) add(periods []Period, unit string, parts func(Period) []Part) {
	c.Width, c.Height, c.Heads = max(1, len(periods))*columnWidth, height, []string{"From"}
	for _, s := range c.Keys {
		c.Heads = append(c.Heads, s.Name)
	}
	if n := len(periods); n > 0 {
		c.Days = periods[n-1].At.Sub(periods[0].At) > clockTicks
	}
	labelled := ticks(periods)
	for i, p := range periods {
		c.Ticks = append(c.Ticks, When{})
		if labelled(i) {
			c.Ticks[i] = p.When
		}
		column := Column{When: p.When, X: i * columnWidth, Width: columnWidth, Title: title(p, c.Keys, unit), Parts: parts(p)}
		for j := range column.Parts {
			column.Parts[j].X += column.X
		}
		if sum(p.Values) > 0 {
			column.Href = p.Href
			c.Rows = append(c.Rows, Row(p))
		}
		c.Columns = append(c.Columns, column)
	}
}

// bounds are the number at the top of a scale, and the least height of a part that is not 0.
type bounds struct {
	top   int64
	least int
}

// stack returns the parts of a bar at the left edge.
func stack(values []int64, series []Series, in bounds) (parts []Part) {
	y := height
	for i, n := range values {
		if n > 0 {
			high := min(max(in.least, int(n*height/in.top)), y)
			y -= high
			parts = append(parts, Part{Class: series[i].Class, X: (columnWidth - barWidth) / 2, Y: y, Width: barWidth, Height: high})
		}
	}
	return parts
}

// title returns what was counted in a period, in words: "Successful 3, Failed 1".
func title(p Period, series []Series, unit string) string {
	var counted []string
	for i, n := range p.Values {
		if n > 0 {
			counted = append(counted, fmt.Sprintf("%s %d%s", series[i].Name, n, after(unit)))
		}
	}
	if counted == nil {
		return "none"
	}
	return strings.Join(counted, ", ")
}

// Line is a line as it is drawn.
type Line struct{ Class, Path string }

// steps returns the path of the line of a series.
func steps(series int, top int64, periods []Period) string {
	var path strings.Builder
	for i, p := range periods {
		if sum(p.Values) == 0 {
			continue
		}
		y := height - int(p.Values[series]*height/top)
		if i > 0 && sum(periods[i-1].Values) > 0 {
			fmt.Fprintf(&path, "V%d", y)
		} else {
			fmt.Fprintf(&path, "M%d %d", i*columnWidth, y)
		}
		fmt.Fprintf(&path, "H%d", (i+1)*columnWidth)
	}
	return path.String()
}

func sum(values []int64) (total int64) {
	for _, n := range values {
		total += n
	}
	return total
}

// topOf returns the number at the top of a scale that reaches a number. It has one digit that is not 0, and so has its half.
func topOf(most int64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, n := range []int64{2, 4, 10} {
			if n*unit >= most {
				return n * unit
			}
		}
	}
}

// scale returns the numbers beside a chart, from the top.
func scale(top int64, unit string) []string {
	return []string{short(top) + after(unit), short(top / 2), "0"}
}

// after returns a unit as it follows a number.
func after(unit string) string {
	if unit == "" {
		return ""
	}
	return " " + unit
}

// short returns a number with one digit that is not 0 in few characters: "200", "4k".
func short(n int64) string {
	for _, u := range []struct {
		size int64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= u.size {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// roundTimes are what people expect between two labels.
var roundTimes = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour,
	6 * time.Hour, 12 * time.Hour, 24 * time.Hour, 48 * time.Hour, 7 * 24 * time.Hour}

// ticks returns which periods are labelled: at most mostTicks. Those of a clock are labelled at round times, in UTC.
func ticks(periods []Period) func(i int) bool {
	n := len(periods)
	every := max(1, (n+mostTicks-1)/mostTicks)
	if n < 2 || !periods[1].At.After(periods[0].At) {
		return func(i int) bool { return i%every == 0 }
	}
	apart := periods[1].At.Sub(periods[0].At) * time.Duration(every)
	if i := slices.IndexFunc(roundTimes, func(d time.Duration) bool { return d >= apart }); i >= 0 {
		apart = roundTimes[i]
	}
	return func(i int) bool { return periods[i].At.Truncate(apart).Equal(periods[i].At) && n-i > every/2 }
}
