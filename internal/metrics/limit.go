package metrics

import "sync"

// The most series that a family of many may have. With 2,000 webhooks, every outcome of each and every address in
// use, all families together stay below 20,000 series; a test adds them up.
const (
	mostWebhooks  = 500 // with labels of their own: the first by id
	mostAnswers   = 300 // combinations of route, method and a code that is 2xx or 5xx
	mostRefusals  = 150 // with another code: anybody can cause these, for any route
	mostInFlight  = 300 // combinations of route and method
	mostDurations = 550 // combinations of webhook and outcome: each is a histogram
)

// limit admits a number of label combinations. Those that come later share the label Other.
type limit[K comparable] struct {
	most int

	mu   sync.RWMutex
	seen map[K]bool
}

func newLimit[K comparable](most int) *limit[K] { return &limit[K]{most: most, seen: map[K]bool{}} }

// admits reports whether a combination has series of its own.
func (l *limit[K]) admits(key K) bool {
	l.mu.RLock()
	seen := l.seen[key]
	l.mu.RUnlock()
	if seen {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) >= l.most && !l.seen[key] {
		return false
	}
	l.seen[key] = true
	return true
}

// forget makes room of the combinations for which gone returns true.
func (l *limit[K]) forget(gone func(K) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.seen {
		if gone(key) {
			delete(l.seen, key)
		}
	}
}
