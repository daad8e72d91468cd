package ledger

import (
	"context"

	"terrier/internal/access"
	"terrier/internal/delivery"
	"terrier/internal/fault"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// Sample is what a webhook is tried with: a change of the past, or a record as if it were
// updated now.
type Sample struct {
	Change int64

	Type   *record.Type
	Record int64
}

// Preview is what a webhook would send of a sample. It holds what the webhook signs with
// and its own headers, and is for those who may change it.
type Preview struct {
	Request webhook.Request
	Body    string // of the request, printable
	Error   string // why no request can be made

	Fires  bool // the webhook would be told
	Broken bool // its conditions can't be evaluated
	Reason string

	Event    string // created, updated, deleted
	Delivery string // its id where there is one already; else the request shows zeros
}

// Preview tries a webhook before it is saved: the input as a new one where id is 0, or else
// laid over the one there is. What could not be saved is refused as saving would be.
func (l *Ledger) Preview(ctx context.Context, c Caller, id int64, in Input, s Sample) (Preview, error) {
	hook, err := l.rehearseWebhook(ctx, c, id, in)
	if err != nil {
		return Preview{}, err
	}
	change, delivered, err := l.sample(ctx, c, id, s)
	if err != nil {
		return Preview{}, err
	}
	event := eventOf(change)
	due := &store.Due{ID: delivered, Version: change.Version, Event: event}
	out := Preview{Event: event.Kind}
	if delivered != 0 {
		out.Delivery = l.deliveryType().FormatID(delivered)
	}
	out.Request, out.Error = delivery.Preview(hook, opener{l.Sealer}, due, l.now())
	out.Body = printable(out.Request.Body)
	verdict := webhook.Verdict{Reason: "The webhook is disabled."}
	if hook.Bool("enabled") {
		verdict = criteriaOf(hook).match(change, event)
	}
	out.Fires, out.Broken, out.Reason = verdict.Fires, verdict.Broken, verdict.Reason
	return out, nil
}

// rehearseWebhook is the webhook as it would be saved, secrets sealed.
func (l *Ledger) rehearseWebhook(ctx context.Context, c Caller, id int64, in Input) (record.Values, error) {
	ctx, _ = Rehearse(ctx)
	var rows []record.Values
	var err error
	if id == 0 {
		rows, err = l.Create(ctx, c, l.webhookType(), []Input{in})
	} else {
		rows, err = l.Update(ctx, c, l.webhookType(), []Edit{{ID: id, Input: in}})
	}
	if err != nil {
		return record.Values{}, err
	}
	return rows[0], nil
}

// sample is the change row that a webhook is tried with, and the delivery of it there is.
func (l *Ledger) sample(ctx context.Context, c Caller, hook int64, s Sample) (change store.Change, delivered int64, err error) {
	switch {
	case s.Change != 0:
		return l.pastChange(ctx, c, hook, s.Change)
	case s.Type == nil || s.Record == 0:
		return change, 0, fault.Field("sample", "Choose a record or a past change.")
	}
	if !s.Type.Told() {
		return change, 0, untold(s.Type.Key())
	}
	scope, err := l.Policy.Scope(c.Subject, s.Type, access.View)
	if err != nil {
		return change, 0, fault.ErrNotFound
	}
	v, err := l.Store.Get(ctx, s.Type, scope, s.Record)
	if err != nil {
		return change, 0, err
	}
	return l.change(&changeSet{at: l.now(), caller: c}, &entry{s.Type, v, v}), 0, nil
}

func (l *Ledger) pastChange(ctx context.Context, c Caller, hook, id int64) (change store.Change, delivered int64, err error) {
	scope, err := l.Policy.Scope(c.Subject, l.Store.Type(store.ChangeType), access.View)
	if err != nil {
		return change, 0, fault.ErrNotFound
	}
	found, err := l.Store.Sample(ctx, scope, id)
	if err != nil {
		return change, 0, err
	}
	if change = found.Change; change.Type == nil || !change.Type.Told() {
		return change, 0, untold(found.Row.Text("changed_object_type"))
	}
	if hook != 0 {
		delivered, err = l.Store.DeliveryOf(ctx, id, change.At, hook)
	}
	return change, delivered, err
}

func untold(key string) error {
	return fault.Field("sample", "Webhooks are not notified of changes to %s.", key)
}

// opener opens the secrets of webhooks for delivery.
type opener struct{ Sealer }

func (o opener) Open(place, sealed string) ([]byte, error) {
	plain, err := o.Sealer.Open(place, record.Sealed(sealed))
	return []byte(plain), err
}
