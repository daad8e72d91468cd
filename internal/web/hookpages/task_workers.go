package hookpages

import (
	"slices"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/store"
	"terrier/internal/web"
)

// workersSeen caches for a short time whether a worker takes jobs, because every page asks.
type workersSeen struct {
	mu     sync.Mutex
	at     time.Time
	taking bool
}

const workersFor = 5 * time.Second

// noWorker reports whether deliveries wait because no worker runs. It is false for callers who may not see webhooks.
func (h *room) noWorker(v *web.Visit) bool {
	if h.site.Ledger.Allow(v.Caller, h.site.Registry.Type(store.WebhookType), access.View) != nil {
		return false
	}
	h.workers.mu.Lock()
	defer h.workers.mu.Unlock()
	if now := h.site.Now(); now.Sub(h.workers.at) > workersFor {
		found, err := h.admin.Workers(v.Ctx, v.Caller)
		if err != nil {
			return false // the page itself reports the error
		}
		h.workers.at, h.workers.taking = now, slices.ContainsFunc(found, func(w store.Worker) bool { return !w.ClockWrong })
	}
	return !h.workers.taking
}
