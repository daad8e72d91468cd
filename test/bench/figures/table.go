package figures

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Print writes the tables.
func (r *Result) Print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%s · %s\n%s\n%d sites, %d connections, asked by a %s, %d rounds\n\n",
		r.Started.Format("2006-01-02 15:04 MST"), r.Commit, r.Machine, r.Sizes.Records, r.Sizes.Connections, r.Sizes.User, r.Sizes.Rounds)
	table(&text, r.mainLines())
	table(&text, r.latencyLines())
	table(&text, r.growthLines())
	table(&text, r.statementLines())
	_, err := io.WriteString(out, text.String())
	return err
}

// table prints lines in columns. It prints nothing if there are no lines below the heading.
func table(out io.Writer, lines [][]string) {
	if len(lines) < 2 {
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		_, _ = fmt.Fprintln(w, strings.Join(line, "\t")) // writing to a builder can't fail
	}
	_ = w.Flush()
	_, _ = fmt.Fprintln(out)
}

func (r *Result) mainLines() [][]string {
	lines := [][]string{{"case", "work", "terrier", "bare", "value", "spread", "µs go/pg: terrier", "bare", "goal", "verdict"}}
	for _, row := range r.Rows {
		bare := row.figure(row.Bare.Figure)
		if row.Against != "" {
			bare += " (" + row.Against + ")"
		}
		verdict := row.Verdict()
		if row.Again {
			verdict += " (second try)"
		}
		lines = append(lines, []string{row.Case, row.What, row.figure(row.Terrier.Figure), bare, row.value(),
			short(row.Low) + "–" + short(row.High),
			row.Terrier.processor(), row.Bare.processor(), row.Goal.String(), verdict})
	}
	return lines
}

func (r *Result) latencyLines() [][]string {
	lines := [][]string{{"latency in ms", "side", "events", "from due: p50", "p95", "p99", "from commit: p50", "p95", "p99"}}
	for _, row := range r.Rows {
		other := "bare"
		if row.Against != "" {
			other = row.Against
		}
		for _, s := range []struct {
			name string
			side Side
		}{{"terrier", row.Terrier}, {other, row.Bare}} {
			if s.side.FromDue == nil {
				continue
			}
			line := append([]string{row.Case, s.name, fmt.Sprint(s.side.FromDue.N)}, s.side.FromDue.cells()...)
			if s.side.FromCommit != nil {
				line = append(line, s.side.FromCommit.cells()...)
			}
			lines = append(lines, line)
		}
	}
	return lines
}

func (p *Percentiles) cells() []string { return []string{short(p.P50), short(p.P95), short(p.P99)} }

func (r *Result) growthLines() [][]string {
	var sizes []int
	for _, row := range r.Rows {
		for _, p := range row.Points {
			sizes = append(sizes, p.Size)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	head := []string{"growth, ms at"}
	for _, n := range sizes {
		head = append(head, grouped(n))
	}
	lines := [][]string{head}
	for _, row := range r.Rows {
		if len(row.Points) == 0 {
			continue
		}
		line := []string{row.Case}
		for _, n := range sizes {
			cell := "-"
			for _, p := range row.Points {
				if p.Size == n {
					cell = short(p.Figure)
				}
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	return lines
}

func (r *Result) statementLines() [][]string {
	lines := [][]string{{"statements", "terrier", "in round trips", "bare", "in round trips"}}
	for _, s := range r.Statements {
		line := []string{s.What, fmt.Sprint(s.Statements), fmt.Sprint(s.Trips), "-", "-"}
		if s.BareStatements > 0 {
			line[3], line[4] = fmt.Sprint(s.BareStatements), fmt.Sprint(s.BareTrips)
		}
		lines = append(lines, line)
	}
	return lines
}

func (r Row) figure(v float64) string {
	switch {
	case v == 0:
		return "-"
	case r.Unit == "/s":
		return short(v) + "/s"
	}
	return short(v) + " " + r.Unit
}

func (r Row) value() string {
	if r.Absolute {
		return r.figure(r.Value)
	}
	return short(r.Value)
}

func (s Side) processor() string {
	if s.Go == 0 && s.PostgreSQL == 0 {
		return "-"
	}
	return short(s.Go) + " / " + short(s.PostgreSQL)
}

// short returns a number with a sensible number of digits.
func short(v float64) string {
	switch {
	case v >= 1000:
		return grouped(int(v + 0.5))
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	case v >= 0.1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.2g", v)
}

// grouped returns 1000000 as 1,000,000.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
