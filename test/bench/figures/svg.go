package figures

import (
	"fmt"
	"strings"
)

// SVG draws the result: ratios and limits against their goals, latencies, and what grows.
func (r *Result) SVG() []byte {
	c := &canvas{y: margin}
	c.text(margin, "title", "Terrier against a bare program that does the same work")
	c.text(margin, "muted", fmt.Sprintf("%s · %s", r.Started.Format("2 January 2006"), r.Commit))
	c.text(margin, "muted", r.Machine.String())
	c.text(margin, "muted", fmt.Sprintf("%s sites, %d connections, %d rounds: medians, the thin lines are the spread",
		grouped(r.Sizes.Records), r.Sizes.Connections, r.Sizes.Rounds))
	r.drawRatios(c)
	r.drawLimits(c)
	r.drawLatencies(c)
	r.drawGrowth(c)
	height := c.y + margin
	return fmt.Appendf(nil,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d %[2]d\" role=\"img\" "+
			"aria-label=\"Results of the benchmark\">\n<style>%[3]s\n</style>\n<rect class=\"ground\" width=\"%[1]d\" height=\"%[2]d\" "+
			"rx=\"6\"/>\n%[4]s</svg>\n",
		width, height, style, c.b.String())
}

func (r *Result) drawRatios(c *canvas) {
	var rows []Row
	most := 1.2
	for _, row := range r.Rows {
		if row.Unit == "/s" {
			rows = append(rows, row)
			most = max(most, min(row.High, 2))
		}
	}
	if len(rows) == 0 {
		return
	}
	a := axis{from: 0, to: most}
	c.head("Rate, as a part of bare", "more is better; the bar across is the goal")
	c.scale(a, []float64{0, 0.25, 0.5, 0.75, 1, 1.5, 2}, len(rows), "")
	for _, row := range rows {
		note := ""
		if row.Against != "" {
			note = " of " + row.Against
		}
		c.bar(a, row, row.Value, row.Low, row.High, row.Goal.Value, fmt.Sprintf("%.2f%s  (%s)", row.Value, note, row.figure(row.Terrier.Figure)))
	}
	c.y += 22
}

func (r *Result) drawLimits(c *canvas) {
	var rows []Row
	most := 1.2
	for _, row := range r.Rows {
		if row.Goal.AtMost {
			rows = append(rows, row)
			most = max(most, min(row.High/row.Goal.Value, 4))
		}
	}
	if len(rows) == 0 {
		return
	}
	a := axis{from: 0, to: most}
	c.head("Limits, as a part of what is allowed", "less is better; the bar across is the limit")
	c.scale(a, []float64{0, 0.5, 1, 2, 3, 4}, len(rows), "")
	for _, row := range rows {
		unit := " times " + row.Against
		if row.Absolute {
			unit = " " + row.Unit
		}
		g := row.Goal.Value
		c.bar(a, row, row.Value/g, row.Low/g, row.High/g, 1, fmt.Sprintf("%s%s  (%s)", short(row.Value), unit, row.Goal))
	}
	c.y += 22
}

func (r *Result) drawLatencies(c *canvas) {
	var all []series
	for _, row := range r.Rows {
		other := "bare"
		if row.Against != "" {
			other = row.Against
		}
		for _, s := range []struct {
			name, class string
			side        Side
		}{{row.Case, "terrier", row.Terrier}, {row.Case + ", " + other, "bare", row.Bare}} {
			p := s.side.FromCommit
			if p == nil {
				p = s.side.FromDue
			}
			if p != nil {
				all = append(all, series{s.name, s.class, []float64{p.P50, p.P95, p.P99},
					fmt.Sprintf("%s · %s · %s ms", short(p.P50), short(p.P95), short(p.P99))})
			}
		}
	}
	c.dots("Latency: p50, p95, p99", "open-loop; events: from the commit to the receiver, reads and writes: from when they were due", all)
}

func (r *Result) drawGrowth(c *canvas) {
	var all []series
	for _, row := range r.Rows {
		if len(row.Points) == 0 {
			continue
		}
		s := series{name: row.Case, class: "terrier"}
		var texts []string
		for _, p := range row.Points {
			s.values = append(s.values, p.Figure)
			texts = append(texts, short(p.Figure))
		}
		s.text = strings.Join(texts, " · ") + " ms"
		all = append(all, s)
	}
	c.dots("Growth", "the time of one request at each size, from 1,000 by tens; larger dots are larger sizes", all)
}
