package hookpages

import (
	"slices"
	"sync"
	"time"

	"terrier/internal/access"
	"terrier/internal/store"
	"terrier/internal/web"
)

// workersSeen remembers for a moment whether a worker takes jobs: every page wants to know.
type workersSeen struct {
	mu     sync.Mutex
	at     time.Time
	taking bool
}

const workersFor = 5 * time.Second

// noWorker reports whether webhooks wait for a worker, to those who may see them.
func (h *room) noWorker(v *web.Visit) bool {
	if h.site.Ledger.Allow(v.Caller, h.site.Registry.Type(store.WebhookType), access.View) != nil {
		return false
	}
	h.workers.mu.Lock()
	defer h.workers.mu.Unlock()
	if now := h.site.Now(); now.Sub(h.workers.at) > workersFor {
		found, err := h.admin.Workers(v.Ctx, v.Caller)
		if err != nil {
			return false // the page itself says what is wrong
		}
		h.workers.at, h.workers.taking = now, slices.ContainsFunc(found, func(w store.Worker) bool { return !w.ClockWrong })
	}
	return !h.workers.taking
}
