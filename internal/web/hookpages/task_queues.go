package hookpages

import (
	"fmt"
	"strconv"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// queueLine is the number of deliveries of a webhook that are queued or failed.
type queueLine struct {
	ID         int64
	Name, Href string
	State      string // disabled, paused, held, failing or healthy
	Counts     []queueCount
	Oldest     string // how long the oldest has been queued
}

// queueCount is a number of deliveries, and a link to their list.
type queueCount struct {
	N        int64
	ID, What string
	Href     string // "" for callers who may not see deliveries
}

// requestLine is how the latest requests to a webhook were answered. A delivery that is retried makes several requests.
type requestLine struct {
	ID                 int64
	Name, Href         string
	Successful, Failed int64
	Rate, Average      string
}

// fillQueues sets a line for each webhook and the total. It returns the webhooks.
func (h *room) fillQueues(v *web.Visit, p *tasksPage) (map[int64]record.Values, error) {
	queues, err := h.admin.Queues(v.Ctx, v.Caller)
	if err != nil {
		return nil, err
	}
	counts, err := h.counts(v, queues.Webhooks)
	if err != nil {
		return nil, err
	}
	p.Window = web.InWords(queues.Window)
	b := queueLines{now: v.Site.Now(), sees: p.SeesFailed}
	if p.SeesFailed {
		b.deliveries = web.PagePath(v.Site.DeliveryType())
	}
	hooks := make(map[int64]record.Values, len(queues.Webhooks))
	var done store.Backlog
	for _, q := range queues.Webhooks {
		id := q.Webhook.ID()
		hooks[id] = q.Webhook
		p.Queues = append(p.Queues, b.of(q.Webhook, counts[id]))
		request := requestsOf(q.Backlog, queues.Window)
		request.ID, request.Name, request.Href = id, q.Webhook.Display(), web.RecordPath(q.Webhook.Type(), id)
		p.Requests = append(p.Requests, request)
		done.Successful, done.Failed, done.Milliseconds = done.Successful+q.Successful, done.Failed+q.Failed, done.Milliseconds+q.Milliseconds
	}
	p.AllRequests = requestsOf(done, queues.Window)
	var total, unlisted store.DeliveryCount // unlisted: the webhook may be deleted, but not its deliveries
	for id, s := range counts {
		addCounts(&total, s)
		if _, listed := hooks[id]; !listed {
			addCounts(&unlisted, s)
		}
	}
	if unlisted != (store.DeliveryCount{}) {
		line := queueLines{now: b.now, sees: true}.line(-1, unlisted)
		p.Unlisted = &line
	}
	p.Total = b.line(0, total)
	return hooks, nil
}

// counts returns how many deliveries the caller may list, by webhook. A caller who may list none sees the queued deliveries of the
// webhooks that they may see.
func (h *room) counts(v *web.Visit, queues []webhookadmin.Queue) (map[int64]store.DeliveryCount, error) {
	byID := map[int64]store.DeliveryCount{}
	if !v.May(v.Site.DeliveryType(), access.View) {
		for _, q := range queues {
			byID[q.Webhook.ID()] = store.DeliveryCount{Queued: q.Queued, Retrying: q.Retrying, OldestAt: q.OldestAt}
		}
		return byID, nil
	}
	found, err := h.admin.DeliveryCounts(v.Ctx, v.Caller)
	for _, s := range found {
		byID[s.Webhook] = s
	}
	return byID, err
}

func addCounts(total *store.DeliveryCount, s store.DeliveryCount) {
	total.Queued += s.Queued
	total.Retrying += s.Retrying
	total.Failed += s.Failed
	if s.OldestAt != nil && (total.OldestAt == nil || s.OldestAt.Before(*total.OldestAt)) {
		total.OldestAt = s.OldestAt
	}
}

type queueLines struct {
	now        time.Time
	sees       bool   // the caller may see deliveries
	deliveries string // the address of the list of deliveries; "" for no links
}

func (l queueLines) of(hook record.Values, s store.DeliveryCount) queueLine {
	line := l.line(hook.ID(), s)
	line.Name, line.Href, line.State = hook.Display(), web.RecordPath(hook.Type(), hook.ID()), webhookadmin.Standing(hook)
	return line
}

// line returns the figures of one webhook, or of all together.
func (l queueLines) line(webhook int64, s store.DeliveryCount) queueLine {
	line := queueLine{ID: webhook, Counts: []queueCount{
		l.count(webhook, s.Queued, store.Queued, "state", store.Queued),
		l.count(webhook, s.Retrying, "retrying", "retrying", "true"),
	}}
	if l.sees {
		line.Counts = append(line.Counts, l.count(webhook, s.Failed, store.Failed, "state", store.Failed, "retrying", "false"))
	}
	if s.OldestAt != nil {
		line.Oldest = web.InWords(l.now.Sub(*s.OldestAt))
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
	c.Href = web.With(l.deliveries, nil, filter...)
	return c
}

func requestsOf(b store.Backlog, window time.Duration) requestLine {
	line := requestLine{Successful: b.Successful, Failed: b.Failed}
	if done := b.Successful + b.Failed; done > 0 {
		line.Rate = fmt.Sprintf("%.1f", float64(done)/window.Minutes())
		line.Average = inMilliseconds(float64(b.Milliseconds) / float64(done))
	}
	return line
}

// inMilliseconds returns a duration for people. One that is too short to measure is not shown as 0, which would look like no request.
func inMilliseconds(n float64) string {
	if n < 1 {
		return "< 1 ms"
	}
	return fmt.Sprintf("%.0f ms", n)
}
