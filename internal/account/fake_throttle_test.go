package account

import (
	"context"
	"slices"
	"sync"
	"time"
)

// fakeThrottle is the model that the real store must agree with.
type fakeThrottle struct {
	mu       sync.Mutex
	attempts map[string][]time.Time
	err      error
}

func newFakeThrottle() *fakeThrottle { return &fakeThrottle{attempts: map[string][]time.Time{}} }

func (f *fakeThrottle) Reserve(_ context.Context, keys []ThrottleKey, now time.Time) ([]time.Duration, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	waits, full := make([]time.Duration, len(keys)), false
	for i, k := range keys {
		if recent := f.recent(k, now); len(recent) >= k.Limit {
			waits[i], full = recent[len(recent)-k.Limit].Add(k.Window).Sub(now), true
		}
	}
	if full || f.err != nil {
		return waits, f.err
	}
	for _, k := range keys {
		f.attempts[k.Subject] = append(f.attempts[k.Subject], now)
	}
	return nil, nil
}

// recent are the attempts of the window that ends now. All are kept, so that a test can look at them.
func (f *fakeThrottle) recent(k ThrottleKey, now time.Time) []time.Time {
	return slices.DeleteFunc(slices.Clone(f.attempts[k.Subject]), func(at time.Time) bool { return !at.After(now.Add(-k.Window)) })
}

func (f *fakeThrottle) Release(ctx context.Context, keys []ThrottleKey, reservedAt time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, k := range keys {
		if i := slices.Index(f.attempts[k.Subject], reservedAt); i >= 0 {
			f.attempts[k.Subject] = slices.Delete(f.attempts[k.Subject], i, i+1)
		}
	}
	return nil
}

func (f *fakeThrottle) forget(subjects []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, subject := range subjects {
		delete(f.attempts, subject)
	}
}

func (f *fakeThrottle) counts(keys ...ThrottleKey) []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := make([]int, len(keys))
	for i, k := range keys {
		counts[i] = len(f.attempts[k.Subject])
	}
	return counts
}

// fakeAddresses knows from where people logged in, by the names of activeUser.
type fakeAddresses struct {
	mu   sync.Mutex
	seen map[string]time.Time
	err  error
}

func (f *fakeAddresses) KnownAddress(_ context.Context, username, address string, since time.Time) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return username == "alice" && f.seen[address].After(since), f.err
}

func (f *fakeAddresses) NoteAddress(_ context.Context, _ int64, address string, at time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[address] = at
	return f.err
}
