package web

import (
	"fmt"
	"time"

	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// notifiedLine is a webhook that was notified of a change, or will be.
type notifiedLine struct {
	Webhook, Href string
	State         Cell
	Status        string
}

// notifiedOf returns the deliveries of changes to one record, by the time of the change. A delivery has the same time as its change.
func (v *Visit) notifiedOf(t *record.Type, id int64, changes []record.Values) (map[time.Time][]notifiedLine, error) {
	deliveries := v.Site.DeliveryType()
	if len(changes) == 0 || !t.Notifies() || !v.May(deliveries, access.View) {
		return nil, nil
	}
	oldest, newest := MomentOf(changes[len(changes)-1]), MomentOf(changes[0])
	found, err := v.Site.Ledger.List(v.Ctx, v.Caller, deliveries, store.Query{Count: store.CountNone, Limit: 1000, Where: []record.Predicate{
		{Field: deliveries.Field("object_type"), Values: []any{t.Key()}},
		{Field: deliveries.Field("object_id"), Values: []any{id}},
		{Field: deliveries.Field("time"), Lookup: record.AtLeast, Values: []any{oldest}},
		{Field: deliveries.Field("time"), Lookup: record.AtMost, Values: []any{newest}}}})
	if err != nil {
		return nil, err
	}
	notified := map[time.Time][]notifiedLine{}
	for _, d := range found.Rows {
		notified[MomentOf(d)] = append(notified[MomentOf(d)], v.notifiedBy(d))
	}
	return notified, nil
}

func (v *Visit) notifiedBy(d record.Values) notifiedLine {
	line := notifiedLine{Webhook: "(deleted webhook)", Href: RecordPath(d.Type(), d.ID()), State: StateOf(d, v.Site.Now()),
		Status: CellOf(nil, d.Get("status_code")).Text}
	if l := d.Link("webhook"); l.ID != 0 {
		target := record.TargetOf(d.Type().Field("webhook"))
		line.Webhook = target.DisplayLink(l)
	}
	return line
}

// StateOf returns the state of a delivery for people. One that is retried automatically has not failed for good.
func StateOf(d record.Values, now time.Time) Cell {
	at, retrying := d.Get("retry_at").(time.Time)
	if !retrying {
		return CellOf(d.Type().Field("state"), d.Get("state"))
	}
	which := "" // without max_retries: a worker that lacks the webhook's key retries beyond it
	if n, of := d.Int("tries"), d.Int("max_retries"); 0 < n && n <= of {
		which = fmt.Sprintf("%d of %d, ", n, of)
	}
	return Cell{Kind: BadgeCell, Color: "retrying", Text: "Retrying (" + which + Ahead(at, now) + ")"}
}

// WebhookOf returns the webhook of a delivery or a condition error.
func (v *Visit) WebhookOf(d record.Values) Cell {
	c := v.Cell(d.Type().Field("webhook"), d.Get("webhook"))
	if c.Kind == EmptyCell {
		return Cell{Kind: TextCell, Text: "(deleted webhook)"}
	}
	return c
}

// InWords returns a duration in words.
func InWords(d time.Duration) string {
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

// Ahead returns in words how long it is until a time.
func Ahead(at, now time.Time) string {
	if !at.After(now) {
		return "now"
	}
	return "in " + InWords(at.Sub(now))
}
