package web

import (
	"fmt"
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
)

// deliveryPage is one change on its way to one webhook: what was sent and what came back.
type deliveryPage struct {
	State, Event    cell
	Webhook, Object cell
	Kind            string
	Change          string // its page, for those who may see it
	Sequence        int64
	RequestID       string
	RequestHref     string
	AttemptCount    int64
	Status, Reason  string
	Waits           string // why nothing happens
	Timeline        []moment
	Attempts        []attempt
	SeesAttempts    bool
	CanSendAgain    bool
	Awaited         bool // it will change by itself
	Live            bool
}

func (s *Site) deliveryPages() ownPages {
	return ownPages{detail: "delivery", moreDetail: s.deliveryDetail, cells: map[string]func(record.Values) cell{
		"state":       func(d record.Values) cell { return stateOf(d, s.Now()) },
		"object_repr": objects{}.of,
	}}
}

// stateOf is the state of a delivery for people: one that is retried automatically has not failed for good.
func stateOf(d record.Values, now time.Time) cell {
	at, retrying := d.Get("retry_at").(time.Time)
	if !retrying {
		return cellOf(d.Type().Field("state"), d.Get("state"))
	}
	which := "" // a worker that lacks the webhook's key tries again whatever max_retries says
	if n, of := d.Int("tries"), d.Int("max_retries"); 0 < n && n <= of {
		which = fmt.Sprintf("%d of %d, ", n, of)
	}
	return cell{Kind: badgeCell, Color: "retrying", Text: "Retrying (" + which + ahead(at, now) + ")"}
}

func (s *Site) deliveryDetail(v *visit, d *detailPage, found record.Values) error {
	t := found.Type()
	p := &deliveryPage{State: stateOf(found, s.Now()), Event: cellOf(t.Field("event"), found.Get("event")), Webhook: v.webhookOf(found),
		Kind: s.kindOf(found.Text("object_type")), Sequence: found.Int("sequence"), RequestID: found.Text("request_id"), AttemptCount: found.Int("attempt_count"),
		Status: cellOf(nil, found.Get("status_code")).Text, Reason: found.Text("reason"), SeesAttempts: found.Get("attempts") != nil,
		Awaited: found.Text("state") == store.Queued}
	p.Live = p.Awaited && v.refreshes()
	names, err := v.objectsOf([]record.Values{found})
	if err != nil {
		return err
	}
	p.Object = names.of(found)
	if p.Attempts, err = attemptsOf(found); err != nil {
		return err
	}
	if err := p.fillChange(v, found); err != nil {
		return err
	}
	if err := p.fillWebhook(v, found); err != nil {
		return err
	}
	p.Timeline = timelineOf(found, p.Attempts, s.Now())
	d.Name, d.More = "Delivery of "+p.Object.Text+" "+found.Text("event"), p
	return nil
}

// fillChange leads to the change that the delivery tells of.
func (p *deliveryPage) fillChange(v *visit, d record.Values) error {
	changes := v.site.changeType()
	if !v.may(changes, access.View) {
		return nil
	}
	p.RequestHref = with(pagePath(changes), nil, "request_id", p.RequestID)
	found, err := v.site.Ledger.List(v.ctx, v.caller, changes, store.Query{Uncounted: true, Limit: 1, View: withoutStates, Where: []record.Predicate{
		{Field: changes.Field("changed_object_type"), Values: []any{d.Text("object_type")}},
		{Field: changes.Field("changed_object_id"), Values: []any{d.Int("object_id")}},
		{Field: changes.Field("time"), Values: []any{momentOf(d)}}}})
	if err != nil || len(found.Rows) == 0 {
		return err
	}
	p.Change = recordPath(changes, found.Rows[0].ID())
	return nil
}

// fillWebhook says why a queued delivery may wait, and whether the caller may send one again that has ended.
func (p *deliveryPage) fillWebhook(v *visit, d record.Values) error {
	link := d.Link("webhook")
	if link.ID == 0 {
		return nil
	}
	hook, err := v.site.Ledger.Get(v.ctx, v.caller, v.site.Registry.Type(store.WebhookType), link.ID)
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Denied:
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case !p.Awaited:
		p.CanSendAgain = true
	case !hook.Bool("enabled"):
		p.Waits = "The webhook is disabled: it is sent when somebody enables it."
	case hook.Get("paused_at") != nil:
		p.Waits = "The webhook is paused: it is sent when somebody resumes it."
	}
	if p.CanSendAgain {
		p.CanSendAgain, err = v.site.Ledger.May(v.ctx, v.caller, hook, access.Change)
	}
	return err
}

// webhookOf is the webhook that a delivery or a condition error is of.
func (v *visit) webhookOf(d record.Values) cell {
	c := v.cell(d.Type().Field("webhook"), d.Get("webhook"))
	if c.Kind == noCell {
		return cell{Kind: textCell, Text: "(deleted webhook)"}
	}
	return c
}

// titleOf names a type by its key, also one that is no longer there.
func (s *Site) titleOf(key string) string {
	if t := s.Registry.Type(key); t != nil {
		return t.Title()
	}
	return key
}

// kindOf is the same at the beginning of a line.
func (s *Site) kindOf(key string) string {
	if s.Registry.Type(key) == nil {
		return key
	}
	return capital(s.titleOf(key))
}

// finishedAt is when a delivery ended, false where it has not.
func finishedAt(d record.Values) (time.Time, bool) {
	at, ok := d.Get("finished_at").(time.Time)
	return at, ok
}
