package metrics

import (
	"strconv"
	"sync"
)

// webhooks decides which webhooks have a label of their own: the first mostWebhooks that exist, by id. The database
// is asked at scrapes. A webhook made since has a higher id than all others, so it has a label if there is room.
type webhooks struct {
	mu      sync.RWMutex
	own     map[int64]bool
	highest int64 // of all that are known, whether they have a label or not
	gone    []func(map[int64]bool)
}

func newWebhooks() *webhooks { return &webhooks{own: map[int64]bool{}} }

// label returns the label of a webhook.
func (w *webhooks) label(id int64) string {
	if w.has(id) {
		return strconv.FormatInt(id, 10)
	}
	return Other
}

func (w *webhooks) has(id int64) bool {
	w.mu.RLock()
	own, known := w.own[id], id <= w.highest
	w.mu.RUnlock()
	if own || known {
		return own
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.own) < mostWebhooks {
		w.own[id] = true // and a lower one may come: until the next scrape highest is what was read
	}
	return w.own[id]
}

// onGone makes a function be called with the webhooks that lose their label.
func (w *webhooks) onGone(fn func(map[int64]bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.gone = append(w.gone, fn)
}

// Webhooks takes all webhooks that exist, in the order of their ids. It returns the labels by id; those that have none
// of their own are missing.
func (m *Metrics) Webhooks(ids []int64) map[int64]string {
	w := m.webhooks
	own, labels := map[int64]bool{}, map[int64]string{}
	for _, id := range ids[:min(len(ids), mostWebhooks)] {
		own[id], labels[id] = true, strconv.FormatInt(id, 10)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	gone := map[int64]bool{}
	for id := range w.own {
		if !own[id] {
			gone[id] = true
		}
	}
	w.own = own
	if len(ids) > 0 {
		w.highest = ids[len(ids)-1]
	}
	if len(gone) > 0 {
		for _, fn := range w.gone {
			fn(gone)
		}
	}
	return labels
}
