package web

import (
	"fmt"
	"strconv"
	"time"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
)

// queueLine is what waits for a webhook, and how it went lately.
type queueLine struct {
	ID         int64
	Name, Href string
	State      string // enabled, paused or disabled
	Counts     []queueCount
	Rate       string
	Average    string
	Oldest     string
}

// queueCount is a number and the deliveries that it counts.
type queueCount struct {
	N        int64
	ID, What string
	Href     string // "" for those who may not see deliveries
}

// fillQueues fills one line for each webhook, and their sum. It returns the webhooks.
func (p *tasksPage) fillQueues(v *visit) (map[int64]record.Values, error) {
	queues, window, err := v.site.Ledger.Queues(v.ctx, v.caller)
	if err != nil {
		return nil, err
	}
	p.Window = inWords(window)
	b := queueLines{now: v.site.Now(), window: window}
	if p.SeesFailed {
		b.deliveries = pagePath(v.site.deliveryType())
	}
	hooks := make(map[int64]record.Values, len(queues))
	var total store.Backlog
	for _, q := range queues {
		hooks[q.Webhook.ID()] = q.Webhook
		p.Queues = append(p.Queues, b.of(q))
		addBacklog(&total, q.Backlog)
	}
	p.Total = b.line(0, total)
	return hooks, nil
}

func addBacklog(total *store.Backlog, b store.Backlog) {
	total.Queued += b.Queued
	total.Retrying += b.Retrying
	total.Successful += b.Successful
	total.Failed += b.Failed
	total.Milliseconds += b.Milliseconds
	if b.OldestAt != nil && (total.OldestAt == nil || b.OldestAt.Before(*total.OldestAt)) {
		total.OldestAt = b.OldestAt
	}
}

type queueLines struct {
	now        time.Time
	window     time.Duration
	deliveries string // the address of their list
}

func (l queueLines) of(q ledger.Queue) queueLine {
	line := l.line(q.Webhook.ID(), q.Backlog)
	line.Name, line.Href, line.State = q.Webhook.Display(), recordPath(q.Webhook.Type(), q.Webhook.ID()), "enabled"
	switch {
	case !q.Webhook.Bool("enabled"):
		line.State = "disabled"
	case q.Webhook.Get("paused_at") != nil:
		line.State = "paused"
	}
	return line
}

// line is the figures of one webhook, or of all together.
func (l queueLines) line(webhook int64, b store.Backlog) queueLine {
	since := l.now.Add(-l.window).UTC().Truncate(time.Minute).Format(time.RFC3339)
	line := queueLine{ID: webhook, Counts: []queueCount{
		l.count(webhook, b.Queued, store.Queued, "state", store.Queued),
		l.count(webhook, b.Retrying, "retrying", "state", store.Failed, "retry_at__empty", "false"),
		l.count(webhook, b.Successful, store.Successful, "state", store.Successful, "finished_at__gte", since),
		l.count(webhook, b.Failed, store.Failed, "state", store.Failed, "finished_at__gte", since),
	}}
	if done := b.Successful + b.Failed; done > 0 {
		line.Rate = fmt.Sprintf("%.1f", float64(done)/l.window.Minutes())
		line.Average = inMilliseconds(float64(b.Milliseconds) / float64(done))
	}
	if b.OldestAt != nil {
		line.Oldest = inWords(l.now.Sub(*b.OldestAt))
	}
	return line
}

func (l queueLines) count(webhook, n int64, what string, filter ...string) queueCount {
	c := queueCount{N: n, What: what, ID: fmt.Sprintf("queue-%d-%s", webhook, what)}
	if l.deliveries == "" {
		return c
	}
	if webhook != 0 {
		filter = append(filter, "webhook_id", strconv.FormatInt(webhook, 10))
	}
	c.Href = with(l.deliveries, nil, filter...)
	return c
}

// inWords is a length of time as people say it.
func inWords(d time.Duration) string {
	d = max(d, 0) // clocks differ
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// ahead says how long it is until a moment.
func ahead(at, now time.Time) string {
	if !at.After(now) {
		return "now"
	}
	return "in " + inWords(at.Sub(now))
}

// inMilliseconds tells a receiver that is quicker than can be measured from one that was not asked.
func inMilliseconds(n float64) string {
	if n < 1 {
		return "< 1 ms"
	}
	return fmt.Sprintf("%.0f ms", n)
}
