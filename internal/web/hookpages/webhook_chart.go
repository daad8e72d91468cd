package hookpages

import (
	"fmt"
	"time"

	"terrier/internal/store"
	"terrier/internal/web/chart"
)

// The time that the chart of a webhook covers, and the time of one bar.
const (
	chartTime = 24 * time.Hour
	chartStep = 30 * time.Minute
)

// webhookChart shows the results of the requests of the last day, as drawings and in words.
type webhookChart struct {
	Sent     int64
	Rate     string // of success, in percent; "" if nothing was sent
	Average  string
	Outcomes chart.Chart
	Time     chart.Chart
	Rows     []chartRow
}

// chartRow is a step of the charts in words.
type chartRow struct {
	At                 time.Time
	Successful, Failed int64
	Average            int64
}

// ends are how a request can end.
var ends = []chart.Series{{Name: "Successful", Class: "good"}, {Name: "Failed", Class: "bad"}}

// periodsOf returns how the requests of each step ended.
func periodsOf(history []store.Bucket) []chart.Period {
	periods := make([]chart.Period, len(history))
	for i, b := range history {
		periods[i] = chart.Period{When: chart.When{At: b.At}, Values: []int64{b.Successful, b.Failed}}
	}
	return periods
}

func outcomes(history []store.Bucket) (successful, failed int64) {
	for _, b := range history {
		successful, failed = successful+b.Successful, failed+b.Failed
	}
	return successful, failed
}

func chartOf(history []store.Bucket) webhookChart {
	successful, failed := outcomes(history)
	c := webhookChart{Sent: successful + failed}
	if c.Sent == 0 {
		return c
	}
	var spent, slowest int64
	points := make([]chart.Point, len(history))
	for i, b := range history {
		spent, slowest = spent+b.Milliseconds, max(slowest, average(b))
		points[i] = chart.Point{When: chart.When{At: b.At}, Value: average(b), Known: b.Successful+b.Failed > 0}
		if points[i].Known {
			c.Rows = append(c.Rows, chartRow{b.At, b.Successful, b.Failed, average(b)})
		}
	}
	c.Rate, c.Average = percent(successful, c.Sent), inMilliseconds(float64(spent)/float64(c.Sent))
	c.Outcomes = chart.Bars(fmt.Sprintf("Requests by half hour: %d successful, %d failed.", successful, failed),
		"Requests by half hour", ends, periodsOf(history))
	c.Time = chart.Line(fmt.Sprintf("Average time of a request by half hour: %s over all, %s in the slowest half hour.",
		c.Average, inMilliseconds(float64(slowest))), "Average time of a request", "ms", points)
	return c
}

func average(b store.Bucket) int64 { return b.Milliseconds / max(1, b.Successful+b.Failed) }

// percent returns a share in percent. It is never 100 if something failed.
func percent(part, whole int64) string {
	if part == whole {
		return "100"
	}
	return fmt.Sprintf("%.1f", float64(part*1000/whole)/10)
}
