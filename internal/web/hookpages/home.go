package hookpages

import (
	"fmt"
	"time"

	"terrier/internal/access"
	"terrier/internal/store"
	"terrier/internal/web"
	"terrier/internal/web/chart"
	"terrier/internal/webhookadmin"
)

// cards returns what the home page shows of webhooks and deliveries.
func (h *room) cards() []web.Card {
	seesWebhooks := func(v *web.Visit) bool { return v.May(h.webhookType(), access.View) }
	seesDeliveries := func(v *web.Visit) bool { return v.May(h.site.DeliveryType(), access.View) }
	return []web.Card{
		{Key: "requests", Title: "Webhook requests per hour", Shown: seesWebhooks, Fill: h.fillRequests},
		{Key: "webhooks", Title: "Failing and held webhooks", Shown: h.seesAll,
			Fill: func(v *web.Visit) (any, error) { return h.ailing(v) }},
		{Key: "queued", Title: "Queued deliveries", Shown: seesDeliveries, Fill: h.fillQueued},
	}
}

// The hours that the home page shows.
const homeHours = 24

// fillRequests returns the chart of the requests to all webhooks that the caller may see. A bar leads to the deliveries whose last request
// ended in its hour.
func (h *room) fillRequests(v *web.Visit) (any, error) {
	history, err := h.admin.HistoryOfAll(v.Ctx, v.Caller,
		webhookadmin.HistoryRange{Since: h.site.Now().Add((1 - homeHours) * time.Hour), Step: time.Hour})
	if err != nil {
		return nil, err
	}
	periods := periodsOf(history)
	if deliveries := h.site.DeliveryType(); v.May(deliveries, access.View) {
		for i, b := range history {
			periods[i].Href = web.Between(deliveries, "finished_at", b.At, b.At.Add(time.Hour))
		}
	}
	successful, failed := outcomes(history)
	label := fmt.Sprintf("Webhook requests per hour: %d successful, %d failed.", successful, failed)
	return chart.Bars(label, "The last 24 hours", ends, periods), nil
}

// homeQueued is what the home page shows of queued deliveries.
type homeQueued struct {
	Count, All   string // how many, and the list of them
	Oldest, Href string // how long the oldest has been queued, and its page
}

func (h *room) fillQueued(v *web.Visit) (any, error) {
	waits, err := h.admin.Waits(v.Ctx, v.Caller)
	if err != nil || waits.Oldest == 0 {
		return homeQueued{}, err
	}
	t := h.site.DeliveryType()
	return homeQueued{web.CountText(waits.Queued), web.With(web.PagePath(t), nil, "state", store.Queued),
		web.InWords(h.site.Now().Sub(waits.Since)), web.RecordPath(t, waits.Oldest)}, nil
}
