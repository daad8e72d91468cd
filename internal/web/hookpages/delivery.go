package hookpages

import (
	"time"

	"terrier/internal/access"
	"terrier/internal/fault"
	"terrier/internal/health"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// deliveryPage shows the delivery of one change to one webhook: what was sent and what came back.
type deliveryPage struct {
	State, Event    web.Cell
	Webhook, Object web.Cell
	Kind            string
	Change          string // the address of its page, if the caller may see it
	Sequence        int64
	RequestID       string
	RequestHref     string
	AttemptCount    int64
	Status, Reason  string
	Waits           string // why it is not sent now
	Timeline        []moment
	Attempts        []attempt
	SeesAttempts    bool
	CanSendAgain    bool
	Redeliver       web.ActionLink
	Awaited         bool // it will change without anybody's action
	Live            bool
}

func (h *room) ownDelivery() web.OwnPages {
	return web.OwnPages{Detail: "delivery", MoreDetail: h.deliveryDetail, Cells: map[string]func(record.Values) web.Cell{
		"state":       func(d record.Values) web.Cell { return web.StateOf(d, h.site.Now()) },
		"object_repr": objects{}.of,
	}}
}

func (h *room) deliveryDetail(v *web.Visit, d *web.DetailPage, found record.Values) error {
	t := found.Type()
	p := &deliveryPage{State: web.StateOf(found, h.site.Now()), Event: web.CellOf(t.Field("event"), found.Get("event")),
		Webhook: v.WebhookOf(found),
		Kind:    h.site.KindOf(found.Text("object_type")), Sequence: found.Int("sequence"), RequestID: found.Text("request_id"),
		AttemptCount: found.Int("attempt_count"),
		Status:       web.CellOf(nil, found.Get("status_code")).Text, Reason: found.Text("reason"), SeesAttempts: found.Get("attempts") != nil,
		Awaited: found.Text("state") == store.Queued, Redeliver: h.site.ActionLink(redeliverAction, found.ID())}
	p.Live = p.Awaited && refreshes(v)
	names, err := objectsOf(v, []record.Values{found})
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
	p.Timeline = timelineOf(found, p.Attempts, h.site.Now())
	d.Name, d.More = "Delivery of "+p.Object.Text+" "+found.Text("event"), p
	return nil
}

// fillChange sets the link to the delivery's change.
func (p *deliveryPage) fillChange(v *web.Visit, d record.Values) error {
	changes := v.Site.ChangeType()
	if !v.May(changes, access.View) {
		return nil
	}
	p.RequestHref = web.With(web.PagePath(changes), nil, "request_id", p.RequestID)
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, changes,
		store.Query{Count: store.CountNone, Limit: 1, View: web.WithoutStates, Where: []record.Predicate{
			{Field: changes.Field("changed_object_type"), Values: []any{d.Text("object_type")}},
			{Field: changes.Field("changed_object_id"), Values: []any{d.Int("object_id")}},
			{Field: changes.Field("time"), Values: []any{web.MomentOf(d)}}}})
	if err != nil || len(found.Rows) == 0 {
		return err
	}
	p.Change = web.RecordPath(changes, found.Rows[0].ID())
	return nil
}

// fillWebhook sets why a queued delivery may have to wait, and whether the caller may send again a delivery that has ended.
func (p *deliveryPage) fillWebhook(v *web.Visit, d record.Values) error {
	link := d.Link("webhook")
	if link.ID == 0 {
		return nil
	}
	hook, err := v.Site.Ledger.Get(v.Ctx, v.Caller, v.Site.Registry.Type(store.WebhookType), link.ID)
	switch fault.KindOf(err) {
	case fault.NotFound, fault.Denied:
		return nil
	}
	if err != nil {
		return err
	}
	if !p.Awaited {
		p.CanSendAgain, err = v.Site.Ledger.May(v.Ctx, v.Caller, hook, access.Change)
		return err
	}
	switch webhookadmin.Standing(hook) {
	case health.Disabled:
		p.Waits = "The webhook is disabled. The delivery is sent when somebody enables it."
	case health.Paused:
		p.Waits = "The webhook is paused. The delivery is sent when somebody resumes it."
	case health.Held:
		p.Waits = "The webhook is held. The delivery is sent when the receiver is back."
	}
	return nil
}

// finishedAt returns when a delivery ended. ok is false if it has not.
func finishedAt(d record.Values) (time.Time, bool) {
	at, ok := d.Get("finished_at").(time.Time)
	return at, ok
}
