package figures

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// The picture's measures, in pixels.
const (
	width    = 1000
	margin   = 24
	labels   = 250 // the column of names
	values   = 230 // the column of figures
	plotFrom = margin + labels
	plotTo   = width - margin - values
	line     = 24 // from one bar to the next
)

// style is readable on light and dark backgrounds. Without a known preference it is light.
const style = `
	text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
	.title { font-size: 17px; font-weight: 600 }
	.head { font-size: 13px; font-weight: 600 }
	.muted { fill: #59636e }
	.ground { fill: #ffffff }
	.grid { stroke: #d1d9e0; stroke-width: 1 }
	.one { stroke: #59636e; stroke-width: 1; stroke-dasharray: 4 3 }
	.terrier { fill: #1a7f64; stroke: #1a7f64 }
	.missed { fill: #bc4c00; stroke: #bc4c00 }
	.bare { fill: #818b98; stroke: #818b98 }
	.spread { stroke: #1f2328; stroke-width: 1.5 }
	.goal { stroke: #8250df; stroke-width: 3 }
	.thread { stroke-width: 2; opacity: .45 }
	@media (prefers-color-scheme: dark) {
		text { fill: #f0f6fc }
		.muted { fill: #9198a1 }
		.ground { fill: #0d1117 }
		.grid { stroke: #3d444d }
		.one { stroke: #9198a1 }
		.terrier { fill: #3fb68b; stroke: #3fb68b }
		.missed { fill: #f0883e; stroke: #f0883e }
		.bare { fill: #9198a1; stroke: #9198a1 }
		.spread { stroke: #f0f6fc }
		.goal { stroke: #ab7df8 }
	}`

// canvas is drawn from top to bottom.
type canvas struct {
	b strings.Builder
	y int
}

func (c *canvas) draw(format string, args ...any) { fmt.Fprintf(&c.b, format+"\n", args...) }

func (c *canvas) text(x int, class, s string) {
	c.y += 18
	c.draw(`<text x="%d" y="%d" class="%s">%s</text>`, x, c.y, class, html.EscapeString(s))
}

func (c *canvas) head(title, note string) {
	c.y += 30
	c.draw(`<text x="%d" y="%d"><tspan class="head">%s</tspan><tspan class="muted" dx="10">%s</tspan></text>`, margin, c.y,
		html.EscapeString(title), html.EscapeString(note))
	c.y += 10
}

// axis maps figures to pixels.
type axis struct {
	from, to float64
	log      bool
}

func (a axis) at(v float64) float64 {
	v = min(max(v, a.from), a.to)
	part := (v - a.from) / (a.to - a.from)
	if a.log {
		part = math.Log(v/a.from) / math.Log(a.to/a.from)
	}
	return plotFrom + part*(plotTo-plotFrom)
}

// scale draws the grid behind a number of lines, and its numbers below them.
func (c *canvas) scale(a axis, ticks []float64, lines int, unit string) {
	bottom := c.y + lines*line + 4
	for _, t := range ticks {
		if t < a.from || t > a.to {
			continue
		}
		x := a.at(t)
		class := "grid"
		if t == 1 && !a.log {
			class = "one"
		}
		c.draw(`<line x1="%.1f" y1="%d" x2="%.1[1]f" y2="%[3]d" class="%[4]s"/>`, x, c.y, bottom, class)
		c.draw(`<text x="%.1f" y="%d" class="muted" text-anchor="middle">%s%s</text>`, x, bottom+14,
			strings.TrimSuffix(fmt.Sprintf("%g", t), ".0"), unit)
	}
}

// next begins a line and returns its middle.
func (c *canvas) next(name string) int {
	c.y += line
	c.draw(`<text x="%d" y="%d" text-anchor="end">%s</text>`, plotFrom-10, c.y-8, html.EscapeString(name))
	return c.y - line/2
}

func (c *canvas) figures(s string) {
	c.draw(`<text x="%d" y="%d" class="muted">%s</text>`, plotTo+12, c.y-8, html.EscapeString(s))
}

func (c *canvas) bar(a axis, row Row, value, low, high, goal float64, text string) {
	middle := c.next(row.Case)
	class := "terrier"
	if !row.Reached() {
		class = "missed"
	}
	c.draw(`<rect x="%d" y="%d" width="%.1f" height="13" rx="2" class="%s"/>`, plotFrom, middle-6, max(1, a.at(value)-plotFrom), class)
	c.draw(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%[2]d" class="spread"/>`, a.at(low), middle, a.at(high))
	if goal > 0 {
		c.draw(`<line x1="%.1f" y1="%d" x2="%.1[1]f" y2="%[3]d" class="goal"/>`, a.at(goal), middle-10, middle+10)
	}
	c.figures(text)
}

// dots draws series on a common logarithmic scale of milliseconds.
func (c *canvas) dots(title, note string, all []series) {
	if len(all) == 0 {
		return
	}
	a := axis{from: math.Inf(1), log: true}
	for _, s := range all {
		for _, v := range s.values {
			a.from, a.to = min(a.from, max(v, 0.01)), max(a.to, v)
		}
	}
	a.from, a.to = math.Pow(10, math.Floor(math.Log10(a.from))), math.Pow(10, math.Ceil(math.Log10(a.to)))
	var ticks []float64
	for t := a.from; t <= a.to*1.01; t *= 10 {
		ticks = append(ticks, math.Round(t*1000)/1000)
	}
	c.head(title, note)
	c.scale(a, ticks, len(all), " ms")
	for _, s := range all {
		middle := c.next(s.name)
		first, last := s.values[0], s.values[len(s.values)-1]
		c.draw(`<line x1="%.1f" y1="%d" x2="%.1f" y2="%[2]d" class="%[4]s thread"/>`, a.at(first), middle, a.at(last), s.class)
		for i, v := range s.values {
			c.draw(`<circle cx="%.1f" cy="%d" r="%.1f" class="%s"/>`, a.at(v), middle, 2.5+float64(i), s.class)
		}
		c.figures(s.text)
	}
	c.y += 22
}

// series are figures on one line of a logarithmic scale.
type series struct {
	name, class string
	values      []float64
	text        string
}
