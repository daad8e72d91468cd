package webhookadmin

import (
	"context"
	"strings"
	"time"

	"terrier/internal/access"
	"terrier/internal/delivery"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhook"
)

// Guard knows where the administrator lets webhooks be sent.
type Guard interface {
	// Forbids returns why nothing can be sent to a URL, nil if it can or that is not known. A name is looked up for at most so long; with 0
	// only localhost is known.
	Forbids(ctx context.Context, url string, lookUp time.Duration) error
}

// maxLookUp is how long a preview, and what saves a webhook, wait for the addresses of a name.
const maxLookUp = time.Second

// Forbidden returns why a request to a URL would be refused, "" if it would not. It knows addresses and localhost only: a name can have
// others tomorrow, and looking it up takes time.
func (a *Admin) Forbidden(ctx context.Context, url string) string { return a.forbidden(ctx, url, 0) }

// Warning returns what is wrong with a webhook that was saved all the same, "" for nothing. Its host is looked up.
func (a *Admin) Warning(ctx context.Context, hook record.Values) string {
	return strings.TrimSpace(a.forbidden(ctx, hook.Text("payload_url"), maxLookUp) + " " + a.BadBody(ctx, hook))
}

// BadBody says why the body that a saved webhook would send for the newest change of its types is not what its content type says. It
// returns "" if it is, or if that is not known.
func (a *Admin) BadBody(ctx context.Context, hook record.Values) string {
	if hook.Text("body_template") == "" {
		return "" // the body of Terrier is JSON
	}
	saved, err := a.store().Webhook(ctx, hook.ID())
	if err != nil {
		return ""
	}
	text := ""
	q := store.Query{Scope: access.Machine(), Where: a.changesFor(hook), Limit: 1}
	err = a.store().Samples(ctx, q, func(newest store.Sample) error {
		due := &store.Due{Version: newest.Change.Version, Event: newest.Change.Event()}
		request, problem := delivery.Preview(saved, opener{a.Ledger.Sealer}, due, a.Ledger.Timestamp())
		if problem == "" {
			text = webhook.BadBody(request.Header.Get("Content-Type"), request.Body)
		}
		return nil
	})
	if err != nil {
		return ""
	}
	return text
}

func (a *Admin) forbidden(ctx context.Context, url string, lookUp time.Duration) string {
	if err := a.Guard.Forbids(ctx, url, lookUp); err != nil {
		return "The egress policy forbids this address, so every delivery would fail: " + err.Error() + "."
	}
	return ""
}
