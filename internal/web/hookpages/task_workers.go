package hookpages

import (
	"slices"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/store"
	"terrier/internal/web"
)

// seen caches for a short time what every page asks: whether a worker takes jobs, and which webhooks are failing or held.
type seen struct {
	mu     sync.Mutex
	at     time.Time
	taking bool
	ailing []store.AilingWebhook
}

const seenFor = 5 * time.Second

// look returns whether a worker takes jobs, and which webhooks are failing or held.
func (h *room) look(v *web.Visit) (taking bool, ailing []store.AilingWebhook, err error) {
	h.seen.mu.Lock()
	defer h.seen.mu.Unlock()
	if now := h.site.Now(); now.Sub(h.seen.at) > seenFor {
		workers, err := h.admin.Workers(v.Ctx, v.Caller)
		if err != nil {
			return false, nil, err
		}
		found, err := h.admin.Ailing(v.Ctx)
		if err != nil {
			return false, nil, err
		}
		h.seen.at, h.seen.ailing = now, found
		h.seen.taking = slices.ContainsFunc(workers, func(w store.Worker) bool { return !w.ClockWrong })
	}
	return h.seen.taking, h.seen.ailing, nil
}

// noWorker reports whether deliveries wait because no worker runs. It is false for callers who may not see webhooks.
func (h *room) noWorker(v *web.Visit) bool {
	if h.site.Ledger.Allow(v.Caller, h.webhookType(), access.View) != nil {
		return false
	}
	taking, _, err := h.look(v)
	return err == nil && !taking // the page itself reports an error
}
