package hookpages

import (
	"fmt"
	"slices"
	"time"

	"terrier/internal/record"
	"terrier/internal/web"
)

// moment is a step of a delivery.
type moment struct {
	At     time.Time
	Label  string
	State  string // its result, shown as a colour
	Detail string
	After  string // since the step before
}

// timelineOf returns the steps of a delivery, from the change to its current state. A caller who may not see the attempts sees how many
// there were.
func timelineOf(d record.Values, attempts []attempt, now time.Time) []moment {
	steps := []moment{{At: web.MomentOf(d), Label: "Changed"}}
	queued, _ := d.Get("queued_at").(time.Time)
	label := "Queued"
	if n := len(attempts); n > 0 && attempts[n-1].Time.Before(queued) {
		label = "Queued again"
	}
	steps = append(steps, moment{At: queued, Label: label, State: "queued"})
	for _, a := range slices.Backward(attempts) {
		steps = append(steps, attemptStep(a))
	}
	if at, ok := finishedAt(d); ok {
		step := moment{At: at, Label: web.CellOf(d.Type().Field("state"), d.Get("state")).Text, State: d.Text("state"), Detail: d.Text("reason")}
		if n := d.Int("attempt_count"); len(attempts) == 0 && n > 0 {
			step.Label += " (" + countOf(n, "attempt") + ")"
		}
		steps = append(steps, step)
	}
	slices.SortStableFunc(steps, func(a, b moment) int { return a.At.Compare(b.At) })
	for i := 1; i < len(steps); i++ {
		steps[i].After = web.InWords(steps[i].At.Sub(steps[i-1].At))
	}
	if at, ok := d.Get("retry_at").(time.Time); ok {
		steps = append(steps, moment{At: at, Label: "Automatic retry", State: "retrying",
			Detail: web.Capital(web.Ahead(at, now)) + "."})
	}
	return steps
}

func attemptStep(a attempt) moment {
	step := moment{At: a.Time, Label: fmt.Sprintf("Attempt %d", a.Number), State: "failed", Detail: a.Error}
	if a.Good {
		step.State = "successful"
	}
	if a.Response != nil {
		step.Detail = fmt.Sprintf("Answered %d after %s.", a.Response.Status, a.Took)
	}
	return step
}

func countOf(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
