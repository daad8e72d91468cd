package hookpages

import (
	"fmt"
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/health"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/web/chart"
	"terrier/internal/webhookadmin"
)

// chartRange is a time that the charts of a webhook can cover, and the time of one bar. Counts are kept by the minute for a
// little more than an hour, by the half hour for two days, and by the hour after that.
type chartRange struct {
	Key       string // in the address
	Name      string
	time      time.Duration
	step      time.Duration
	stepWords string
}

var chartRanges = []chartRange{
	{"1h", "1 h", time.Hour, time.Minute, "minute"},
	{"24h", "24 h", 24 * time.Hour, 30 * time.Minute, "half hour"},
	{"7d", "7 d", 7 * 24 * time.Hour, 3 * time.Hour, "3 hours"},
	{"30d", "30 d", 30 * 24 * time.Hour, 12 * time.Hour, "12 hours"},
}

// usualRange is the one of a page whose address names none.
var usualRange = chartRanges[1]

// rangeOf returns the range that the address of a page names.
func rangeOf(v *web.Visit) chartRange {
	i := slices.IndexFunc(chartRanges, func(r chartRange) bool { return r.Key == v.R.URL.Query().Get("range") })
	if i < 0 {
		return usualRange
	}
	return chartRanges[i]
}

// webhookChart shows the results of the requests to a webhook, as drawings and in words.
type webhookChart struct {
	Ranges        []rangeLink
	Sent          int64
	Rate          string // of success, in percent; "" if nothing was sent
	P50, P95, P99 string // how long requests took; "" if that is not known
	Outcomes      chart.Chart
	Time          chart.Chart
}

type rangeLink struct {
	Name, Href string
	Current    bool
}

// ends are how a request can end.
var ends = []chart.Series{{Name: "Successful", Class: "good"}, {Name: "Failed", Class: "bad"}}

// percentiles are the lines of how long requests took, with the share of the requests that took no longer.
var percentiles = []struct {
	chart.Series
	share float64
}{
	{chart.Series{Name: "p50", Class: "p50"}, 0.5},
	{chart.Series{Name: "p95", Class: "p95"}, 0.95},
	{chart.Series{Name: "p99", Class: "p99"}, 0.99},
}

// chart returns the charts of a webhook. A bar leads to the deliveries whose last request ended in its time.
func (h webhookPages) chart(v *web.Visit, found record.Values) (c webhookChart, err error) {
	shown := rangeOf(v)
	for _, r := range chartRanges {
		c.Ranges = append(c.Ranges, rangeLink{r.Name, web.With(web.RecordPath(h.Type, found.ID()), nil, "range", r.Key), r == shown})
	}
	history, err := h.admin.History(v.Ctx, v.Caller, found.ID(),
		webhookadmin.HistoryRange{Since: h.site.Now().Add(shown.step - shown.time), Step: shown.step})
	if err != nil {
		return c, err
	}
	successful, failed := outcomes(history)
	if c.Sent = successful + failed; c.Sent == 0 {
		return c, nil
	}
	c.Rate = percent(successful, c.Sent)
	ended, took := periodsOf(history), durationsOf(history)
	if deliveries := h.site.DeliveryType(); v.May(deliveries, access.View) {
		for i, b := range history {
			ended[i].Href = web.Between(deliveries, "finished_at", b.At, b.At.Add(shown.step), "webhook_id", h.Type.FormatID(found.ID()))
			took[i].Href = ended[i].Href
		}
	}
	c.Outcomes = chart.Bars(fmt.Sprintf("Requests per %s: %d successful, %d failed.", shown.stepWords, successful, failed),
		"Requests per "+shown.stepWords, ends, ended)
	c.showDurations(history, took, shown)
	return c, nil
}

// showDurations adds how long the requests took, if that is known: counts of earlier versions have no percentiles.
func (c *webhookChart) showDurations(history []store.Bucket, took []chart.Period, shown chartRange) {
	var all health.Durations
	for _, b := range history {
		all.Include(b.Durations)
	}
	texts, lines := make([]string, len(percentiles)), make([]chart.Series, len(percentiles))
	for i, p := range percentiles {
		ms, known := all.Percentile(p.share)
		if !known {
			return
		}
		texts[i], lines[i] = inMilliseconds(float64(ms)), p.Series
	}
	c.P50, c.P95, c.P99 = texts[0], texts[1], texts[2]
	c.Time = chart.Lines(fmt.Sprintf("Time of a request per %s: p50 %s, p95 %s, p99 %s over all.", shown.stepWords, c.P50, c.P95, c.P99),
		"Time of a request", "ms", lines, took)
}

// periodsOf returns how the requests of each step ended.
func periodsOf(history []store.Bucket) []chart.Period {
	periods := make([]chart.Period, len(history))
	for i, b := range history {
		periods[i] = chart.Period{When: chart.When{At: b.At}, Values: []int64{b.Successful, b.Failed}}
	}
	return periods
}

// durationsOf returns the percentiles of how long the requests of each step took.
func durationsOf(history []store.Bucket) []chart.Period {
	periods := make([]chart.Period, len(history))
	for i, b := range history {
		periods[i].At = b.At
		for _, p := range percentiles {
			if ms, known := b.Durations.Percentile(p.share); known {
				periods[i].Values = append(periods[i].Values, ms)
			}
		}
	}
	return periods
}

func outcomes(history []store.Bucket) (successful, failed int64) {
	for _, b := range history {
		successful, failed = successful+b.Successful, failed+b.Failed
	}
	return successful, failed
}

// percent returns a share in percent. It is never 100 if something failed.
func percent(part, whole int64) string {
	if part == whole {
		return "100"
	}
	return fmt.Sprintf("%.1f", float64(part*1000/whole)/10)
}
