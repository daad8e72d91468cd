package hookpages

import (
	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/web"
	"terrier/internal/webhookadmin"
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
		Columns: []web.OwnColumn{
			{Label: "State", Needs: webhookadmin.StandingNeeds, Cells: standings},
			{Label: "Last 24 hours", Cells: func(v *web.Visit, rows []record.Values) ([]web.Cell, error) {
				return h.webhooks().lastDay(v, rows)
			}},
		},
		Added: func(v *web.Visit, made record.Values) error { return h.webhooks().added(v, made) },
		MoreForm: func(v *web.Visit, form *web.FormPage, found record.Values) error {
			return h.webhooks().moreForm(v, form, found)
		},
		MoreDetail: func(v *web.Visit, d *web.DetailPage, found record.Values) error {
			return h.webhooks().moreDetail(v, d, found)
		}}
}

// routes returns the pages of a webhook besides reading and writing it. Previews and trials are no actions: they compute something from a
// form that is not saved, on behalf of callers who may save it. The preview of a saved webhook has its headers and signature, so it is
// only for callers who may change it.
func (h webhookPages) routes() []web.Route {
	at := func(method, rest, action string, handle func(*web.Visit) error) web.Route {
		return web.Route{Method: method, Path: h.Path + rest + "{$}", Type: h.Type, Action: action, Handle: handle}
	}
	action := h.site.ActionRoute
	return []web.Route{
		at("GET", "records/", access.View, h.records),
		at("POST", "preview/", access.Add, h.previewNew),
		at("POST", "trial/", access.Add, h.trialNew),
		at("POST", "{id}/preview/", access.Change, h.preview),
		at("POST", "{id}/trial/", access.Change, h.trial),
		at("POST", "{id}/retry/", access.Change, h.retryFailed),
		action("POST", pauseAction, h.pause),
		action("POST", resumeAction, h.resume),
		action("GET", testAction, h.testPage),
		action("POST", testAction, h.test),
		action("GET", rotateAction, h.rotatePage),
		action("POST", rotateAction, h.rotate),
		action("POST", endAction, h.endRotation),
		action("GET", replayAction, h.replayPage),
		action("POST", replayAction, h.replay),
	}
}

// The actions of webhooks.
const (
	pauseAction  = "POST extras.webhook/pause"
	resumeAction = "POST extras.webhook/resume"
	testAction   = "POST extras.webhook/test"
	rotateAction = "POST extras.webhook/rotate"
	endAction    = "POST extras.webhook/rotate/end"
	replayAction = "POST extras.webhook/replay"
)

// crumbsTo returns the steps that lead to a page about one webhook.
func (h webhookPages) crumbsTo(found record.Values) []web.Crumb {
	return h.Crumbs(web.Crumb{Label: found.Display(), Href: web.RecordPath(h.Type, found.ID())})
}
