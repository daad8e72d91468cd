// Package hookpages owns the pages about webhooks, deliveries and queues, as far as they differ from the pages that every record type
// has.
package hookpages

import (
	"embed"

	"terrier/internal/ledger"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
)

// Templates are the pages of this room.
//
//go:embed templates/*.html
var Templates embed.FS

// room serves the pages. Its admin has what they show; actions are carried out by act.
type room struct {
	site  *web.Site
	admin *webhookadmin.Admin
	seen  seen
}

// New returns the pages about webhooks, as a part of a site.
func New(site *web.Site, admin *webhookadmin.Admin) web.Room {
	h := &room{site: site, admin: admin}
	return web.Room{
		Routes:   func() []web.Route { return append(h.webhooks().routes(), h.taskRoutes()...) },
		Types:    map[string]web.OwnPages{store.WebhookType: h.ownWebhook(), store.DeliveryType: h.ownDelivery()},
		Nav:      []web.NavPage{{Section: "System", Label: "Background tasks", Path: tasksPath, Type: store.WebhookType}},
		Cards:    h.cards(),
		Ailing:   h.inFrame,
		NoWorker: h.noWorker,
	}
}

func (h *room) webhookType() *record.Type { return h.site.Registry.Type(store.WebhookType) }

// act carries out a declared action, by its key, and returns the answer of its function.
func act[T any](v *web.Visit, key string, id int64, in ledger.Input) (T, error) {
	answer, err := v.Site.Ledger.Act(v.Ctx, v.Caller, v.Site.Registry.Action(key), id, in)
	if err != nil {
		return *new(T), err
	}
	return answer.(T), nil
}
