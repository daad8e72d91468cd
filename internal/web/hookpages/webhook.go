package hookpages

import (
	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/web"
)

// webhookPages are the pages that only webhooks have.
type webhookPages struct {
	*room
	*web.TypePages
}

func (h *room) webhooks() webhookPages { return webhookPages{h, h.site.Pages(h.webhookType())} }

// ownWebhook returns what webhooks add to the derived pages.
func (h *room) ownWebhook() web.OwnPages {
	return web.OwnPages{Form: "webhook_form", Detail: "webhook",
		MoreForm: func(v *web.Visit, form *web.FormPage, found record.Values) error {
			return h.webhooks().moreForm(v, form, found)
		},
		MoreDetail: func(v *web.Visit, d *web.DetailPage, found record.Values) error {
			return h.webhooks().moreDetail(v, d, found)
		}}
}

// routes returns the pages of a webhook besides reading and writing it. Everybody who may add a webhook may preview a new one. The
// preview of a saved one has its headers and signature, so it is only for callers who may change it.
func (h webhookPages) routes() []web.Route {
	at := func(method, rest, action string, handle func(*web.Visit) error) web.Route {
		return web.Route{Method: method, Path: h.Path + rest + "{$}", Type: h.Type, Action: action, Handle: handle}
	}
	action := func(method, name string, handle func(*web.Visit) error) web.Route {
		return h.site.ActionRoute(method, "POST extras.webhook/"+name, handle)
	}
	return []web.Route{
		at("GET", "records/", access.View, h.records),
		h.site.ActionRoute("POST", "POST extras.webhooks/preview", h.previewNew),
		h.site.ActionRoute("POST", "POST extras.webhooks/trial", h.trialNew),
		action("POST", "preview", h.preview),
		action("POST", "trial", h.trial),
		action("POST", "pause", h.pause),
		action("POST", "resume", h.resume),
		at("POST", "{id}/retry/", access.Change, h.retryFailed),
		action("GET", "test", h.testPage),
		action("POST", "test", h.test),
		action("GET", "rotate", h.rotatePage),
		action("POST", "rotate", h.rotate),
		at("POST", "{id}/rotate/end/", access.Change, h.endRotation),
		action("GET", "replay", h.replayPage),
		action("POST", "replay", h.replay),
	}
}

// crumbsTo returns the steps that lead to a page about one webhook.
func (h webhookPages) crumbsTo(found record.Values) []web.Crumb {
	return h.Crumbs(web.Crumb{Label: found.Display(), Href: web.RecordPath(h.Type, found.ID())})
}
