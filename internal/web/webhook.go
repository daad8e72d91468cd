package web

import (
	"terrier/internal/access"
	"terrier/internal/record"
	"terrier/internal/store"
)

// hookPages are the pages that only webhooks have.
type hookPages struct{ *typePages }

func (s *Site) hookPages() hookPages { return hookPages{s.pages(s.Registry.Type(store.WebhookType))} }

// webhookPages is what webhooks add to the pages of every type.
func (s *Site) webhookPages() ownPages {
	return ownPages{form: "webhook_form", detail: "webhook",
		moreForm: func(v *visit, form *formPage, found record.Values) error {
			return s.hookPages().moreForm(v, form, found)
		},
		moreDetail: func(v *visit, d *detailPage, found record.Values) error {
			return s.hookPages().moreDetail(v, d, found)
		}}
}

// webhookRoutes are what can be done with a webhook besides reading and writing it. What a new
// one would send is its author's own; what there is shows with its headers and signature, to
// those who may change it.
func (s *Site) webhookRoutes() []Route {
	h := s.hookPages()
	at := func(method, rest, action string, handle func(*visit) error) Route {
		return Route{Method: method, Path: h.path + rest + "{$}", Type: h.t, Action: action, handle: handle}
	}
	return []Route{
		at("GET", "records/", access.View, h.records),
		at("POST", "preview/", access.Add, h.previewNew),
		at("POST", "trial/", access.Add, h.trialNew),
		at("POST", "{id}/preview/", access.Change, h.preview),
		at("POST", "{id}/trial/", access.Change, h.trial),
		at("POST", "{id}/pause/", access.Change, h.pause),
		at("POST", "{id}/resume/", access.Change, h.resume),
		at("POST", "{id}/retry/", access.Change, h.retryFailed),
		at("GET", "{id}/test/", access.Change, h.testPage),
		at("POST", "{id}/test/", access.Change, h.test),
		at("GET", "{id}/rotate/", access.Change, h.rotatePage),
		at("POST", "{id}/rotate/", access.Change, h.rotate),
		at("POST", "{id}/rotate/end/", access.Change, h.endRotation),
		at("GET", "{id}/replay/", access.Change, h.replayPage),
		at("POST", "{id}/replay/", access.Change, h.replay),
	}
}

// crumbsTo lead to a page about one webhook.
func (h hookPages) crumbsTo(found record.Values) []crumb {
	return h.crumbs(crumb{found.Display(), recordPath(h.t, found.ID())})
}
