package app

import (
	"context"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/webhookadmin"
)

// NewWebhook is a webhook to create. What it leaves out has its default.
type NewWebhook struct {
	Name, URL string
	Types     []string // "dcim.site"
	Events    []string // create, update, delete
	Secret    string
}

// CreateWebhook creates a webhook.
func (a *App) CreateWebhook(ctx context.Context, n NewWebhook) (WebhookInfo, error) {
	in := ledger.Input{"name": n.Name, "payload_url": n.URL, "content_types": record.AnyOf(n.Types), "secret": n.Secret}
	for _, event := range n.Events {
		in["type_"+event] = true
	}
	rows, err := a.Ledger.Create(ctx, operator(), a.Registry.Type(store.WebhookType), []ledger.Input{in})
	if err != nil {
		return WebhookInfo{}, err
	}
	made := webhookInfo(rows[0])
	made.Warning = a.Hooks.Warning(ctx, rows[0])
	return made, nil
}

// PauseWebhook stops sending to a webhook, or lets it go on.
func (a *App) PauseWebhook(ctx context.Context, webhook int64, pause bool) error {
	action := "POST extras.webhook/resume"
	if pause {
		action = "POST extras.webhook/pause"
	}
	_, err := a.Ledger.Act(ctx, operator(), a.Registry.Action(action), webhook, ledger.Input{})
	return err
}

// RetryFailed sends the failed deliveries of a webhook again, or only counts them.
func (a *App) RetryFailed(ctx context.Context, webhook int64, dryRun bool) (int64, error) {
	in := ledger.Input{"filter": map[string]any{"webhook_id": webhook}, "dry_run": dryRun}
	done, err := a.Ledger.Act(ctx, operator(), a.Registry.Action("POST extras.deliveries/retry"), 0, in)
	if err != nil {
		return 0, err
	}
	return done.(webhookadmin.Retried).Count, nil
}
