package main

import (
	"fmt"
	"html"
	"math"
	"strings"
	"time"
)

// The picture's measures.
const (
	pictureWidth = 1200.0
	marginLeft   = 170.0
	marginRight  = 24.0
	titleHeight  = 74.0
	laneHeight   = 18.0
	chartHeight  = 150.0
	chartGap     = 46.0
)

// style is readable on a light and on a dark page.
const style = `<style>
svg { font: 12px system-ui, sans-serif; }
.page { fill: #ffffff; } text { fill: #1f2933; } .dim { fill: #616e7c; } .grid { stroke: #e4e7eb; }
.at { stroke: #9aa5b1; stroke-dasharray: 2 4; opacity: .6; }
.process { fill: #c81e1e; } .database { fill: #7e3af2; } .network { fill: #b45309; } .receiver { fill: #047481; }
.changes { stroke: #1a56db; } .deliveries { stroke: #d9480f; } .backlog { stroke: #047857; } .filled { fill: #047857; opacity: .15; }
path { fill: none; stroke-width: 1.6; } path.filled { stroke: none; fill: #047857; } .title { font-size: 16px; font-weight: 600; }
@media (prefers-color-scheme: dark) {
.page { fill: #15191e; } text { fill: #e4e7eb; } .dim { fill: #9aa5b1; } .grid { stroke: #2f3741; } .at { stroke: #52606d; }
.process { fill: #f98080; } .database { fill: #ac94fa; } .network { fill: #f6ad55; } .receiver { fill: #5cc9d3; }
.changes { stroke: #76a9fa; } .deliveries { stroke: #ff9f66; } .backlog { stroke: #31c48d; } path.filled { fill: #31c48d; }
}</style>`

// families are the groups of faults, in the order of the legend.
var families = []struct{ class, label string }{{"process", "processes"}, {"database", "PostgreSQL"}, {"network", "connections"},
	{"receiver", "receiver"}}

func family(kind string) string {
	switch {
	case strings.HasPrefix(kind, "receiver"):
		return "receiver"
	case kind == crash || kind == failOver || kind == loseJobs:
		return "database"
	case strings.HasPrefix(kind, "cut"), strings.HasPrefix(kind, "slow"), strings.HasPrefix(kind, "refuse"):
		return "network"
	}
	return "process"
}

// canvas draws over the time of a run.
type canvas struct {
	strings.Builder
	began time.Time
	span  float64 // seconds
}

func (c *canvas) put(format string, args ...any) { _, _ = fmt.Fprintf(c, format+"\n", args...) } // writing to memory can't fail

func (c *canvas) x(at time.Time) float64 {
	return marginLeft + at.Sub(c.began).Seconds()/c.span*(pictureWidth-marginLeft-marginRight)
}

// picture draws what happened: the faults by kind, the backlog, and how many changes and
// requests there were in each second.
func picture(t *timeline, r *result) string {
	var lanes []string
	lane := map[string]int{}
	for _, f := range t.made {
		if _, known := lane[f.Kind]; !known {
			lane[f.Kind] = len(lanes)
			lanes = append(lanes, f.Kind)
		}
	}
	c := &canvas{began: t.began, span: math.Max(1, r.Seconds)}
	top := titleHeight + float64(len(lanes))*laneHeight + chartGap
	height := top + 2*(chartHeight+chartGap)
	c.put(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-label="Timeline of a run `+
		`with faults">`, pictureWidth, height, pictureWidth, height)
	c.put("%s", style)
	c.put(`<rect class="page" width="100%%" height="100%%"/>`)
	c.put(`<text class="title" x="24" y="28">Seed %d: %d changes, %d faults, %d deliveries, %d duplicates, %d violations</text>`,
		r.Seed, r.Changes, r.Faults, r.Deliveries, r.Duplicates, r.Violations)
	c.legend()
	c.faults(t, lanes, lane, height)
	c.chart(top, "backlog", t.samples, series{"backlog", true, func(_, b sample) float64 { return float64(b.Backlog) }})
	c.chart(top+chartHeight+chartGap, "per second", t.samples,
		series{"deliveries", false, func(a, b sample) float64 { return float64(b.Receipts-a.Receipts) / b.At.Sub(a.At).Seconds() }},
		series{"changes", false, func(a, b sample) float64 { return float64(b.Changes-a.Changes) / b.At.Sub(a.At).Seconds() }})
	c.put("</svg>")
	return c.String()
}

func (c *canvas) legend() {
	x := 24.0
	for _, f := range families {
		c.put(`<rect class="%s" x="%g" y="44" width="12" height="12" rx="2"/><text x="%g" y="54">faults of %s</text>`, f.class, x, x+18, f.label)
		x += 150
	}
	for _, l := range []struct{ class, label string }{{"backlog", "backlog"}, {"deliveries", "requests received"},
		{"changes", "changes acknowledged"}} {
		c.put(`<path class="%s" d="M%g 50h22"/><text x="%g" y="54">%s</text>`, l.class, x, x+28, l.label)
		x += 90 + float64(len(l.label))*4
	}
}

// faults draws a row for each kind of fault, and a line through the charts at the beginning of each fault.
func (c *canvas) faults(t *timeline, lanes []string, lane map[string]int, height float64) {
	for i, kind := range lanes {
		y := titleHeight + float64(i)*laneHeight
		c.put(`<text x="%g" y="%g" text-anchor="end">%s</text><path class="grid" d="M%g %gH%g"/>`, marginLeft-10, y+12,
			html.EscapeString(kind), marginLeft, y+8, pictureWidth-marginRight)
	}
	for _, f := range t.made {
		y := titleHeight + float64(lane[f.Kind])*laneHeight
		from, to := c.x(f.Began), c.x(f.Ended)
		c.put(`<path class="at" d="M%.1f %gV%g"/>`, from, y+14, height-chartGap)
		c.put(`<rect class="%s" x="%.1f" y="%g" width="%.1f" height="12" rx="2"><title>%s</title></rect>`, family(f.Kind), from, y+2,
			math.Max(4, to-from),
			html.EscapeString(fmt.Sprintf("%s %s at %.1f s: %s", f.Kind, f.Target, f.Began.Sub(c.began).Seconds(), f.Note)))
	}
}

// series is a line of a chart. Its values are computed from two successive samples.
type series struct {
	class  string
	filled bool
	value  func(before, now sample) float64
}

// smooth is the number of samples over which a rate is computed.
const smooth = 4

func (c *canvas) chart(y float64, title string, samples []sample, lines ...series) {
	most := 1.0
	points := make([][][2]float64, len(lines)) // time and value; a gap has no value
	for n, line := range lines {
		for i := smooth; i < len(samples); i++ {
			value := line.value(samples[i-smooth], samples[i])
			if value < 0 { // the value is not known
				continue
			}
			points[n] = append(points[n], [2]float64{c.x(samples[i].At), value})
			most = math.Max(most, value)
		}
	}
	most = roundUp(most)
	c.put(`<text class="dim" x="%g" y="%g">%s</text>`, marginLeft, y-10, title)
	for i := range 5 {
		v := most * float64(i) / 4
		at := y + chartHeight*(1-v/most)
		c.put(`<path class="grid" d="M%g %.1fH%g"/><text class="dim" x="%g" y="%.1f" text-anchor="end">%g</text>`, marginLeft, at,
			pictureWidth-marginRight, marginLeft-10, at+4, v)
	}
	step := roundUp(c.span / 12)
	for s := 0.0; s <= c.span; s += step {
		c.put(`<text class="dim" x="%.1f" y="%g" text-anchor="middle">%g s</text>`,
			c.x(c.began.Add(time.Duration(s*float64(time.Second)))), y+chartHeight+18, s)
	}
	for n, line := range lines {
		var d strings.Builder
		for i, p := range points[n] {
			fmt.Fprintf(&d, "%s%.1f %.1f", map[bool]string{true: "M", false: "L"}[i == 0], p[0], y+chartHeight*(1-p[1]/most))
		}
		if line.filled && len(points[n]) > 0 {
			c.put(`<path class="filled" d="%sV%gH%.1fZ"/>`, d.String(), y+chartHeight, points[n][0][0])
		}
		c.put(`<path class="%s" d="%s"/>`, line.class, d.String())
	}
}

// roundUp returns the next round number.
func roundUp(v float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 4, 5, 10} {
		if v <= n*unit {
			return n * unit
		}
	}
	return 10 * unit
}
