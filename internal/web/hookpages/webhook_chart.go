package hookpages

import (
	"fmt"
	"strings"
	"time"

	"terrier/internal/store"
)

// The time that the chart of a webhook covers, and the time of one bar.
const (
	chartTime = 24 * time.Hour
	chartStep = 30 * time.Minute
)

// The sizes of the drawing. It is stretched to the width of the page.
const (
	barWidth    = 10
	chartHeight = 60
)

// webhookChart shows the results of the deliveries of the last day, as a drawing and in words.
type webhookChart struct {
	Width, Height      int
	Successful, Failed int64
	Sent               int64
	Rate               string // of success, in percent; "" if nothing was sent
	Average            string
	Slowest            string // the highest average of a bar
	Bars               []chartBar
	Path               string // the line of the averages, in steps
	Rows               []chartRow
}

// chartBar is a period of time. Failed deliveries are drawn above successful ones.
type chartBar struct {
	X, GoodY, Good, BadY, Bad int
}

// chartRow is the same in words.
type chartRow struct {
	At                 string
	Successful, Failed int64
	Average            int64
}

func chartOf(history []store.Bucket) webhookChart {
	c := webhookChart{Width: max(1, len(history)) * barWidth, Height: chartHeight}
	var most, spent, slowest int64
	for _, b := range history {
		c.Successful, c.Failed, spent = c.Successful+b.Successful, c.Failed+b.Failed, spent+b.Milliseconds
		most, slowest = max(most, b.Successful+b.Failed), max(slowest, average(b))
	}
	if c.Sent = c.Successful + c.Failed; c.Sent == 0 {
		return c
	}
	c.Rate, c.Average, c.Slowest = percent(c.Successful, c.Sent), inMilliseconds(float64(spent)/float64(c.Sent)),
		inMilliseconds(float64(slowest))
	var path strings.Builder
	drawn := false // the step before had a value
	for i, b := range history {
		if b.Successful+b.Failed == 0 {
			drawn = false
			continue
		}
		x := i * barWidth
		good, bad := barHeight(b.Successful, most), barHeight(b.Failed, most)
		good = min(good, chartHeight-bad)
		c.Bars = append(c.Bars, chartBar{x, chartHeight - good, good, chartHeight - good - bad, bad})
		y := chartHeight - 2 - int(average(b)*(chartHeight-4)/max(1, slowest))
		if drawn {
			fmt.Fprintf(&path, "V%d", y)
		} else {
			fmt.Fprintf(&path, "M%d %d", x, y)
		}
		fmt.Fprintf(&path, "H%d", x+barWidth)
		drawn = true
		c.Rows = append(c.Rows, chartRow{b.At.UTC().Format("2006-01-02 15:04"), b.Successful, b.Failed, average(b)})
	}
	c.Path = path.String()
	return c
}

func average(b store.Bucket) int64 { return b.Milliseconds / max(1, b.Successful+b.Failed) }

// barHeight returns the height of a part of a bar. A small number never gets the height 0.
func barHeight(n, most int64) int {
	if n == 0 {
		return 0
	}
	return max(2, int(n*chartHeight/most))
}

// percent returns a share in percent. It is never 100 if something failed.
func percent(part, whole int64) string {
	if part == whole {
		return "100"
	}
	return fmt.Sprintf("%.1f", float64(part*1000/whole)/10)
}
