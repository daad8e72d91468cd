package account

import (
	"context"
	"sync"
	"time"
)

// fakeThrottle is the model that the real store is to agree with.
type fakeThrottle struct {
	mu      sync.Mutex
	windows map[string]window
	err     error
}

type window struct {
	start time.Time
	count int
}

func newFakeThrottle() *fakeThrottle { return &fakeThrottle{windows: map[string]window{}} }

func (f *fakeThrottle) Reserve(_ context.Context, keys []ThrottleKey, now time.Time) (time.Duration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var wait time.Duration
	next := map[string]window{}
	for _, k := range keys {
		w, ok := f.windows[k.Subject]
		if !ok || now.Sub(w.start) >= k.Window {
			w = window{start: now}
		}
		if w.count >= k.Limit {
			wait = max(wait, w.start.Add(k.Window).Sub(now))
		}
		w.count++
		next[k.Subject] = w
	}
	if wait == 0 && f.err == nil {
		for subject, w := range next {
			f.windows[subject] = w
		}
	}
	return wait, f.err
}

func (f *fakeThrottle) Release(ctx context.Context, keys []ThrottleKey, reservedAt time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, k := range keys {
		if w, ok := f.windows[k.Subject]; ok && !w.start.After(reservedAt) && w.count > 0 {
			w.count--
			f.windows[k.Subject] = w
		}
	}
	return nil
}

func (f *fakeThrottle) counts(keys []ThrottleKey) []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := make([]int, len(keys))
	for i, k := range keys {
		counts[i] = f.windows[k.Subject].count
	}
	return counts
}
