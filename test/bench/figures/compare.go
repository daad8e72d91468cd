package figures

import (
	"fmt"
	"io"
	"strings"
)

// Change is how a case compares with the stored result.
type Change struct {
	Case    string
	Then    float64
	Now     float64
	New     bool // the stored result does not have it
	Gone    bool // this result does not have it
	Beyond  bool // the two spreads do not overlap: it is more than noise
	Improve bool // in the direction of the goal
}

// Compare returns what has changed since a result was stored, case by case, in the order of the new rows.
func Compare(then, now *Result) []Change {
	var changes []Change
	seen := map[string]bool{}
	for _, row := range now.Rows {
		seen[row.Case] = true
		before, ok := then.row(row.Case)
		c := Change{Case: row.Case, Then: before.Value, Now: row.Value, New: !ok}
		c.Beyond = ok && (row.Low > before.High || row.High < before.Low)
		c.Improve = (row.Value > before.Value) != row.smallIsGood()
		changes = append(changes, c)
	}
	for _, row := range then.Rows {
		if !seen[row.Case] {
			changes = append(changes, Change{Case: row.Case, Then: row.Value, Gone: true})
		}
	}
	return changes
}

func (r *Result) row(name string) (Row, bool) {
	for _, row := range r.Rows {
		if row.Case == name {
			return row, true
		}
	}
	return Row{}, false
}

// smallIsGood reports whether smaller values are better. They are for times. Rates, whose unit has "/s", should be large.
func (r Row) smallIsGood() bool {
	if r.Goal.Value != 0 {
		return r.Goal.AtMost
	}
	return r.Unit != "/s"
}

// PrintComparison prints the changes since a result was stored.
func PrintComparison(out io.Writer, then, now *Result) error {
	var text strings.Builder
	fmt.Fprintf(&text, "against the kept result of %s (%s):\n", then.Started.Format("2006-01-02"), then.Commit)
	if then.Machine != now.Machine {
		fmt.Fprintf(&text, "  that was another machine: %s\n", then.Machine)
	}
	if then.Sizes != now.Sizes {
		fmt.Fprintf(&text, "  and other sizes: %+v\n", then.Sizes)
	}
	lines := [][]string{{"  case", "then", "now", "change", ""}}
	var gone []string
	for _, c := range Compare(then, now) {
		if c.Gone {
			gone = append(gone, c.Case)
			continue
		}
		line := []string{"  " + c.Case, short(c.Then), short(c.Now), "", ""}
		switch {
		case c.New:
			line[1], line[3] = "-", "new"
		case c.Then > 0:
			line[3], line[4] = fmt.Sprintf("%+.0f %%", 100*(c.Now/c.Then-1)), c.judgement()
		}
		lines = append(lines, line)
	}
	table(&text, lines)
	if len(gone) > 0 {
		fmt.Fprintf(&text, "  not measured this time: %s\n\n", strings.Join(gone, ", "))
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func (c Change) judgement() string {
	switch {
	case !c.Beyond:
		return "within the spread"
	case c.Improve:
		return "better"
	}
	return "WORSE"
}
