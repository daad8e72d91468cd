package webhookadmin

import (
	"context"
	"time"

	"terrier/internal/record"
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
	return a.forbidden(ctx, hook.Text("payload_url"), maxLookUp)
}

func (a *Admin) forbidden(ctx context.Context, url string, lookUp time.Duration) string {
	if err := a.Guard.Forbids(ctx, url, lookUp); err != nil {
		return "The egress policy forbids this address, so every delivery would fail: " + err.Error() + "."
	}
	return ""
}
