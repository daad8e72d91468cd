package limit

import (
	"sync"
	"time"
)

// Usage counts how much time of something each caller has used lately, such as of connections: what they use wears off
// at a constant rate. It refuses nothing itself.
type Usage[K comparable] struct {
	allowed time.Duration // how much a caller may use in a row
	window  time.Duration // in which that wears off

	mu      sync.Mutex
	callers map[K]*usage
}

type usage struct {
	used    time.Duration // as of then
	as      time.Time
	running int
}

// mostUsage is how much a caller is remembered to have used, in times of what is allowed: a caller who stops
// is soon served like others again.
const mostUsage = 2

// mostUsers is how many callers are remembered before those whose use has worn off are forgotten.
const mostUsers = 1_000

// NewUsage makes a count. Callers may use so much time in each window.
func NewUsage[K comparable](allowed, window time.Duration) *Usage[K] {
	return &Usage[K]{allowed: allowed, window: window, callers: map[K]*usage{}}
}

// Begin counts the time of a caller until end is called.
func (u *Usage[K]) Begin(key K) (end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	c := u.callers[key]
	if c == nil {
		u.forget()
		c = &usage{as: time.Now()}
		u.callers[key] = c
	}
	u.advance(c)
	c.running++
	return sync.OnceFunc(func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.advance(c)
		c.running--
	})
}

// of returns how much a caller has used that has not worn off, and whether that is what is allowed or more. What still runs
// counts too.
func (u *Usage[K]) of(key K) (used time.Duration, exceeded bool) {
	if u == nil {
		return 0, false
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	c := u.callers[key]
	if c == nil {
		return 0, false
	}
	u.advance(c)
	return c.used, c.used >= u.allowed
}

// advance adds what was used since the last look, and takes off what has worn off.
func (u *Usage[K]) advance(c *usage) {
	now := time.Now()
	passed := now.Sub(c.as)
	wornOff := time.Duration(float64(passed) * float64(u.allowed) / float64(u.window))
	c.used = min(max(c.used+time.Duration(c.running)*passed-wornOff, 0), mostUsage*u.allowed)
	c.as = now
}

// forget removes callers who have used nothing lately, if there are many.
func (u *Usage[K]) forget() {
	if len(u.callers) < mostUsers {
		return
	}
	for key, c := range u.callers {
		if u.advance(c); c.running == 0 && c.used == 0 {
			delete(u.callers, key)
		}
	}
}
