package delivery

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// The times between automatic retries: they double, up to two days.
const (
	firstRetry = 10 * time.Second
	lastRetry  = 48 * time.Hour
)

// backoff returns how long to wait after so many tries: between half and all of a time that doubles, so that
// deliveries that failed together are not retried together.
func backoff(first time.Duration, tries int64) time.Duration {
	wait := first
	for range tries {
		if wait *= 2; wait >= lastRetry {
			wait = lastRetry
			break
		}
	}
	return wait/2 + rand.N(wait/2+1)
}

// The least and the most that a receiver may ask for.
const (
	leastWait = time.Second
	mostWait  = 24 * time.Hour
)

// retryAfter reads what a receiver asks for: seconds, or a date by the receiver's own clock.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	given := h.Get("Retry-After")
	if given == "" {
		return 0, false
	}
	var wait time.Duration
	if seconds, err := strconv.ParseInt(given, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) { // out of range gives the nearest
		wait = time.Duration(min(max(seconds, 0), int64(mostWait/time.Second))) * time.Second
	} else if at, err := http.ParseTime(given); err == nil {
		if its, err := http.ParseTime(h.Get("Date")); err == nil {
			now = its
		}
		wait = at.Sub(now)
	} else {
		return 0, false
	}
	return min(max(wait, leastWait), mostWait), true
}
