package webhookadmin

import (
	"context"
	"time"

	"terrier/internal/delivery"
	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// PreviewInput is a webhook to try, and the sample to try it with.
type PreviewInput struct {
	Webhook ledger.Input // as it would be saved
	Sample  Sample
	Typing  bool // somebody is typing the address: it is not looked up, because half a name may be that of somebody else
}

// Preview is what a webhook would send for a sample, without the signatures. It contains the webhook's own headers, so it is only for
// callers who may change it.
type Preview struct {
	Request webhook.Request
	Body    string // of the request, printable
	Error   string // why no request can be made
	BadBody string // why the body is not what the content type says, "" if it is

	Forbidden string // why the request would be refused, "" if it would not or that is not known

	Fires  bool // the webhook would be notified
	Broken bool // its conditions can't be evaluated
	Reason string

	Event    string // created, updated, deleted
	Delivery string // the id of the delivery, if there is one already; if not, the request has zeros
}

// Preview returns what a webhook would send before it is saved. If id is 0 the input is a new webhook. Otherwise it is merged into the
// existing one. Input that can't be saved is refused with the same errors.
func (a *Admin) Preview(ctx context.Context, c ledger.Caller, id int64, in PreviewInput) (Preview, error) {
	hook, err := a.rehearse(ctx, c, id, in.Webhook)
	if err != nil {
		return Preview{}, err
	}
	change, delivered, err := a.sample(ctx, c, id, in.Sample)
	if err != nil {
		return Preview{}, err
	}
	event := change.Event()
	due := &store.Due{ID: delivered, Version: change.Version, Event: event}
	out := Preview{Event: event.Kind}
	if delivered != 0 {
		out.Delivery = a.deliveryType().FormatID(delivered)
	}
	out.Request, out.Error = delivery.Preview(hook, opener{a.Ledger.Sealer}, due, a.Ledger.Timestamp())
	out.Request = out.Request.Unsigned()
	out.BadBody = webhook.BadBody(out.Request.Header.Get("Content-Type"), out.Request.Body)
	lookUp := maxLookUp
	if in.Typing {
		lookUp = 0
	}
	out.Body, out.Forbidden = printable(out.Request.Body), a.forbidden(ctx, hook.Text("payload_url"), lookUp)
	verdict := webhook.Verdict{Reason: "The webhook is disabled."}
	if hook.Bool("enabled") {
		verdict = criteriaOf(hook).match(change, event)
	}
	out.Fires, out.Broken, out.Reason = verdict.Fires, verdict.Broken, verdict.Reason
	return out, nil
}

// rehearse returns the webhook as it would be saved, secrets sealed.
func (a *Admin) rehearse(ctx context.Context, c ledger.Caller, id int64, in ledger.Input) (record.Values, error) {
	ctx, _ = ledger.Rehearse(ctx)
	var rows []record.Values
	var err error
	if id == 0 {
		rows, err = a.Ledger.Create(ctx, c, a.webhookType(), []ledger.Input{in})
	} else {
		rows, err = a.Ledger.Update(ctx, c, a.webhookType(), []ledger.Edit{{ID: id, Input: in}})
	}
	if err != nil {
		return record.Values{}, err
	}
	return rows[0], nil
}

// CertificateExpires returns when the client certificate of a webhook expires; the zero time if it has none.
func (a *Admin) CertificateExpires(hook record.Values) time.Time {
	return delivery.CertificateExpires(hook)
}

// opener opens the secrets of webhooks for delivery.
type opener struct{ ledger.Sealer }

func (o opener) Open(place, sealed string) ([]byte, error) {
	plain, err := o.Sealer.Open(place, record.Sealed(sealed))
	return []byte(plain), err
}
