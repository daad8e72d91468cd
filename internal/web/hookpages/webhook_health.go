package hookpages

import (
	"slices"
	"time"

	"terrier/internal/access"
	"terrier/internal/health"
	"terrier/internal/record"
	"terrier/internal/store"
	"terrier/internal/web"
)

// inFrame lists the webhooks that are failing or held, for callers who may see all webhooks. Without an answer it lists none: the page
// itself reports the error.
func (h *room) inFrame(v *web.Visit) []web.Ailing {
	if !h.seesAll(v) {
		return nil
	}
	shown, _ := h.ailing(v)
	return shown
}

// ailing lists the webhooks that are failing or have been held for long enough.
func (h *room) ailing(v *web.Visit) ([]web.Ailing, error) {
	_, found, err := h.look(v)
	if err != nil {
		return nil, err
	}
	var shown []web.Ailing
	for _, w := range found {
		if w.Lasting {
			shown = append(shown, web.Ailing{Name: w.Name, Href: web.RecordPath(h.webhookType(), w.ID), State: w.State, Since: w.Since,
				Reason: w.Reason})
		}
	}
	return shown, nil
}

func (h *room) seesAll(v *web.Visit) bool {
	scope, err := h.site.Ledger.Policy.Scope(v.Caller.Subject, h.webhookType(), access.View)
	return err == nil && scope.All()
}

// hookHealth is what the page of a webhook that is failing or held shows of it.
type hookHealth struct {
	Held   bool
	Since  time.Time
	Reason string
	Probe  *time.Time // when a held one is tried next
}

// health returns how a webhook is doing, nil if well.
func (h webhookPages) health(v *web.Visit, found record.Values) (*hookHealth, error) {
	if found.Get("failing_since") == nil && found.Get("held_since") == nil {
		return nil, nil
	}
	all, err := h.admin.Ailing(v.Ctx)
	i := slices.IndexFunc(all, func(w store.AilingWebhook) bool { return w.ID == found.ID() })
	if err != nil || i < 0 {
		return nil, err
	}
	return &hookHealth{Held: all[i].State == health.Held, Since: all[i].Since, Reason: all[i].Reason, Probe: all[i].ProbeAt}, nil
}
